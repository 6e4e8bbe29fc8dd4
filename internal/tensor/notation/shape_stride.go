package notation

import (
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// parseShapeStride reads a layout with its sizes, shape:strides@offset in elements, as tensor.Layout prints it:
//
//	(2,64,3,3):(576,9,3,1)           one stride per dim
//	(2,(4,2)<5,2,3):(48,(1,24),12,4) a dim of two digits, least significant first, that ends at size 5
//	(5,4):(8,1)@3                    the first element is at offset 3
//
// CuTe's (2,(2,2)):(4,(2,1)) is the same notation, with _4 for a static 4; without strides the leftmost dim varies fastest. Blanks are
// allowed between numbers and signs, as in pycute's (2, 3):(3, 1). CuTe numbers coordinates leftmost fastest, tlayout rightmost
// fastest; the offsets are the same.
func parseShapeStride(s string) (tensor.Layout, error) {
	return newLayoutParser(s).layout()
}

// isRankOne reports whether s is the layout of one dim without parentheses.
func isRankOne(s string) bool { return strings.Contains(s, ":") && rankOne.Get().MatchString(s) }

var rankOne = lazy.Regexp(`^_?[0-9]+:_?-?[0-9]+(?:@[0-9]+)?$`)

// HasStrides reports whether a text looks like a layout with sizes and strides, or a swizzled one, valid or not.
func HasStrides(s string) bool {
	if strings.HasPrefix(s, "(") && strings.Contains(s, ":") {
		return true
	}
	return isSwizzled(s) || isRankOne(s)
}

// tuple is a nested list of numbers: a leaf has no children.
type tuple struct {
	value    int
	children []tuple
	list     bool
	below    int // the size after "<"; -1: none
}

type layoutParser struct{ scan.Scanner }

func newLayoutParser(s string) *layoutParser {
	return &layoutParser{scan.Scanner{Text: s, Blanks: " "}}
}

func (p *layoutParser) fail(format string, args ...any) *fault.Error {
	return badLayout(p.Text, format, args...)
}

// ahead returns the next text for an error: whatever follows the last word, blanks included.
func (p *layoutParser) ahead() string {
	read := strings.TrimRight(p.Text[:p.At], " ")
	return clip(p.Text[len(read):])
}

func (p *layoutParser) layout() (tensor.Layout, error) {
	shape, err := p.tuple()
	if err != nil {
		return tensor.Layout{}, err
	}
	var strides tuple
	given := p.Take(':')
	if given {
		strides, err = p.tuple()
		if err != nil {
			return tensor.Layout{}, err
		}
	}
	offset := 0
	if p.Take('@') {
		offset, err = p.number()
		if err != nil {
			return tensor.Layout{}, err
		}
	}
	if !p.End() {
		return tensor.Layout{}, p.fail("unexpected %q at the end", p.ahead())
	}
	if !given {
		run := 1
		strides, err = p.leftmostFastest(shape, &run)
		if err != nil {
			return tensor.Layout{}, err
		}
	}
	return p.build(shape, strides, offset)
}

// tuple reads a number or a parenthesised list, at most two deep: dims, and digits of a dim.
func (p *layoutParser) tuple() (tuple, error) {
	t := tuple{below: -1}
	if !p.Take('(') {
		n, err := p.number()
		t.value = n
		return t, err
	}
	if p.Depth() == 2 {
		return t, p.fail("it nests deeper than two levels, dims and their digits")
	}
	t.list = true
	_, err := p.List(')', func() error {
		c, err := p.tuple()
		t.children = append(t.children, c)
		if err == nil && len(t.children) > tensor.MaxRank {
			return p.fail("it has more than %d dims", tensor.MaxRank)
		}
		return err
	}, func(byte) error { return p.fail("expected a comma or ) before %q", p.ahead()) })
	if err != nil {
		return t, err
	}
	if p.Depth() == 1 && p.Take('<') {
		n, err := p.number()
		t.below = n
		return t, err
	}
	return t, nil
}

func (p *layoutParser) number() (int, error) {
	p.Take('_')
	p.Skip()
	start := p.At
	n, err := strconv.Atoi(p.Integer())
	if err != nil {
		return 0, p.fail("expected a number in range before %q", clip(p.Text[start:]))
	}
	return n, nil
}

// leftmostFastest returns CuTe's default: compact strides, the leftmost fastest.
func (p *layoutParser) leftmostFastest(shape tuple, run *int) (tuple, error) {
	t := tuple{list: shape.list, below: -1}
	if !shape.list {
		t.value = *run
		if shape.value != 0 && *run > (1<<31-1)/max(shape.value, 1) {
			return t, p.fail("its default strides overflow 32 bits")
		}
		*run *= max(shape.value, 1)
	}
	for _, c := range shape.children {
		child, err := p.leftmostFastest(c, run)
		if err != nil {
			return t, err
		}
		t.children = append(t.children, child)
	}
	return t, nil
}

func (p *layoutParser) build(shape, strides tuple, offset int) (tensor.Layout, error) {
	if !shape.list { // CuTe's 8:1 is (8):(1)
		shape = tuple{children: []tuple{shape}}
		strides = tuple{children: []tuple{strides}}
	}
	if len(shape.children) != len(strides.children) {
		return tensor.Layout{}, p.fail("it has %d dims but %d strides", len(shape.children), len(strides.children))
	}
	dims := make([]tensor.Dim, len(shape.children))
	for i, d := range shape.children {
		digits, size, err := p.digits(i, d, strides.children[i])
		if err != nil {
			return tensor.Layout{}, err
		}
		dims[i] = tensor.Dim{Name: "d" + strconv.Itoa(i), Size: size, Digits: digits}
	}
	l, err := tensor.New(dims, offset, tensor.Unbounded)
	if err != nil {
		return l, fault.In("layout "+text.Quoted(clip(p.Text)), err)
	}
	return l, nil
}

func (p *layoutParser) digits(dim int, d, stride tuple) ([]tensor.Digit, int, error) {
	if d.list != stride.list || len(d.children) != len(stride.children) {
		return nil, 0, p.fail("shape and strides nest differently")
	}
	if !d.list {
		return []tensor.Digit{{Div: 1, Extent: d.value, Stride: stride.value}}, d.value, nil
	}
	var digits []tensor.Digit
	div := 1
	for k, c := range d.children {
		if c.list {
			return nil, 0, p.fail("it nests deeper than two levels, dims and their digits")
		}
		digits = append(digits, tensor.Digit{Div: div, Extent: c.value, Stride: stride.children[k].value})
		if c.value < 0 || c.value > 0 && div > (1<<31-1)/c.value {
			return nil, 0, p.fail("the digits of dim d%d are out of range", dim)
		}
		div *= c.value
	}
	if len(digits) == 0 {
		return nil, 0, p.fail("a dim has no digits")
	}
	if d.below < 0 {
		return digits, div, nil
	}
	if d.below > div {
		return nil, 0, p.fail("a dim of size %d has digits for only %d", d.below, div)
	}
	return digits, d.below, nil
}

// belowSize is the suffix for a dim that ends inside a block: )<62.
var belowSize = lazy.Regexp(`\)<[0-9]+`)

// CuTe returns a layout in CuTe's notation, which includes padding: a dim that ends inside a block has whole blocks.
func CuTe(l tensor.Layout) string {
	text := l.String()
	if !strings.Contains(text, ")<") {
		return text
	}
	return belowSize.Get().ReplaceAllString(text, ")")
}

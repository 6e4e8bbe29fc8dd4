package cute

import (
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// maxText limits the text of a layout or of steps, in bytes.
const maxText = 4096

// argument is an operation's argument: a layout, a tuple, a number, _ for an unchanged mode, or a tiler <…> of them.
type argument struct {
	kind   kind
	n      int
	layout Layout
	parts  []argument // of a tuple or a tiler
}

type kind int

const (
	number kind = iota
	tuple
	keep
	typed // of a layout
	tiler
)

// String returns the argument without blanks.
func (a argument) String() string {
	switch a.kind {
	case number:
		return strconv.Itoa(a.n)
	case keep:
		return "_"
	case typed:
		return a.layout.String()
	}
	parts := make([]string, len(a.parts))
	for k, p := range a.parts {
		parts[k] = p.String()
	}
	if a.kind == tiler {
		return "<" + strings.Join(parts, ",") + ">"
	}
	return "(" + strings.Join(parts, ",") + ")"
}

// Call is a parsed operation: composition((2,2):(1,2)). "()" after a name changes nothing.
type Call struct {
	Text string // safe to print
	Name string
	args []argument
}

// ParseLayout parses a layout. Errors are of class Usage, or Unsupported beyond the limits.
//
//	layout   = tuple [ ":" tuple ]              default strides: LayoutLeft, dense with the leftmost mode fastest
//	tuple    = integer | "(" tuple { "," tuple } [ "," ] ")"
//	integer  = [ "_" ] [ "-" ] digits           _4 is CuTe's static 4
//
// Blanks are allowed between these. Post: ParseLayout(l.String()) is l.
func ParseLayout(text string) (Layout, error) {
	p := newParser(text)
	if err := p.limit(); err != nil {
		return Layout{}, err
	}
	a, err := p.argument()
	if err != nil {
		return Layout{}, err
	}
	if !p.End() {
		return Layout{}, p.expected("the end")
	}
	switch a.kind {
	case typed:
		return a.layout, nil
	case keep, tiler:
		return Layout{}, p.wrong(": %s is not a layout", a).WithHint("layouts look like (4,2):(1,4)")
	}
	run := 1
	strides, err := p.compact(a, &run)
	if err != nil {
		return Layout{}, err
	}
	return p.build(a, strides)
}

// ParseSteps parses operations, separated by blanks or dots. A single letter as the first of several arguments stands for
// the layout itself, as in composition(A, 4:2).
func ParseSteps(text string) ([]Call, error) {
	p := newParser(text)
	if err := p.limit(); err != nil {
		return nil, err
	}
	p.deepest++ // the brackets of the arguments
	var calls []Call
	for !p.End() {
		if len(calls) > 0 && p.Take('.') {
			p.Skip()
		}
		c, err := p.call()
		if err != nil {
			return nil, err
		}
		calls = append(calls, c)
	}
	if len(calls) == 0 {
		return nil, fault.New(fault.Usage, "empty step").WithHint("steps look like coalesce or complement(24)")
	}
	return calls, nil
}

// parser reads a text from start to end.
type parser struct {
	scan.Scanner
	deepest int // maximum nesting of brackets
}

func newParser(text string) *parser { return &parser{scan.Scanner{Text: text}, maxDepth} }

func (p *parser) limit() error {
	if len(p.Text) > maxText {
		return fault.New(fault.Usage, "text of %d bytes is too long: the limit is %d", len(p.Text), maxText)
	}
	return nil
}

// wrong returns an error about the text; format continues the sentence after it.
func (p *parser) wrong(format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, "%s"+format, append([]any{text.Quoted(clip(p.Text))}, args...)...)
}

func (p *parser) expected(what string) *fault.Error {
	if p.End() {
		return p.wrong(": expected %s, found the end", what)
	}
	return p.wrong(": expected %s, found %s at byte %d", what, text.Quoted(p.Char()), p.At)
}

func (p *parser) unlisted(closing byte) error { return p.expected("a comma or " + string(closing)) }

// swizzle reports whether Sw<3,4,3>, SW_3_4_3, Swizzle(3,4,3) or cute::Swizzle<3,4,3> may begin here. Nothing else in a layout or an
// argument starts with an S.
func (p *parser) swizzle() bool {
	rest := strings.ToLower(p.Rest())
	return strings.HasPrefix(strings.TrimPrefix(rest, "cute::"), "s")
}

// swizzled returns the error for a swizzle.
func (p *parser) swizzled() *fault.Error {
	return fault.New(fault.Unsupported, "%s: swizzled layouts are not supported: operations on them do not return shape:strides",
		text.Quoted(clip(p.Text))).WithHint("use the layout after the swizzle; offset --from computes swizzled offsets")
}

func (p *parser) call() (Call, error) {
	start := p.At
	c := Call{Name: p.While(scan.IsLetter)}
	if c.Name == "" {
		return Call{}, p.expected("an operation").WithHint("steps look like coalesce, complement(24) or composition((2,2):(1,4))")
	}
	if p.Take('(') {
		if err := p.arguments(&c); err != nil {
			return Call{}, err
		}
	}
	c.Text = text.Quote(strings.Join(strings.Fields(p.Text[start:p.At]), " "))
	return c, nil
}

// arguments reads up to the closing bracket.
func (p *parser) arguments(c *Call) error {
	if next := p.Next(); scan.IsLetter(next) && next != '_' {
		start := p.At
		if p.At++; !p.Take(',') && p.Next() != ')' {
			p.At = start
			if p.swizzle() {
				return p.swizzled()
			}
			p.At++
			return p.expected("a comma after the name of the layout")
		}
	}
	_, err := p.List(')', func() error {
		a, err := p.argument()
		c.args = append(c.args, a)
		return err
	}, p.unlisted)
	return err
}

// argument reads a layout, a tuple, a number, _ or a tiler.
func (p *parser) argument() (argument, error) {
	if p.Next() == '<' {
		return p.list('>', tiler, p.argument)
	}
	shape, err := p.tuple()
	if err != nil || !p.Take(':') {
		return shape, err
	}
	strides, err := p.tuple()
	if err != nil {
		return argument{}, err
	}
	l, err := p.build(shape, strides)
	return argument{kind: typed, layout: l}, err
}

// tuple reads a number, _ or a list of tuples in brackets.
func (p *parser) tuple() (argument, error) {
	switch p.Next() {
	case '(':
		return p.list(')', tuple, p.tuple)
	case '_':
		p.At++
		next := p.Rest()
		if static := next != "" && (scan.IsDigit(next[0]) || next[0] == '-'); !static { // not CuTe's _4
			return argument{kind: keep}, nil
		}
	}
	digits := p.Integer()
	if digits == "" {
		if p.swizzle() {
			return argument{}, p.swizzled()
		}
		return argument{}, p.expected("an integer or a tuple")
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return argument{}, p.wrong(": %s is out of range", clip(digits))
	}
	return argument{kind: number, n: n}, nil
}

// list reads a tuple or a tiler.
func (p *parser) list(closing byte, k kind, part func() (argument, error)) (argument, error) {
	p.At++ // the opening bracket
	if p.Depth() == p.deepest {
		return argument{}, p.wrong(" nests more than %d levels deep", maxDepth)
	}
	a := argument{kind: k}
	_, err := p.List(closing, func() error {
		next, err := part()
		a.parts = append(a.parts, next)
		return err
	}, p.unlisted)
	if err != nil {
		return argument{}, err
	}
	if len(a.parts) == 0 {
		return argument{}, p.wrong(": an empty tuple has no modes")
	}
	return a, nil
}

// compact sets each size's stride to that of LayoutLeft; run is the product of the earlier sizes.
func (p *parser) compact(shape argument, run *int) (argument, error) {
	a := argument{kind: shape.kind, n: *run}
	if shape.kind == number {
		n, ok := tensor.Mul(*run, shape.n)
		if !ok {
			return a, overflow("size of " + text.Quote(p.Text))
		}
		*run = n
	}
	for _, part := range shape.parts {
		strides, err := p.compact(part, run)
		if err != nil {
			return a, err
		}
		a.parts = append(a.parts, strides)
	}
	return a, nil
}

// build returns a layout of a shape and strides, which must be congruent: nested alike.
func (p *parser) build(shape, strides argument) (Layout, error) {
	if shape.kind == keep || strides.kind == keep {
		return Layout{}, p.wrong(": _ is not a size or a stride").WithHint("static integers look like _4")
	}
	if shape.kind != strides.kind || len(shape.parts) != len(strides.parts) {
		return Layout{}, p.wrong(": shape %s and strides %s nest differently", clip(shape.String()), clip(strides.String())).
			WithHint("each size needs a stride: (4,(2,2)):(2,(1,8))")
	}
	if shape.kind == number {
		if shape.n < 1 {
			return Layout{}, p.wrong(": size %d is below 1", shape.n)
		}
		l := single(shape.n, strides.n)
		_, err := join(l) // checks the numbers
		return l, err
	}
	modes := make([]Layout, len(shape.parts))
	for k := range modes {
		m, err := p.build(shape.parts[k], strides.parts[k])
		if err != nil {
			return Layout{}, err
		}
		modes[k] = m
	}
	return join(modes...)
}

// clip shortens a long text.
func clip(s string) string { return text.Cut(s, 60) }

package npy

import (
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// maxDepth bounds nested brackets, so that a hostile header cannot exhaust the stack.
const maxDepth = 32

// parser reads the dictionary by recursive descent.
type parser struct {
	literals
	objects bool // the dtype is object: the data is a pickle of the array
}

func newParser(text string, longs bool) *parser {
	return &parser{literals: literals{Scanner: scan.Scanner{Text: text, Blanks: " \t\n\r\f", Comment: '#'}, longs: longs}}
}

// parseText reads dtype, order and shape from the header's text.
func parseText(text string, longs bool) (Header, error) {
	p := newParser(text, longs)
	if p.peek() != '{' {
		p.expected("a dictionary")
	}
	h := p.dict()
	if p.peek() != atEnd {
		at := p.At
		p.fail(at, "found %s after the dictionary", p.found())
	}
	if p.err != nil {
		return Header{}, p.err
	}
	h.Python2 = p.hasLong
	err := flatten(&h)
	return h, err
}

// dict reads the dictionary and checks that each key occurs once.
func (p *parser) dict() (h Header) {
	var seen []string
	p.sequence('{', '}', func() error {
		at := p.At
		key := p.name("a key")
		if slices.Contains(seen, key) {
			p.fail(at, "the key '%s' appears twice", shorten(key))
		}
		seen = append(seen, key)
		p.expect(':')
		switch key {
		case "descr":
			h.DType = p.descr()
		case "fortran_order":
			h.Fortran = p.bool()
		case "shape":
			h.Shape = p.shape()
		default:
			p.fail(at, "unknown key '%s': want descr, fortran_order or shape", shorten(key))
		}
		return p.err
	})
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if p.err == nil && !slices.Contains(seen, key) {
			p.check(fault.New(fault.Malformed, "header: the key '%s' is missing", key))
		}
	}
	return h
}

func (p *parser) bool() bool {
	p.peek()
	at := p.At
	found := p.found()
	if found != "True" && found != "False" {
		p.fail(at, "fortran_order must be True or False, found %s", found)
	}
	return found == "True"
}

// shape reads a tuple of sizes. A tuple of one needs its comma, as in Python.
func (p *parser) shape() []int {
	shape := []int{}
	p.peek()
	start := p.At
	comma := p.sequence('(', ')', func() error {
		at := p.At
		if p.peek() == '-' {
			p.fail(at, "a negative size in a shape")
		}
		if p.peek() != atInt {
			p.expected("a size")
			return p.err
		}
		n := p.int()
		switch {
		case p.err != nil:
		case n > math.MaxInt64:
			p.fail(at, "a size beyond 2^63-1 in a shape")
		case n > math.MaxInt:
			p.check(tooLargeHere())
		case len(shape) == tensor.MaxRank:
			p.check(fault.New(fault.Unsupported, "a shape has more than %d dimensions", tensor.MaxRank))
		}
		shape = append(shape, int(n))
		return p.err
	})
	if p.err == nil && len(shape) == 1 && !comma {
		p.fail(start, "a shape must be a tuple: a single size needs a comma after it")
	}
	return shape
}

// descr reads a dtype:
//
//	descr := string | '(' descr ',' shape ')' | '[' field, … ']'
//	field := '(' name ',' descr ')' | '(' name ',' descr ',' shape ')'
//	name  := string | '(' title ',' name ')'
//
// Source: descr_to_dtype in NumPy numpy/lib/format.py.
func (p *parser) descr() (d dtype.Type) {
	switch p.peek() {
	case atString:
		return p.plainDescr()
	case '(':
		p.tuple(2, func(i int) {
			if i == 0 {
				d = p.descr()
			} else {
				d = p.arrayOf(d)
			}
		})
		return d
	case '[':
		return p.record()
	}
	at := p.At
	p.fail(at, "descr must be a string, a list or a sub-array, found %s", p.found())
	return d
}

// plainDescr reads a dtype in a string. Names that NumPy itself does not have are refused: a .npy file cannot hold them, and writing
// them back would lose the name.
func (p *parser) plainDescr() dtype.Type {
	text := p.string()
	if p.err != nil {
		return dtype.Type{}
	}
	if text == ObjectDescr {
		p.objects = true
		p.check(ErrObjects)
		return dtype.Type{}
	}
	d, err := dtype.Parse(text)
	if err == nil && !readable(d) {
		err = fault.New(fault.Unsupported, "descr '%s' is not a NumPy type", shorten(text)).
			WithHint("NumPy stores such data as raw bytes, '|V%d'; read them with --dtype %s", d.ItemSize(), d)
		p.check(err)
	}
	p.check(fault.In("descr", err))
	return d
}

// readable reports whether the dtype survives a round trip through its typestr.
func readable(d dtype.Type) bool {
	if d.Fields() != nil {
		return !slices.ContainsFunc(d.Fields(), func(f dtype.Field) bool { return !readable(f.DType) })
	}
	same, err := dtype.Parse(d.Typestr())
	return err == nil && same.Equal(d)
}

// arrayOf reads a shape, and makes a sub-array of base.
func (p *parser) arrayOf(base dtype.Type) dtype.Type {
	shape := p.shape()
	if p.err != nil {
		return base
	}
	d, err := dtype.ArrayOf(base, shape)
	p.check(fault.In("descr", err))
	return d
}

// record reads a list of fields. They are contiguous: padding has its own entries.
func (p *parser) record() dtype.Type {
	var fields []dtype.Field
	size := 0
	p.sequence('[', ']', func() error {
		f := p.field()
		if p.err != nil {
			return p.err
		}
		f.Offset = size
		if f.DType.ItemSize() > math.MaxInt32-size {
			p.check(fault.New(fault.Unsupported, "descr: an element would exceed 2^31-1 bytes"))
		}
		size += f.DType.ItemSize()
		if !isPadding(f) {
			fields = append(grown(fields), f)
		}
		return p.err
	})
	if p.err != nil {
		return dtype.Type{}
	}
	d, err := dtype.StructOf(fields, size)
	p.check(fault.In("descr", err))
	return d
}

// grown makes room for another field by doubling: append's smaller steps would leave more garbage than data for a header full of
// fields.
func grown(fields []dtype.Field) []dtype.Field {
	if len(fields) < cap(fields) {
		return fields
	}
	return slices.Grow(fields, max(4, len(fields)))
}

// isPadding reports whether a field only fills a gap: it has no name, and untyped bytes.
func isPadding(f dtype.Field) bool {
	return f.Name == "" && f.Title == "" && f.DType.Kind() == dtype.Void && f.DType.Fields() == nil
}

// field reads one entry of a list of fields. A pair in place of its name is title and name.
func (p *parser) field() (f dtype.Field) {
	p.tuple(3, func(i int) {
		switch i {
		case 0:
			if p.peek() != '(' {
				f.Name = p.name("a field name")
				return
			}
			at := p.At
			p.tuple(2, func(int) {
				f.Title = f.Name
				f.Name = p.name("a field's title or name")
			})
			if p.err == nil && f.Title == "" {
				p.fail(at, "an empty field title")
			}
		case 1:
			f.DType = p.descr()
		case 2:
			f.DType = p.arrayOf(f.DType)
		}
	})
	return f
}

// tuple reads a tuple of two to max items, calling item with each one's number.
func (p *parser) tuple(max int, item func(i int)) {
	p.peek()
	at := p.At
	n := 0
	p.sequence('(', ')', func() error {
		if n == max {
			p.peek()
			p.fail(p.At, "a tuple of more than %d items", max)
			return p.err
		}
		n++
		item(n - 1)
		return p.err
	})
	if p.err == nil && n < 2 {
		p.fail(at, "a tuple of fewer than two items")
	}
}

// sequence reads open, items separated by commas, and close, and reports whether a comma preceded close. item returns the parser's
// error.
func (p *parser) sequence(open, close byte, item func() error) (comma bool) {
	if p.peek() == open && p.Depth() == maxDepth {
		p.fail(p.At, "brackets nested deeper than %d", maxDepth)
	}
	if p.expect(open); p.err != nil {
		return false
	}
	comma, _ = p.List(close, item, p.unlisted)
	return comma
}

// unlisted fails because an item is followed by neither a comma nor the closing bracket.
func (p *parser) unlisted(closing byte) error {
	p.expected("',' or '" + string(closing) + "'")
	return p.err
}

// expect steps over a punctuation character.
func (p *parser) expect(c byte) {
	if p.peek() != c {
		p.expected("'" + string(c) + "'")
		return
	}
	p.At++
}

// name reads a string, called what in an error.
func (p *parser) name(what string) string {
	if p.peek() != atString {
		p.expected(what)
		return ""
	}
	return p.string()
}

// expected fails because something else comes next.
func (p *parser) expected(what string) {
	at := p.At
	p.fail(at, "expected %s, found %s", what, p.found())
}

// found reads whatever comes next, for an error. If that is malformed, it is the error.
func (p *parser) found() string {
	kind := p.peek()
	start := p.At
	switch kind {
	case atEnd:
		return "the end"
	case atString:
		return "the string '" + shorten(p.string()) + "'"
	case atInt:
		p.int()
	case atWord:
		p.Name()
	default:
		p.At++
	}
	if p.err != nil {
		return ""
	}
	return shorten(p.Text[start:p.At])
}

// flatten moves the dimensions of a sub-array dtype to the end of the shape, as NumPy does when it makes an array. In Fortran order
// they would still vary fastest, which a shape cannot express.
func flatten(h *Header) error {
	for base, sub := h.DType.Sub(); sub != nil; base, sub = h.DType.Sub() {
		if h.Fortran {
			return fault.New(fault.Unsupported, "a sub-array dtype in Fortran order")
		}
		if len(h.Shape)+len(sub) > tensor.MaxRank {
			return fault.New(fault.Unsupported, "shape and sub-array have more than %d dimensions", tensor.MaxRank)
		}
		h.DType = base
		h.Shape = append(h.Shape, sub...)
	}
	return nil
}

// tooLargeHere returns the error for sizes that only a 64-bit program can handle.
func tooLargeHere() error {
	return fault.New(fault.Unsupported, "the data is too large for this 32-bit program")
}

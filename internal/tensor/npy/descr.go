package npy

import (
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// descr reads an item type:
//
//	descr := string | '(' descr ',' shape ')' | '[' field, … ']'
//	field := '(' name ',' descr ')' | '(' name ',' descr ',' shape ')'
//	name  := string | '(' title ',' name ')'
//
// Source: descr_to_dtype in NumPy numpy/lib/format.py.
func (p *parser) descr() (dtype.Type, error) {
	switch p.tok.kind {
	case stringToken:
		return p.plainDescr()
	case '(':
		return p.subArray()
	case '[':
		return p.record()
	}
	return dtype.Type{}, p.fail(p.tok.pos, "descr must be a string, a list or a sub-array, found %s", p.found())
}

// plainDescr reads a dtype in a string. Names that NumPy itself does not know are refused: a .npy file cannot hold
// them, and writing them back would lose the name.
func (p *parser) plainDescr() (dtype.Type, error) {
	d, err := dtype.Parse(p.tok.text)
	if err != nil {
		return dtype.Type{}, fault.In("descr", err)
	}
	if !readable(d) {
		err := fault.New(fault.Unsupported, "descr '%s' is a type that .npy cannot name", shorten(p.tok.text))
		return dtype.Type{}, err.WithHint("such data is stored as raw bytes, '|V%d', and read with --dtype %s", d.ItemSize(), d)
	}
	return d, p.advance()
}

// readable reports whether the dtype survives its own typestr.
func readable(d dtype.Type) bool {
	if d.Fields() != nil {
		for _, f := range d.Fields() {
			if !readable(f.DType) {
				return false
			}
		}
		return true
	}
	same, err := dtype.Parse(d.Typestr())
	return err == nil && same.Equal(d)
}

// subArray reads a pair of a dtype and a shape.
func (p *parser) subArray() (d dtype.Type, err error) {
	err = p.tuple(2, func(i int) (err error) {
		if i == 0 {
			d, err = p.descr()
			return err
		}
		d, err = p.arrayOf(d)
		return err
	})
	return d, err
}

// arrayOf reads a shape, and makes a sub-array of base.
func (p *parser) arrayOf(base dtype.Type) (dtype.Type, error) {
	shape, err := p.shape()
	if err != nil {
		return dtype.Type{}, err
	}
	d, err := dtype.ArrayOf(base, shape)
	return d, fault.In("descr", err)
}

// record reads a list of fields. They follow each other without gaps: padding has entries of its own.
func (p *parser) record() (dtype.Type, error) {
	var fields []dtype.Field
	size := 0
	err := p.list('[', ']', func() error {
		f, err := p.field()
		if err != nil {
			return err
		}
		f.Offset = size
		if f.DType.ItemSize() > math.MaxInt32-size {
			return fault.New(fault.Unsupported, "descr: one item would be larger than 2^31-1 bytes")
		}
		size += f.DType.ItemSize()
		if !isPadding(f) {
			fields = append(grown(fields), f)
		}
		return nil
	})
	if err != nil {
		return dtype.Type{}, err
	}
	d, err := dtype.StructOf(fields, size)
	return d, fault.In("descr", err)
}

// grown makes room for one more field, by doubling: append's smaller steps would leave more garbage than data behind a
// header made of fields.
func grown(fields []dtype.Field) []dtype.Field {
	if len(fields) < cap(fields) {
		return fields
	}
	return slices.Grow(fields, max(4, len(fields)))
}

// isPadding reports whether a field only fills a gap: no name, and bytes without a type of their own.
func isPadding(f dtype.Field) bool {
	return f.Name == "" && f.Title == "" && f.DType.Kind() == dtype.Void && f.DType.Fields() == nil
}

// field reads one entry of a list of fields.
func (p *parser) field() (f dtype.Field, err error) {
	err = p.tuple(3, func(i int) (err error) {
		switch i {
		case 0:
			f.Title, f.Name, err = p.name()
		case 1:
			f.DType, err = p.descr()
		case 2:
			f.DType, err = p.arrayOf(f.DType)
		}
		return err
	})
	return f, err
}

// name reads a field's name, or a pair of title and name.
func (p *parser) name() (title, name string, err error) {
	if p.tok.kind != '(' {
		name = p.tok.text
		return "", name, p.expect(stringToken, "a field name")
	}
	pos := p.tok.pos
	err = p.tuple(2, func(i int) error {
		title, name = name, p.tok.text
		return p.expect(stringToken, "a field's title or name")
	})
	if err == nil && title == "" {
		err = p.fail(pos, "an empty field title")
	}
	return title, name, err
}

// tuple reads a tuple of two to most items, calling item with the number of each.
func (p *parser) tuple(most int, item func(i int) error) error {
	pos, n := p.tok.pos, 0
	err := p.list('(', ')', func() error {
		if n == most {
			return p.fail(p.tok.pos, "a tuple of more than %d items", most)
		}
		n++
		return item(n - 1)
	})
	if err == nil && n < 2 {
		err = p.fail(pos, "a tuple of fewer than two items")
	}
	return err
}

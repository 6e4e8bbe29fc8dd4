package trace

import (
	"github.com/tlayout/tlayout/internal/fault"
)

// index reads an index. A tuple alone in it is the index itself, as in Python: [(0, 1)] is [0, 1], [()] takes all.
func (p *parser) index() (Call, error) {
	c, start := Call{Name: Index}, p.at
	p.open(']')
	tuple := p.next() == '('
	for !p.take(']') {
		entry, err := p.entry()
		if err != nil {
			return Call{}, err
		}
		c.Args = append(c.Args, entry)
		if !p.take(',') && p.next() != ']' {
			return Call{}, p.expected(`"," or "]"`)
		}
	}
	p.close()
	if len(c.Args) == 0 {
		return Call{}, p.wrong(" holds no index").WithHint("[0] takes the first, [:] all, [None] adds a dim")
	}
	if tuple && len(c.Args) == 1 && c.Args[0].Kind == List {
		c.Args = c.Args[0].List
	}
	for _, arg := range c.Args {
		if arg.Kind == List || arg.Kind == Word {
			return Call{}, p.advanced(arg)
		}
	}
	c.Text = tidy(p.text[start:p.at])
	return c, nil
}

// entry reads a value, or a slice, whose bounds may be left out or None.
func (p *parser) entry() (Arg, error) {
	r := Arg{Kind: Range}
	for i, to := range []**int{&r.Start, &r.Stop, &r.Step} {
		if next := p.next(); next != ':' && (i == 0 || next != ',' && next != ']') {
			v, err := p.value()
			switch {
			case err != nil || i == 0 && p.next() != ':':
				return v, err
			case v.Kind == Int:
				*to = &v.Int
			case v.Kind != None:
				return Arg{}, p.wrong(" has %s as the bound of a slice", v).WithHint("bounds are whole numbers: [1:3], [::2], [:-1]")
			}
		}
		if i == 2 || !p.take(':') {
			break
		}
	}
	return r, nil
}

// advanced refuses what picks elements by a list, a mask or a tensor.
func (p *parser) advanced(by Arg) *fault.Error {
	return p.wrong(" picks by %s: advanced indexing always copies, and is no view to follow", by).
		WithHint("numbers, slices, ... and None give views: [0], [0:4:2], [..., None]")
}

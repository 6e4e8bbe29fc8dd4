package snippet

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// Packed makes the packed memory of an order, zeros in its padding, for sizes of the logical dims, or for those of any x
// where shape is nil. An order has at least one dim.
func (d Dialect) Packed(f notation.Format, shape []int) Code {
	switch {
	case f.Plain():
		return d.plain(f)
	case shape != nil:
		return d.blocked(numbers(f, shape))
	}
	c := d.blocked(letters(f))
	c.Make = slices.Insert(c.Make, 0, opening(f))
	return c
}

// plain permutes axes; channels_last is PyTorch's own word for it, and keeps the logical shape.
func (d Dialect) plain(f notation.Format) Code {
	order, back := make([]int, f.Rank()), make([]int, f.Rank())
	for k, a := range f.Axes() {
		order[k], back[a.Dim] = a.Dim, k
	}
	name := f.Spell().PyTorch
	switch {
	case slices.IsSorted(order):
		return Code{[]string{"y = " + d.contiguous("x")}, []string{"x = y"}}
	case d.formats && strings.HasPrefix(name, "channels_last"):
		return Code{[]string{"y = x.contiguous(memory_format=torch." + name + ")"}, []string{"x = y.contiguous()"}}
	}
	return Code{[]string{"y = " + d.contiguous(d.order("x", order))}, []string{"x = " + d.contiguous(d.order("y", back))}}
}

// blocked pads x to whole blocks, makes an axis of every digit, and orders them as memory has them.
func (d Dialect) blocked(s sizes) Code {
	var c Code
	var pads, padded []string
	for _, x := range s.dims {
		pads, padded = append(pads, x.pad), append(padded, x.padded)
	}
	value, crop := "x", s.crop()
	if crop != "" {
		c.Make, value = append(c.Make, "y = "+d.pad(pads)), "y"
	}
	digits, order, back := s.digits()
	c.Make = append(c.Make, "y = "+d.contiguous(d.order(value+".reshape("+digits+")", order)))
	c.Back = []string{"x = " + d.order("y", back) + ".reshape(" + strings.Join(padded, ", ") + ")" + crop}
	return c
}

// digits writes the sizes of all digits, dim by dim, the most significant first; order has the places of memory's axes
// among them, and back is its inverse.
func (s sizes) digits() (list string, order, back []int) {
	var texts []string
	order, back = make([]int, len(s.Axes())), make([]int, len(s.Axes()))
	for d := range s.Rank() {
		for _, a := range s.DigitAxes(d) {
			k := slices.Index(s.Axes(), a)
			order[k], back[len(texts)] = len(texts), k
			texts = append(texts, s.axis(a))
		}
	}
	return strings.Join(texts, ", "), order, back
}

// crop cuts off what was padded: [:, :62]; nothing where nothing was.
func (s sizes) crop() string {
	var ranges []string
	last := 0
	for d, x := range s.dims {
		if ranges = append(ranges, ":"); x.pad != "0" {
			ranges[d], last = ":"+x.size, d+1
		}
	}
	if last == 0 {
		return ""
	}
	return "[" + strings.Join(ranges[:last], ", ") + "]"
}

package framework

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// Code are statements that make y, of a layout's memory, from a logical x, and x from y.
type Code struct {
	Make []string
	Back []string
}

// Dialect is how a framework says the steps of a re-layout.
type Dialect struct {
	permute string // the method that orders axes anew
	copied  string // a value, made contiguous
	formats bool   // it has memory formats
	pad     func(before []string) string
	view    func(v view) []string
}

// PyTorchCode and NumPy are written in Python. F is torch.nn.functional.
var (
	PyTorchCode = Dialect{"permute", "%s.contiguous()", true, padPyTorch, viewPyTorch}
	NumPyCode   = Dialect{"transpose", "np.ascontiguousarray(%s)", false, padNumPy, viewNumPy}
)

// padPyTorch lists the last dim first, and none after the last one that is padded.
func padPyTorch(pads []string) string {
	var flat []string
	for _, p := range slices.Backward(pads) {
		flat = append(flat, "0", p)
	}
	for len(flat) > 0 && flat[len(flat)-1] == "0" {
		flat = flat[:len(flat)-2]
	}
	return "F.pad(x, (" + strings.Join(flat, ", ") + "))"
}

func padNumPy(pads []string) string {
	pairs := make([]string, len(pads))
	for i, p := range pads {
		pairs[i] = "(0, " + p + ")"
	}
	return "np.pad(x, (" + strings.Join(pairs, ", ") + tail(len(pairs)) + "))"
}

func (d Dialect) order(value string, axes []int) string {
	return fmt.Sprintf("%s.%s(%s)", value, d.permute, words.Ints(axes, ", "))
}

func (d Dialect) contiguous(value string) string { return fmt.Sprintf(d.copied, value) }

// tail makes a tuple of one name.
func tail(n int) string {
	if n == 1 {
		return ","
	}
	return ""
}

// Packed makes the packed memory of an order, zeros in its padding, for sizes of the logical dims, or for those of any x
// where shape is nil. An order has at least one dim.
func (d Dialect) Packed(f notation.Format, shape []int) Code {
	switch {
	case f.Plain():
		return d.plain(f)
	case shape != nil:
		return d.blocked(givenSizes(f, shape))
	}
	c := d.blocked(namedSizes(f))
	c.Make = slices.Insert(c.Make, 0, opening(f))
	return c
}

// plain permutes axes; channels_last is PyTorch's own word for it, and keeps the logical shape.
func (d Dialect) plain(f notation.Format) Code {
	order, back := make([]int, f.Rank()), make([]int, f.Rank())
	for k, a := range f.Axes() {
		order[k], back[a.Dim] = a.Dim, k
	}
	name := Spell(f).PyTorch
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

// view is a strided tensor over a storage of so many elements.
type view struct {
	tensor.Strided
	alloc int
}

// Strided lays a view of the layout's strides over zeros and copies x into it. ok is false where elements share places,
// run backwards, are none, or lie in blocks.
func (d Dialect) Strided(l tensor.Layout) (c Code, ok bool) {
	s, plain := l.Strided()
	if !plain || s.Negative() || s.Empty() || s.Offset < 0 || l.Occupancy().Overlapping != tensor.No {
		return Code{}, false
	}
	return Code{d.view(view{s, l.Alloc()}), []string{"x = " + d.contiguous("y")}}, true
}

func viewPyTorch(v view) []string {
	offset := ""
	if v.Offset != 0 {
		offset = fmt.Sprintf(", %d", v.Offset)
	}
	return []string{
		fmt.Sprintf("y = torch.zeros(%d, dtype=x.dtype)", v.alloc),
		fmt.Sprintf("y = y.as_strided(%s, %s%s).copy_(x)", tensor.Tuple(v.Shape), tensor.Tuple(v.Strides), offset),
	}
}

func viewNumPy(v view) []string {
	start := ""
	if v.Offset != 0 {
		start = fmt.Sprintf("[%d:]", v.Offset)
	}
	bytes := make([]string, len(v.Strides))
	for i, x := range v.Strides {
		bytes[i] = inItems(x)
	}
	strides := strings.Join(bytes, ", ") + tail(len(bytes))
	return []string{
		fmt.Sprintf("y = np.zeros(%d, x.dtype)%s", v.alloc, start),
		fmt.Sprintf("y = np.lib.stride_tricks.as_strided(y, %s, (%s))", tensor.Tuple(v.Shape), strides),
		"y[...] = x",
	}
}

// inItems is a stride in bytes, for any type.
func inItems(stride int) string {
	switch stride {
	case 0:
		return "0"
	case 1:
		return "x.itemsize"
	}
	return fmt.Sprintf("%d * x.itemsize", stride)
}

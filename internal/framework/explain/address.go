package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Address is an element's offset as a sum.
//
//	Total = Swizzle(Σ Value·Stride + Offset)      (elements)
type Address struct {
	Coord   []int
	Terms   []Term // per axis, in the order of Logical
	Offset  int    // of the storage
	Swizzle tensor.Swizzle
	Sum     int // before the swizzle
	Total   int
	Unit    int  // of String: 1 for elements, the itemsize for bytes
	Split   bool // a dim has several digits, or there is a swizzle: not a dot product with strides
}

// Term is the part of one digit: Value·Stride.
type Term struct {
	Axis
	Of    int // the dim's index, which has the digit Value
	Value int
}

// Addresses computes addresses in one layout, listing its axes once.
type Addresses struct {
	layout tensor.Layout
	axes   []Axis
	split  bool
}

// NewAddresses prepares the addresses of many coordinates; NewAddress computes one.
func NewAddresses(l tensor.Layout) Addresses {
	_, plain := l.Strided()
	return Addresses{l, Logical(l), !plain}
}

// NewAddress returns the address of a coordinate inside the shape.
//
// Post: Total = l.At(coord...).
func NewAddress(l tensor.Layout, coord []int) Address { return NewAddresses(l).At(slices.Clone(coord)) }

// At returns the address of a coordinate inside the shape. It keeps the slice.
func (s Addresses) At(coord []int) Address {
	a := Address{Coord: coord, Terms: make([]Term, len(s.axes)), Offset: s.layout.Offset(), Swizzle: s.layout.Swizzle(),
		Total: s.layout.At(coord...), Unit: 1, Split: s.split}
	a.Sum = a.Swizzle.Inverse(a.Total)
	for k, axis := range s.axes {
		a.Terms[k] = axis.term(coord[axis.Dim])
	}
	return a
}

// Digits splits index i of dim d, the most significant digit first. i may exceed the size: then the most significant digit does.
func Digits(l tensor.Layout, d, i int) []Term {
	var terms []Term
	for k := range slices.Backward(l.Dim(d).Digits) {
		terms = append(terms, digitAxis(l, d, k).term(i))
	}
	return terms
}

// term returns the axis's digit of an index: (i div Div) mod Extent; a dim's most significant digit is not wrapped.
func (a Axis) term(i int) Term {
	v := i / a.Div
	if !a.Last {
		v %= a.Extent
	}
	return Term{a, i, v}
}

// In returns the same address in units of this many bytes; the numbers stay elements.
func (a Address) In(unit int) Address {
	a.Unit = unit
	return a
}

// String writes the sum in the address's unit.
//
//	{1,0,1} · {6,3,1} = 1·6 + 0·3 + 1·1 = 7
//	{1,2} · {5,1} + 3 = 1·5 + 2·1 + 3 = 10                       a storage offset of 3
//	N·48 + C//4·24 + C%4·1 = 1·48 + 0·24 + 3·1 = 51              a dim of several digits
//	Sw<3,3,3>(H·64 + W·1) = Sw<3,3,3>(1·64 + 9·1) = Sw<3,3,3>(73) = 65    a swizzle, which counts elements:
//	65·2 = 130                                                            in bytes
func (a Address) String() string { return string(a.Append(nil)) }

// Append appends what String writes.
func (a Address) Append(text []byte) []byte {
	if !a.Swizzle.IsZero() {
		return a.swizzled(text)
	}
	if a.Split {
		text = a.sum(text, func(t *Term, text []byte) []byte { return append(text, t.Name()...) })
	} else {
		text = a.join(append(text, '{'), ",", (*Term).appendValue)
		text = a.join(append(text, "} · {"...), ",", a.appendStride)
		text = a.plusOffset(append(text, '}'))
	}
	if len(a.Terms) > 0 {
		text = a.sum(append(text, " = "...), (*Term).appendValue)
	}
	return appendTimes(append(text, " = "...), a.Total, a.Unit)
}

// swizzled appends the sum inside the swizzle; in bytes, the offset times the unit.
func (a Address) swizzled(text []byte) []byte {
	if a.Unit != 1 {
		text = appendTimes(append(text, fmt.Sprintf("%d·%d = ", a.Total, a.Unit)...), a.Total, a.Unit)
		return text
	}
	open := a.Swizzle.String() + "("
	text = a.sum(append(text, open...), func(t *Term, text []byte) []byte { return append(text, t.Name()...) })
	if len(a.Terms) > 0 {
		text = a.sum(append(append(text, ") = "...), open...), (*Term).appendValue)
	}
	return append(text, fmt.Sprintf(") = %s%d) = %d", open, a.Sum, a.Total)...)
}

// SwizzleLine returns how the swizzle permutes the sum, bit by bit; empty without one.
//
//	73 = 0b1001001: bits 5..3 ^ bits 8..6 = 001 ^ 001 = 000: 65 = 0b1000001
func (a Address) SwizzleLine() string { return SwizzleLine(a.Swizzle, a.Sum) }

// SwizzleLine returns how a swizzle permutes an offset, bit by bit; empty for the zero Swizzle.
func SwizzleLine(z tensor.Swizzle, off int) string {
	if z.IsZero() {
		return ""
	}
	to := z.Apply(off)
	from := z.Base + max(0, z.Shift)
	at := z.Base + max(0, -z.Shift)
	field := func(off, low int) string { return fmt.Sprintf("%0*b", z.Bits, off>>low&(1<<z.Bits-1)) }
	return fmt.Sprintf("%d = %#b: %s ^ %s = %s ^ %s = %s: %d = %#b", off, off, bitRange(at, z.Bits), bitRange(from, z.Bits),
		field(off, at), field(off, from), field(to, at), to, to)
}

func bitRange(low, n int) string {
	if n == 1 {
		return fmt.Sprintf("bit %d", low)
	}
	return fmt.Sprintf("bits %d..%d", low+n-1, low)
}

// sum appends a factor·stride for every term, and the offset.
func (a Address) sum(text []byte, factor func(t *Term, text []byte) []byte) []byte {
	return a.plusOffset(a.join(text, " + ", func(t *Term, text []byte) []byte {
		return a.appendStride(t, append(factor(t, text), "·"...))
	}))
}

// join appends every term with a sign between them.
func (a Address) join(text []byte, sign string, write func(t *Term, text []byte) []byte) []byte {
	for k := range a.Terms {
		if k > 0 {
			text = append(text, sign...)
		}
		text = write(&a.Terms[k], text)
	}
	return text
}

// plusOffset appends the storage offset unless it is 0 and there are other terms.
func (a Address) plusOffset(text []byte) []byte {
	if a.Offset != 0 && a.Unit != 0 || len(a.Terms) == 0 {
		text = appendTimes(append(text, " + "...), a.Offset, a.Unit)
	}
	return text
}

func (a Address) appendStride(t *Term, text []byte) []byte {
	return appendTimes(text, t.Stride, a.Unit)
}

func (t *Term) appendValue(text []byte) []byte { return strconv.AppendInt(text, int64(t.Value), 10) }

// DigitLines returns a line for every index that is split: "c=17 -> C//16 = 17 div 16 = 1, C%16 = 17 mod 16 = 1".
func (a Address) DigitLines() []string {
	var lines []string
	for i, t := range a.Terms {
		if t.Whole() {
			continue
		}
		if i > 0 && a.Terms[i-1].Dim == t.Dim && !a.Terms[i-1].Whole() {
			lines[len(lines)-1] += ", " + t.String()
			continue
		}
		lines = append(lines, fmt.Sprintf("%s=%d -> %s", t.Letter(), t.Of, t))
	}
	return lines
}

// String returns how the digit is computed: "C//16 = 17 div 16 = 1"; for a whole index "C = 17".
func (t Term) String() string {
	if t.Whole() {
		return fmt.Sprintf("%s = %d", t.Name(), t.Value)
	}
	return fmt.Sprintf("%s = %d%s = %d", t.Name(), t.Of, t.Taken(), t.Value)
}

// Formula returns the offset of any element: "offset(n,c) = n·48 + (c div 4)·24 + (c mod 4)·1 + 3", or, swizzled, "offset(h,w) =
// Sw<3,3,3>(h·64 + w·1)".
func Formula(l tensor.Layout) string {
	names := make([]string, l.Rank())
	for d, name := range l.Names() {
		names[d] = strings.ToLower(name)
	}
	var terms []string
	for _, a := range Logical(l) {
		index := a.Letter() + a.Taken()
		if !a.Whole() {
			index = "(" + index + ")"
		}
		terms = append(terms, fmt.Sprintf("%s·%d", index, a.Stride))
	}
	if l.Offset() != 0 || len(terms) == 0 {
		terms = append(terms, strconv.Itoa(l.Offset()))
	}
	sum := strings.Join(terms, " + ")
	if z := l.Swizzle(); !z.IsZero() {
		sum = fmt.Sprintf("%s(%s)", z, sum)
	}
	return fmt.Sprintf("offset(%s) = %s", strings.Join(names, ","), sum)
}

// Division finds the element at an offset by dividing the offset by the strides, the largest first.
type Division struct {
	Sum   int // the offset with its swizzle undone
	From  int // Sum less the layout's offset
	Steps []DivisionStep
	Rest  int // remainder of the smallest stride
}

// DivisionStep is Before = Value·Stride + Rest, where Value is the axis's digit.
type DivisionStep struct {
	Axis
	Before int
	Value  int
	Rest   int
}

// NewDivision divides an offset; ok is false if that finds no element, see tensor.Layout.Divide.
func NewDivision(l tensor.Layout, off int) (d Division, ok bool) {
	r, ok := l.Divide(off)
	if !ok {
		return Division{}, false
	}
	sum := l.Swizzle().Inverse(off)
	d = Division{Sum: sum, From: sum - l.Offset(), Steps: []DivisionStep{}, Rest: r.Rest}
	before := d.From
	for _, s := range r.Steps {
		d.Steps = append(d.Steps, DivisionStep{Axis: *stepAxis(l, s), Before: before, Value: s.Value, Rest: s.Rest})
		before = s.Rest
	}
	return d, true
}

// String returns the step as an equation: "7 = 1·6 + 1", or "1 = 1·1" without a remainder.
func (s DivisionStep) String() string {
	text := fmt.Sprintf("%d = %d·%d", s.Before, s.Value, s.Stride)
	if s.Rest != 0 {
		text += fmt.Sprintf(" + %d", s.Rest)
	}
	return text
}

package tensor

import (
	"slices"
	"testing"
)

func init() {
	layoutDefinitions["Divide"] = defineDivide
	layoutDefinitions["Sharing"] = defineSharing
}

// Divide writes every offset from Offset to beyond the storage as the sum that it promises, and tells by its values
// alone whether an element lies there, and which. It answers wherever strides are positive and leave room for what
// lies below them.
func defineDivide(t reporter, l Layout) {
	found := residents(l)
	_, high, _ := l.Span()
	for at := min(l.Offset(), 0) - 2; at < max(l.Alloc(), high)+3; at++ {
		r, ok := l.Divide(at)
		off := swizzled(l.Swizzle(), at) // its own inverse
		if !ok {
			same(t, "whether Divide answers", l, divisible(l) && off >= l.Offset(), false)
			continue
		}
		sum, rest, element := l.Offset()+r.Rest, off-l.Offset(), r.Rest == 0
		for _, s := range r.Steps {
			g := l.Dim(s.Dim).Digits[s.Digit]
			same(t, "stride of a step", l, s.Stride, g.Stride)
			same(t, "rest of a step", l, rest, s.Value*s.Stride+s.Rest)
			same(t, "size of a rest", l, s.Rest >= 0 && s.Rest < s.Stride, true)
			element = element && s.Value < g.Extent
			sum, rest = sum+s.Value*s.Stride, s.Rest
		}
		same(t, "sum", l, sum, off)
		for d, i := range r.Coord {
			element = element && i < l.Dim(d).Size
		}
		same(t, "whether an element lies at the offset", l, element, len(found[at]) > 0)
		if element {
			same(t, "At of Coord", l, l.At(r.Coord...), at)
			same(t, "Coord is among those that live there", l,
				slices.ContainsFunc(found[at], func(c []int) bool { return slices.Equal(c, r.Coord) }), true)
		}
	}
}

// divisible reports whether each stride of a moving digit is positive and larger than all that the smaller ones, and
// those of its own size, reach together.
func divisible(l Layout) bool {
	var steps []Digit
	for i := range l.Rank() {
		for _, g := range l.Dim(i).Digits {
			if g.Extent > 1 && g.Stride != 0 {
				steps = append(steps, g)
			}
		}
	}
	for k, g := range steps {
		reach := 0
		for j, other := range steps {
			if j != k && other.Stride <= g.Stride {
				reach += (other.Extent - 1) * other.Stride
			}
		}
		if g.Stride <= reach || g.Stride < 0 {
			return false
		}
	}
	return l.Numel() > 0
}

// Sharing, where it answers, is how many elements live at every offset in use. It answers wherever dims have
// one digit each, and their strides nest.
func defineSharing(t reporter, l Layout) {
	n, ok := l.Sharing()
	if !ok {
		plain := true
		for i := range l.Rank() {
			plain = plain && len(l.Dim(i).Digits) == 1
		}
		same(t, "whether Sharing answers", l, plain && divisible(l), false)
		return
	}
	for off, coords := range residents(l) {
		same(t, "Sharing", l, [2]int{off, n}, [2]int{off, len(coords)})
	}
}

// TestDivideSources reads the offsets of docs/sources.md backwards: H of source 2, and element 0576 of MegEngine's CHWN4.
func TestDivideSources(t *testing.T) {
	dhw := mustLayout(t, []int{2, 2, 3}, []int{6, 3, 1}, 0, Unbounded)
	r, ok := dhw.Divide(7)
	same(t, "coordinate at 7", dhw, r.Coord, []int{1, 0, 1})
	same(t, "steps at 7", dhw, r.Steps, []DivStep{{0, 0, 6, 1, 1}, {1, 0, 3, 0, 1}, {2, 0, 1, 1, 0}})
	chwn4 := mustNew(t, []Dim{digitsOf("N", 2, []int{2}, []int{4}), digitsOf("C", 64, []int{4, 16}, []int{1, 72}),
		digitsOf("H", 3, []int{3}, []int{24}), digitsOf("W", 3, []int{3}, []int{8})}, 0, Unbounded)
	r, also := chwn4.Divide(4)
	same(t, "coordinate at 4", chwn4, r.Coord, []int{1, 0, 0, 0})
	same(t, "both answer", chwn4, ok && also, true)
}

package explain

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// Axis is a digit of a dim's index, or the whole index of a dim that is not split. One step of it moves the address by
// Stride elements.
type Axis struct {
	Dim     int // in logical order
	DimName string
	Last    bool // the most significant digit of its dim, which is not wrapped
	tensor.Digit
}

// Whole reports whether the axis is all of its dim's index.
func (a Axis) Whole() bool { return a.Last && a.Div == 1 }

// Name is C, or of a dim in blocks of 16 C//16 and C%16.
func (a Axis) Name() string {
	name := a.DimName
	if a.Div != 1 {
		name += "//" + strconv.Itoa(a.Div)
	}
	if !a.Last {
		name += "%" + strconv.Itoa(a.Extent)
	}
	return name
}

// Symbol is the extent in letters: C, ⌈C/16⌉, 16.
func (a Axis) Symbol() string {
	switch {
	case !a.Last:
		return strconv.Itoa(a.Extent)
	case a.Div != 1:
		return fmt.Sprintf("⌈%s/%d⌉", a.DimName, a.Div)
	}
	return a.DimName
}

// Letter is the index of the axis's dim: c.
func (a Axis) Letter() string { return strings.ToLower(a.DimName) }

// Taken says how the digit is taken from the index: " div 16", " mod 16", " div 4 mod 2"; nothing for all of it.
func (a Axis) Taken() string {
	text := ""
	if a.Div != 1 {
		text = fmt.Sprintf(" div %d", a.Div)
	}
	if !a.Last {
		text += fmt.Sprintf(" mod %d", a.Extent)
	}
	return text
}

// DigitName names digit k of a dim, C//4 or C%4.
func DigitName(d tensor.Dim, k int) string {
	return Axis{DimName: d.Name, Last: k == len(d.Digits)-1, Digit: d.Digits[k]}.Name()
}

// Logical lists the axes of a layout in logical order of the dims, the most significant digit of each first. Where one
// stride a dim says it all, a dim has one axis.
//
// Post: Layout.At(i) = Layout.Offset + Σ (value of the axis for i) · Stride.
func Logical(l tensor.Layout) []Axis {
	var axes []Axis
	s, plain := l.Strided()
	for d := range l.Rank() {
		if plain {
			digit := tensor.Digit{Div: 1, Extent: s.Shape[d], Stride: s.Strides[d]}
			axes = append(axes, Axis{d, l.Dim(d).Name, true, digit})
			continue
		}
		for k := range slices.Backward(l.Dim(d).Digits) {
			axes = append(axes, digitAxis(l, d, k))
		}
	}
	return axes
}

// InMemory lists the same axes from the outermost to the innermost: in the order of the layout's format; by falling stride
// where it is nil, or has blocks of which one stride a dim says as much. Then an axis that does not move the address lies
// outside of all others.
func InMemory(l tensor.Layout, f *notation.Format) []Axis {
	axes := Logical(l)
	_, plain := l.Strided()
	if f == nil || plain && !f.Plain() {
		slices.SortStableFunc(axes, func(a, b Axis) int { return cmp.Compare(b.reach(), a.reach()) })
		return axes
	}
	rank := func(a Axis) int {
		return slices.IndexFunc(f.Axes(), func(b notation.Axis) bool { return a.Dim == b.Dim && a.Div == b.Div })
	}
	slices.SortStableFunc(axes, func(a, b Axis) int { return cmp.Compare(rank(a), rank(b)) })
	return axes
}

// Axes lists the axes of a format, outermost first, with the extents and strides of its layout. Where that is nil, strides
// are 0, and so are the extents that sizes would tell.
func Axes(f notation.Format, l *tensor.Layout) []Axis {
	axes := make([]Axis, len(f.Axes()))
	for i, a := range f.Axes() {
		g := tensor.Digit{Div: a.Div, Extent: a.Extent}
		if l != nil {
			g = axisDigit(l.Dim(a.Dim).Digits, a)
		}
		axes[i] = Axis{a.Dim, f.Names()[a.Dim], a.Extent == 0, g}
	}
	return axes
}

// axisDigit is the digit that an axis counts.
func axisDigit(digits []tensor.Digit, a notation.Axis) tensor.Digit {
	if a.Extent == 0 {
		return digits[len(digits)-1]
	}
	return digits[slices.IndexFunc(digits, func(g tensor.Digit) bool { return g.Div == a.Div && g.Extent == a.Extent })]
}

// digitAxis is digit k of dim d.
func digitAxis(l tensor.Layout, d, k int) Axis {
	dim := l.Dim(d)
	return Axis{d, dim.Name, k == len(dim.Digits)-1, dim.Digits[k]}
}

// reach orders axes of which no order is known.
func (a Axis) reach() int {
	if a.Stride == 0 {
		return math.MaxInt
	}
	return absolute(a.Stride)
}

func absolute(n int) int { return max(n, -n) }

// Product is a product of sizes, in letters and in numbers.
type Product struct {
	Symbols []string
	Factors []int // as many
	Value   int   // a size of 0 counts as 1, as in a stride
}

// newProduct multiplies the extents of axes.
func newProduct(axes []Axis) Product {
	p := Product{Value: 1}
	for _, q := range axes {
		p.Symbols, p.Factors = append(p.Symbols, q.Symbol()), append(p.Factors, q.Extent)
		p.Value *= max(q.Extent, 1)
	}
	return p
}

// In writes the product with a sign between its factors: with " · ", "H · W = 5 · 4 = 20"; of one factor "W = 4", of one
// that is a number "16"; of none "1".
func (p Product) In(sign string) string {
	letters := strings.Join(p.Symbols, sign)
	switch len(p.Factors) {
	case 0:
		return strconv.Itoa(p.Value)
	case 1:
		return strings.Join(slices.Compact([]string{letters, strconv.Itoa(p.Factors[0])}), " = ")
	}
	return strings.Join(slices.Compact([]string{letters, words.Ints(p.Factors, sign), strconv.Itoa(p.Value)}), " = ")
}

// InBytes writes a number of elements in bytes, however large.
func InBytes(n, itemSize int) string { return times(n, itemSize) }

// times writes a·b, however large.
func times(a, b int) string { return string(appendTimes(nil, a, b)) }

func appendTimes(text []byte, a, b int) []byte {
	if n, ok := tensor.Mul(a, b); ok {
		return strconv.AppendInt(text, int64(n), 10)
	}
	return new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b))).Append(text, 10)
}

// Example is a coordinate that shows how addresses add up: {1,0,1} of (2,2,3), {1,2} of (2,5). Of a dim in blocks it takes
// the second lane of the second block.
func Example(l tensor.Layout) []int {
	coord, on := make([]int, l.Rank()), true
	if l.Rank() == 2 {
		return []int{max(0, min(l.Dim(0).Size-1, 1)), max(0, min(l.Dim(1).Size-1, 2))}
	}
	for i := l.Rank() - 1; i >= 0; i-- {
		d := l.Dim(i)
		switch {
		case len(d.Digits) > 1:
			coord[i] = max(0, min(d.Size-1, d.Digits[0].Extent+1))
		case d.Size > 1:
			if on {
				coord[i] = 1
			}
			on = !on
		}
	}
	return coord
}

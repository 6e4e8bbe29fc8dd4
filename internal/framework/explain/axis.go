package explain

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/sorting"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Axis is a digit of a dim's index, or the whole index of a dim that is not split. Adding 1 to it adds Stride to the offset.
type Axis struct {
	Dim     int // in logical order
	DimName string
	Last    bool // a dim's most significant digit, which is not wrapped
	tensor.Digit
}

// Whole reports whether the axis is the dim's whole index.
func (a Axis) Whole() bool { return a.Last && a.Div == 1 }

// Name returns C; for a dim in blocks of 16, C//16 and C%16.
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

// Symbol returns the extent as a formula: C, ⌈C/16⌉, 16.
func (a Axis) Symbol() string {
	if !a.Last {
		return strconv.Itoa(a.Extent)
	}
	if a.Div != 1 {
		return fmt.Sprintf("⌈%s/%d⌉", a.DimName, a.Div)
	}
	return a.DimName
}

// Letter returns the index of the axis's dim: c.
func (a Axis) Letter() string { return strings.ToLower(a.DimName) }

// Taken returns how the digit is computed from the index: " div 16", " mod 16", " div 4 mod 2"; empty for the whole index.
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

// DigitName returns the name of digit k of a dim, C//4 or C%4.
func DigitName(d tensor.Dim, k int) string {
	return Axis{DimName: d.Name, Last: k == len(d.Digits)-1, Digit: d.Digits[k]}.Name()
}

// Logical returns the axes of a layout in logical order of the dims, the most significant digit of each first. In a strided layout each
// dim is one axis.
//
// Post: Layout.At(i) = Layout.Offset + Σ (value of the axis for i) · Stride.
func Logical(l tensor.Layout) []Axis {
	var axes []Axis
	s, plain := l.Strided()
	for d := range l.Rank() {
		if plain {
			digit := tensor.Digit{Div: 1, Extent: s.Shape[d], Stride: s.Strides[d]}
			axes = append(axes, Axis{Dim: d, DimName: l.Dim(d).Name, Last: true, Digit: digit})
			continue
		}
		for k := range slices.Backward(l.Dim(d).Digits) {
			axes = append(axes, digitAxis(l, d, k))
		}
	}
	return axes
}

// NoStrides returns why a layout has no strides, one per dim; empty if it has.
func NoStrides(l tensor.Layout) string {
	_, plain := l.Strided()
	if plain {
		return ""
	}
	if !l.Swizzle().IsZero() {
		return l.Swizzle().String() + " permutes its addresses"
	}
	return "a dim is split into blocks"
}

// InMemory returns the same axes from the outermost to the innermost: in the order of the layout's format, or by falling stride without
// a format, or if only the format is blocked. By stride, axes of stride 0 come first.
func InMemory(l tensor.Layout, f *notation.Format) []Axis {
	axes := Logical(l)
	_, plain := l.Strided()
	if f == nil || plain && !f.Plain() {
		sorting.By(axes, func(a, b Axis) int { return cmp.Compare(b.reach(), a.reach()) })
		return axes
	}
	rank := func(a Axis) int {
		return slices.IndexFunc(f.Axes(), func(b notation.Axis) bool { return a.Dim == b.Dim && a.Div == b.Div })
	}
	sorting.By(axes, func(a, b Axis) int { return cmp.Compare(rank(a), rank(b)) })
	return axes
}

// Axes returns the axes of a format, outermost first, with the extents and strides of its layout. Without a layout, strides are 0, and
// so are extents that depend on sizes.
func Axes(f notation.Format, l *tensor.Layout) []Axis {
	axes := make([]Axis, len(f.Axes()))
	for i, a := range f.Axes() {
		g := tensor.Digit{Div: a.Div, Extent: a.Extent}
		if l != nil {
			g = a.DigitOf(*l)
		}
		axes[i] = Axis{Dim: a.Dim, DimName: f.Names()[a.Dim], Last: a.Extent == 0, Digit: g}
	}
	return axes
}

// digitAxis returns digit k of dim d.
func digitAxis(l tensor.Layout, d, k int) Axis {
	dim := l.Dim(d)
	return Axis{Dim: d, DimName: dim.Name, Last: k == len(dim.Digits)-1, Digit: dim.Digits[k]}
}

// reach orders axes whose memory order is unknown.
func (a Axis) reach() int {
	if a.Stride == 0 {
		return math.MaxInt
	}
	return ints.Abs(a.Stride)
}

// Product is a product of sizes, as a formula and as numbers.
type Product struct {
	Symbols []string
	Factors []int // one per symbol
	Value   int   // a size of 0 counts as 1, as in a stride
}

// newProduct multiplies the extents of axes.
func newProduct(axes []Axis) Product {
	p := Product{Value: 1}
	for _, q := range axes {
		p.Symbols = append(p.Symbols, q.Symbol())
		p.Factors = append(p.Factors, q.Extent)
		p.Value *= max(q.Extent, 1)
	}
	return p
}

// In writes the product with this separator: with " · ", "H · W = 5 · 4 = 20"; one factor is "W = 4", a block of 16 is "16", and the
// empty product is "1".
func (p Product) In(sign string) string {
	letters := strings.Join(p.Symbols, sign)
	switch len(p.Factors) {
	case 0:
		return strconv.Itoa(p.Value)
	case 1:
		return strings.Join(slices.Compact([]string{letters, strconv.Itoa(p.Factors[0])}), " = ")
	}
	return strings.Join(slices.Compact([]string{letters, text.Ints(p.Factors, sign), strconv.Itoa(p.Value)}), " = ")
}

// times returns a·b, which may overflow an int.
func times(a, b int) string { return string(appendTimes(nil, a, b)) }

func appendTimes(text []byte, a, b int) []byte {
	if n, ok := tensor.Mul(a, b); ok {
		return strconv.AppendInt(text, int64(n), 10)
	}
	return new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b))).Append(text, 10)
}

// Example returns a coordinate of zeros and ones, to show how an offset adds up: {1,0,1} of (2,2,3), {1,2} of (2,5). In a blocked dim
// it is the second index of the second block.
func Example(l tensor.Layout) []int {
	coord := make([]int, l.Rank())
	odd := true
	if l.Rank() == 2 {
		return []int{max(0, min(l.Dim(0).Size-1, 1)), max(0, min(l.Dim(1).Size-1, 2))}
	}
	for i := l.Rank() - 1; i >= 0; i-- {
		d := l.Dim(i)
		if len(d.Digits) > 1 {
			coord[i] = max(0, min(d.Size-1, d.Digits[0].Extent+1))
			continue
		}
		if d.Size > 1 {
			if odd {
				coord[i] = 1
			}
			odd = !odd
		}
	}
	return coord
}

package explain

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TestAddressAddsUp: in any layout the terms add up to Layout.At, and all sides of every printed equation have that value, in
// elements and in bytes; so do the digits.
func TestAddressAddsUp(t *testing.T) {
	d, sums, equations := rand.New(rand.NewPCG(7, 3)), 0, 0
	for range 200 {
		l := drawLayout(t, d)
		for coord, off := range l.Logical() {
			a := NewAddress(l, coord)
			total := a.Offset
			for _, term := range a.Terms {
				total += term.Value * term.Stride
			}
			if total != a.Sum || l.Swizzle().Apply(total) != off || a.Total != off {
				t.Fatalf("%s at %v: the terms add up to %d, Total is %d, not %d", l, coord, total, a.Total, off)
			}
			for _, unit := range []int{1, 12} {
				for side := range strings.SplitSeq(a.In(unit).String(), " = ") {
					if got, ok := evaluate(side); ok && got != off*unit {
						t.Fatalf("%s at %v: %s is %d, not %d", l, coord, side, got, off*unit)
					} else if ok {
						sums++
					}
				}
			}
			for _, line := range a.DigitLines() {
				_, digits, _ := strings.Cut(line, " -> ")
				for equation := range strings.SplitSeq(digits, ", ") {
					sides := strings.Split(equation, " = ")
					if got := divide(sides[1]); strconv.Itoa(got) != sides[2] {
						t.Fatalf("%s at %v: %s", l, coord, equation)
					}
					equations++
				}
			}
		}
	}
	if sums < 10000 || equations < 1000 {
		t.Errorf("only %d sums and %d digits were compared", sums, equations)
	}
}

// TestSwizzleLine: the bits that a line shows are those that the swizzle has, for a shift of either sign and a single bit.
func TestSwizzleLine(t *testing.T) {
	for _, c := range []struct {
		z    tensor.Swizzle
		off  int
		text string
	}{
		{tensor.Swizzle{Bits: 3, Base: 3, Shift: 3}, 73, "73 = 0b1001001: bits 5..3 ^ bits 8..6 = 001 ^ 001 = 000: 65 = 0b1000001"},
		{tensor.Swizzle{Bits: 1, Base: 2, Shift: -1}, 4, "4 = 0b100: bit 3 ^ bit 2 = 0 ^ 1 = 1: 12 = 0b1100"},
		{tensor.Swizzle{}, 4, ""},
	} {
		if got := SwizzleLine(c.z, c.off); got != c.text {
			t.Errorf("%s of %d: %q, expected %q", c.z, c.off, got, c.text)
		}
	}
}

// TestDigits: the digits of any index, also of one that exceeds the size, add up to the index.
func TestDigits(t *testing.T) {
	d := rand.New(rand.NewPCG(2, 2))
	for range 100 {
		l := drawLayout(t, d)
		for k := range l.Rank() {
			for i := range l.Dim(k).Size + 9 {
				sum := 0
				for _, term := range Digits(l, k, i) {
					sum += term.Value * term.Div
				}
				if sum != i {
					t.Fatalf("%s, dim %d: the digits of %d add up to %d", l, k, i, sum)
				}
			}
		}
	}
}

// TestAddressText: the three ways to write a sum, bytes that overflow an int, an itemsize of 0, and a scalar; and the formula of
// each.
func TestAddressText(t *testing.T) {
	plain := func(size, stride, offset int) tensor.Layout {
		return layoutOf(t, offset, tensor.Dim{Name: "H", Size: size, Digits: []tensor.Digit{{Div: 1, Extent: size, Stride: stride}}})
	}
	blocked := layoutOf(t, 3, tensor.Dim{Name: "C", Size: 8,
		Digits: []tensor.Digit{{Div: 1, Extent: 4, Stride: 1}, {Div: 4, Extent: 2, Stride: 24}}})
	for _, c := range []struct {
		layout        tensor.Layout
		coord         []int
		unit          int
		text, formula string
	}{
		{plain(5, 2, 0), []int{3}, 1, "{3} · {2} = 3·2 = 6", "offset(h) = h·2"},
		{plain(5, -2, 9), []int{3}, 4, "{3} · {-8} + 36 = 3·-8 + 36 = 12", "offset(h) = h·-2 + 9"},
		{plain(5, 2, 3), []int{3}, 0, "{3} · {0} = 3·0 = 0", "offset(h) = h·2 + 3"},
		{blocked, []int{7}, 1, "C//4·24 + C%4·1 + 3 = 1·24 + 3·1 + 3 = 30", "offset(c) = (c div 4)·24 + (c mod 4)·1 + 3"},
		{layoutOf(t, 7), nil, 1, "{} · {} + 7 = 7", "offset() = 7"},
		{plain(1, math.MaxInt32, 0), []int{0}, 4, "{0} · {8589934588} = 0·8589934588 = 0", "offset(h) = h·2147483647"},
	} {
		if got := NewAddress(c.layout, c.coord).In(c.unit).String(); got != c.text {
			t.Errorf("%s at %v: %q, expected %q", c.layout, c.coord, got, c.text)
		}
		if got := Formula(c.layout); got != c.formula {
			t.Errorf("%s: %q, expected %q", c.layout, got, c.formula)
		}
	}
	if got := NewAddress(blocked, []int{7}).DigitLines(); !slices.Equal(got, []string{"c=7 -> C//4 = 7 div 4 = 1, C%4 = 7 mod 4 = 3"}) {
		t.Errorf("the digits are %q", got)
	}
}

func layoutOf(t *testing.T, offset int, dims ...tensor.Dim) tensor.Layout {
	t.Helper()
	l, err := tensor.New(dims, offset, tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestDivision: each division holds and divides the remainder of the one before, and together they add up to the offset.
func TestDivision(t *testing.T) {
	draw, steps := rand.New(rand.NewPCG(5, 9)), 0
	for range 200 {
		l := drawLayout(t, draw)
		_, high, _ := l.Span()
		for off := range high + 5 {
			d, ok := NewDivision(l, off)
			if !ok {
				continue
			}
			sum, left := l.Offset()+d.Rest, d.Sum-l.Offset()
			for _, s := range d.Steps {
				whole, text, _ := strings.Cut(s.String(), " = ")
				if got, ok := evaluate(text); !ok || strconv.Itoa(got) != whole || got != left {
					t.Fatalf("%s, offset %d: %s, after remainder %d", l, off, s, left)
				}
				sum, left = sum+s.Value*s.Stride, s.Rest
				steps++
			}
			if sum != d.Sum || l.Swizzle().Apply(sum) != off {
				t.Fatalf("%s: %+v adds up to %d, not %d", l, d, sum, off)
			}
		}
	}
	if steps < 1000 {
		t.Errorf("only %d divisions were checked", steps)
	}
}

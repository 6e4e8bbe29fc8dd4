package tensor

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// What no list of layouts reaches: limits, the largest numbers, words, and the odd answers of frameworks.

// TestZeroLayout proves that the zero Layout is safe to ask and holds nothing.
func TestZeroLayout(t *testing.T) {
	var l Layout
	for range l.Logical() {
		t.Error("it has an element")
	}
	coords, complete := l.Find(0, 1)
	if l.Numel() != 0 || l.Extent() != 0 || l.Packed() || !l.InBounds() || coords != nil || !complete {
		t.Errorf("%d elements, extent %d", l.Numel(), l.Extent())
	}
}

// TestLayoutIsImmutable proves that neither the dims given to New nor the shape taken out reach into the layout.
func TestLayoutIsImmutable(t *testing.T) {
	dims := []Dim{digitsOf("C", 5, []int{4, 2}, []int{1, 4})}
	l := mustNew(t, dims, 0, Unbounded)
	dims[0].Digits[0].Stride, dims[0].Size = 99, 99
	l.Shape()[0], l.Names()[0] = 99, "X"
	if got := l.String(); got != "((4,2)<5):((1,4))" || l.Names()[0] != "C" {
		t.Errorf("became %s", got)
	}
}

// TestDimNames proves that nil names are d0, d1, …, and given ones are kept.
func TestDimNames(t *testing.T) {
	s := mustPacked(t, []int{2, 3})
	named, err := s.Layout([]string{"H", "W"}, Unbounded)
	if err != nil || !slices.Equal(named.Names(), []string{"H", "W"}) || !slices.Equal(layoutOf(t, s).Names(), []string{"d0", "d1"}) {
		t.Errorf("%v %v %v", named.Names(), layoutOf(t, s).Names(), err)
	}
}

// TestDimAt proves that a dim's digits add up to the move of its index.
func TestDimAt(t *testing.T) {
	d, want := digitsOf("C", 5, []int{4, 2}, []int{9, 1}), []int{0, 9, 18, 27, 1}
	for i, move := range want {
		if got := d.At(i); got != move {
			t.Errorf("index %d moves by %d, want %d", i, got, move)
		}
	}
}

// TestFindGivesUp proves that a search that the strides do not narrow ends, and says that it is not complete.
func TestFindGivesUp(t *testing.T) {
	shape, strides := slices.Repeat([]int{2}, 28), slices.Repeat([]int{1}, 28)
	l := mustLayout(t, shape, strides, 0, Unbounded)
	if coords, complete := l.Find(14, 1<<30); complete || len(coords) == 0 {
		t.Errorf("%d coordinates, complete %v", len(coords), complete)
	}
	if coords, complete := l.Find(0, 5); len(coords) != 1 || !complete {
		t.Errorf("address 0: %d coordinates, complete %v", len(coords), complete)
	}
}

// TestFindNarrows proves that nested strides leave one value of a digit to try: of the 2^28 elements of 28 dims each is found at once, and
// what is beyond them too.
func TestFindNarrows(t *testing.T) {
	shape, strides := slices.Repeat([]int{2}, 28), make([]int, 28)
	for i := range strides {
		strides[i] = 3 << i
	}
	l := mustLayout(t, shape, strides, 0, Unbounded)
	for off, want := range map[int]int{0: 1, 3 * 0x5555555: 1, 3 * 0xfffffff: 1, 3*0x5555555 + 1: 0} {
		if coords, complete := l.Find(off, 9); len(coords) != want || !complete {
			t.Errorf("offset %d: %d coordinates, complete %v", off, len(coords), complete)
		}
	}
}

// TestViewOfScalar pins the strides that PyTorch gives to dims of size 1 made of a scalar: 1, not 0 (tried on 1.13).
func TestViewOfScalar(t *testing.T) {
	for _, shape := range [][]int{{}, {1}, {1, 1}, {-1}} {
		v, err := Strided{Offset: 7}.View(shape)
		if err != nil || !slices.Equal(v.Strides, slices.Repeat([]int{1}, len(shape))) || v.Offset != 7 {
			t.Errorf("view%s: %+v %v", Tuple(shape), v, err)
		}
	}
}

// TestOccupancyOfLargeLayouts proves that the answer stays exact without counting where the strides nest, is yes where
// there are more elements than addresses, and is unknown otherwise.
func TestOccupancyOfLargeLayouts(t *testing.T) {
	only64(t)
	million := 1 << 20 // a variable, for a constant squared does not compile for 32 bits
	far := million * million
	for name, c := range map[string]struct {
		shape, strides []int
		want           Occupancy
		gaps           int
		packed         bool
	}{
		"packed":              {[]int{million, million}, []int{million, 1}, Occupancy{No, million * million}, 0, true},
		"rows padded":         {[]int{million, million}, []int{million + 3, 1}, Occupancy{No, million * million}, 3 * (million - 1), false},
		"broadcast":           {[]int{million, million}, []int{0, 1}, Occupancy{Yes, million}, 0, false},
		"more than addresses": {[]int{million, million}, []int{1, 1}, Occupancy{Yes, -1}, -1, false},
		"not nested":          {[]int{million, million}, []int{million, million + 1}, Occupancy{Unknown, -1}, -1, false},
		"not nested, few":     {[]int{1000, 1000}, []int{1000, 1001}, Occupancy{No, 1000000}, 999*2001 + 1 - 1000000, false},
		"thin":                {[]int{1000, 1000}, []int{far, far + 1}, Occupancy{No, 1000000}, 999*(2*far+1) + 1 - 1000000, false},
	} {
		l := mustLayout(t, c.shape, c.strides, 0, Unbounded)
		if got := l.Occupancy(); got != c.want || l.Gaps() != c.gaps || l.Packed() != c.packed {
			t.Errorf("%s: %+v, %d gaps, packed %v", name, got, l.Gaps(), l.Packed())
		}
	}
	thin := mustLayout(t, []int{2000, 2000}, []int{far, far + 1}, 0, Unbounded)
	if got := thin.Occupancy(); thin.Numel() > EnumerationLimit || got != (Occupancy{Unknown, -1}) {
		t.Errorf("%d elements spread thinly: %+v", thin.Numel(), got)
	}
}

// TestDirectMLLimits proves that 2³²−1 elements are described and 2³² are not; of 32-bit ints the limit is bytes.
func TestDirectMLLimits(t *testing.T) {
	const half = 1 << 16
	if bytes, ok := (Strided{[]int{half, half / 4}, []int{half / 4, 1}, 0}).DirectMLBytes(8); !ok || bytes != half*half/4 {
		t.Errorf("2³⁰ elements of a byte: %d, %v", bytes, ok)
	}
	only64(t)
	var most int64 = DirectMLLimit
	limit := int(most)
	if bytes, ok := mustPacked(t, []int{limit}).DirectMLBytes(64); !ok || bytes != 8*limit {
		t.Errorf("2³²−1 elements: %d bytes, %v", bytes, ok)
	}
	for _, s := range []Strided{mustPacked(t, []int{limit + 1}), mustStrided(t, []int{2}, []int{limit}, 0)} {
		if _, ok := s.DirectMLBytes(8); ok || s.DirectMLCounts() {
			t.Errorf("%v:%v has a size", s.Shape, s.Strides)
		}
	}
	if !mustPacked(t, []int{limit}).DirectMLCounts() {
		t.Error("2³²−1 elements are too many")
	}
}

// TestDirectMLBits proves which dtypes DirectML has: the plain numbers, not bool, bfloat16, complex or strings.
func TestDirectMLBits(t *testing.T) {
	for name, want := range map[string]int{
		"float32": 32, "uint32": 32, "int32": 32, "float16": 16, "uint16": 16, "int16": 16, "uint8": 8, "int8": 8,
		"float64": 64, "uint64": 64, "int64": 64, "bool": 0, "bfloat16": 0, "complex64": 0, "S4": 0, "V2": 0,
	} {
		d, err := dtype.Parse(name)
		if err != nil || dtype.DirectMLBits(d) != want {
			t.Errorf("%s: %d bits, want %d (%v)", name, dtype.DirectMLBits(d), want, err)
		}
	}
}

// TestMegNonOverlappingBothSigns shows where MegEngine's proof fails: two sides that meet at the start.
func TestMegNonOverlappingBothSigns(t *testing.T) {
	s := mustStrided(t, []int{3, 3}, []int{1, -1}, 2)
	if answer, ok := s.MegNonOverlapping(); !answer || !ok || layoutOf(t, s).Occupancy().Overlapping != Yes {
		t.Errorf("MegEngine says %v", answer)
	}
}

// TestOneDNNRefusesUnique shows a layout without overlap that oneDNN refuses, and that it counts whole rows.
func TestOneDNNRefusesUnique(t *testing.T) {
	s := mustStrided(t, []int{2, 3}, []int{5, 2}, 0)
	if s.OneDNNAccepts() || layoutOf(t, s).Occupancy().Overlapping != No {
		t.Error("accepted, or overlapping")
	}
	if got := mustStrided(t, []int{2, 3}, []int{5, 1}, 0).OneDNNElems(); got != 10 {
		t.Errorf("(2,3):(5,1) takes %d elements", got)
	}
}

// TestInferDenseWithBroadcast pins PyTorch's order where strides of 0 compare equal to all (aten/src/ATen/ExpandUtils.cpp).
func TestInferDenseWithBroadcast(t *testing.T) {
	s := mustStrided(t, []int{6, 5, 4, 3, 2}, []int{6, 0, 120, 0, 1}, 0)
	if got := s.InferDense(); !slices.Equal(got, []int{6, 36, 180, 2, 1}) {
		t.Errorf("%v", got)
	}
}

// TestWords proves how numbers are printed: as Python prints a tuple, as PyTorch prints a shape.
func TestWords(t *testing.T) {
	for xs, want := range map[string]string{Tuple(nil): "()", Tuple([]int{3}): "(3,)", Tuple([]int{2, -3}): "(2, -3)",
		List(nil): "[]", List([]int{3}): "[3]", List([]int{2, -3}): "[2, -3]"} {
		if xs != want {
			t.Errorf("%s, want %s", xs, want)
		}
	}
}

// TestCheckedArithmetic compares mul and add with arithmetic that has no limits.
func TestCheckedArithmetic(t *testing.T) {
	edges := []int{0, 1, -1, 2, -2, 3, 1 << 15, 1 << 16, math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt, math.MinInt + 1, math.MinInt}
	top, bottom := big.NewInt(math.MaxInt), big.NewInt(math.MinInt)
	for _, a := range edges {
		for _, b := range edges {
			wide := new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b)))
			fits := wide.CmpAbs(top) <= 0 // mul keeps the lowest int out, for it has no absolute value
			if c, ok := Mul(a, b); ok != fits || ok && int64(c) != wide.Int64() {
				t.Errorf("Mul(%d, %d) = %d, %v", a, b, c, ok)
			}
			wide.Add(big.NewInt(int64(a)), big.NewInt(int64(b)))
			fits = wide.Cmp(bottom) >= 0 && wide.Cmp(top) <= 0
			if c, ok := Add(a, b); ok != fits || ok && int64(c) != wide.Int64() {
				t.Errorf("Add(%d, %d) = %d, %v", a, b, c, ok)
			}
			product, productFits := Mul(a, b)
			total, totalFits := Add(b, product)
			if c, ok := MulAdd(b, a, b); ok != (productFits && totalFits) || ok && c != total {
				t.Errorf("MulAdd(%d, %d, %d) = %d, %v", b, a, b, c, ok)
			}
		}
	}
}

// A storage whose bytes no int can count is as good as any other: what fits into it is a view, and what does not is refused
// without a number that has wrapped.
func TestAsStridedHugeStorage(t *testing.T) {
	const elems = math.MaxInt/2 + 1
	if _, err := AsStrided(elems, 4, []int{2}, []int{3}, 0); err != nil {
		t.Error(err)
	}
	if _, err := AsStrided(elems, 4, []int{2}, []int{elems}, 0); err == nil || strings.Contains(err.Error(), "-") {
		t.Error(err)
	}
	if _, err := AsStrided(3, 0, []int{4}, []int{1}, 0); err == nil {
		t.Error("items of 0 bytes leave their storage")
	}
}

// Strides that do not fit as bytes are none, instead of wrong ones.
func TestEachInBytes(t *testing.T) {
	if diff := cmp.Diff([]int{-12, 0}, InBytes([]int{-3, 0}, 4)); diff != "" {
		t.Error(diff)
	}
	if got := InBytes([]int{1, math.MaxInt/2 + 1}, 2); got != nil {
		t.Errorf("too large a stride is %v bytes", got)
	}
}

func TestNamedSizes(t *testing.T) {
	if got := NamedSizes([]string{"N", "C"}, []int{2, 3}); got != "N,C = (2, 3)" {
		t.Error(got)
	}
	if got := NamedSizes(nil, nil); got != "()" {
		t.Error(got)
	}
}

// TestAccessOrder: images stay outermost and all else keeps its order, wherever the channels stand; without channels or
// pixels there is no such order.
func TestAccessOrder(t *testing.T) {
	for _, c := range []struct {
		names                string
		channelwise, spatial []int
		ok                   bool
	}{
		{"NCHW", []int{0, 2, 3, 1}, []int{0, 1, 2, 3}, true},
		{"HWCN", []int{3, 0, 1, 2}, []int{3, 2, 0, 1}, true},
		{"CW", []int{1, 0}, []int{0, 1}, true},
		{"NC", []int{0, 1}, []int{0, 1}, false},
		{"NHW", []int{0, 1, 2}, []int{0, 1, 2}, false},
		{"", nil, nil, false},
	} {
		var dims []Dim
		for _, name := range c.names {
			dims = append(dims, Dim{Name: string(name), Size: 2, Digits: []Digit{{Div: 1, Extent: 2, Stride: 1}}})
		}
		l, err := New(dims, 0, Unbounded)
		if err != nil {
			t.Fatal(err)
		}
		channelwise, ok := l.AccessOrder(true)
		spatial, also := l.AccessOrder(false)
		if !slices.Equal(channelwise, c.channelwise) || !slices.Equal(spatial, c.spatial) || ok != c.ok || also != c.ok {
			t.Errorf("%s: %v and %v, %v and %v", c.names, channelwise, spatial, ok, also)
		}
	}
}

// TestIterationOrder: the first operand that decides orders two dims; a stride of 0 decides nothing, equal strides fall by size.
func TestIterationOrder(t *testing.T) {
	for _, c := range []struct {
		shape []int
		ops   [][]int
		want  []int
	}{
		{[]int{2, 3}, [][]int{{3, 1}}, []int{1, 0}},
		{[]int{2, 3}, [][]int{{0, 1}, {1, 2}}, []int{0, 1}},           // the first decides nothing
		{[]int{2, 3}, [][]int{{1, 2}, {3, 1}}, []int{0, 1}},           // the first decides
		{[]int{2, 3, 1, 1}, [][]int{{3, 1, 3, 3}}, []int{1, 3, 2, 0}}, // channels_last with H = W = 1
		{nil, [][]int{nil}, []int{}},
	} {
		if got := IterationOrder(c.shape, c.ops...); !slices.Equal(got, c.want) {
			t.Errorf("%v of %v: %v, want %v", c.shape, c.ops, got, c.want)
		}
	}
}

// TestBackwards: a stride counts as negative only if it is ever added.
func TestBackwards(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int
		offset         int
		want           bool
	}{
		{[]int{2, 3}, []int{3, 1}, 0, false},
		{[]int{2, 3}, []int{-3, 1}, 3, true},
		{[]int{2, 3}, []int{3, -1}, 2, true},
		{[]int{1, 3}, []int{-3, 1}, 0, false},
		{[]int{2, 0}, []int{-1, 1}, 0, false},
		{[]int{}, []int{}, 0, false},
	} {
		if got := mustStrided(t, c.shape, c.strides, c.offset).Backwards(); got != c.want {
			t.Errorf("%v with strides %v: %v", c.shape, c.strides, got)
		}
	}
}

package layout_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/layout"
)

// pair is a conversion of two types, drawn at random and compared with a loop over the offsets.
type pair func(t *testing.T, r *rand.Rand, to, from layout.Layout)

var pairs = []pair{
	check[float32, uint8], check[float32, float32], check[uint8, float32], check[int8, float32], check[float64, int16], check[int32, float64],
	check[uint16, int8], check[int64, uint64], check[uint64, float32], check[float32, int64], check[int16, uint32], check[float64, float64],
	check[uint8, uint8], check[uint32, int8], check[int64, int64], check[float32, float64],
}

// TestConvert: values arrive at the offsets of their coordinates, converted as documented, whatever the layouts, types and maps; padding of
// blocks becomes 0, and all other memory keeps its values.
func TestConvert(t *testing.T) {
	r := random.New(t)
	for range random.Cases(t, "TLAYOUT_TEST_RANDOM_CASES", 1500) {
		shape := []int{1 + r.IntN(3), 1 + r.IntN(40), 1 + r.IntN(9), 1 + r.IntN(9)}
		if r.IntN(20) == 0 {
			shape = []int{2, 3, 150, 100 + r.IntN(100)} // of several tiles
		}
		to := anyLayout(t, r, shape)
		pairs[r.IntN(len(pairs))](t, r, to, anyLayout(t, r, shape))
	}
}

func check[D, S layout.Number](t *testing.T, r *rand.Rand, to, from layout.Layout) {
	t.Helper()
	src := make([]S, from.Size()+r.IntN(3))
	for i := range src {
		src[i] = anyNumber[S](r)
	}
	const untouched = 77
	dst := slices.Repeat([]D{untouched}, to.Size()+r.IntN(3))
	want := slices.Clone(dst)
	for _, at := range padding(to) {
		want[at] = 0
	}
	maps, value := anyMap[D, S](r, to.Shape())
	for coord, at := range to.All() {
		want[at] = value(src[from.Offset(coord...)], coord)
	}
	err := layout.Convert(dst, to, src, from, maps...)
	if err != nil && strings.Contains(err.Error(), "no small common period") {
		return
	}
	if err != nil {
		t.Fatalf("%T to %T, %s to %s: %v", src, dst, from, to, err)
	}
	for i := range dst {
		if dst[i] != want[i] && (dst[i] == dst[i] || want[i] == want[i]) {
			coord, _ := to.Find(i)
			t.Fatalf("%T to %T, %s to %s, %d maps: element %d, at %v, is %v, want %v", src, dst, from, to, len(maps), i, coord, dst[i], want[i])
		}
	}
}

// padding returns the positions that a destination's blocks have without an element: those of the layout with the sizes that blocks fill.
func padding(l layout.Layout) (free []int) {
	whole, ok := wholes[l.String()]
	if !ok {
		return nil
	}
	taken := map[int]bool{}
	for _, at := range l.All() {
		taken[at] = true
	}
	for _, at := range whole.All() {
		if !taken[at] {
			free = append(free, at)
		}
	}
	return free
}

// wholes has, by what String writes, layouts with padding without it: their blocks are full.
var wholes = map[string]layout.Layout{}

// anyLayout returns a layout of a shape: named, of strides that leave gaps and may be negative, swizzled, or a view of a larger one.
func anyLayout(t *testing.T, r *rand.Rand, shape []int) layout.Layout {
	t.Helper()
	switch r.IntN(6) {
	case 0, 1:
		names := []string{"nchw", "nhwc", "chwn", "c", "fortran", "0,2,3,1"}
		return layout.MustParse(names[r.IntN(len(names))], shape...)
	case 2:
		if r.IntN(2) == 0 {
			return blockedView(t, r, shape)
		}
		return blocked(r, shape)
	case 3:
		return viewed(t, r, shape)
	case 4:
		if l, ok := swizzled(r, shape); ok {
			return l
		}
	}
	strides := make([]int, 4)
	step := 1
	offset := r.IntN(3)
	for _, d := range r.Perm(4) {
		strides[d] = step
		step *= shape[d] + r.IntN(2)
		if r.IntN(4) == 0 {
			offset += strides[d] * (shape[d] - 1)
			strides[d] = -strides[d]
		}
	}
	l, err := layout.Strided(shape, strides, offset)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func blocked(r *rand.Rand, shape []int) layout.Layout {
	names := []string{"NCHW4c", "nChw16c", "NHWC8c"}
	blocks := []int{4, 16, 8}
	k := r.IntN(len(names))
	full := slices.Clone(shape)
	full[1] = (shape[1] + blocks[k] - 1) / blocks[k] * blocks[k]
	l := layout.MustParse(names[k], shape...)
	wholes[l.String()] = layout.MustParse(names[k], full...)
	return l
}

// blockedView returns some images of a batch in blocks.
func blockedView(t *testing.T, r *rand.Rand, shape []int) layout.Layout {
	t.Helper()
	larger := slices.Clone(shape)
	larger[0] += 1 + r.IntN(2)
	l := blocked(r, larger)
	part, err := l.Slice(0, 1, 1+shape[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := wholes[l.String()].Slice(0, 1, 1+shape[0], 1)
	if err != nil {
		t.Fatal(err)
	}
	wholes[part.String()] = whole
	return part
}

// viewed returns a slice of a larger layout in each dim.
func viewed(t *testing.T, r *rand.Rand, shape []int) layout.Layout {
	t.Helper()
	larger := slices.Clone(shape)
	starts := make([]int, len(shape))
	steps := make([]int, len(shape))
	for d := range shape {
		steps[d] = 1 + r.IntN(2)
		starts[d] = r.IntN(3)
		larger[d] = starts[d] + (shape[d]-1)*steps[d] + 1 + r.IntN(3)
	}
	names := []string{"nchw", "nhwc", "fortran"}
	l := layout.MustParse(names[r.IntN(len(names))], larger...)
	for d, n := range shape {
		start := starts[d]
		stop := start + (n-1)*steps[d] + 1
		step := steps[d]
		if r.IntN(3) == 0 { // backwards
			start, stop, step = stop-1, start-1, -step
		}
		var err error
		l, err = l.Slice(d, start, stop, step)
		if err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// swizzled returns a layout with a swizzle within its storage; ok is false if the shape is too small.
func swizzled(r *rand.Rand, shape []int) (l layout.Layout, ok bool) {
	step := 1
	strides := make([]int, 4)
	for _, d := range r.Perm(4) {
		strides[d] = step
		step *= shape[d]
	}
	l, err := layout.Parse(fmt.Sprintf("Sw<2,%d,3> o 0 o (%d,%d,%d,%d):(%d,%d,%d,%d)", r.IntN(3),
		shape[0], shape[1], shape[2], shape[3], strides[0], strides[1], strides[2], strides[3]))
	return l, err == nil
}

// anyNumber returns values near the limits of all types, halves, and for floats infinity and NaN.
func anyNumber[T layout.Number](r *rand.Rand) T {
	half := 0.5
	if T(half) == 0 {
		return T(r.Uint64() >> r.IntN(64))
	}
	switch r.IntN(12) {
	case 0:
		return T(math.Inf(2*r.IntN(2) - 1))
	case 1:
		return T(math.NaN())
	case 2, 3:
		return T(r.IntN(600)-300) + T(half)
	}
	return T(math.Ldexp(r.Float64()-0.5, r.IntN(70)))
}

// anyMap returns maps and what they do to a value at a coordinate, by the definition.
func anyMap[D, S layout.Number](r *rand.Rand, shape []int) ([]layout.Map, func(x S, coord []int) D) {
	exactly := func(x S, _ []int) D { return define[D](x) }
	scale := []float64{1.0 / 255, 2, -0.25, 1e-3}[r.IntN(4)]
	shift := []float64{0, 0.5, -3, 100}[r.IntN(4)]
	switch r.IntN(3) {
	case 0:
		return nil, exactly
	case 1:
		return []layout.Map{layout.Scale(scale, shift)}, func(x S, _ []int) D { return define[D](float64(float64(x)*scale) + shift) }
	}
	dim := r.IntN(4)
	scales := make([]float64, shape[dim])
	shifts := make([]float64, shape[dim])
	for i := range scales {
		scales[i] = scale * float64(1+i)
		shifts[i] = shift - float64(i)
	}
	return []layout.Map{layout.ScaleDim(dim, scales, shifts)}, func(x S, coord []int) D {
		return define[D](float64(float64(x)*scales[coord[dim]]) + shifts[coord[dim]])
	}
}

// define converts a number as Convert's comment says, by exact arithmetic.
func define[D, X layout.Number](x X) D {
	half := 0.5
	if D(half) != 0 {
		return D(x)
	}
	if x != x {
		return 0
	}
	var exact big.Float
	switch v := any(x).(type) {
	case float32:
		exact.SetFloat64(float64(v))
	case float64:
		exact.SetFloat64(v)
	default:
		exact.SetString(fmt.Sprint(x)) //nolint:errcheck // an integer is a number
	}
	low, high := rangeOf[D]()
	switch {
	case exact.Cmp(new(big.Float).SetInt(low)) <= 0:
		return D(low.Int64())
	case exact.Cmp(new(big.Float).SetInt(high)) >= 0:
		return D(high.Uint64())
	}
	whole, _ := exact.Int(nil) // truncated
	rest := new(big.Float).Sub(&exact, new(big.Float).SetInt(whole))
	away := rest.Abs(rest).Cmp(big.NewFloat(half))
	if away > 0 || away == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(int64(exact.Sign())))
	}
	if whole.Sign() < 0 {
		return D(whole.Int64())
	}
	return D(whole.Uint64())
}

// rangeOf returns the lowest and the highest value of an integer type.
func rangeOf[T layout.Number]() (low, high *big.Int) {
	var zero T
	bits := map[string]uint{"int8": 7, "int16": 15, "int32": 31, "int64": 63, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}[fmt.Sprintf("%T", zero)]
	high = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(1))
	low = new(big.Int)
	if bits%8 != 0 {
		low.Sub(new(big.Int).Neg(high), big.NewInt(1))
	}
	return low, high
}

// TestValues: the conversions that Convert's comment defines, by example.
func TestValues(t *testing.T) {
	inf := math.Inf(1)
	nan := math.NaN()
	x := []float64{0.5, 1.5, 2.5, -0.5, -1.5, 126.5, 127.5, 300, -300, inf, -inf, nan}
	example(t, x, []int8{0, 2, 2, 0, -2, 126, 127, 127, -128, 127, -128, 0})
	example(t, x, []uint8{0, 2, 2, 0, 0, 126, 128, 255, 0, 255, 0, 0})
	example(t, []float64{9.3e18, -9.3e18, 1<<63 - 1024, nan}, []int64{math.MaxInt64, math.MinInt64, 1<<63 - 1024, 0})
	example(t, []float64{1.9e19, -1, 1 << 63, inf}, []uint64{math.MaxUint64, 0, 1 << 63, math.MaxUint64})
	example(t, []int32{-1, 255, 256, 128}, []uint8{0, 255, 255, 128})
	example(t, []uint64{1 << 63, 5}, []int64{math.MaxInt64, 5})
	example(t, []int64{math.MaxInt64, 1<<53 + 1}, []uint64{math.MaxInt64, 1<<53 + 1})
	example(t, []int64{math.MaxInt64 - 1}, []int64{math.MaxInt64 - 1})
	example(t, []int64{1<<24 + 1, 1<<24 + 3}, []float32{1 << 24, 1<<24 + 4})
	example(t, []float64{1e300, 0.1}, []float32{float32(inf), 0.1})
	example(t, []uint8{0, 1, 255}, []float32{0, 1.0 / 255, 1}, layout.Scale(1.0/255, 0))
	example(t, []uint8{0, 255}, []float32{-0.5, 0.5}, layout.Scale(1.0/255, 0), layout.Scale(1, -0.5))
	example(t, []uint8{1, 2}, []int16{51, 71}, layout.Scale(2, 3), layout.Scale(10, 1))
	example(t, []int16{1, 2}, []float64{51, 142}, layout.Scale(2, 3), layout.ScaleDim(0, []float64{10, 20}, []float64{1, 2}))
}

func example[D, S layout.Number](t *testing.T, src []S, want []D, maps ...layout.Map) {
	t.Helper()
	dst := make([]D, len(want))
	l := layout.MustParse("c", len(src))
	if err := layout.Convert(dst, l, src, l, maps...); err != nil || !slices.Equal(dst, want) {
		t.Errorf("%T %v: %v, %v, want %v", src, src, dst, err, want)
	}
}

// TestNormalize: channels of bytes, normalized into either memory order.
func TestNormalize(t *testing.T) {
	mean := []float64{0.485, 0.456, 0.406}
	std := []float64{0.229, 0.224, 0.225}
	r := random.New(t)
	pixels := layout.MustParse("0,2,3,1", 1, 3, 70, 90)
	src := make([]uint8, pixels.Size())
	for i := range src {
		src[i] = uint8(r.Uint32())
	}
	for _, order := range []string{"nchw", "nhwc", "nChw16c"} {
		to := layout.MustParse(order, 1, 3, 70, 90)
		dst := make([]float32, to.Size())
		if err := layout.Convert(dst, to, src, pixels, layout.Scale(1.0/255, 0), layout.Normalize(1, mean, std)); err != nil {
			t.Fatal(err)
		}
		for coord, at := range to.All() {
			x := float64(src[pixels.Offset(coord...)])
			want := (x/255 - mean[coord[1]]) / std[coord[1]]
			if math.Abs(float64(dst[at])-want) > 1e-6 {
				t.Fatalf("%s: %v is %v, want %v", order, coord, dst[at], want)
			}
		}
	}
}

// TestOverlap: storages whose elements share a byte are refused, whichever begins first, also of other types; neighbors are not, nor are the
// two halves of one storage.
func TestOverlap(t *testing.T) {
	to := layout.MustParse("nhwc", 2, 3, 4, 5)
	from := layout.MustParse("nchw", 2, 3, 4, 5)
	memory := make([]float32, 3*120)
	for _, c := range []struct {
		dst, src int
		ok       bool
	}{{0, 0, false}, {0, 2, false}, {2, 0, false}, {119, 0, false}, {0, 119, false}, {120, 0, true}, {0, 120, true}, {240, 120, true}} {
		err := layout.Convert(memory[c.dst:], to, memory[c.src:], from) // longer than the layouts need
		if errors.Is(err, layout.ErrOverlap) == c.ok || c.ok && err != nil {
			t.Errorf("into element %d from element %d: %v", c.dst, c.src, err)
		}
		err = layout.Convert(memory[c.dst:], to, memory[c.src:], from, layout.Scale(2, 0))
		if errors.Is(err, layout.ErrOverlap) == c.ok || c.ok && err != nil {
			t.Errorf("scaled into element %d from element %d: %v", c.dst, c.src, err)
		}
	}

	data := layout.TensorOf(memory, layout.MustParse("c", 3*120)).Data
	bytes, err := layout.Values[uint8](layout.Tensor{DType: "uint8", Layout: layout.MustParse("c", len(data)), Data: data})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		src int // bytes
		ok  bool
	}{{0, false}, {479, false}, {480, true}, {4 * 240, true}} {
		if err := layout.Convert(memory, to, bytes[c.src:], from); errors.Is(err, layout.ErrOverlap) == c.ok || c.ok && err != nil {
			t.Errorf("float32 from byte %d: %v", c.src, err)
		}
	}

	batch := layout.MustParse("nchw", 3, 3, 4, 5)
	views := make([]layout.Layout, 3)
	storage := make([]float32, batch.Size())
	for i := range storage {
		storage[i] = float32(i)
	}
	for i := range views {
		views[i], err = batch.Index(0, i)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := layout.Convert(storage, views[2], storage, views[0]); err != nil || storage[60] != 60 || !slices.Equal(storage[120:], storage[:60]) {
		t.Errorf("image 0 to image 2: %v", err)
	}
	if err := layout.Convert(storage, views[1], storage, views[1]); !errors.Is(err, layout.ErrOverlap) {
		t.Errorf("image 1 onto itself: %v", err)
	}
	none := layout.MustParse("c", 0)
	if err := layout.Convert(storage, none, storage, none); err != nil {
		t.Errorf("no elements: %v", err)
	}
	if err := layout.Convert(storage, none, bytes, none, layout.Scale(2, 0)); err != nil {
		t.Errorf("no elements, scaled: %v", err)
	}
}

// TestPaddedViews: the padding of blocks becomes 0 where a view is a part of a storage, whose other parts keep their values; the end of a storage
// becomes 0, but not what is between strided elements.
func TestPaddedViews(t *testing.T) {
	image, err := layout.MustParse("NCHW4c", 3, 3, 1, 2).Index(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	src := []uint8{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		to, from layout.Layout
		want     []uint8
	}{
		{image, layout.MustParse("chw", 3, 1, 2), []uint8{9, 9, 9, 9, 9, 9, 9, 9, 1, 3, 5, 0, 2, 4, 6, 0, 9, 9}},
		{layout.MustParse("(2,3):(5,1)@1 in 12"), layout.MustParse("c", 2, 3), []uint8{9, 1, 2, 3, 9, 9, 4, 5, 6, 0, 0, 0, 9}},
		{layout.MustParse("(6):(1) in 8"), layout.MustParse("c", 6), []uint8{1, 2, 3, 4, 5, 6, 0, 0, 9}},
	} {
		dst := slices.Repeat([]uint8{9}, len(c.want))
		if err := layout.Convert(dst, c.to, src, c.from); err != nil || !slices.Equal(dst, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.to, dst, err, c.want)
		}
		scaled := slices.Repeat([]float32{9}, len(c.want))
		if err := layout.Convert(scaled, c.to, src, c.from, layout.Scale(1, 0)); err != nil {
			t.Errorf("%s: %v", c.to, err)
		}
		for i, x := range scaled {
			if x != float32(c.want[i]) {
				t.Errorf("%s to float32: %v, want %v", c.to, scaled, c.want)
				break
			}
		}
	}
}

// TestNamed: dims of the same names are matched by name, in whatever order; others by position.
func TestNamed(t *testing.T) {
	src := []uint8{1, 2, 3, 4, 5, 6}
	for _, c := range []struct{ from, to layout.Layout }{
		{layout.MustParse("K N", 2, 3), layout.MustParse("N K", 3, 2)},
		{layout.MustParse("K N", 2, 3), layout.MustParse("K N", 2, 3)},
		{layout.MustParse("K N", 2, 3), layout.MustParse("H W", 2, 3)},
		{layout.MustParse("K N", 2, 3), layout.MustParse("fortran", 2, 3)},
	} {
		want := src
		if !slices.Equal(c.to.Dims(), c.from.Dims()) && c.to.Dims()[0] != "H" {
			want = []uint8{1, 4, 2, 5, 3, 6}
		}
		dst := make([]uint8, 6)
		if err := layout.Convert(dst, c.to, src, c.from); err != nil || !slices.Equal(dst, want) {
			t.Errorf("%s (%s) to %s (%s): %v, %v, want %v", c.from, c.from.Dims(), c.to, c.to.Dims(), dst, err, want)
		}
	}
}

// TestEmptyDim: maps of a dim without elements are none, beside maps of all values and in any order; two dims stay an error.
func TestEmptyDim(t *testing.T) {
	empty := layout.MustParse("nchw", 2, 0, 3, 4)
	all := layout.Scale(2, 0)
	none := layout.ScaleDim(1, []float64{}, nil)
	for _, maps := range [][]layout.Map{{none}, {all, none}, {none, all}, {none, none}, {all, none, all}} {
		if err := layout.Convert([]float32{}, empty, []uint8{}, empty, maps...); err != nil {
			t.Errorf("%v: %v", maps, err)
		}
		if err := layout.Convert([]float32{}, empty, []float32{}, empty, maps...); err != nil {
			t.Errorf("%v, float32 to float32: %v", maps, err)
		}
	}
	two := layout.ScaleDim(0, []float64{1, 2}, nil)
	for _, maps := range [][]layout.Map{{two, none}, {none, two}} {
		if err := layout.Convert([]float32{}, empty, []uint8{}, empty, maps...); !errors.Is(err, layout.ErrShape) {
			t.Errorf("%v: %v, want %v", maps, err, layout.ErrShape)
		}
	}
}

// TestErrors: what cannot be converted is refused with the error that is documented.
func TestErrors(t *testing.T) {
	nchw := layout.MustParse("nchw", 2, 3, 4, 5)
	nhwc := layout.MustParse("nhwc", 2, 3, 4, 5)
	dst := make([]float32, 120)
	src := make([]uint8, 120)
	for _, c := range []struct {
		name string
		err  error
		want error
	}{
		{"short dst", layout.Convert(dst[:119], nhwc, src, nchw), layout.ErrShort},
		{"short src", layout.Convert(dst, nhwc, src[:119], nchw), layout.ErrShort},
		{"sizes", layout.Convert(dst, layout.MustParse("nhwc", 2, 3, 5, 4), src, nchw), layout.ErrShape},
		{"ranks", layout.Convert(dst, layout.MustParse("chw", 3, 4, 5), src, nchw), layout.ErrShape},
		{"a short list", layout.Convert(dst, nhwc, src, nchw, layout.ScaleDim(1, []float64{1, 2}, nil)), layout.ErrShape},
		{"two dims", layout.Convert(dst, nhwc, src, nchw, layout.ScaleDim(0, []float64{1, 2}, nil), layout.ScaleDim(1, []float64{1, 2, 3}, nil)), layout.ErrShape},
		{"a dim too many", layout.Convert(dst, nhwc, src, nchw, layout.ScaleDim(4, []float64{1}, nil)), layout.ErrShape},
		{"a negative dim", layout.Convert(dst, nhwc, src, nchw, layout.ScaleDim(-1, []float64{1}, nil)), layout.ErrShape},
		{"summands", layout.Convert(dst, nhwc, src, nchw, layout.ScaleDim(1, []float64{1, 2, 3}, []float64{1})), layout.ErrShape},
		{"means", layout.Convert(dst, nhwc, src, nchw, layout.Normalize(1, []float64{1, 2, 3}, nil)), layout.ErrShape},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.err, c.want)
		}
	}
	negative, err := layout.Strided([]int{3}, []int{-1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	repeated, err := layout.Strided([]int{3}, []int{0}, 0)
	if err != nil {
		t.Fatal(err)
	}
	three := layout.MustParse("c", 3)
	huge := layout.MustParse("c", math.MaxInt/2)
	for _, err := range []error{
		layout.Convert(dst, three, src, negative), layout.Convert(dst, repeated, src, three), layout.Convert(dst, huge, src, huge),
		layout.Convert(dst, layout.Layout{}, src, three), layout.Convert(dst, three, src, layout.Layout{}),
		layout.Convert(dst, nhwc, src, nchw, layout.Map{}), new(layout.Plan[float32, uint8]).Convert(dst, src),
	} {
		if err == nil {
			t.Error("a conversion without a result is accepted")
		}
	}
}

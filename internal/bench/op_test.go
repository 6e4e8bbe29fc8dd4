package bench

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

var (
	opPatterns = []Pattern{Sum, Depthwise}
	opDTypes   = []string{"float32", "float64", "float16", "bfloat16", "uint8"}
)

func opEncoding(t testing.TB, name string) encoding {
	t.Helper()
	return newEncoding(dtypeOf(t, name))
}

// opStorage is the tensor in its layout, each element written at Layout.At. Padding is all ones: NaN or 255, which changes every
// result that uses it.
func opStorage(l tensor.Layout, enc encoding) []byte {
	rows := make([]byte, l.Numel()*enc.size)
	enc.fill(rows)
	storage := bytes.Repeat([]byte{0xFF}, l.Alloc()*enc.size)
	for _, off := range l.Logical() {
		copy(storage[off*enc.size:], rows[:enc.size])
		rows = rows[enc.size:]
	}
	return storage
}

// opAgrees runs an operation and compares it with its definition.
func opAgrees(t testing.TB, p Pattern, l tensor.Layout, enc encoding, out *outputs) {
	t.Helper()
	o, err := newOp(p, l, enc, out)
	if err != nil {
		t.Fatalf("%s of %s %s: %v", p, enc.dtype, l, err)
	}
	want := newReference(p, l.Names(), l.Shape())
	if o.clear(); o.check(want) == nil {
		t.Fatalf("%s of %s %s: an operation that did not run agrees with its definition", p, enc.dtype, l)
	}
	storage := opStorage(l, enc)
	for range 2 { // the second run starts from the first one's state
		o.clear()
		o.run(storage)
		if err := o.check(want); err != nil {
			t.Fatalf("%s %s: %v", enc.dtype, l, err)
		}
	}
}

// Every operation has the results of its definition in every layout and type: with full and partial blocks, even and odd rows
// and columns, missing dims, negative strides and padding.
func TestOpsAgreeWithTheirDefinition(t *testing.T) {
	var layouts []tensor.Layout
	for _, name := range []string{"nchw", "nhwc", "nchw4", "nchw8", "nchw16", "nchw32", "chwn", "chwn4", "hwcn"} {
		for _, c := range []int{1, 3, 5, 62} {
			layouts = append(layouts, bind(t, name, 2, c, 5, 7), bind(t, name, 3, c, 4, 2))
		}
	}
	for _, name := range []string{"chw", "hwc", "chw4c"} {
		layouts = append(layouts, bind(t, name, 6, 3, 5))
	}
	for _, name := range []string{"ncdhw", "ndhwc", "ncdhw16c"} {
		layouts = append(layouts, bind(t, name, 2, 18, 3, 3, 4))
	}
	layouts = append(layouts, bind(t, "cdhw", 4, 2, 3, 5), opView(t))
	for _, dtype := range opDTypes {
		enc, out := opEncoding(t, dtype), &outputs{}
		for _, p := range opPatterns {
			for _, l := range layouts {
				opAgrees(t, p, l, enc, out)
			}
		}
	}
}

// opView has an offset, padding after rows, and rows from bottom to top.
func opView(t testing.TB) tensor.Layout {
	t.Helper()
	view := tensor.Strided{Shape: []int{2, 3, 5, 4}, Strides: []int{200, 60, -10, 2}, Offset: 47}
	l, err := view.Layout([]string{"N", "C", "H", "W"}, tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A sum over channels needs only one spatial dim.
func TestSumOfSequences(t *testing.T) {
	for _, name := range []string{"ncw", "nwc", "ncw4c", "nch", "ncd"} {
		opAgrees(t, Sum, bind(t, name, 3, 6, 5), opEncoding(t, "float32"), &outputs{})
	}
	opAgrees(t, Sum, bind(t, "cw", 6, 5), opEncoding(t, "float32"), &outputs{})
}

// No element is omitted: replacing any one by a larger value changes some result.
func TestOpsSeeEveryElement(t *testing.T) {
	enc := opEncoding(t, "float32")
	larger, err := enc.dtype.ParseValue("100")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nchw", "nhwc", "nchw4"} {
		l := bind(t, name, 2, 6, 3, 5)
		storage := opStorage(l, enc)
		for _, p := range opPatterns {
			o, err := newOp(p, l, enc, &outputs{})
			if err != nil {
				t.Fatal(err)
			}
			want := newReference(p, l.Names(), l.Shape())
			for coord, off := range l.Logical() {
				cell := storage[off*enc.size:][:enc.size]
				before := slices.Clone(cell)
				copy(cell, larger)
				o.clear()
				o.run(storage)
				copy(cell, before)
				if o.check(want) == nil {
					t.Errorf("%s of %s: the check does not find another element at %v", p, name, coord)
				}
			}
		}
	}
}

// The check reports the index of the first wrong result and the right value. The tensor's rows are 0 9 3 13 and 7 1 11 5.
func TestOpCheckSaysWhere(t *testing.T) {
	enc, l := opEncoding(t, "uint8"), bind(t, "nchw", 1, 2, 1, 4)
	o, err := newOp(Sum, l, enc, &outputs{})
	if err != nil {
		t.Fatal(err)
	}
	storage := opStorage(l, enc)
	storage[7] = 33
	o.run(storage)
	got := o.check(newReference(Sum, l.Names(), l.Shape()))
	if says := "sum[w=3] is 46, want 18"; got == nil || got.Error() != says {
		t.Errorf("got %v, want %s", got, says)
	}
	o.run(opStorage(l, enc))
	want := newReference(Sum, l.Names(), l.Shape())
	if want.values = append(want.values, 0); o.check(want) == nil {
		t.Error("sum agrees with another number of results")
	}
}

// Operations share outputs of the largest size needed; operations made before and after the largest keep it.
func TestOpsShareOutputs(t *testing.T) {
	enc, out := opEncoding(t, "float16"), &outputs{}
	small, large := bind(t, "nhwc", 1, 4, 2, 2), bind(t, "nchw4", 2, 8, 6, 6)
	first, err := newOp(Sum, small, enc, out)
	if err != nil {
		t.Fatal(err)
	}
	opAgrees(t, Depthwise, large, enc, out)
	opAgrees(t, Sum, small, enc, out)
	first.clear()
	first.run(opStorage(small, enc))
	if err := first.check(newReference(Sum, small.Names(), small.Shape())); err != nil {
		t.Error(err)
	}
	if len(out.f32) != large.Numel() || out.f64 != nil {
		t.Errorf("%d and %d outputs for %d results of float32", len(out.f32), len(out.f64), large.Numel())
	}
}

// A pass that allocated would measure the allocator.
func TestOpsDoNotAllocate(t *testing.T) {
	for _, dtype := range opDTypes {
		enc, l := opEncoding(t, dtype), bind(t, "nchw4", 2, 6, 4, 6)
		storage := opStorage(l, enc)
		for _, p := range opPatterns {
			o, err := newOp(p, l, enc, &outputs{})
			if err != nil {
				t.Fatal(err)
			}
			if n := testing.AllocsPerRun(3, func() { o.run(storage) }); n != 0 {
				t.Errorf("%s of %s allocates %v times", p, dtype, n)
			}
		}
	}
}

// Unsupported operations are refused before the measurement, with a hint at what is supported.
func TestOpsRefused(t *testing.T) {
	tests := []struct {
		pattern Pattern
		dtype   string
		layout  tensor.Layout
		class   fault.Class
		says    string
	}{
		{Sum, "int32", bind(t, "nchw", 1, 2, 2, 2), fault.Unsupported, "do not support int32 (<i4)"},
		{Sum, ">f4", bind(t, "nchw", 1, 2, 2, 2), fault.Unsupported, "do not support float32 (>f4)"},
		{Sum, "bool", bind(t, "nchw", 1, 2, 2, 2), fault.Unsupported, "do not support bool (|b1)"},
		{Sum, "float32", bind(t, "nhw", 1, 2, 2), fault.Usage, "needs a dim C"},
		{Sum, "float32", bind(t, "nc", 2, 2), fault.Usage, "needs a dim D, H or W"},
		{Depthwise, "float32", bind(t, "nch", 2, 2, 2), fault.Usage, "needs dims H and W"},
		{Sum, "float32", bind(t, "nchw", 0, 2, 2, 2), fault.Usage, "needs a tensor with elements"},
		{Sum, "float32", bind(t, "oihw", 2, 2, 2, 2), fault.Usage, `dim "O"`},
		{Sum, "uint8", bind(t, "chw", maxChannels+1, 1, 1), fault.Unsupported, "float32 cannot sum"},
	}
	for _, tt := range tests {
		_, err := newOp(tt.pattern, tt.layout, opEncoding(t, tt.dtype), &outputs{})
		if err == nil || fault.ClassOf(err) != tt.class || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s of %s %s: %v, want class %d and %q", tt.pattern, tt.dtype, tt.layout, err, tt.class, tt.says)
		}
	}
	if _, err := newOp(Sum, bind(t, "chw", maxChannels+1, 1, 1), opEncoding(t, "float64"), &outputs{}); err != nil {
		t.Error(err)
	}
}

// Weights are all odd numbers from −7 to 7: an element multiplied by 0 could be omitted.
func TestWeights(t *testing.T) {
	var seen []int
	for i := range 100 {
		seen = append(seen, weight(i))
	}
	slices.Sort(seen)
	if got, want := slices.Compact(seen), []int{-7, -5, -3, -1, 1, 3, 5, 7}; !slices.Equal(got, want) {
		t.Errorf("got %d, want %d", got, want)
	}
}

// BenchmarkOps: ns per element of every operation over 8×64×56×56.
func BenchmarkOps(b *testing.B) {
	for _, dtype := range opDTypes {
		enc := opEncoding(b, dtype)
		for _, p := range opPatterns {
			for _, name := range []string{"nhwc", "nchw", "nchw4", "chwn"} {
				b.Run(fmt.Sprintf("dtype=%s/op=%s/layout=%s", dtype, p, name), func(b *testing.B) {
					l := bind(b, name, 8, 64, 56, 56)
					o, err := newOp(p, l, enc, &outputs{})
					if err != nil {
						b.Fatal(err)
					}
					storage := opStorage(l, enc)
					for b.Loop() {
						o.run(storage)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(l.Numel()), "ns/elem")
				})
			}
		}
	}
}

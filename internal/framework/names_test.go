package framework

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// TestConfusions: a layout whose name others read differently has a warning; those of plain NCHW and NHWC are not about
// blocks.
func TestConfusions(t *testing.T) {
	for name, want := range map[string]string{
		"nchw4": "TVM ignores", "CHWN4": "not the N", "NHWCD4": "not depth", "kHWC8": "NHWC does not", "nhwc": "(0,3,1,2)", "nChw16c": "oneDNN's tags",
		"C4NHW4": "NC4HW4", "nchw": "Julia", "whcn": "Julia", "OIHW4i4o": "upper case",
	} {
		if got := strings.Join(Confusions(orderNamed(t, name)), "; "); !strings.Contains(got, want) {
			t.Errorf("%s: %q does not say %q", name, got, want)
		}
	}
	for _, name := range []string{"nchw", "nhwc"} {
		if got := Confusions(orderNamed(t, name)); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "blocks") }) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestSequenceTags: oneDNN's dims of a sequence are T,N,C, so that tnc is abc and ntc is bac (dnnl_types.h).
func TestSequenceTags(t *testing.T) {
	for name, want := range map[string]string{"tnc": "tnc abc", "ntc": "ntc bac"} {
		if got := strings.Join(OneDNN.NamesOf(orderNamed(t, name)), " "); got != want {
			t.Errorf("%s: %s, expected %s", name, got, want)
		}
	}
}

// TestNamesOfPartBlocks: a tensor whose channels end inside its block has cuDNN's strides, and no name of cuDNN's vectors, which must be
// whole; with whole vectors it has the name.
func TestNamesOfPartBlocks(t *testing.T) {
	for c, want := range map[int]string{3: "", 4: "NC/4HW4 (NCHW_VECT_C)"} {
		order := orderNamed(t, "nchw4")
		l, err := order.Bind([]int{1, c, 4, 4})
		if err != nil {
			t.Fatal(err)
		}
		o := offer(t, l, order, "int8")
		if got := strings.Join(CuDNN.NamesFor(o), " "); got != want || !CuDNN.Accepts(o).OK {
			t.Errorf("%d channels: %q, %+v, expected %q", c, got, CuDNN.Accepts(o), want)
		}
	}
}

// TestNamesOf: a framework's names parse back to the same order; an order that it cannot name has none.
func TestNamesOf(t *testing.T) {
	for _, c := range []struct{ name, pytorch, onednn, tvm, xla, tensorrt, megengine string }{
		{"nchw", "contiguous_format", "nchw abcd", "NCHW", "{3,2,1,0}", "kLINEAR", "NCHW"},
		{"nhwc", "channels_last", "nhwc acdb", "NHWC", "{1,3,2,0}", "kHWC", "NHWC"},
		{"NCHW4", "", "nChw4c aBcd4b", "NCHW4c", "{3,2,1,0:T(4,1,1)}", "kCHW4", "NCHW4 NCHW44 NCHW44_DOT"},
		{"CHWN4", "", "", "CHWN4c", "{0,3,2,1:T(4,1,1,1)}", "", "CHWN4"},
		{"NHWC8", "", "", "NHWC8c", "{1,3,2,0:T(8)}", "kHWC8", ""},
		{"OIHW4i16o4i", "", "OIhw4i16o4i ABcd4b16a4b", "", "", "", ""},
		{"16cNCHW", "", "", "", "", "", ""},
		{"{1,0:T(8,128)}", "", "", "AB8a128b", "{1,0:T(8,128)}", "", ""},
		{"ohwi", "channels_last", "ohwi acdb", "OHWI", "{1,3,2,0}", "", ""},
		{"bhwc", "channels_last", "acdb", "BHWC", "{1,3,2,0}", "kHWC", ""},
		{"hwc", "", "bca", "HWC", "{0,2,1}", "kHWC", ""},
		{"C//4 H W C%4", "", "Abc4a", "CHW4c", "{2,1,0:T(4,1,1)}", "kCHW4", ""},
		{"dhwc", "", "bcda", "DHWC", "{0,3,2,1}", "kDHWC", ""},
		{"ndhwc", "channels_last_3d", "ndhwc acdeb", "NDHWC", "{1,4,3,2,0}", "kDHWC", ""},
	} {
		f := orderNamed(t, c.name)
		for _, w := range []struct {
			framework *Framework
			names     string
		}{{PyTorch, c.pytorch}, {OneDNN, c.onednn}, {TVM, c.tvm}, {XLA, c.xla}, {TensorRT, c.tensorrt}, {MegEngine, c.megengine}} {
			if got := strings.Join(w.framework.NamesOf(f), " "); got != w.names {
				t.Errorf("%s is %q in %s, expected %q", c.name, got, w.framework.Name, w.names)
			}
		}
		wantRoundTrip(t, c.name, f, true)
	}
}

// wantRoundTrip fails if a name that says the whole order is read as another one: those of TensorRT that begin with k have vectors of a size
// that depends on the type. A name of letters that no framework has for dims need not be read, unless it is published.
func wantRoundTrip(t *testing.T, name string, f notation.Format, published bool) {
	t.Helper()
	own := OneDNN.NamesOf(f)
	for _, spelling := range slices.Concat(own, TensorRT.NamesOf(f), TVM.NamesOf(f), XLA.NamesOf(f)) {
		l, err := notation.Parse(spelling)
		if l.Own != notation.NotOwn || err != nil && !published {
			continue
		}
		if err != nil {
			t.Fatalf("%s of %s: %v", spelling, name, err)
		}
		g := l.Format // by other letters, or by position
		switch {
		case text.SameSet(g.Names(), f.Names()):
		case g.Rank() == f.Rank() && slices.Contains(own, spelling):
			g = g.Rename(passedDims(f.Names()))
		case g.Rank() == f.Rank():
			g = g.Rename(f.Names())
		}
		if g.String() != f.String() && !strings.HasPrefix(spelling, "k") {
			t.Fatalf("%s of %s parses as %s, not %s", spelling, name, g, f)
		}
	}
}

// FuzzNames: whatever the order, no name of it is read as another order, and those of other frameworks and Confusions do not panic.
func FuzzNames(f *testing.F) {
	for _, s := range append(slices.Clone(notation.WellKnown()), "{1,0:T(8,128)(2,1)}", "OIhw4i16o4i", "16cNCHW", "A//4 B//4 A%2 B%4 A//2%2 B//4%1 A%1 B%1") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := notation.Parse(s)
		if err != nil || l.Own != notation.NotOwn || l.Exact != nil {
			return
		}
		for _, framework := range All() {
			framework.NamesOf(l.Format)
		}
		Confusions(l.Format)
		wantRoundTrip(t, s, l.Format, false)
	})
}

// TestDimOrder: ExecuTorch's loop from a dim_order to strides gives the strides of the order that has this name, for every order of four
// dims. (dim_order_to_stride_nocheck of runtime/core/exec_aten/util/dim_order_util.h)
func TestDimOrder(t *testing.T) {
	sizes, asked := []int{2, 3, 4, 5}, 0
	for n := range 256 {
		dims := []int{n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6}
		if len(slices.Compact(slices.Sorted(slices.Values(dims)))) < 4 {
			continue
		}
		asked++
		order := notation.Order([]string{"N", "C", "H", "W"}, dims)
		want := make([]int, 4)
		want[dims[3]] = 1
		for i := 2; i >= 0; i-- {
			want[dims[i]] = want[dims[i+1]] * sizes[dims[i+1]]
		}
		l, err := order.Bind(sizes)
		if err != nil {
			t.Fatal(err)
		}
		name := "[" + text.Ints(dims, ",") + "]"
		if s, _ := l.Strided(); !slices.Equal(s.Strides, want) {
			t.Errorf("%s: strides %v, expected %v", name, s.Strides, want)
		}
		parsed, err := notation.Parse(name)
		if got := ExecuTorch.NamesOf(order); err != nil || len(got) != 1 || got[0] != name || ExecuTorch.NamesOf(parsed.Format)[0] != name {
			t.Errorf("%s is called %q, and is parsed as %v: %v", name, got, parsed.Format, err)
		}
	}
	if asked != 24 {
		t.Errorf("%d orders", asked)
	}
}

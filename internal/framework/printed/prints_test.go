package printed

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// TestPrints: what frameworks print of random tensors is read as their own accessors say. (testdata/prints.py, prints.rs, prints.cpp)
func TestPrints(t *testing.T) {
	data, err := os.ReadFile("testdata/prints.txt")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		s := strings.ReplaceAll(cells[0], `\n`, "\n")
		l, element, err := ParseLayout(s)
		if err != nil {
			t.Error(err)
			continue
		}
		if l.Exact == nil {
			t.Errorf("%s: no sizes", s)
			continue
		}
		got, ok := l.Exact.Strided()
		written := text.Ints(got.Shape, ",") + ":" + text.Ints(got.Strides, ",") + "@" + strconv.Itoa(got.Offset)
		if !ok || written != cells[2] {
			t.Errorf("%s: %s, expected %s", s, written, cells[2])
		}
		if cells[1] != "" && (element == nil || element.String() != cells[1]) {
			t.Errorf("%s: elements are %v, expected %s", s, element, cells[1])
		}
		if strings.Contains(l.Note, "is said") {
			t.Errorf("%s: %s", s, l.Note)
		}
		read++
	}
	if read < 320 {
		t.Errorf("%d prints are read", read)
	}
}

// sized returns the layout of a text for sizes.
func sized(t *testing.T, s string, sizes []int, bits int) (tensor.Layout, notation.Layout) {
	t.Helper()
	l, _, err := ParseLayout(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	l, err = l.For(sizes, bits)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return *l.Exact, l
}

// TestSwizzledPrints: of the DSL's S<3,4,3> on a pointer, element (i,j) of float16 is at the byte of base_dsl/swizzle.py (nvidia-cutlass-dsl
// 4.8.1), addr ^ ((addr >> 7) & 7) << 4; C++'s Sw<3,3,3> of a layout counts elements.
func TestSwizzledPrints(t *testing.T) {
	for _, s := range []string{"tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o (8,64):(64,1)>", `!cute.memref<f16, smem, align<1024>, S<3,4,3>, "(8,64):(64,1)">`,
		"S<3,4,3> o 0 o (8,64):(64,1)", "smem_ptr[16b](0x7f0) o Sw<3,3,3> o _0 o (_8,_64):(_64,_1)", "Sw<3,4,3>_smem_ptr[16b](0x7f0) o (_8,_64):(_64,_1)"} {
		l, _ := sized(t, s, []int{8, 64}, 16)
		for i := range 8 {
			for j := range 64 {
				addr := 2 * (64*i + j)
				if want := (addr ^ (addr>>7)&7<<4) / 2; l.At(i, j) != want {
					t.Fatalf("%s: (%d,%d) is at %d, expected %d", s, i, j, l.At(i, j), want)
				}
			}
		}
		if l.At(5, 3) != 363 {
			t.Errorf("%s: (5,3) is at %d", s, l.At(5, 3))
		}
	}
}

// TestOpenPrints: sizes that the text does not have come from a flag, and its names have the same value everywhere.
func TestOpenPrints(t *testing.T) {
	for _, c := range []struct {
		text  string
		sizes []int
		want  string // or the error
	}{
		{"bf16[s77, s27][s27, 1]cpu", []int{8, 9}, "(8,9):(9,1)"},
		{"f32[s0, 4, s1][4*s1, s1, 1]cuda:0", []int{2, 4, 5}, "(2,4,5):(20,5,1)"},
		{"f32[s0, 4, s1][4*s1, s1, 1]cuda:0", []int{2, 3, 5}, "size 4 of dim 1 is not 3"},
		{"f32[s0, 4][4, 1]cuda:0", []int{2, 4, 5}, "it has 2 dims"},
		{"tensor<ptr<f16, gmem, align<16>> o (?,1024):(1024,1)>", []int{3, 1024}, "(3,1024):(1024,1)"},
		{"f32[?,4]{0,1}", []int{3, 4}, "(3,4):(1,3)"},
		{"memref<?x4xf32, strided<[8, 1], offset: 2>>", []int{3, 4}, "(3,4):(8,1)@2"},
		{"stride=(1, 2)", []int{2, 3}, "(2,3):(1,2)"},
		{"stride=(1, 2)", []int{2, 3, 4}, "2 strides for 3 dims"},
		{"C_CONTIGUOUS : False\n  F_CONTIGUOUS : True\n  OWNDATA : False", []int{2, 3}, "(2,3):(1,2)"},
		{"C_CONTIGUOUS : True\n  F_CONTIGUOUS : False", []int{2, 3}, "(2,3):(3,1)"},
		{"layout_left", []int{2, 3}, "(2,3):(1,2)"}, {"std::layout_right", []int{2, 3}, "(2,3):(3,1)"}, {"Kokkos::LayoutRight", []int{2, 3}, "(2,3):(3,1)"},
		// MRtrix: rank 1 varies fastest, - from the last index on
		{"-1,+2,+3", []int{2, 3, 4}, "(2,3,4):(-1,2,6)@1"},
		{"layout: +1,-0,+2", []int{2, 3, 4}, "(2,3,4):(3,-1,6)@2"},
		{"[ -3 -2 1 ]", []int{2, 3, 4}, "(2,3,4):(-12,-4,1)@20"},
	} {
		l, _, err := ParseLayout(c.text)
		var exact tensor.Layout
		if err == nil {
			exact, err = bound(l, c.sizes)
		}
		if err != nil && !strings.Contains(err.Error(), c.want) || err == nil && exact.String() != c.want {
			t.Errorf("%s over %v: %s (%v), expected %s", c.text, c.sizes, exact, err, c.want)
		}
	}
}

// bound returns a layout over sizes.
func bound(l notation.Layout, sizes []int) (tensor.Layout, error) {
	switch {
	case l.Own == notation.OwnC:
		s, err := tensor.Packed(sizes)
		exact, _ := s.Layout(nil, tensor.Unbounded)
		return exact, err
	case l.Own == notation.OwnFortran:
		s, err := tensor.ColumnMajor(sizes)
		exact, _ := s.Layout(nil, tensor.Unbounded)
		return exact, err
	}
	l, err := l.For(sizes, 32)
	if err != nil {
		return tensor.Layout{}, err
	}
	return *l.Exact, nil
}

// TestOtherPrints: prints whose programs are not run here, by their sources, and spellings of other frameworks.
func TestOtherPrints(t *testing.T) {
	for s, want := range map[string]string{
		// candle-core/src/layout.rs, derive(Debug) of Layout
		"Layout { shape: [2, 3], stride: [3, 1], start_offset: 4 }": " (2,3):(3,1)@4",
		// include/cute/pointer.hpp and tensor_impl.hpp, CUTLASS at 18422531
		"gmem_ptr[16b](0x7f3c00000000) o (_8,_64):(_64,_1)":   "uint16 (8,64):(64,1)",
		"smem_[8b] o (8,64):(64,1)":                           "uint8 (8,64):(64,1)",
		"smem_ptr[16b](0x7f) o ((_8,_2),_64):((_64,_512),_1)": "uint16 ((8,2),64):((64,512),1)",
		"tmem_[32b](0x0000.0000) o (128,64):(65536,1)":        "uint32 (128,64):(65536,1)",
		"ptr[32b](0x7f3c) o _8:_1":                            "uint32 (8):(1)",
		"ptr[32b](0x7f3c) o 3 o (8,2):(2,1)":                  "uint32 (8,2):(2,1)@3",
		// Mojo, max/kernels: Layout.write_to; row_major[…]()
		"((4, 2):(1, 4))": " (4,2):(1,4)", "row_major[4,8]()": " (4,8):(8,1)", "Layout.col_major(4, 8)": " (4,8):(1,4)",
		"Layout(IntTuple(4, 8), IntTuple(1, 4))": " (4,8):(1,4)", "Layout((4, 8), (1, 4))": " (4,8):(1,4)", "Layout(((4, 2), 8), ((1, 4), 8))": " ((4,2),8):((1,4),8)",
		// TIRx' axis of memory
		"S[(4, 2, 2, 4) : (16, 4, 8, 1)]": " (4,2,2,4):(16,4,8,1)", "S[(2, 4):(4@m, 1@m)]": " (2,4):(4,1)",
		// any keys in any brackets
		"{shape: (2, 3), strides: [1, 2], storage_offset: 5, dtype: torch.float16}": "float16 (2,3):(1,2)@5",
		"x.shape torch.Size([2, 3]), x.stride() (3, 1)":                             " (2,3):(3,1)",
		"sizes=<2, 3>": "",
		"Tensor(dtype=int8, dims=[2, 3], byte_strides=[1, 2])":                  "int8 (2,3):(1,2)",
		"{\"shape\": [2, 3], \"stride\": [3, 1], \"dtype\": \"float32\"}":       "float32 (2,3):(3,1)",
		"TensorSpec(shape=(2, 3), dtype=tf.float32, name=None)":                 "float32 (2,3):(3,1)",
		"FakeTensor(..., device='cuda:0', size=(2, 3), dtype=torch.float16)":    "float16 (2,3):(3,1)",
		"y: \"f32[2, 3][1, 2]cuda:0\" = torch.ops.aten.t.default(x);  x = None": "float32 (2,3):(1,2)",
		"%y : \"f32[2, 3][1, 2]cuda:0\"":                                        "float32 (2,3):(1,2)",
		"f32[2, 3][3, 1]cuda:0  # File: net.py:4 in f":                          "float32 (2,3):(3,1)",
		"f32[][]cpu": "float32 ():()",
	} {
		l, element, err := ParseLayout(s)
		got := ""
		if err == nil && l.Exact != nil {
			got = l.DType + " " + l.Exact.String()
			if element != nil {
				got = element.String() + " " + l.Exact.String()
			}
		}
		if got != want {
			t.Errorf("%s: %q, expected %q (%v)", s, got, want, err)
		}
	}
}

// TestRemarks: what a text contradicts, assumes or leaves out is said.
func TestRemarks(t *testing.T) {
	for s, want := range map[string]string{
		"shape=[2, 3], strides=[1, 2], layout=Cc (0x5), const ndim=2":                           "C_CONTIGUOUS is said to be true, but the strides (1, 2) are not; F_CONTIGUOUS is said to be false",
		"shape=(2, 3), stride=(3, 1), swizzle=5":                                                "not read: swizzle=5",
		"View(shape=(4, 3), strides=(3, 1), offset=0, mask=((1, 3), (0, 3)), contiguous=False)": "outside of the mask ((1, 3), (0, 3)) are zeros",
		"ShapeDtypeStruct(shape=(2, 3), dtype=bfloat16)":                                        rowMajor,
	} {
		l, _, err := ParseLayout(s)
		if err != nil || !strings.Contains(l.Note, want) {
			t.Errorf("%s: %q (%v), expected %q", s, l.Note, err, want)
		}
	}
	for s, want := range map[string]string{
		"ArithTuple(0,0) o (128,64):(_1@1,_1@0)":       "are coordinates, not memory",
		"tensor<(0,0) o (8,64):(1@0,1@1)>":             "are coordinates, not memory",
		"C_CONTIGUOUS : False\n  F_CONTIGUOUS : False": "its strides are missing",
		"ShapeTracker(views=(View(shape=(2, 3), strides=(1, 2), offset=0, mask=None), View(shape=(6,), strides=(1,), offset=0, mask=None)))": "2 views",
		"f32[2, 3][3]cpu":                                           "1 strides for 2 dims",
		"shape=(2, 3), strides=(3.5, 1)":                            "stride 3.5 of dim 0 is no number",
		"shape=(2, 3), strides=99999999999999999999":                "is not a list of numbers",
		"shape=(2, 3), strides=(99999999999999999999,1)":            "overflows",
		"tensor<ptr<f16, gmem, align<16>> o ((?,2),8):((1,8),16)>":  "? in a dim of several digits",
		"tensor<ptr<f16, smem, align<16>, S<3,4,3>> o (?,8):(8,1)>": "size ? of dim 0 is no number",
		"TiledCopy\n  Tiler_MN: (_16,_64)":                          "a layout of threads",
		"{'typestr': '<f4', 'shape': (2, 3), 'strides': (3, 1)}":    "3 is no multiple of 4 bytes",
		"gmem_ptr[16b](0x7f) o":                                     "no layout behind the o",
	} {
		l, _, err := ParseLayout(s)
		if err == nil {
			err = l.NeedsSizes()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", s, err, want)
		}
	}
}

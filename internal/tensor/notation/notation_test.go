package notation

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// One row per spelling: what a user may write, and the order that it means.
func TestParseSpellings(t *testing.T) {
	for _, c := range []struct{ name, explicit string }{
		{"nchw", "N C H W"}, {"NHWC", "N H W C"}, {"chwn", "C H W N"}, {"ncdhw", "N C D H W"}, {"NDHWC", "N D H W C"},
		{"chw", "C H W"}, {"HWC", "H W C"}, {"hw", "H W"}, {"WH", "W H"}, {"dhw", "D H W"}, {"WHD", "W H D"},
		{"oihw", "O I H W"}, {"HWIO", "H W I O"}, {"goihw", "G O I H W"}, {"bchw", "B C H W"},
		{"NCHW4", "N C//4 H W C%4"}, {"nchw16", "N C//16 H W C%16"}, {"NCHW7", "N C//7 H W C%7"}, {"nChw16c", "N C//16 H W C%16"},
		{"NCHW44", "N C//4 H W C%4"}, {"nchw44_dot", "N C//4 H W C%4"}, {"NCHW88", "N C//8 H W C%8"},
		{"CHWN4", "C//4 H W N C%4"}, {"NHWCD4", "N H C//4 W C%4"}, {"NCHWc4", "N C//4 H W C%4"}, {"NHCWc4", "N H C//4 W C%4"},
		{"KCRSc4k4", "K//4 C//4 R S C%4 K%4"}, {"NC/32HW32", "N C//32 H W C%32"}, {"NC4HW4", "N C//4 H W C%4"},
		{"C4NHW4", "C//4 N H W C%4"}, {"kCHW2", "N C//2 H W C%2"}, {"kCDHW32", "N C//32 D H W C%32"}, {"kHWC8", "N H W C//8 C%8"},
		{"NHWC16", "N H W C//16 C%16"}, {"kDHWC8", "N D H W C//8 C%8"}, {"kHWC", "N H W C"}, {"kDHWC", "N D H W C"},
		{"channels_last", "N H W C"}, {"torch.channels_last_3d", "N D H W C"}, {"NCHW64w", "N C H W//64 W%64"},
		{"NHW16wC4c", "N H W//16 W%16 C//4 C%4"}, {"OIhw16i16o", "O//16 I//16 H W I%16 O%16"}, {"OIhw4i16o4i", "O//16 I//16 H W I//4%4 O%16 I%4"},
		{"q4_0", "N K//32 K%16 K//16%2"}, {"iq4_nl", "N K//32 K%16 K//16%2"}, {"MXFP4", "N K//32 K%16 K//16%2"},
		{"q4_k", "N K//64 K%32 K//32%2"}, {"nvfp4", "N K//16 K%8 K//8%2"},
		{"acdb", "A C D B"}, {"aBcd16b", "A B//16 C D B%16"}, {"ABcd16b16a", "A//16 B//16 C D B%16 A%16"}, {"NCHW1c", "N C H W"},
		{"{3,2,1,0}", "A B C D"}, {"{1,3,2,0}", "A C D B"}, {"{0,1}", "B A"}, {"{1,0:T(8,128)}", "A//8 B//128 A%8 B%128"},
		{"{1,0:T(8,128)#(u32)*(u64)S(1)}", "A//8 B//128 A%8 B%128"}, {"{1,0:L(1)}", "A B"},
		{"Layout(major_to_minor=(0, 2, 3, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)", "A C D//8 B//128 D//2%4 B%128 D%2 B%1"},
		{"Layout(major_to_minor=(1, 0), tiling=None, sub_byte_element_size_in_bits=4)", "B A"},
		{"DeviceLocalLayout(major_to_minor=(1, 0), _tiling=((8, 128),), _sub_byte_element_size_in_bits=0)", "B//8 A//128 B%8 A%128"},
		{"Layout(major_to_minor=(0,1,2), tiling=())", "A B C"},
		{"Format(layout=Layout(major_to_minor=(1, 0), tiling=(), sub_byte_element_size_in_bits=0), sharding=SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device))", "B A"},
		{"Layout(device_local_layout=DeviceLocalLayout(major_to_minor=(1, 0), _tiling=None, _sub_byte_element_size_in_bits=0), sharding=None)", "B A"},
		{"affine_map<(d0, d1) -> (d1, d0)>", "B A"}, {"affine_map<(d0,d1)->(d1,d0)>", "B A"}, {"affine_map<(d0) -> (d0)>", "A"},
		{"affine_map<(d0, d1) -> (d0, d1 floordiv 32, d1 mod 32)>", "A B//32 B%32"},
		{"affine_map<(i, j) -> (i floordiv 8, j, (i floordiv 2) mod 4, i mod 2)>", "A//8 B A//2%4 A%2"},
		{"sf128x4", "M//128 K//4 M%32 M//32%4 K%4"}, {"SFLAYOUT.LAYOUT_128X4", "M//128 K//4 M%32 M//32%4 K%4"},
		{"CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0", "M//128 K//4 M%32 M//32%4 K%4"}, {"VEC16_UE4M3", "M//128 K//4 M%32 M//32%4 K%4"},
		{"CUDNN_TENSOR_REORDERING_F8_128x4", "M//128 K//4 M%32 M//32%4 K%4"}, {"SWIZZLED_128x4", "M//128 K//4 M%32 M//32%4 K%4"},
		{"to_blocked", "M//128 K//4 M%32 M//32%4 K%4"}, {"Sm1xxBlockScaledConfig", "M//128 K//4 M%32 M//32%4 K%4"},
		{"SWIZZLE_32_4_4", "M//128 K//4 M%32 M//32%4 K%4"}, {"QuantizationSFLayout::SWIZZLED", "M//128 K//4 M%32 M//32%4 K%4"},
		{"sf8x4", "M//8 K//4 M%8 K%4"}, {"layout_8x4", "M//8 K//4 M%8 K%4"}, {"sf_mn_major", "K M//4 M%4"},
		{"get_mn_major_tma_aligned_tensor", "K M//4 M%4"}, {"get_mn_major_tma_aligned_packed_ue8m0_tensor", "K//4 M//4 M%4 K%4"},
		{"FRACTAL_NZ", "N//16 M//16 M%16 N%16"}, {"ACL_FORMAT_FRACTAL_NZ_C0_32", "N//32 M//16 M%16 N%32"},
		{"ACL_FORMAT_FRACTAL_NZ", "N//16 M//16 M%16 N%16"}, {"ACL_FORMAT_NHWC", "N H W C"}, {"NC1HWC0_C04", "N C//4 H W C%4"},
		{"bsq", "C H W"}, {"bil", "H C W"}, {"bip", "H W C"},
		{"bfyx", "N C H W"}, {"byxf", "N H W C"}, {"bzyxf", "N D H W C"}, {"b_fs_yx_fsv16", "N C//16 H W C%16"}, {"fs_b_yx_fsv32", "C//32 N H W C%32"},
		{"BS_FS_ZYX_BSV16_FSV32", "N//16 C//32 D H W N%16 C%32"}, {"os_is_yx_osa4_isa8_osv8_isv4", "O//32 I//32 H W O//8%4 I//4%8 O%8 I%4"},
		{"is_os_yx_isv16_osv16", "I//16 O//16 H W I%16 O%16"}, {"g_os_iyx_osv16", "G O//16 I H W O%16"}, {"os_yxi_osv16", "O//16 H W I O%16"},
		{"{1,0:T(8,128)(2,1)}", "A//8 B//128 A//2%4 B%128 A%2 B%1"}, {"N C//4 H W C%4", "N C//4 H W C%4"}, {"d0 d10 d2", "d0 d10 d2"},
	} {
		if got := mustParse(t, c.name).Explicit(); got != c.explicit {
			t.Errorf("Parse(%q) is %s, want %s", c.name, got, c.explicit)
		}
	}
}

// The error of a name that cannot be read has its reason, and a hint if there is a name to use instead.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, text, hint string }{
		{"", "empty", "help layouts"},
		{"NCHC", "axis C appears twice", "did you mean nchw?"},
		{"(B, S, H, D)", "expected a number", "separators: BSHD"},
		{"[b,s,h,d]", "packs blocks", "separators: bshd"},
		{"BxSxHxD", "no framework calls dims by these letters", "separators: BSHD"},
		{"n x c x h x w", "X needs exactly one axis", "separators: nchw"},
		{"nhwca", "no framework calls dims by these letters", "did you mean nhwc?"},
		{"N CHW", `"CHW" is not an axis`, ""},
		{" nchw", "is not an axis", ""},
		{"NHWC4", "some pad C to a multiple of 4", "NHWC4c if C is padded"}, {"HWC4", "the 4 at the end lacks the letter", "if it splits C, write HWC4c"},
		{"nhcw4", "the 4 at the end lacks the letter", "if it splits C, write NHCW4c"},
		{"CHWN8", "the 8 at the end lacks the letter", "if it splits C, write CHWN8c"},
		{"hwio4", "the 4 at the end lacks the letter", "if it splits O, write HWIO4o"},
		{"bcomplex32", "the 32 at the end lacks the letter", "write a memory order, outermost axis first"},
		{"NC1HWC2", "C2 is symbolic", "rknn_query prints: NCHW16c"}, {"NC1HWC16", "the 16 at the end lacks the letter", "if C0 is 16, write NCHW16c"},
		{"NCHW0c", "block 0 is outside 1 to", ""},
		{"NCHW99999999999999999999c", "is outside 1 to", ""},
		{"NHW4c", "4c splits axis C, which is missing", ""},
		{"NC/4HW8", "its two numbers differ", ""},
		{"NC1HWC0", "C0 is symbolic", "NCHW16c"}, {"ACL_FORMAT_NC1HWC0", "C0 is symbolic", "NCHW16c"},
		{"NCHW_VECT_C", "cuDNN's data type", "NCHW4c for INT8x4"},
		{"NHWCD4I", "row pitch", "--to-pitch"},
		{"OIHW[4o4i]", "packs blocks", "OIHW4o4i"},
		{"{1,1}", "each dim from 0 once", ""},
		{"{2,0}", "lacks dim 1", ""},
		{"{1,0:T(2,*)}", "merge dims, are not supported", ""},
		{"{1,0:T(4,4)(3,1)}", "does not divide", ""},
		{"{1,0:T(1,1,1)}", "more dims than the 2", ""},
		{"{1,0:T(8,128)L(1024)}", "depend on sizes and type", "f32[8,4]{1,0:T(8,128)L(1024)}"},
		{"{1,0:T(8,128)E(4)S(1)}", "depend on sizes and type", "write the whole type"},
		{"{:T(128)}", "depend on sizes and type", "write the whole type"},
		{"{:T(1048576,1048576)}", "its tiles multiply", ""},
		{"{1,0:T(8,128)SC(0:8)}", "splits the array", ""},
		{"{1,0:D(D,C)}", "stores dims sparsely", ""},
		{"{1,0:P(f32[4])}", "the physical one", ""},
		{"{1,0:M(8)}", "bytes before the array", ""},
		{"{1,0:Q(8)}", "want the form", "minor_to_major, then tiles"},
		{"{1,0:E(4)T(8)}", "want the form", "minor_to_major, then tiles"},
		{"{1,0:T(8", "want the form", ""},
		{"{1,0:L(0)}", "0 is outside 1 to", ""},
		{"{1,0:L(99999999999999999999)}", "is outside 1 to", ""},
		{"{1,0}x", "want the form", ""},
		{"Layout(major_to_minor=(1, 1), tiling=None)", "list each dim from 0 once", ""},
		{"Layout(major_to_minor=(0, 1), sub_byte_element_size_in_bits=32)", "elements of 32 bits", ""},
		{"Layout(major_to_minor=(0, 1), tiles=())", "", ""},
		{"affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>", "unknown form", "without symbols"},
		{"affine_map<(d0, d1) -> (d0 * 8 + d1)>", "neither a dim nor a digit", "write strides with sizes"},
		{"affine_map<(d0, d1) -> (d0, d0)>", "exactly one axis without %", ""},
		{"affine_map<(d0, d1) -> (d0, d1 mod 4)>", "needs exactly one axis without %", ""},
		{"affine_map<(d0, d1) -> (d0, (d1 mod 6) floordiv 4)>", "neither a dim nor a digit", ""},
		{"affine_map<(d0, d1) -> (d0, d1 floordiv 0)>", "is outside 1 to", ""},
		{"affine_map<(d0, d1) -> (d0, e1)>", "is neither a dim", ""},
		{"affine_map<(d0, d1, d2) -> (d0, d1)>", "1 of 3 dims have no result", ""},
		{"affine_map<() -> ()>", "is neither a dim", ""},
		{"affine_map<(d0) -> (d0)> x", "unknown form", "affine_map<(d0, d1)"},
		{"N C//4 H W C%8", "do not form a mixed radix", ""},
		{"N C//4 H W", "smallest divisor of C is 4", ""},
		{"N C%4 H W", "needs exactly one axis without %", ""},
		{"\x1b[31m", "packs blocks", ""},
		{"n\x00w", "is not an axis letter", ""},
		{strings.Repeat("n", 600), "exceeds 512 bytes", ""},
	} {
		_, err := Parse(c.name)
		e, ok := err.(*fault.Error)
		if !ok || !strings.Contains(e.Text, c.text) || !strings.Contains(e.Hint, c.hint) || text.Quote(e.Text+e.Hint) != e.Text+e.Hint {
			t.Errorf("Parse(%q): error %v, want %q with hint %q", c.name, err, c.text, c.hint)
		}
	}
}

// A tiled layout has as many physical axes as a tensor has dims, and no more: 62 and the two of a tile.
func TestParseManyAxes(t *testing.T) {
	for rank, want := range map[int]bool{tensor.MaxRank - 2: true, tensor.MaxRank - 1: false} {
		var minor []string
		for d := rank - 1; d >= 0; d-- {
			minor = append(minor, strconv.Itoa(d))
		}
		l, err := Parse("{" + strings.Join(minor, ",") + ":T(2,2)}")
		if (err == nil) != want || want && len(l.Format.Axes()) != tensor.MaxRank {
			t.Errorf("%d dims in tiles: %v", rank, err)
		}
	}
}

// Numbered dims are in the order of their numbers, however many digits these have.
func TestParseNumberedDims(t *testing.T) {
	f := mustParse(t, "d12 d10 d2 d1 d0 d3 d11 d4 d9 d5 d6 d7 d8")
	if got := strings.Join(f.Names(), " "); got != "d0 d1 d2 d3 d4 d5 d6 d7 d8 d9 d10 d11 d12" {
		t.Errorf("dims are %s", got)
	}
}

// c and fortran keep a file's own axes.
func TestParseOwnOrders(t *testing.T) {
	for name, want := range map[string]Own{"c": OwnC, "C": OwnC, "contiguous": OwnC, "kLINEAR": OwnC, "f": OwnFortran, "Fortran": OwnFortran} {
		if l, err := Parse(name); err != nil || l.Own != want {
			t.Errorf("Parse(%q) = %+v, %v", name, l, err)
		}
	}
}

// Names that another framework reads differently have a note.
func TestParseNotes(t *testing.T) {
	for name, want := range map[string]string{"NCHW4": "TVM ignores", "CHWN4": "not N", "NHWCD4": "not depth", "NCHW44": "OIHW4i4o", "kHWC8": "multiple of 8", "nchw": ""} {
		if l, err := Parse(name); err != nil || !strings.Contains(l.Note, want) || (want == "") != (l.Note == "") {
			t.Errorf("Parse(%q) notes %q, %v", name, l.Note, err)
		}
	}
}

// PhysicalShape and LogicalShape undo each other up to padding, and refuse shapes that do not fit.
func TestShapes(t *testing.T) {
	f := mustParse(t, "NCHW4")
	physical, err := f.PhysicalShape([]int{2, 5, 2, 3})
	if err != nil || !slices.Equal(physical, []int{2, 2, 2, 3, 4}) {
		t.Fatalf("physical %v, %v", physical, err)
	}
	logical, err := f.LogicalShape(physical)
	if err != nil || !slices.Equal(logical, []int{2, 8, 2, 3}) {
		t.Fatalf("logical %v, %v", logical, err)
	}
	for _, bad := range [][]int{{2, 2, 2, 3}, {2, 2, 2, 3, 5}} {
		if _, err := f.LogicalShape(bad); err == nil {
			t.Errorf("LogicalShape(%v) succeeds", bad)
		}
	}
	if _, err := f.PhysicalShape([]int{1, 2}); err == nil {
		t.Error("a shape of another rank is accepted")
	}
	if _, err := f.Place([]int{2, 9, 2, 3}, physical, []int{48, 24, 12, 4, 1}, 0, 96); err == nil {
		t.Error("nine channels fit into eight")
	}
}

// A layout printed and read again is the same layout.
func TestShapeStrideRoundTrip(t *testing.T) {
	for _, s := range []string{"():()", "(5):(1)", "(2,64,3,3):(576,9,3,1)", "(2,(4,2)<5,2,3):(48,(1,24),12,4)", "(3,4):(-4,1)@8", "(0,3):(3,1)"} {
		l, err := parseShapeStride(s)
		if err != nil || l.String() != s {
			t.Errorf("parseShapeStride(%q) = %s, %v", s, l, err)
		}
	}
	for s, want := range map[string]string{"8:1": "(8):(1)", "(_2,(_2,_2)):(4,(2,1))": "(2,(2,2)):(4,(2,1))", "(2,3)": "(2,3):(1,2)", "((4,2),):((2,1),)": "((4,2)):((2,1))",
		"((4,2)<8):((1,4))": "((4,2)):((1,4))", "((4,2)<5):((1,4))": "((4,2)<5):((1,4))"} {
		l, err := parseShapeStride(s)
		if err != nil || l.String() != want {
			t.Errorf("parseShapeStride(%q) = %s, %v; want %s", s, l, err, want)
		}
	}
	for _, s := range []string{"", "(", "(2,3):(1)", "(2,(3)):(1,2)", "(((2))):(((1)))", "(2):(1)x", "(9223372036854775807):(9)", "((2,2)<5):((1,2))", "((2,2)<9):((1,2))", "(-1):(1)"} {
		if l, err := parseShapeStride(s); err == nil {
			t.Errorf("parseShapeStride(%q) = %s", s, l)
		}
	}
}

// CuTe counts whole blocks where a dim ends inside one.
func TestCuTeCountsPadding(t *testing.T) {
	l, err := mustParse(t, "NCHW4").Bind([]int{2, 5, 2, 3})
	if want := "(2,(4,2),2,3):(48,(1,24),12,4)"; err != nil || CuTe(l) != want {
		t.Errorf("%s, %v; want %s", CuTe(l), err, want)
	}
}

// Printing undoes parsing: the name of a parsed format parses to the same format, and binding it never panics.
func FuzzLayoutName(f *testing.F) {
	for _, s := range append(slices.Clone(wellKnown), "{1,0:T(8,128)(2,1)}", "N C//4 H W C%4", "OIhw4i16o4i", "16cNCHW", "KCRSc4k4", "NC/32HW32", "A//4 B//4 A%2 B%4 A//2%2 B//4%1 A%1 B%1",
		"{2,0,1:T(8,128)L(8)#(u32)*(u64)E(4)S(1)}", "affine_map<(d0, d1) -> (d1 floordiv 8, d0, (d1 floordiv 2) mod 4, d1 mod 2)>",
		"Layout(major_to_minor=(0, 2, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=4)") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l, err := Parse(s)
		if err != nil || l.Own != NotOwn || l.Exact != nil {
			return
		}
		again, err := Parse(l.Format.String())
		if err != nil || again.Format.Explicit() != l.Format.WithoutUnits().Explicit() && again.Format.Explicit() != l.Format.Explicit() {
			t.Fatalf("%q is %s = %s, which parses as %s, %v", s, l.Format, l.Format.Explicit(), again.Format.Explicit(), err)
		}
		sizes := make([]int, l.Format.Rank())
		for i := range sizes {
			sizes[i] = i%3 + 1
		}
		if bound, err := l.Format.Bind(sizes); err == nil && bound.Numel() < 1<<12 && !bound.InBounds() {
			t.Fatalf("%s reaches outside of its storage: %s", l.Format, bound)
		}
	})
}

// Printing undoes parsing for layouts with sizes too.
func FuzzStridedNotation(f *testing.F) {
	for _, s := range []string{"(2,64,3,3):(576,9,3,1)", "(2,(4,2)<5,2,3):(48,(1,24),12,4)@7", "(_2,(_2,_2)):(4,(2,1))", "8:1", "(2,3)"} {
		f.Add(s)
	}
	for _, s := range []string{"Sw<3,4,3> o 0 o (8,64):(64,1)", "S<2,0,-2> o _7 o (_2,_2)", "SW_1_0_1 o 8:1@3", "sw<3,4,3>_smem_ptr[16b](unset) o 8:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		parsed, err := Parse(s)
		if l := parsed.Exact; err == nil && l != nil {
			again, err := Parse(l.String())
			if err != nil || again.Exact == nil || again.Exact.String() != l.String() || again.Exact.Swizzle() != l.Swizzle() {
				t.Fatalf("%q is %s, which parses as %s, %v", s, l, again.Exact, err)
			}
		}
	})
}

// TestWords: a layout in a few words, by what its blocks do.
func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"nchw": "row-major, W varies fastest", "nhwc": "channels innermost, images outermost", "whcn": "column-major, N varies fastest",
		"nChw16c": "channels in blocks of 16, the block innermost", "kHWC8": "channels padded to a multiple of 8",
		"CHWN4": "channels in blocks of 4, the block innermost", "NCHW64w": "columns padded to a multiple of 64",
		"OIhw4i16o4i": "output channels in blocks of 16, input channels in blocks of 16 (4 x 4), input channels innermost",
		"OIhw16i16o":  "output channels in blocks of 16, input channels in blocks of 16, output channels innermost",
		"NCHW1c":      "row-major, W varies fastest", "n": "consecutive elements",
		"{1,0:T(8,128)}": "A in blocks of 8, B in blocks of 128, B innermost",
	} {
		if got := mustParse(t, name).Words(); got != want {
			t.Errorf("%s: %q, expected %q", name, got, want)
		}
	}
}

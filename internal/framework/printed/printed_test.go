package printed

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/text"
)

// TestPublished: arrays of XLA's reports take the bytes that XLA printed: flowpm 27, pytorch/xla 6674, jax 7502, pytorch/xla 1965, google/trax 525.
func TestPublished(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("the arrays are larger than an address can count")
	}
	for _, c := range []struct {
		text            string
		bytes, elements int64
	}{
		{"s32[8388608,8,4]{2,1,0:T(8,128)}", 32 << 30, 1 << 30 / 4},
		{"bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", 4 << 30, 1 << 30 / 2},
		{"s32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}", 16 << 30, 512 << 20 / 4},
		{"u32[12582912,1]{1,0:T(8,128)}", 6 << 30, 48 << 20 / 4},
		{"f32[4,128,128,9,18]{4,3,0,2,1:T(8,128)}", 512 << 20, 40<<18 + 1<<17},
		{"pred[64,512,2048]{2,1,0:T(8,128)E(32)}", 256 << 20, 64 << 20},
		{"bf16[1,4096,5,64,1,2]{5,4,3,2,1,0:T(32,32)}", 512 * 2 * 4096 * 5 * 64 * 2, 4096 * 5 * 64 * 2}, // Tenstorrent's tiles, tt-xla 4761: 512 times
		{"s4[8,64]{1,0}", 512, 512}, {"s4[8,64]{1,0:E(4)}", 256, 512}, {"pred[8,64]{1,0:E(1)}", 64, 512},
	} {
		typ, err := Parse(c.text)
		if err != nil || typ.Bytes() != c.bytes || int64(typ.Layout.Numel()) != c.elements {
			t.Errorf("%s: %d bytes of %d elements, expected %d of %d (%v)", c.text, typ.Bytes(), typ.Layout.Numel(), c.bytes, c.elements, err)
		}
	}
}

// indexWithTiles returns the position of element e in an array of bounds d, all from the outermost to the innermost, by the definition:
// linear_index_with_tile(e, d, t) = linear_index((⌊e/t⌋, e mod t), (⌈d/t⌉, t)), repeated. size is the storage. (XLA, docs/tiled_layout.md)
func indexWithTiles(e, d []int, tiles [][]int) (at, size int) {
	if len(tiles) > 0 {
		t := tiles[0]
		first := max(0, len(d)-len(t))
		t = t[len(t)-(len(d)-first):]
		outerE, outerD := slices.Clone(e[:first]), slices.Clone(d[:first])
		var innerE []int
		for k, n := range t {
			outerE, outerD = append(outerE, e[first+k]/n), append(outerD, ints.CeilDiv(d[first+k], n))
			innerE = append(innerE, e[first+k]%n)
		}
		return indexWithTiles(append(outerE, innerE...), append(outerD, t...), tiles[1:])
	}
	size = 1
	for k := range d {
		at, size = at*d[k]+e[k], size*d[k]
	}
	return at, size
}

// TestTiles: elements of random arrays are where XLA's formula says, in a storage of its size, rounded up to L.
func TestTiles(t *testing.T) {
	rng := random.New(t)
	for range 2000 {
		rank := 1 + rng.IntN(4)
		shape, order := make([]int, rank), rng.Perm(rank)
		for k := range shape {
			shape[k] = 1 + rng.IntN(9)
		}
		var tiles [][]int
		layout := ""
		for _, choices := range [][]int{{1, 2, 4, 8}, {1, 2}}[:rng.IntN(3)] {
			tile := make([]int, 1+rng.IntN(min(rank, 2)))
			if len(tiles) > 0 {
				tile = make([]int, len(tiles[0])) // divides the first one
			}
			for k := range tile {
				if tile[k] = choices[rng.IntN(len(choices))]; len(tiles) > 0 {
					tile[k] = min(tile[k], tiles[0][k])
				}
			}
			tiles = append(tiles, tile)
			layout += "(" + text.Ints(tile, ",") + ")"
		}
		if layout != "" {
			layout = "T" + layout
		}
		tail := 1
		if rng.IntN(2) == 0 {
			tail = 2 + rng.IntN(40)
			layout += "L(" + strconv.Itoa(tail) + ")"
		}
		if layout != "" {
			layout = ":" + layout
		}
		s := "f32[" + text.Ints(shape, ",") + "]{" + text.Ints(order, ",") + layout + "}"
		typ, err := Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		coord := make([]int, rank)
		for range 20 {
			var e, d []int
			for _, dim := range slices.Backward(order) {
				coord[dim] = rng.IntN(shape[dim])
				e, d = append(e, coord[dim]), append(d, shape[dim])
			}
			at, size := indexWithTiles(e, d, tiles)
			if got := typ.Layout.At(coord...); got != at || typ.Layout.Alloc() != ints.CeilDiv(size, tail)*tail {
				t.Fatalf("%s: element %v is at %d of %d, expected %d of %d", s, coord, got, typ.Layout.Alloc(), at, size)
			}
		}
	}
}

// TestLargerTiles: a tile may be larger than the one before, which it pads: every element of an array is where XLA's formula says, in a storage
// of its size. A smaller one that does not divide the one before is refused: its positions are no digits of an index.
func TestLargerTiles(t *testing.T) {
	read := 0
	every := func(shape []int, tiles ...[]int) {
		t.Helper()
		order := ints.Range(len(shape))
		slices.Reverse(order)
		s := "f32[" + text.Ints(shape, ",") + "]{" + text.Ints(order, ",") + ":T"
		for _, tile := range tiles {
			s += "(" + text.Ints(tile, ",") + ")"
		}
		typ, err := Parse(s + "}")
		if fault.ClassOf(err) == fault.Unsupported && err != nil {
			if !strings.Contains(err.Error(), "does not divide the previous tile's") {
				t.Errorf("%s: %v", s, err)
			}
			return
		}
		if err != nil {
			t.Fatal(s, err)
		}
		read++
		for i := range typ.Layout.Numel() {
			e := make([]int, len(shape))
			for d, rest := len(shape)-1, i; d >= 0; d-- {
				e[d], rest = rest%shape[d], rest/shape[d]
			}
			at, size := indexWithTiles(e, shape, tiles)
			if got := typ.Layout.At(e...); got != at || typ.Layout.Alloc() != size {
				t.Fatalf("%s: element %v is at %d of %d, expected %d of %d", s, e, got, typ.Layout.Alloc(), at, size)
			}
		}
	}
	every([]int{5}, []int{1}, []int{4})
	every([]int{5, 6}, []int{2, 4}, []int{4, 2})
	every([]int{5}, []int{1}, []int{4}, []int{2})
	every([]int{7}, []int{2}, []int{6}, []int{3})
	every([]int{9, 10}, []int{2, 4}, []int{4, 4, 8, 1})
	every([]int{9}, []int{4}, []int{6}, []int{4})
	if read != 6 {
		t.Errorf("%d of 6 are read", read)
	}
	if _, err := Parse("f32[9]{0:T(4)(3)}"); fault.ClassOf(err) != fault.Unsupported || err == nil {
		t.Error("a tile of 3 in one of 4 is read")
	}
	rng := random.New(t)
	for range 2000 {
		shape := make([]int, 1+rng.IntN(3))
		for k := range shape {
			shape[k] = 1 + rng.IntN(7)
		}
		axes, tiles := len(shape), make([][]int, 1+rng.IntN(3))
		for k := range tiles {
			tiles[k] = make([]int, 1+rng.IntN(min(axes, 3)))
			for d := range tiles[k] {
				tiles[k][d] = []int{1, 2, 3, 4, 6, 8}[rng.IntN(6)]
			}
			axes += len(tiles[k])
		}
		every(shape, tiles...)
	}
	if read < 1000 {
		t.Errorf("%d of 2000 random tiles are read", read)
	}
}

// TestMLIR: sizes, strides and offset are those that MLIR's own MemRefType.get_strides_and_offset returns. (testdata/mlir.py, jaxlib 0.10.2)
func TestMLIR(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("the arrays are larger than an address can count")
	}
	data, err := os.ReadFile("testdata/mlir.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for _, line := range lines {
		s, want, _ := strings.Cut(line, "\t")
		typ, err := Parse(s)
		if err != nil {
			t.Errorf("%s: %v", s, err)
			continue
		}
		if got, ok := typ.Layout.Strided(); !ok || text.Ints(got.Shape, ",")+":"+text.Ints(got.Strides, ",")+"@"+strconv.Itoa(got.Offset) != want {
			t.Errorf("%s: %v, expected %s", s, got, want)
		}
	}
	if len(lines) < 300 {
		t.Errorf("only %d types", len(lines))
	}
}

// TestSpellings: each spelling has this type and layout.
func TestSpellings(t *testing.T) {
	for s, want := range map[string]string{
		"f32[]":                            "float32 ():() 1 the type has no layout: read as row-major",
		"f32[]{:T(128)}":                   "float32 ():() 128",
		"f32[]{:T(4,128)S(3)}":             "float32 ():() 512",
		"f32[8,4]{0,1}":                    "float32 (8,4):(1,8) 32",
		"bf16[3,100]{1,0:T(4,128)L(1024)}": "bfloat16 ((4,1)<3,(128,1)<100):((128,512),(1,512)) 1024",
		"u4[8,64]{1,0:E(4)}":               "uint4 (8,64):(64,1) 512",
		// elements below a byte in a byte each, and elements at the limit of 128 bits
		"s4[8,64]{1,0:E(8)}":                "int4 (8,64):(64,1) 512",
		"u4[8,64]{1,0:E(8)}":                "uint4 (8,64):(64,1) 512",
		"f32[8]{0:E(128)}":                  "V16 (8):(1) 8 128 bits for each element of float32",
		"pred[8]{0:E(1)}":                   "uint1 (8):(1) 8",
		"pred[8]{0:E(32)}":                  "V4 (8):(1) 8 32 bits for each element of bool",
		"f8e4m3fn[8]{0}":                    "float8_e4m3fn (8):(1) 8",
		"%p.1 = f32[8,4]{1,0} parameter(0)": "float32 (8,4):(4,1) 32",
		"ROOT %copy.7 = s32[2,3]{0,1:T(2)} copy(%a), metadata={op_name=\"jit(f)/x[ dim=4 ]\"}": "int32 ((2,1),3):((1,2),2) 6",
		"float32[8,128]":                        "float32 (8,128):(128,1) 1024 the type has no layout: read as row-major",
		"float[2]":                              "float32 (2):(1) 2 the type has no layout: read as row-major",
		"%x[FLOAT16, 1x3x224x224]":              "float16 (1,3,224,224):(150528,50176,224,1) 150528 the type has no layout: read as row-major",
		"  %f = s4[8,4]{1,0} fusion(%p)\n":      "int4 (8,4):(4,1) 32",
		"input[FLOAT, 2x3]":                     "float32 (2,3):(3,1) 6 the type has no layout: read as row-major",
		"/conv1/Conv_output_0[INT8, scalar]":    "int8 ():() 1 the type has no layout: read as row-major",
		"a:f32[8,4]":                            "float32 (8,4):(4,1) 32 the type has no layout: read as row-major",
		"I8[2,3]":                               "int8 (2,3):(3,1) 6 the type has no layout: read as row-major",
		"F16[2,3]":                              "float16 (2,3):(3,1) 6 the type has no layout: read as row-major",
		"%a = memref.alloc() : memref<2x3xf32>": "float32 (2,3):(3,1) 6",
		"%r = memref.load %a[%i] : memref<4xf32, 1 : i32>":                                            "float32 (4):(1) 4",
		"%0 = stablehlo.transpose %a : (tensor<2x3xf32>) -> tensor<3x2xf32>":                          "float32 (3,2):(2,1) 6 the type has no layout: read as row-major",
		"%s = memref.subview %a[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[3], offset: 1>>": "float32 (2):(3)@1 5",
		"i8[4]": "int8 (4):(1) 4 the type has no layout: read as row-major",
		"memref<2x3xf32, strided<[5, 1], offset: 2>>":                              "float32 (2,3):(5,1)@2 10",
		"memref<4x8xf32, affine_map<(d0, d1) -> (d1, d0)>>":                        "float32 (4,8):(1,4) 32",
		"memref<4x9xi8, affine_map<(d0, d1) -> (d1 floordiv 4, d0, d1 mod 4)>, 3>": "int8 (4,(4,3)<9):(4,(1,16)) 48",
		// mlir/test/Transforms/normalize-memrefs.mlir: they become memref<8x32x8x16xf32> and memref<256x64x128xf32>
		"memref<64x512xf32, affine_map<(d0, d1) -> (d0 floordiv 8, d1 floordiv 16, d0 mod 8, d1 mod 16)>>": "float32 ((8,8),(16,32)):((16,4096),(1,128)) 32768",
		"memref<64x128x256xf32, affine_map<(d0, d1, d2) -> (d2, d0, d1)>>":                                 "float32 (64,128,256):(128,1,8192) 2097152",
		"memref<8x64xf16, strided<[64, 1]>, #gpu.address_space<workgroup>>":                                "float16 (8,64):(64,1) 512",
		"memref<8xf32, #gpu.address_space<workgroup>>":                                                     "float32 (8):(1) 8",
		"memref<8xf32, \"vmem\">":                         "float32 (8):(1) 8",
		"memref<8xf32, strided<[2]>, 1 : i32>":            "float32 (8):(2) 15",
		"memref<f64>":                                     "float64 ():() 1",
		"memref<3xcomplex<f32>>":                          "complex64 (3):(1) 3",
		"memref<3xui16>":                                  "uint16 (3):(1) 3",
		"memref<3xi1>":                                    "bool (3):(1) 3",
		"tensor<2x3xbf16>":                                "bfloat16 (2,3):(3,1) 6 the type has no layout: read as row-major",
		"!migraphx.shaped<1x128x5120xf16, 655360x5120x1>": "float16 (1,128,5120):(655360,5120,1) 655360",
		"!migraphx.shaped<64x3xf8E4M3FNUZ, 0x1>":          "float8_e4m3fnuz (64,3):(0,1) 3",
		"FixedLayout('cuda:0', torch.float32, size=[8, 64], stride=[64, 1])":                        "float32 (8,64):(64,1) 512",
		"FixedLayout('cpu', torch.bfloat16, size=[8, 64], stride=[1, 8], offset=3, is_pinned=True)": "bfloat16 (8,64):(1,8)@3 515",
		"FlexibleLayout('cuda', torch.int64, size=[], stride=[])":                                   "int64 ():() 1 FlexibleLayout: Inductor may still change the strides",
	} {
		typ, err := Parse(s)
		got := ""
		if err == nil {
			got = strings.TrimSpace(typ.DType.String() + " " + typ.Layout.String() + " " + strconv.Itoa(typ.Layout.Alloc()) + " " + typ.Note)
		}
		if !Is(s) || err != nil || got != want {
			t.Errorf("%s: %q, expected %q (%v)", s, got, want, err)
		}
	}
}

// TestErrors: the error for a text that only looks like a type says what it lacks and what to write.
func TestErrors(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("the arrays are larger than an address can count")
	}
	for _, c := range []struct {
		text, says, hint string
		class            fault.Class
	}{
		{"(f32[2]{0:T(8)}, s32[])", "a tuple", "f32[8,4]", fault.Usage},
		{"%t = (f32[2]{0}) tuple(%a)", "a tuple", "f32[8,4]", fault.Usage},
		{"f32[<=8,4]", "is no number", "dynamic", fault.Usage},
		{"f32[?,4]{1,0}", "is no number", "dynamic", fault.Usage},
		{"f32[8]{1,0}", "has 2 dims", "", fault.Usage},
		{"memref<8xf128>", "unknown dtype", "", fault.Unsupported}, // IEEE's, which NumPy's float128 is not
		{"f33[8]{0}", "unknown dtype", "", fault.Unsupported},
		{"f32[8,4]{1,0:T(8,128)SC(0:4)}", "splits the array", "", fault.Unsupported},
		{"f32[8,4]{1,0:P(f32[8]{0})}", "physical one", "", fault.Unsupported},
		{"f32[8,4]{1,0:T(*,128)}", "merge dims", "", fault.Unsupported},
		{"f32[8,4", "not closed", "write f32[8,4]", fault.Usage},
		{"f32[8,4]{}", "has 0 dims, the array 2", "{1,0}", fault.Usage},
		{"f32[8,4]{:T(8,128)}", "has 0 dims, the array 2", "{1,0}", fault.Usage},
		{"f32[" + strings.Repeat("1,", 71) + "1]", "rank 72 is over the limit", "", fault.Unsupported},
		{"memref<99999999999999999999x4xf32>", "overflows", "", fault.Usage},
		{"gmem_ptr[7b](0x0) o 8:1", "7 bits have no type", "", fault.Usage},
		{"gmem_ptr[0b](0x0) o 8:1", "0 bits have no type", "", fault.Usage},
		{"tensor<ptr<f99, gmem> o 8:1>", `"f99" is unknown`, "", fault.Usage},
		{"memref<2x3x>", "no type of elements", "memref<2x3xf32>", fault.Usage},
		{"memref<2x3>", "no type of elements", "memref<2x3xf32>", fault.Usage},
		{"memref<2x3xindex>", "an address", "i64", fault.Unsupported},
		{"f32[8,4]{1,0} and more", "text follows the type: \"and more\"", "paste the type alone: f32[8,4]{1,0}", fault.Usage},
		{"f32[8,4] strides (4,1)", "text follows the type", "paste the type alone: f32[8,4]", fault.Usage},
		{"f32[8]{0:E(8)}", "want its 32 bits", "remove E(8)", fault.Unsupported},
		{"s4[8]{0:E(2)}", "E(2) of int4", "", fault.Unsupported},
		{"f32[1000000000000000000,1000]{1,0}", "overflows", "", fault.Unsupported},
		{"f64[2000000000000000000]{0:L(1024)}", "overflows", "", fault.Unsupported},
		{"f32[9223372036854775807]{0:L(1024)}", "overflows", "", fault.Unsupported},
		{"memref<?x4xf32>", "is no number", "dynamic", fault.Usage},
		{"memref<*xf32>", "number of dims is not known", "dynamic", fault.Usage},
		{"memref<2x3xf32, strided<[?, 1], offset: ?>>", "is no number", "dynamic", fault.Usage},
		{"memref<2x3xf32, strided<[5, 1], offset: ?>>", "is no number", "dynamic", fault.Usage},
		{"memref<2x3xf32, strided<[1]>>", "1 strides for 2 dims", "", fault.Usage},
		{"memref<2x3xf32, #map>", "the layout is", "write out", fault.Unsupported},
		{"memref<2x3xf32, #my_layout, 3>", "the layout is", "write out", fault.Unsupported},
		{"memref<4x4xf32, garbage>", "the layout is", "a memory space", fault.Unsupported},
		{"memref<2x3xf32, strided<[5, 1]>, garbage>", "the layout is", "a memory space", fault.Unsupported},
		{"memref<2x3xf32, strided<[5, 1]>x>", "the layout is", "a memory space", fault.Unsupported},
		{"memref<4x8xf32, affine_map<(d0, d1) -> (d1, d0)>, #space>", "the layout is", "a memory space", fault.Unsupported},
		{"tensor<2x3xf32, affine_map<(d0, d1) -> (d1, d0)>>", "the layout is", "memref<", fault.Unsupported},
		{"memref<8xi4>", "packed or not", "--dtype int4", fault.Unsupported},
		{"memref<8xvector<4xf32>>", "unknown form", "help layouts", fault.Usage},
		{"memref<8x2xf32, affine_map<(d0, d1) -> (d0 * 4 + d1)>>", "neither a dim", "strided<", fault.Unsupported},
		{"memref<2x3xf32, affine_map<(d0) -> (d0)>>", "has 1 dims", "", fault.Usage},
		{"memref<2x3", "unknown form", "", fault.Usage},
		{"tensor<8x64xf16, #blocked>", "the layout is", "write out", fault.Unsupported},
		{"!migraphx.shaped<2x3xf32>", "0 strides for 2 dims", "", fault.Usage},
		{"!migraphx.shaped<2x3xf32, 3>", "1 strides for 2 dims", "", fault.Usage},
		{"FixedLayout('cuda:0', torch.float32, size=[s0, 64], stride=[64, 1])", "is no number", "dynamic", fault.Usage},
		{"FixedLayout('cuda:0', torch.float32, size=[8, 64], stride=None)", "unknown form", "", fault.Usage},
		{"tensor(float16)", "no sizes", "--dtype float16", fault.Usage},
		{"tensor(float)", "no sizes", "--dtype float32", fault.Usage},
		{"tensor(string)", "unknown dtype", "", fault.Unsupported},
		{"Half(160000,1:8,1600,8)", "without sizes", "--from kCHW4", fault.Usage},
		{"Float(150528,50176,224,1)", "without sizes", "--strides", fault.Usage},
		{"f32[" + strings.Repeat("1,", 3000) + "1]{0}", "unknown form", "", fault.Usage},
	} {
		_, err := Parse(c.text)
		e, ok := err.(*fault.Error)
		if !ok || !Is(c.text) || e.Class != c.class || !strings.Contains(e.Text, c.says) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: Is %v, error %v", text.Cut(c.text, 80), Is(c.text), err)
		}
	}
}

// TestNames: names that files may have are not types.
func TestNames(t *testing.T) {
	for _, s := range []string{"", "x", "x.npy", "x[1].npy", "conv[1]", "f[3]", "layers[0]", "float32", "memref", "tensor", "Half", "a b", "(2,3):(5,1)", "[8,4]",
		"x.npz:f32[8]", "a:conv[1]", "conv[1", "foo[BAR, x]", "x.npy : float32", "f32[8,4].npy", "f32[8]/x"} {
		if Is(s) {
			t.Errorf("%q is a type", s)
		}
	}
}

// FuzzParse: no text makes Parse fail otherwise than with a *fault.Error, and a type's elements are inside of its storage.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"f32[8,4]{1,0:T(8,128)(2,1)L(4)#(u32)*(u64)E(32)S(1)}", "%x = s4[]{:T(128)} copy()", "memref<2x3xf32, strided<[5, -1], offset: 2>, 3>",
		"memref<4x8xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)>>", "tensor<2xcomplex<f32>>", "!migraphx.shaped<2x3xf32, 3x1>",
		"FixedLayout('cuda:0', torch.float32, size=[8, 64], stride=[64, 1], offset=3)", "Half(3:8)", "tensor(float)", "(f32[1])", "%x[FLOAT, 1x2]",
		"y: \"f32[s0, 4, s1][4*s1, s1, 1]cuda:0\" = f(x)", "{'data': (1, False), 'strides': None, 'typestr': '<f4', 'shape': (2, 3)}", "torch.Size([2, 3]) (1, 2) 4",
		"[[1.5]], shape=[2, 3], strides=[3, 1], layout=Cc (0x5), const ndim=2", "Layout { shape: [2, 3], stride: [3, 1], start_offset: 4 }", "C_CONTIGUOUS : True F_CONTIGUOUS : False",
		"ShapeTracker(views=(View(shape=(2, 3), strides=(1, 2), offset=0, mask=((0, 1), (0, 3)), contiguous=False),))", "gmem_ptr[16b](0x7f) o Sw<3,3,3> o _0 o (_8,_64):(_64,_1)",
		"tensor<ptr<f16, smem, align<16>, S<3,4,3>> o (?,8):(?{i64 div=8},1)>", "!cute.memref<f32, gmem, \"(2,3):(3,1)\">", "((4, 2):(1, 4))", "row_major[4,8]()", "S[(2,4):(4@m,1)]", "-1,+2,+3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_ = Is(s)
		for _, found := range Find(s, 64) {
			if s[found.Begin:found.End] != found.Text {
				t.Fatalf("%q: %+v", s, found)
			}
		}
		if l, _, err := ParseLayout(s); err == nil && l.Sized != nil {
			_, _ = l.For([]int{2, 3, 4}[:len(s)%4], 32)
		}
		typ, err := Parse(s)
		if e, ok := err.(*fault.Error); err != nil && (!ok || strings.ContainsFunc(e.Text+e.Hint, unicode.IsControl)) {
			t.Fatalf("%q: %v", s, err)
		}
		if low, high, ok := typ.Layout.Span(); err == nil && ok && (high >= typ.Layout.Alloc() && low >= 0 || typ.Bytes() < 0) {
			t.Fatalf("%q: elements %d to %d of %d", s, low, high, typ.Layout.Alloc())
		}
	})
}

// TestTriton: types of shared memory as Triton 3.9 prints them, with MLIR's elements; one of threads says where it belongs.
func TestTriton(t *testing.T) {
	for element, want := range map[string]string{
		"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i1": "bool", "i8": "int8", "i32": "int32", "i64": "int64",
		"f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2",
	} {
		s := "!ttg.memdesc<4x64x" + element + ", #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [4, 64]}>, #ttg.shared_memory, mutable, 2x4x64>"
		if typ, err := Parse(s); err != nil || typ.DType.String() != want || typ.Layout.String() != "(4,(32,2)):(72,(1,36))" || !Is(s) {
			t.Errorf("%s: %s %s %v", s, typ.DType, typ.Layout, err)
		}
	}
	for s, want := range map[string]string{
		"!ttg.memdesc<4x4x!tt.ptr<f16>, #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0]]}, alignment = 16>>": "!tt.ptr",
		"!ttg.memdesc<8x64xf16, #shared, #smem>": "#shared is an alias",
		"tensor<16xf16, #ttg.blocked<{sizePerThread=[1], threadsPerWarp=[32], warpsPerCTA=[1], order=[0]}>>":                           "a layout of threads",
		"!ttg.memdesc<128x8xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 8, colStride = 1>, #ttng.tensor_memory, mutable>": "a layout of tensor memory",
	} {
		if _, err := Parse(s); err == nil || !strings.Contains(err.Error(), want) || !Is(s) {
			t.Errorf("%s: %v, expected an error with %s", s, err, want)
		}
	}
}

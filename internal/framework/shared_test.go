package framework_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// TestSharedNames: Triton's and TMA's names of layouts. The first five are rows of Triton's LinearLayoutConversionsTest.cpp, the box
// of two columns is what its nvmma_shared of (64,128) is.
func TestSharedNames(t *testing.T) {
	for _, c := range []struct{ layout, typ, triton, tma string }{
		{"Sw<2,0,5> o (4,32):(32,1)", "", "#ttg.swizzled_shared<{vec=1, perPhase=1, maxPhase=4, order=[1,0]}>", "it needs the element size: add --dtype"},
		{"Sw<2,0,6> o (8,32):(32,1)", "", "#ttg.swizzled_shared<{vec=1, perPhase=2, maxPhase=4, order=[1,0]}>", "it needs the element size: add --dtype"},
		{"Sw<2,1,5> o (8,32):(32,1)", "", "#ttg.swizzled_shared<{vec=2, perPhase=2, maxPhase=4, order=[1,0]}>", "it needs the element size: add --dtype"},
		{"Sw<2,1,2> o (32,8):(8,1)", "", "#ttg.swizzled_shared<{vec=2, perPhase=1, maxPhase=4, order=[1,0]}>", "it needs the element size: add --dtype"},
		{"Sw<2,1,2> o (8,32):(1,8)", "", "#ttg.swizzled_shared<{vec=2, perPhase=1, maxPhase=4, order=[0,1]}>", "it needs the element size: add --dtype"},
		{"Sw<3,3,3> o (8,64):(64,1)", "float16", "#ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}> " +
			"#ttg.nvmma_shared<{swizzlingByteWidth=128, transposed=false, elementBitWidth=16}>", "SWIZZLE_128B"},
		{"Sw<2,3,3> o (32,16):(1,32)", "bfloat16", "#ttg.swizzled_shared<{vec=8, perPhase=2, maxPhase=4, order=[0,1]}> " +
			"#ttg.nvmma_shared<{swizzlingByteWidth=64, transposed=true, elementBitWidth=16}>", "SWIZZLE_64B"},
		{"Sw<3,3,3> o (64,(64,2)):(64,(1,4096))", "float16", "#ttg.nvmma_shared<{swizzlingByteWidth=128, transposed=false, elementBitWidth=16}>",
			"SWIZZLE_128B"},
		{"Sw<2,3,2> o (16,32):(32,1)", "float32", "#ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=4, order=[1,0]}>", "SWIZZLE_128B_ATOM_32B"},
		{"Sw<3,3,3> o (4,64):(64,1)", "float16", "#ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}>", "SWIZZLE_128B"},
		{"Sw<3,4,3> o (64,100):(100,1)", "int8", "it needs sizes that are powers of two", "boxes of SWIZZLE_128B have rows of 128 bytes, this one of 100"},
		{"Sw<3,3,3> o (64,128):(128,1)", "float16", "Sw<3,3,3> reads bits inside a row of 128",
			"boxes of SWIZZLE_128B have rows of 128 bytes, this one of 256"},
		{"Sw<1,5,1> o (16,64):(64,1)", "float16", "#ttg.swizzled_shared<{vec=32, perPhase=1, maxPhase=2, order=[1,0]}>", "whether SWIZZLE_128B_ATOM_64B is Sw<1,6,1> of bytes is not checked"},
		{"Sw<3,3,4> o (64,64):(64,1)", "float16", "#ttg.swizzled_shared<{vec=8, perPhase=2, maxPhase=8, order=[1,0]}>", "no mode is Sw<3,4,4> of bytes"},
		{"Sw<3,3,3> o (8,32):(32,1)", "float16", "#ttg.swizzled_shared<{vec=8, perPhase=2, maxPhase=4, order=[1,0]}>",
			"boxes of SWIZZLE_128B have rows of 128 bytes, this one of 64"},
		{"Sw<3,3,3> o (1,64):(64,1)", "float16", "#ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}>", "SWIZZLE_128B"},
		{"Sw<3,3,3> o (16,32):(32,1)", "float16", "vec·maxPhase = 64 exceeds the row of 32", "boxes of SWIZZLE_128B have rows of 128 bytes, this one of 64"},
		{"Sw<2,0,5> o (2,4,32):(128,32,1)", "int8", "#ttg.swizzled_shared<{vec=1, perPhase=1, maxPhase=4, order=[2,1,0]}>", "no mode is Sw<2,0,5> of bytes"},
		{"Sw<3,0,5> o (2,4,32):(128,32,1)", "int8", "Sw<3,0,5> reads bits outside of the 4 rows", "no mode is Sw<3,0,5> of bytes"},
		{"Sw<3,3,3> o (64,64):(72,1)", "float16", "its strides are not those of dense rows", "its strides are not those of dense boxes"},
		{"Sw<3,3,3> o 8 o (64,64):(64,1)", "float16", "its strides are not those of dense rows", "its strides are not those of dense boxes"},
		{"Sw<3,3,3> o (8,(8,8)):(64,(1,16))", "float16", "its strides are not those of dense rows", "its strides are not those of dense boxes"},
		{"Sw<3,3,3> o (8,(8,8)):(128,(1,16))", "float16", "its strides are not those of dense rows", "its strides are not those of dense boxes"},
		{"Sw<3,4,3> o (2,2,2,2,8,128):(8192,4096,2048,1024,128,1)", "int8",
			"#ttg.swizzled_shared<{vec=16, perPhase=1, maxPhase=8, order=[5,4,3,2,1,0]}>", "it accepts 1 to 5 dims"},
		{"(64,64):(72,1)", "float16", "#ttg.padded_shared<[64:+8] {order=[1,0], shape=[64,64]}>", ""},
		{"(16,128):(1,20)", "float16", "#ttg.padded_shared<[16:+4] {order=[0,1], shape=[16,128]}>", ""},
		{"(64,64):(67,1)", "float16", "", ""}, {"(60,64):(72,1)", "float16", "", ""}, {"(64,64):(64,1)", "float16", "", ""},
		{"(64,64):(128,2)", "float16", "", ""}, {"(2,64,64):(8192,72,1)", "float16", "", ""},
	} {
		var d *dtype.Type
		if c.typ != "" {
			d = parsedType(t, c.typ)
		}
		got := map[string]string{}
		for _, n := range framework.SharedNames(exact(t, c.layout), d) {
			got[n.Framework.Name] = strings.Join(n.Names, " ") + n.Why
		}
		if got["Triton"] != c.triton || got["TMA"] != c.tma {
			t.Errorf("%s of %s: %q", c.layout, c.typ, got)
		}
	}
}

func exact(t *testing.T, s string) tensor.Layout {
	t.Helper()
	l, err := notation.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return *l.Exact
}

func parsedType(t *testing.T, s string) *dtype.Type {
	t.Helper()
	d, err := dtype.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

// swizzledAt is where Triton stores element (r, c) of a tile with rows of n: groups of vec elements are permuted within a row.
// (swizzledSharedToLinearLayout of lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp)
func swizzledAt(r, c, n, vec, perPhase, maxPhase int) int {
	return r*n + (c/vec^r/perPhase%maxPhase)*vec + c%vec
}

// TestSwizzledShared: of every swizzle of a small tile, the name's permutation is the swizzle's, and a refused one equals none of Triton's.
func TestSwizzledShared(t *testing.T) {
	named, refused := 0, 0
	for b := 1; b <= 3; b++ {
		for m := range 4 {
			for s := b; s <= 6; s++ {
				for rows := 1; rows <= 32; rows *= 2 {
					for n := 2; n <= 32; n *= 2 {
						l := exact(t, fmt.Sprintf("Sw<%d,%d,%d> o (%d,%d):(%d,1)", b, m, s, rows, n, n))
						spelled := framework.SharedNames(l, nil)[0]
						var vec, perPhase, maxPhase int
						if spelled.Why == "" {
							if _, err := fmt.Sscanf(spelled.Names[0], "#ttg.swizzled_shared<{vec=%d, perPhase=%d, maxPhase=%d, order=[1,0]}>", &vec, &perPhase,
								&maxPhase); err != nil {
								t.Fatal(spelled.Names, err)
							}
						}
						switch {
						case spelled.Why == "" && !permutes(l, rows, n, vec, perPhase, maxPhase):
							t.Fatalf("%s is not %s", l, spelled.Names)
						case spelled.Why == "":
							named++
						case rows > 1 && expressible(l, rows, n):
							t.Errorf("%s has a name: %s", l, spelled.Why)
						default:
							refused++
						}
					}
				}
			}
		}
	}
	t.Logf("%d named, %d refused", named, refused)
}

// permutes reports whether Triton's layout has the same addresses.
func permutes(l tensor.Layout, rows, n, vec, perPhase, maxPhase int) bool {
	for r := range rows {
		for c := range n {
			if l.At(r, c) != swizzledAt(r, c, n, vec, perPhase, maxPhase) {
				return false
			}
		}
	}
	return true
}

// expressible reports whether some layout of Triton has the same addresses and moves elements.
func expressible(l tensor.Layout, rows, n int) bool {
	for vec := 1; vec <= n; vec *= 2 {
		for maxPhase := 2; vec*maxPhase <= n; maxPhase *= 2 {
			for perPhase := 1; perPhase < rows; perPhase *= 2 {
				if permutes(l, rows, n, vec, perPhase, maxPhase) {
					return true
				}
			}
		}
	}
	return false
}

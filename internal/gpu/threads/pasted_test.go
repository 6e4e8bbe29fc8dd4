package threads

import (
	"slices"
	"strings"
	"testing"
)

// TestTiledCopy: TiledCopy as CuTe prints it in C++ and in Python: thread t and value v of make_tiled_copy over 16 rows of 8 threads with 8
// elements each hold row t/8, columns 8·(t%8)+v. (nvidia-cutlass-dsl 4.8.1, run; the C++ text of a public log)
func TestTiledCopy(t *testing.T) {
	for _, s := range []string{
		"TiledCopy\n  Tiler_MN:       (_16,_64)\n  TiledLayout_TV: ((_8,_16),_8):((_128,_1),_16)\nCopy_Atom\n  ThrID:        _1:_0\n  ValLayoutSrc: (_1,_8):(_0,_1)\n",
		"Tiled Copy\n  Tiler MN:        (16:1,64:1)\n  TV Layout tiled: ((8,16),8):((128,1),16)\nCopy Atom\n  ThrID:           1:0\n",
	} {
		l, err := Parse(s, nil)
		if err != nil || !IsPrinted(s) {
			t.Fatal(s, err)
		}
		for thread := range 128 {
			for value := range 8 {
				if got := l.At(thread, value); !slices.Equal(got, []int{thread / 8, 8*(thread%8) + value}) {
					t.Fatalf("%s: value %d of thread %d is %v", s, value, thread, got)
				}
			}
		}
	}
}

// TestAxes: TIRx' fragment of m8n8, of which lane 4·row + column/2 holds column mod 2, and one over two warps. (docs of apache/tvm, TIRx layouts)
func TestAxes(t *testing.T) {
	l, err := Parse("S[(8, 4, 2) : (4@laneid, 1@laneid, 1@reg)]", []int{8, 8})
	if err != nil {
		t.Fatal(err)
	}
	for row := range 8 {
		for column := range 8 {
			if got := l.At(4*row+column/2, column%2); !slices.Equal(got, []int{row, column}) {
				t.Errorf("(%d,%d): lane %d has %v", row, column, 4*row+column/2, got)
			}
		}
	}
	l, err = Parse("S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)]", []int{8, 16})
	if err != nil || l.Threads != 64 || l.Values != 2 {
		t.Fatal(err, l.Threads, l.Values)
	}
	if got := l.At(32+4*5+3, 1); !slices.Equal(got, []int{5, 8 + 2*3 + 1}) {
		t.Error(got)
	}
	l, err = Parse("S[8 : 4@laneid] + R[4:1@laneid]", nil) // four lanes hold each element
	if err != nil || l.Threads != 32 || l.At(22, 0)[0] != 5 {
		t.Error(err, l.Threads)
	}
}

// TestPrintedErrors: a print that lacks something, or has what is not supported, says so.
func TestPrintedErrors(t *testing.T) {
	for s, want := range map[string]string{
		"TiledCopy\n  Tiler_MN: (_16,_64)":                           "without its TiledLayout_TV",
		"TiledCopy\n  TiledLayout_TV: ((_8,_16),_8):((_128,_1),_16)": "missing the sizes of the tile",
		"TiledMMA\n  ThrLayoutVMNK:  (_32,_2,_1,_1):(_1,_32,_0,_0)":  "three layouts",
		"S[(8,4):(4@TLane,1@TCol)]":                                  "axis TLane is not supported",
		"S[(8,4):(4@laneid)]":                                        "2 extents and 1 strides",
		"S[(8,x):(4@laneid,1)]":                                      "no extent and stride",
		"S[(8,4):(4@laneid,1@laneid)] * 2":                           "expected S[extents:strides]",
		"S[8:1@laneid":                                               "expected S[extents:strides]",
		"S[(1000,1000):(1@laneid,1)]":                                "the tile (1000, 1000) is not",
		"S[(2,2):(8000@laneid,1)] + R[2:8000@laneid]":                "the limit is",
		"Fragment([64, 64] -> [32], replicate: 2, thread: 256)":      "forward_index, which are not read",
	} {
		_, err := Parse(s, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", s, err, want)
		}
	}
	mma := "Tiled MMA\n  Thr Layout VMNK: (32,2,2,1):(1,32,64,0)\nMMA Atom\n  ThrID:           32:1\n  Shape MNK:       (16,8,16)\n" +
		"  TV Layout A:     ((4,8),(2,2,2)):((32,1),(16,8,128))\n  TV Layout C:     ((4,8),(2,2)):((32,1),(16,8))\n"
	if _, err := Parse(mma, nil); err == nil || !strings.Contains(err.Error(), "three layouts") {
		t.Error(err)
	}
}

// FuzzPrinted: no text makes Parse panic or take long.
func FuzzPrinted(f *testing.F) {
	for _, s := range []string{"S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid]",
		"TiledCopy\n Tiler_MN: (_16,_64)\n TiledLayout_TV: ((_8,_16),_8):((_128,_1),_16)", "MMA_Atom\n Shape_MNK: (_16,_8,_16)\n LayoutC_TV: 1:0"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) { _, _ = Parse(s, nil) })
}

package threads

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// Cells by hand, from the data path layouts and the scale factor layout of the PTX ISA (9.7.16.10.5, 9.7.16.10.7).
func TestCells(t *testing.T) {
	for _, c := range []struct {
		layout string
		tile   []int // nil: its own
		at     [2]int
		want   []Cell
		label  string
	}{
		{"tmem.D.n32", nil, [2]int{100, 31}, []Cell{{0, 100, 31, 0}}, "L100 C31"},
		{"tmem.F.n32", nil, [2]int{17, 5}, []Cell{{0, 33, 5, 0}}, "L33 C5"},
		{"tcgen05.mma.cta_group::1.kind::f16.m64n32", nil, [2]int{17, 5}, []Cell{{0, 33, 5, 0}}, "L33 C5"},
		{"tmem.E.n64", nil, [2]int{17, 40}, []Cell{{0, 81, 8, 0}}, "L81 C8"},
		{"tmem.G.n64", nil, [2]int{3, 50}, []Cell{{0, 99, 2, 0}}, "L99 C2"},
		{"tmem.A.n32", nil, [2]int{200, 3}, []Cell{{1, 72, 3, 0}}, "CTA1 L72 C3"},
		{"tmem.B.n64", nil, [2]int{70, 40}, []Cell{{1, 70, 8, 0}}, "CTA1 L70 C8"},
		{"tmem.C.n64", nil, [2]int{81, 40}, []Cell{{1, 33, 40, 0}}, "CTA1 L33 C40"},
		{"tcgen05.cp.4x256b", nil, [2]int{2, 7}, []Cell{{0, 64, 7, 0}}, "L64 C7"},
		{"!ttg.memdesc<128x64xf16, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>, #ttng.tensor_memory>", nil,
			[2]int{5, 7}, []Cell{{0, 5, 3, 16}}, "L5 C3.1"},
		{"!ttg.memdesc<128x64xf16, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 2>, #ttng.tensor_memory>", nil,
			[2]int{5, 7}, []Cell{{0, 5, 7, 0}}, "L5 C7.0"},
		// two blocks of 64 rows: the second is in the upper 16 lanes of each warp
		{"!ttg.memdesc<128x32xf32, #ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 1>, #ttng.tensor_memory>", nil,
			[2]int{81, 5}, []Cell{{0, 49, 5, 0}}, "L49 C5"},
		// scale factor k of row i: lane i%32 of each warp, byte k%4 of column i/32 + 4·(k/4)
		{"gl.TensorMemoryScalesLayout()", []int{128, 8}, [2]int{37, 5}, []Cell{{0, 5, 5, 8}, {0, 37, 5, 8}, {0, 69, 5, 8}, {0, 101, 5, 8}}, "L5 C5.1"},
		// with two factors a row, bytes 2 and 3 of a column hold nothing
		{"gl.TensorMemoryScalesLayout()", []int{64, 2}, [2]int{33, 1}, []Cell{{0, 1, 1, 8}, {0, 33, 1, 8}, {0, 65, 1, 8}, {0, 97, 1, 8}}, "L1 C1.1"},
	} {
		l, err := Parse(c.layout, c.tile)
		if err != nil || !l.InMemory || l.CheckMemory() != nil {
			t.Fatalf("%s: %v, %v", c.layout, err, l.CheckMemory())
		}
		owners := l.Owners(c.at[0], c.at[1])
		var got []Cell
		for _, o := range owners {
			got = append(got, l.Cell(o))
		}
		if !slices.Equal(got, c.want) || l.Label(owners[0]) != c.label {
			t.Errorf("%s: %v is in %v, %s; want %v, %s", c.layout, c.at, got, l.Label(owners[0]), c.want, c.label)
		}
	}
}

// What does not fit into columns of 32 bits, or into 512 of them, is refused.
func TestMemoryRefused(t *testing.T) {
	for _, c := range []struct {
		layout string
		bits   int
		want   string
	}{
		{"gl.TensorMemoryLayout((128, 64), 1)", 0, "missing the element type"}, {"gl.TensorMemoryLayout((128, 64), 1)", 64, "64 bits exceed"},
		{"gl.TensorMemoryLayout((128, 64), 2)", 32, "32 bits exceed"}, {"gl.TensorMemoryLayout((128, 64), 2)", 8, ""},
		{"gl.TensorMemoryLayout((128, 512), 1)", 32, "takes 1024 columns"}, {"gl.TensorMemoryLayout((128, 512), 1)", 16, ""},
	} {
		l, err := Parse(c.layout, []int{128, 1024})
		if err != nil {
			t.Fatal(err)
		}
		l.Bits = c.bits
		err = l.CheckMemory()
		if c.want == "" && err != nil || c.want != "" && (fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s of %d bits: %v, want %s", c.layout, c.bits, err, c.want)
		}
	}
}

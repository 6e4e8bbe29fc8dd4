package shared

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TestBanksDefinition: the counts of a walk equal those of its accesses, thread by thread and byte by byte, in random layouts, swizzled or
// not, and each element has the words that its access needs of its bank.
func TestBanksDefinition(t *testing.T) {
	d, vectors, conflicts := rand.New(rand.NewPCG(8, 1)), 0, 0
	for range 1000 {
		shape, size := make([]int, 1+d.IntN(3)), []int{1, 2, 4, 8}[d.IntN(4)]
		strides, run := make([]int, len(shape)), 1
		for _, k := range d.Perm(len(shape)) {
			shape[k] = []int{1, 3, 4, 8, 16, 24}[d.IntN(6)]
			strides[k], run = run, run*shape[k]+[]int{0, 0, 8, 3}[d.IntN(4)]
		}
		l := strided(t, shape, strides)
		if d.IntN(2) == 0 {
			l = swizzled(t, l, tensor.Swizzle{Bits: 1 + d.IntN(3), Base: d.IntN(4), Shift: 3 + d.IntN(2)})
		}
		c := random(d, l, size)
		cost, err := Simulate(c, l, size)
		if err != nil {
			continue // not one run, or too wide
		}
		if cost.n > 1 {
			vectors++
		}
		conflicts += cost.Conflicts()
		checkCost(t, l, size, &cost)
	}
	if vectors < 100 || conflicts < 500 {
		t.Errorf("%d patterns with vectors, %d conflicts", vectors, conflicts)
	}
}

// random returns a pattern of threads along a dim.
func random(d *rand.Rand, l tensor.Layout, size int) string {
	name, word := l.Names()[d.IntN(l.Rank())], []string{"rows", "columns", "ldmatrix", "stmatrix.x2"}[d.IntN(4)]
	switch bytes := size << d.IntN(3); d.IntN(4) {
	case 0:
		return word
	case 1:
		return name
	case 2:
		return fmt.Sprint([]string{"rows", "columns"}[d.IntN(2)], ":", bytes)
	default:
		return fmt.Sprint(name, ":", bytes)
	}
}

// checkCost lists the threads by sorting all elements: first by the other dims, then by the dim along which threads are numbered.
func checkCost(t *testing.T, l tensor.Layout, size int, c *Cost) {
	t.Helper()
	name, digits, _ := strings.Cut(c.Text, ":")
	run := slices.IndexFunc(l.Names(), func(n string) bool {
		d := l.Dim(slices.Index(l.Names(), n))
		return d.Digits[0].Stride == 1 && d.Size > 1
	})
	along, matrix := slices.Index(l.Names(), name), strings.Contains(name, "matrix")
	switch {
	case name == "rows", matrix && run < l.Rank()-1:
		along = l.Rank() - 1
	case name == "columns", matrix:
		along = l.Rank() - 2
	}
	bytes, _ := strconv.Atoi(digits)
	if bytes = max(bytes, size); matrix {
		bytes = 16
	}
	if d := l.Dim(along); d.Digits[0].Stride == 1 && d.Size > 1 {
		run = along // of two dims of stride 1
	}
	var threads [][]int
	for coord := range l.Logical() {
		if bytes == size || coord[run]%(bytes/size) == 0 {
			threads = append(threads, slices.Clone(coord))
		}
	}
	key := func(coord []int) []int {
		rest := slices.Delete(slices.Clone(coord), along, along+1)
		return append(rest, coord[along])
	}
	slices.SortFunc(threads, func(a, b []int) int { return slices.Compare(key(a), key(b)) })
	var want BankCounts
	for group := range slices.Chunk(threads, min(32, 128/bytes)) {
		var words [32]map[int]bool
		for i := range words {
			words[i] = map[int]bool{}
		}
		for _, coord := range group {
			for b := range bytes {
				at := l.At(coord...)*size + b
				words[at/4%32][at/4] = true
			}
		}
		most := 0
		for _, needed := range words {
			most = max(most, len(needed))
		}
		want = BankCounts{want.Accesses + 1, want.Transactions + most, max(want.Degree, most)}
		for _, coord := range group {
			element := 0
			for d, i := range coord {
				element = element*l.Dim(d).Size + i
			}
			if got, want := c.Words(element), len(words[l.At(coord...)*size/4%32]); got != want {
				t.Fatalf("%s of %d bytes, %s: %v needs %d words, want %d", l, size, c.Text, coord, got, want)
			}
		}
	}
	if c.BankCounts != want {
		t.Fatalf("%s of %d bytes, %s: %+v, want %+v", l, size, c.Text, c.BankCounts, want)
	}
}

// TestParseRefuses: accesses that a warp cannot do are refused with the reason.
func TestParseRefuses(t *testing.T) {
	rows := strided(t, []int{8, 60}, []int{60, 1})
	tile := strided(t, []int{8, 64}, []int{64, 1})
	for _, c := range []struct {
		l    tensor.Layout
		size int
		text string
		want string
	}{
		{rows, 2, "c:2", "no access"}, {rows, 2, "h:32", "cannot access 32 bytes"}, {rows, 3, "h", "cannot access 3 bytes"},
		{rows, 2, "h:3", "cannot access 3 bytes"}, {rows, 2, "h:", `"" is not a number`},
		{rows, 2, "h:16", "size 60 of W is not a multiple of the vector length 8"},
		{strided(t, []int{8, 64}, []int{65, 1}), 2, "h:16", "the 16 bytes from (1, 0) on are not consecutive and aligned"},
		{strided(t, []int{8, 8}, []int{16, 2}), 2, "h:4", "no dim of (8,8):(16,2) has stride 1"},
		{swizzled(t, tile, tensor.Swizzle{Bits: 3, Base: 0, Shift: 6}), 2, "h:4", "not consecutive"},
		{strided(t, []int{12, 64}, []int{64, 1}), 2, "ldmatrix", "size 12 of H is not a multiple of the rows of a matrix, 8"},
		{strided(t, []int{64}, []int{1}), 2, "ldmatrix", "two dims"}, {strided(t, []int{64}, []int{1}), 2, "columns", "no access"},
		{strided(t, []int{8, 8}, []int{8, 1}), 2, "stmatrix.x4", "does not divide the tile's 1 matrix"}, {tile, 2, "ldmatrix.x8", `unknown "x8" of ldmatrix`},
		{tile, 2, "((4,8),(2,2)):((32,1),(16,8", "expected"}, {tile, 2, "((4,8),64):((32,1),16)", "outside of the tile (8, 64)"},
		{strided(t, []int{1 << 11, 1 << 10}, []int{1 << 10, 1}), 1, "rows", "too large for shared memory"},
	} {
		if _, err := Parse(c.text, c.l, c.size); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v, expected %s", c.l, c.text, err, c.want)
		}
	}
}

// strided returns a layout with the dims' usual names, in a storage that holds it.
func strided(t *testing.T, shape, strides []int) tensor.Layout {
	t.Helper()
	s, err := tensor.NewStrided(shape, strides, 0)
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Layout([]string{"N", "H", "W"}[3-len(shape):], tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// swizzled returns a layout with its offsets permuted.
func swizzled(t *testing.T, l tensor.Layout, z tensor.Swizzle) tensor.Layout {
	t.Helper()
	l, err := l.Swizzled(z, tensor.Unbounded)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

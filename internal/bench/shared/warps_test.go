package shared

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TestBanksDefinition: the counts of a walk equal those of its accesses, thread by thread and byte by byte, in random layouts, swizzled or
// not, and each element has the words that its access needs of its bank.
func TestBanksDefinition(t *testing.T) {
	d, vectors, conflicts := rand.New(rand.NewPCG(8, 1)), 0, 0
	for range 400 {
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
		w := Warps{Dim: l.Names()[d.IntN(len(shape))], Bytes: size << d.IntN(3)}
		c, err := New(l, size, w)
		if err != nil {
			continue // not one run, or too wide
		}
		if c.n > 1 {
			vectors++
		}
		conflicts += c.Counts.Conflicts()
		checkWarps(t, l, size, w, &c)
	}
	if vectors < 40 || conflicts < 500 {
		t.Errorf("%d walks with vectors, %d conflicts", vectors, conflicts)
	}
}

// checkWarps lists the threads of a walk by sorting all elements: first by the other dims, then by the dim of the walk.
func checkWarps(t *testing.T, l tensor.Layout, size int, w Warps, c *Walk) {
	t.Helper()
	along := slices.Index(l.Names(), w.Dim)
	bytes := max(w.Bytes, size)
	var threads [][]int
	for coord := range l.Logical() {
		if c.along < 0 || coord[c.along]%(bytes/size) == 0 {
			threads = append(threads, slices.Clone(coord))
		}
	}
	key := func(coord []int) []int {
		rest := slices.Delete(slices.Clone(coord), along, along+1)
		return append(rest, coord[along])
	}
	slices.SortFunc(threads, func(a, b []int) int { return slices.Compare(key(a), key(b)) })
	transactions, degree, accesses := 0, 0, 0
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
		accesses, transactions, degree = accesses+1, transactions+most, max(degree, most)
		for _, coord := range group {
			off := l.At(coord...)
			bank := off * size / 4 % 32
			if got, want := c.Needs(coord, bank), len(words[bank]); got != want {
				t.Fatalf("%s of %d bytes, %+v: %v needs %d words, want %d", l, size, w, coord, got, want)
			}
		}
	}
	if n := c.Counts; n.Accesses != accesses || n.Transactions != transactions || n.Degree != degree {
		t.Fatalf("%s of %d bytes, %+v: %+v, want %d accesses, %d transactions, degree %d", l, size, w, n, accesses, transactions, degree)
	}
}

// TestWarpsRefuse: walks that a warp cannot do are refused with the reason.
func TestWarpsRefuse(t *testing.T) {
	rows := strided(t, []int{8, 60}, []int{60, 1})
	for _, c := range []struct {
		l     tensor.Layout
		size  int
		warps Warps
		want  string
	}{
		{rows, 2, Warps{"c", 2}, "no dim"}, {rows, 2, Warps{"h", 32}, "cannot access 32 bytes"}, {rows, 3, Warps{"h", 0}, "cannot access 3 bytes"},
		{rows, 2, Warps{"h", 16}, "size 60 of W is not a multiple of the vector length 8"},
		{strided(t, []int{8, 64}, []int{65, 1}), 2, Warps{"h", 16}, "the 16 bytes from (1, 0) on are not consecutive and aligned"},
		{strided(t, []int{8, 8}, []int{16, 2}), 2, Warps{"h", 4}, "no dim of (8,8):(16,2) has stride 1"},
		{swizzled(t, strided(t, []int{8, 64}, []int{64, 1}), tensor.Swizzle{Bits: 3, Base: 0, Shift: 6}), 2, Warps{"h", 4}, "not consecutive"},
	} {
		if _, err := Count(c.l, c.size, c.warps); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %+v: %v, expected %s", c.l, c.warps, err, c.want)
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

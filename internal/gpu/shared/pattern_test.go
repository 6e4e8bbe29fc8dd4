package shared

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/gpu/threads"
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
	groups := slices.Collect(slices.Chunk(threads, min(32, 128/bytes)))
	want, words := countBytes(groups, l, size, bytes)
	for coord := range l.Logical() {
		element := 0
		for d, i := range coord {
			element = element*l.Dim(d).Size + i
		}
		if got := c.Words[element]; got != words[element] {
			t.Fatalf("%s of %d bytes, %s: %v needs %d words, want %d", l, size, c.Text, coord, got, words[element])
		}
	}
	if c.BankCounts != want {
		t.Fatalf("%s of %d bytes, %s: %+v, want %+v", l, size, c.Text, c.BankCounts, want)
	}
}

// countBytes counts accesses of threads that each take bytes from a coordinate on, byte by byte, and the words that each element needs
// of its bank.
func countBytes(accesses [][][]int, l tensor.Layout, size, bytes int) (want BankCounts, words map[int]int) {
	words = map[int]int{}
	elements := map[int]int{} // by offset
	n := 0
	for _, off := range l.Logical() {
		elements[off] = n
		n++
	}
	for _, group := range accesses {
		var needed [32]map[int]bool
		for i := range needed {
			needed[i] = map[int]bool{}
		}
		taken := map[int]bool{}
		for _, coord := range group {
			for b := range bytes {
				at := l.At(coord...)*size + b
				needed[at/4%32][at/4] = true
				taken[at/size] = true
			}
		}
		most := 0
		for _, n := range needed {
			most = max(most, len(n))
		}
		want = BankCounts{want.Accesses + 1, want.Transactions + most, max(want.Degree, most)}
		for off := range taken {
			words[elements[off]] = max(words[elements[off]], len(needed[off*size/4%32]))
		}
	}
	return want, words
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
		{rows, 4, "tmem.D.n64", "tensor memory, which has no banks"},
		{rows, 2, "c:2", "unknown access"}, {rows, 2, "h:32", "cannot access 32 bytes"}, {rows, 3, "h", "cannot access 3 bytes"},
		{rows, 2, "h:3", "cannot access 3 bytes"}, {rows, 2, "h:", `"" is not a number`},
		{rows, 2, "h:16", "size 60 of W is not a multiple of the vector length 8"},
		{strided(t, []int{8, 64}, []int{65, 1}), 2, "h:16", "the 16 bytes from (1, 0) on are not consecutive and aligned"},
		{strided(t, []int{8, 8}, []int{16, 2}), 2, "h:4", "no dim of (8,8):(16,2) has stride 1"},
		{swizzled(t, tile, tensor.Swizzle{Bits: 3, Base: 0, Shift: 6}), 2, "h:4", "not consecutive"},
		{strided(t, []int{12, 64}, []int{64, 1}), 2, "ldmatrix", "size 12 of H is not a multiple of the rows of a matrix, 8"},
		{strided(t, []int{64}, []int{1}), 2, "ldmatrix", "need two dims"}, {strided(t, []int{64}, []int{1}), 2, "columns", "unknown access"},
		{tile, 2, "SM100_U8x4_LDSM_T", "does not access 8x8 matrices"}, {tile, 2, "ldmatrix.x8", `"ldmatrix.x8" does not access 8x8 matrices`},
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

// TestThreadValues: the counts of random thread-value layouts, whose parts cover a tile, equal those of their accesses, byte by byte.
func TestThreadValues(t *testing.T) {
	d := rand.New(rand.NewPCG(9, 2))
	vectors, parts, conflicts := 0, 0, 0
	for range 400 {
		tile, size := []int{8 << d.IntN(2), 8 << d.IntN(2)}, 1<<d.IntN(4)
		shape := []int{tile[0] * (1 + d.IntN(2)), tile[1] * (1 + d.IntN(3))}
		l := strided(t, shape, [][]int{{shape[1], 1}, {1, shape[0]}, {shape[1] + 8, 1}}[d.IntN(3)])
		if d.IntN(2) == 0 {
			l = swizzled(t, l, tensor.Swizzle{Bits: 1 + d.IntN(3), Base: d.IntN(4), Shift: 3 + d.IntN(2)})
		}
		high := bits.Len(uint(tile[0])) - 1
		all, valueBits := high+bits.Len(uint(tile[1]))-1, 1+d.IntN(3)
		order := d.Perm(all)
		if first := high * d.IntN(2); d.IntN(3) > 0 { // values are neighbors along a dim
			slices.SortStableFunc(order, func(a, b int) int { return min((a+all-first)%all, valueBits) - min((b+all-first)%all, valueBits) })
		}
		at := func(thread, value int, coord []int) error {
			index := 0
			for k, bit := range order {
				from, of := k, value
				if k >= valueBits {
					from, of = k-valueBits, thread
				}
				index |= of >> from & 1 << bit
			}
			coord[0], coord[1] = index%tile[0], index/tile[0]
			return nil
		}
		tv, err := threads.New(tile, 1<<(all-valueBits), 1<<valueBits, 32, at)
		if err != nil {
			t.Fatal(err)
		}
		p := Pattern{shape: shape, steps: []int{shape[1], 1}, size: size}
		if err := p.parts(tv, l); err != nil {
			t.Fatal(err)
		}
		n, accesses := brute(tv, l, size)
		want, _ := countBytes(accesses, l, size, n*size)
		got, err := p.count(offsetsOf(l), tensor.Swizzle{}, nil, math.MaxInt)
		if err != nil || p.n != n || got != want {
			t.Fatalf("%s of %d bytes, tile %v, %d values, order %v: %d at once, %+v, %v; want %d, %+v",
				l, size, tile, tv.Values, order, p.n, got, err, n, want)
		}
		conflicts += got.Conflicts()
		vectors += min(n-1, 1)
		if l.Numel() > 1<<all {
			parts++
		}
	}
	if vectors < 50 || parts < 50 || conflicts < 500 {
		t.Errorf("%d layouts with vectors, %d with parts, %d conflicts", vectors, parts, conflicts)
	}
	amd, err := threads.New([]int{8, 8}, 64, 1, 64, func(thread, _ int, coord []int) error {
		coord[0], coord[1] = thread/8, thread%8
		return nil
	})
	p := Pattern{shape: []int{8, 8}, steps: []int{8, 1}, size: 4}
	if err != nil || p.parts(amd, strided(t, []int{8, 8}, []int{8, 1})) == nil {
		t.Errorf("a warp of 64 threads is counted: %v", err)
	}
}

// TestWordsOfSeveral: an element that a column and a row access has the conflict of the column.
func TestWordsOfSeveral(t *testing.T) {
	p := Pattern{size: 4, n: 1}
	p.fill(32, 1, func(thread, _ int) int { return 32 * thread })
	p.fill(32, 1, func(thread, _ int) int { return thread })
	words := make([]int, 1024)
	_, err := p.count(offsetsOf(strided(t, []int{32, 32}, []int{32, 1})), tensor.Swizzle{}, words, math.MaxInt)
	if err != nil || words[0] != 32 || words[1] != 1 || words[33] != 0 {
		t.Errorf("%v needs %d, %d and %d words", err, words[0], words[1], words[33])
	}
}

// brute returns the most values that are consecutive and aligned for all threads, and the accesses of a layout over all parts of a tile.
func brute(tv threads.Layout, l tensor.Layout, size int) (n int, accesses [][][]int) {
	shape := l.Shape()
	for n = 16 / size; n > 1; n /= 2 {
		fits := tv.Values%n == 0
		for i := 0; i < shape[0] && fits; i += tv.Tile[0] {
			for j := 0; j < shape[1]; j += tv.Tile[1] {
				for k := range tv.Threads * tv.Values {
					v := k % tv.Values
					first, c := tv.At(k/tv.Values, v/n*n), tv.At(k/tv.Values, v)
					from := l.At(i+first[0], j+first[1])
					fits = fits && from%n == 0 && l.At(i+c[0], j+c[1]) == from+v%n
				}
			}
		}
		if fits {
			break
		}
	}
	served := min(32, 128/(n*size))
	for i := 0; i < shape[0]; i += tv.Tile[0] {
		for j := 0; j < shape[1]; j += tv.Tile[1] {
			for k := 0; k < tv.Threads; k += served {
				for v := 0; v < tv.Values; v += n {
					var group [][]int
					for t := k; t < min(k+served, tv.Threads); t++ {
						c := tv.At(t, v)
						group = append(group, []int{i + c[0], j + c[1]})
					}
					accesses = append(accesses, group)
				}
			}
		}
	}
	return n, accesses
}

// TestRunOfOne: vectors are along the dim of stride 1 that has more than one index, also behind a dim of size 1 with the same stride.
func TestRunOfOne(t *testing.T) {
	for text, pattern := range map[string]string{"(1,64):(1,1)": "rows:16", "(1,1,64):(1,1,1)": "rows:16", "(64,1):(1,1)": "columns:16"} {
		cost, err := Simulate(pattern, parse(t, text), 2)
		if err != nil || cost.Accesses != 1 || cost.Transactions != 1 {
			t.Errorf("%s: %+v, %v", text, cost, err)
		}
	}
}

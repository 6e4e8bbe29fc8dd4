package relate

import (
	"reflect"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
)

// rowsNamed returns the fingerprints of rows of one element, equal for equal numbers.
func rowsNamed(numbers ...int) []Fingerprint {
	var rows []Fingerprint
	for _, n := range numbers {
		h := uint64(n)*0x9e3779b97f4a7c15 + 1
		rows = append(rows, Fingerprint{Count: 1, Size: 4, Sum: h, Mix: h * h})
	}
	return rows
}

// TestArrange: runs are as long as possible, go on where the last one ended if several rows are equal, and are none at all if one row is missing.
func TestArrange(t *testing.T) {
	q := rowsNamed(1, 2, 3)
	k := rowsNamed(4, 5)
	sharesEnd := rowsNamed(1, 2, 4) // its last row is k's first
	zeros := rowsNamed(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, c := range []struct {
		what    string
		target  []Fingerprint
		sources [][]Fingerprint
		want    []Run
	}{
		{"a whole", rowsNamed(1, 2, 3), [][]Fingerprint{q}, []Run{{0, 0, 3}}},
		{"joined", rowsNamed(1, 2, 3, 4, 5), [][]Fingerprint{q, k}, []Run{{0, 0, 3}, {1, 0, 2}}},
		{"joined in another order", rowsNamed(4, 5, 1, 2, 3), [][]Fingerprint{q, k}, []Run{{1, 0, 2}, {0, 0, 3}}},
		{"in turn", rowsNamed(1, 4, 2, 5), [][]Fingerprint{q, k}, []Run{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}},
		{"a slice", rowsNamed(2, 3), [][]Fingerprint{q}, []Run{{0, 1, 2}}},
		{"a row twice", rowsNamed(2, 2, 3), [][]Fingerprint{q}, []Run{{0, 1, 1}, {0, 1, 2}}},
		{"a run that swallows the next source's first row", rowsNamed(1, 2, 4, 5), [][]Fingerprint{sharesEnd, k}, []Run{{0, 0, 3}, {1, 1, 1}}},
		{"a missing row", rowsNamed(1, 2, 9), [][]Fingerprint{q, k}, nil},
		{"no row there", rowsNamed(9), [][]Fingerprint{q, k}, nil},
		{"no sources", rowsNamed(1), nil, nil},
		{"no rows", nil, [][]Fingerprint{q}, nil},
		{"rows of zeros, of which more are there than are looked at", zeros, [][]Fingerprint{zeros}, []Run{{0, 0, 12}}},
		{"zeros that follow a row", slices.Concat(rowsNamed(7), zeros), [][]Fingerprint{slices.Concat(zeros, rowsNamed(7), zeros)}, []Run{{0, 12, 13}}},
		{"zeros beyond the first that are looked at", slices.Concat(zeros[:3], rowsNamed(7)), [][]Fingerprint{slices.Concat(zeros, rowsNamed(7))},
			[]Run{{0, 0, 3}, {0, 12, 1}}},
		{"of two equal sources, the one that goes on", rowsNamed(1, 2, 1, 2, 3), [][]Fingerprint{rowsNamed(1, 2), rowsNamed(1, 2, 1, 2, 3)}, []Run{{1, 0, 5}}},
		{"of two runs of one length, all of a source", rowsNamed(8, 1, 2), [][]Fingerprint{rowsNamed(1, 2, 3), rowsNamed(1, 2), rowsNamed(8)}, []Run{{2, 0, 1}, {1, 0, 2}}},
	} {
		got := Arrange(c.target, c.sources)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}

// TestArrangeFirstRun: all of a source is better than as many rows of a longer one, for the first run too.
func TestArrangeFirstRun(t *testing.T) {
	sources := [][]Fingerprint{rowsNamed(1, 2, 3), rowsNamed(1, 2)}
	got := Arrange(rowsNamed(1, 2), sources)
	if !slices.Equal(got, []Run{{1, 0, 2}}) {
		t.Errorf("%v", got)
	}
}

// TestBlocksOfNests: orders of rows that converters make are one block of each source, with the loops that the formula has.
func TestBlocksOfNests(t *testing.T) {
	const heads = 3
	const size = 8
	source := make([]int, heads*size)
	for k := range source {
		source[k] = k
	}
	var pairs []int // of rotary halves: source row h·8 + s·4 + j at target row h·8 + 2j + s
	for h := range heads {
		for j := range size / 2 {
			for s := range 2 {
				pairs = append(pairs, h*size+s*size/2+j)
			}
		}
	}
	var digits []int // of mixed radix: 24 rows as (3, 2, 4), read as (2, 4, 3)
	for j := range 2 {
		for k := range 4 {
			for i := range 3 {
				digits = append(digits, i*8+j*4+k)
			}
		}
	}
	for _, c := range []struct {
		what   string
		target []int
		want   Block
	}{
		{"as they are", source, Block{0, 0, 0, []Advance{{24, 1, 1}}}},
		{"rotary pairs", pairs, Block{0, 0, 0, []Advance{{2, 4, 1}, {4, 1, 2}, {3, 8, 8}}}},
		{"three digits", digits, Block{0, 0, 0, []Advance{{3, 8, 1}, {8, 1, 3}}}},
		{"a slice in halves", []int{4, 8, 5, 9, 6, 10, 7, 11}, Block{0, 4, 0, []Advance{{2, 4, 1}, {4, 1, 2}}}},
		{"backwards", []int{7, 6, 5, 4}, Block{0, 7, 0, []Advance{{4, -1, 1}}}},
		{"each row twice", []int{0, 0, 1, 1, 2, 2}, Block{0, 0, 0, []Advance{{2, 0, 1}, {3, 1, 2}}}},
	} {
		blocks := Blocks(Arrange(rowsNamed(c.target...), [][]Fingerprint{rowsNamed(source...)}))
		if !reflect.DeepEqual(blocks, []Block{c.want}) {
			t.Errorf("%s: %v, want %v", c.what, blocks, c.want)
		}
		if n := blocks[0].Rows(); n != len(c.target) {
			t.Errorf("%s: %d rows, want %d", c.what, n, len(c.target))
		}
	}
}

// TestBlocksOfSources: of several sources each has blocks of its own: one if its rows are a nest, else its runs.
func TestBlocksOfSources(t *testing.T) {
	q := rowsNamed(0, 1, 2, 3, 4, 5, 6, 7)
	k := rowsNamed(10, 11, 12, 13)
	byHead := rowsNamed(0, 1, 2, 3, 10, 11, 4, 5, 6, 7, 12, 13)
	want := []Block{{0, 0, 0, []Advance{{4, 1, 1}, {2, 4, 6}}}, {1, 0, 4, []Advance{{2, 1, 1}, {2, 2, 6}}}}
	got := Blocks(Arrange(byHead, [][]Fingerprint{q, k}))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("by group: %v, want %v", got, want)
	}
	uneven := rowsNamed(0, 1, 2, 10, 3, 4, 5, 6, 7)
	want = []Block{{0, 0, 0, []Advance{{3, 1, 1}}}, {0, 3, 4, []Advance{{5, 1, 1}}}, {1, 0, 3, []Advance{{1, 1, 1}}}}
	got = Blocks(Arrange(uneven, [][]Fingerprint{q, k}))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("3 rows and 5: %v, want %v", got, want)
	}
	if got := Blocks(nil); got != nil {
		t.Errorf("of no runs: %v", got)
	}
}

// rowsOfBlock calls visit for the rows of the source and of the target that a block has.
func rowsOfBlock(b Block, visit func(from, to int)) {
	if len(b.Loops) == 0 {
		visit(b.From, b.To)
		return
	}
	outer := b.Loops[len(b.Loops)-1]
	for k := range outer.N {
		inside := Block{b.Source, b.From + k*outer.From, b.To + k*outer.To, b.Loops[:len(b.Loops)-1]}
		rowsOfBlock(inside, visit)
	}
}

// TestRandomRows: of any rows, of which few or many are equal, the runs are the target's rows, and the blocks say the same as the runs.
func TestRandomRows(t *testing.T) {
	r := random.New(t)
	nests := 0
	for range cases(t, casesVariable, 40_000) {
		values := 1 + r.IntN(60)
		var sources [][]Fingerprint
		for range 1 + r.IntN(3) {
			var numbers []int
			for range 1 + r.IntN(24) {
				numbers = append(numbers, r.IntN(values))
			}
			sources = append(sources, rowsNamed(numbers...))
		}
		var target []Fingerprint
		step := 1 + r.IntN(3)
		for len(target) < 12 {
			rows := sources[r.IntN(len(sources))]
			for k := r.IntN(len(rows)); k < len(rows); k += step {
				target = append(target, rows[k])
			}
		}
		runs := Arrange(target, sources)
		at := 0
		want := map[int]Run{} // by the target's row, the source and its row
		for _, run := range runs {
			for k := range run.N {
				if sources[run.Source][run.From+k] != target[at] {
					t.Fatalf("row %d is not that of %v", at, run)
				}
				want[at] = Run{run.Source, run.From + k, 1}
				at++
			}
		}
		if at != len(target) {
			t.Fatalf("%d of %d rows", at, len(target))
		}
		blocks := Blocks(runs)
		for _, b := range blocks {
			rowsOfBlock(b, func(from, to int) {
				if want[to] != (Run{b.Source, from, 1}) {
					t.Fatalf("%v: row %d of the target is row %d of source %d, want %v", b, to, from, b.Source, want[to])
				}
				delete(want, to)
			})
		}
		if len(want) > 0 {
			t.Fatalf("%v lack rows %v", blocks, want)
		}
		if len(blocks) < len(runs) {
			nests++
		}
	}
	t.Logf("%d with fewer blocks than runs", nests)
	if nests == 0 {
		t.Error("no runs were a nest")
	}
}

// TestCutRows: the fingerprint of a slice along any dim is that of its elements, gathered one by one.
func TestCutRows(t *testing.T) {
	shape := []int{3, 4, 5}
	typ := typeOf("<i2")
	var data []byte
	for k := range 60 {
		data = append(data, byte(k*37), byte(k))
	}
	for dim, n := range shape {
		rows := Cut(data, typ, shape, dim)
		if len(rows) != n {
			t.Fatalf("dim %d: %d slices", dim, len(rows))
		}
		for index, got := range rows {
			var own []byte
			for k := range 60 {
				place := []int{k / 20, k / 5 % 4, k % 5}
				if place[dim] == index {
					own = append(own, data[2*k:2*k+2]...)
				}
			}
			if got != Of(own, typ) {
				t.Errorf("slice %d of dim %d: %v", index, dim, got)
			}
		}
	}
	if rows := Cut(nil, typ, []int{2, 0}, 0); len(rows) != 2 || rows[0] != (Fingerprint{}) {
		t.Errorf("slices without elements: %v", rows)
	}
}

package relate

import (
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Rows are slices of a tensor along one of its dims. Where elements repeat, rows do not: by the fingerprint of each, the rows of one tensor
// are found among those of others, and in any order they are a few blocks of runs.

// Cut returns the fingerprints of the slices of a dense tensor along a dim.
func Cut(data []byte, t dtype.Type, shape []int, dim int) []Fingerprint {
	size := t.ItemSize()
	prints := make([]Fingerprint, shape[dim])
	chunk := size * ints.Product(shape[dim+1:]) // of a slice, what is consecutive
	if chunk == 0 {
		return prints
	}
	for k := 0; len(data) > 0; k = (k + 1) % len(prints) {
		prints[k] = prints[k].Add(Of(data[:chunk], t))
		data = data[chunk:]
	}
	return prints
}

// Run is consecutive rows of a source.
type Run struct{ Source, From, N int }

// maxPlacesOfRow bounds the rows of the sources that a row may be: of more, such as rows of zeros, any is as good.
const maxPlacesOfRow = 8

// Arrange returns the runs of the sources' rows that are a target's, in the target's order, each as long as possible; nil if a row of the
// target is none of the sources'.
func Arrange(target []Fingerprint, sources [][]Fingerprint) (runs []Run) {
	places := make(map[Fingerprint][]Run, len(target))
	for _, row := range target {
		places[row] = nil
	}
	for s, rows := range sources {
		for i, row := range rows {
			at, wanted := places[row]
			if wanted && len(at) < maxPlacesOfRow {
				places[row] = append(at, Run{s, i, 1})
			}
		}
	}
	last := Run{Source: -1}
	for at := 0; at < len(target); at += last.N {
		var best Run
		for _, r := range places[target[at]] {
			rows := sources[r.Source][r.From:]
			for r.N < min(len(rows), len(target)-at) && rows[r.N] == target[at+r.N] {
				r.N++
			}
			if r.N > best.N || r.N == best.N && r.weight(last, sources) > best.weight(last, sources) {
				best = r
			}
		}
		if best.N == 0 {
			return nil
		}
		runs = append(runs, best)
		last = best
	}
	return runs
}

// weight orders runs of one length: one that goes on where the last one ended, then all of a source, then others.
func (r Run) weight(last Run, sources [][]Fingerprint) int {
	if r.Source == last.Source && r.From == last.From+last.N {
		return 2
	}
	if r.N == len(sources[r.Source]) {
		return 1
	}
	return 0
}

// Advance is a loop over rows: N turns, each From rows further in a source and To rows further in the target.
type Advance struct{ N, From, To int }

// Block is rows of a source that are rows of a target: From + Σ kᵢ·Loops[i].From and To + Σ kᵢ·Loops[i].To, for all kᵢ < Loops[i].N.
type Block struct {
	Source, From, To int
	Loops            []Advance // innermost first
}

// Rows returns the number of rows.
func (b Block) Rows() int {
	n := 1
	for _, l := range b.Loops {
		n *= l.N
	}
	return n
}

// Blocks returns the blocks that runs are: of each source one if its rows are a nest of loops, or else as few of equal loops as possible.
func Blocks(runs []Run) (blocks []Block) {
	bySource := map[int][]Block{}
	var sources []int
	to := 0
	for _, r := range runs {
		b := Block{r.Source, r.From, to, []Advance{{r.N, 1, 1}}}
		if bySource[r.Source] == nil {
			sources = append(sources, r.Source)
		}
		bySource[r.Source] = append(bySource[r.Source], b)
		to += r.N
	}
	for _, source := range sources {
		single := bySource[source]
		if nested := nested(single); len(nested) < len(single) {
			single = nested
		}
		blocks = append(blocks, single...)
	}
	return blocks
}

// nested returns the blocks of equal loops that have the rows of some runs, whose target rows rise. From the inside out, a loop has the most
// turns that divide the rows and that begin anew at each multiple of them.
func nested(runs []Block) (blocks []Block) {
	var starts []Block
	for _, r := range runs {
		for i := range r.Loops[0].N {
			starts = append(starts, Block{r.Source, r.From + i, r.To + i, nil})
		}
	}
	var loops []Advance
	for len(starts) > 1 {
		l := Advance{len(starts), starts[1].From - starts[0].From, starts[1].To - starts[0].To}
		for ; l.N > 1; l.N-- {
			if len(starts)%l.N == 0 && l.recurs(starts) {
				break
			}
		}
		if l.N == 1 {
			break
		}
		loops = append(loops, l)
		for k := range len(starts) / l.N {
			starts[k] = starts[k*l.N]
		}
		starts = starts[:len(starts)/l.N]
	}
	for k := range starts {
		starts[k].Loops = loops
	}
	return starts
}

// recurs reports whether each N rows are a loop.
func (l Advance) recurs(rows []Block) bool {
	for k := range rows {
		first := rows[k-k%l.N]
		if rows[k].From-first.From != k%l.N*l.From || rows[k].To-first.To != k%l.N*l.To {
			return false
		}
	}
	return true
}

// rows tries the nests that rows show: of each number of elements that a dim of A or B has within it.
func (s *search) rows() {
	var sizes []int
	for _, shape := range [][]int{s.a.Shape, s.b.Shape} {
		for _, x := range axesOf(shape) {
			both := x.step > 1 && s.a.n%x.step == 0 && s.b.n%x.step == 0
			if both && !slices.Contains(sizes, x.step) {
				sizes = append(sizes, x.step)
			}
		}
	}
	for _, size := range sizes {
		if !s.options.Budget.Take((s.a.n + s.b.n) / 8) {
			return
		}
		blocks := Blocks(Arrange(s.b.cut(size), [][]Fingerprint{s.a.cut(size)}))
		if len(blocks) != 1 {
			continue
		}
		loops := []Loop{{size, 1}}
		for _, l := range blocks[0].Loops {
			loops = append(loops, Loop{l.N, l.From * size})
		}
		s.try(blocks[0].From*size, loops)
	}
}

// cut returns the fingerprints of rows of consecutive elements.
func (s *side) cut(size int) []Fingerprint {
	return Cut(s.Bytes[:s.n*s.size], s.Type, []int{s.n / size, size}, 0)
}

package convert

import (
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/ints"
)

// Matrices too small for one kernel call each are permuted several at once: a chunk of them becomes the rows of a single-column block.
//
//	65537 matrices of 3 x 5                 →   blocks of 68 matrices
//	1024 of 5 x 3, in blocks of 4 channels  →   blocks of 42 of both boxes: |c0 c1 c2 c3|…|c4 — — —|…
const (
	chunkBytes  = 1024 // of the destination, approximately
	chunkBelow  = 98   // bytes; smaller matrices are chunked, those of 100 take about as long one by one
	paddedBelow = 400  // the same for matrices with padding, which kernels move one at a time
	chunkFrom   = 16   // number of matrices from which a shared table pays off
	maxSpread   = 8    // maximum spread of a permutation's source, as a multiple of its bytes,
	spreadFrom  = 16   // if it has more items than this
)

// permutation is the byte permutation of one iteration of the loop that boxes share; its results are adjacent in the destination.
// Everything is in bytes.
type permutation struct {
	outer int   // number of loops outside of it; the innermost leads from one iteration to the next
	table []int // destination item → its offset in the source, relative to the first box; NoRow is padding
}

// newPermutation returns the longest permutation of less than chunkBytes that all boxes share, of items of item bytes. ok is false if there
// is none, or if its source is spread over more than a kernel permutes.
func newPermutation(boxes []Box, item int) (p permutation, ok bool) {
	loops := boxes[0].Loops
	low := boxes[0].Dst
	for _, b := range boxes {
		low = min(low, b.Dst)
	}
	for k := 1; k <= len(loops); k++ {
		bytes := loops[k-1].Dst
		if bytes <= 0 || bytes >= chunkBytes || bytes%item != 0 {
			continue
		}
		p = permutation{k, slices.Repeat([]int{kernel.NoRow}, bytes/item)}
		left := len(p.table)
		for i := 0; i < len(boxes) && left >= 0; i++ {
			b := &boxes[i]
			if len(b.Loops) < k || !slices.Equal(b.Loops[:k], loops[:k]) {
				return permutation{}, false
			}
			left -= p.put(b.Loops[k:], b.Src-boxes[0].Src, b.Dst-low, item, b.Pad)
		}
		if left == 0 {
			return p, len(p.table) <= spreadFrom || p.spread() <= maxSpread*bytes
		}
	}
	return permutation{}, false
}

// put adds the items that loops write, and the padding after their runs. It returns their number, or more than the table's length if they
// do not fit.
func (p *permutation) put(loops []Loop, src, dst, item, pad int) int {
	n := elemsOf(loops)
	outside := len(p.table) + 1
	if n > len(p.table) {
		return outside
	}
	for k := range n {
		from, to := src, dst
		for i := len(loops) - 1; i >= 0; i-- {
			from = from + k%loops[i].N*loops[i].Src
			to = to + k%loops[i].N*loops[i].Dst
			k /= loops[i].N
		}
		if to < 0 || to%item != 0 || to/item >= len(p.table) {
			return outside
		}
		p.table[to/item] = from
	}
	return n + n/runOf(loops, item)*pad
}

// spread returns the distance from the source's first item to its last.
func (p *permutation) spread() int {
	low, high := math.MaxInt, math.MinInt
	for _, at := range p.table {
		if at != kernel.NoRow {
			low = min(low, at)
			high = max(high, at)
		}
	}
	return high - low
}

// takePermutation makes rows of as many iterations of the loops as fit in a chunk.
func (m *matrix) takePermutation(loops []Loop, p permutation) {
	size := len(p.table)
	l := loops[p.outer-1]
	turns := l.N
	if perChunk := max(1, chunkBytes/m.item/size); turns > perChunk+perChunk/2 {
		turns = evened(turns, perChunk)
	}
	m.chunked = true
	m.rows = axis{n: l.N * size, low: min(0, slices.Min(p.table)), table: p.table}
	m.rows.repeat(turns, l.Src)
	m.cols = axis{n: 1, table: []int{0}}
	if turns < l.N {
		m.around = append(m.around, around{Loop{N: ints.CeilDiv(l.N, turns), Src: turns * l.Src, Dst: turns * l.Dst}, overRows})
	}
	m.nest(loops[:p.outer-1])
}

// follow reports whether small matrices of elems elements are adjacent on both sides, so that no unwanted columns between them need to be
// read.
func (m *matrix) follow(loops []Loop, elems, pad int) bool {
	p, ok := newPermutation([]Box{{Loops: loops, Pad: pad}}, m.item)
	return ok && len(p.table) >= elems
}

// takeChunk takes all loops as rows if they are several adjacent matrices of elems elements, too small for one kernel call each. It reports
// whether it did.
func (m *matrix) takeChunk(loops []Loop, elems, pad int) bool {
	limit := chunkBelow
	if pad > 0 {
		limit = paddedBelow
	}
	if elems*m.item >= limit || elems > elemsOf(loops)/chunkFrom {
		return false
	}
	p, ok := newPermutation([]Box{{Loops: loops, Pad: pad}}, m.item)
	if !ok || len(p.table)*loops[p.outer-1].N <= elems {
		return false
	}
	m.takePermutation(loops, p)
	return true
}

// takeTogether takes the loops of several boxes whose small matrices write in turn, and reports whether there are any.
func (m *matrix) takeTogether(boxes []Box) bool {
	item := m.item
	if !isItem(item) {
		return false
	}
	inBytes := make([]Box, len(boxes))
	for i, b := range boxes {
		inBytes[i] = Box{Src: b.Src * item, Dst: b.Dst * item, Loops: scaled(nil, b.Loops, item), Pad: b.Pad}
	}
	p, ok := newPermutation(inBytes, item)
	if !ok || item == maxItem && len(p.table)*maxItem >= paddedBelow { // no program moves them
		return false
	}
	m.takePermutation(inBytes[0].Loops, p)
	return true
}

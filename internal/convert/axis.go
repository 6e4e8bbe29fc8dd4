package convert

import (
	"slices"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/ints"
)

// axis is the rows or the columns of a matrix. Entries are contiguous on the near side and anywhere on the far one: table has the byte
// offset of each entry of a block from the first, or NoRow for a row of padding or an unwanted column.
type axis struct {
	n     int // number of entries
	low   int // the lowest offset in the table, 0 or less
	table []int
}

// adjacent appends to taken, from loops in falling order of Dst, the loops whose iterations are contiguous in the destination: the first
// steps by one item, the next by the length of the first and its padding, and so on, until they have maxRows iterations together, innermost
// first. The other loops remain at the end of loops.
//
//	{N: 4·s, 16}{C: 1·t, 4}, items of 4 bytes, C = 4   →   4 iterations of C, then N steps by 4·4 = 16 bytes
//
// Loops that are contiguous in the source are left for the other axis, except a run with padding after it.
func adjacent(chosen, loops []Loop, item, pad int) (rows, others []Loop) {
	next := item
	left := len(loops)
	if pad > 0 && (left == 0 || loops[left-1].Dst != item) { // a run of one item
		chosen = append(chosen, Loop{N: 1, Dst: item})
		next = item + pad*item
		pad = 0
	}
	for k := len(loops) - 1; k >= 0; k-- {
		l := loops[k]
		ownRun := len(chosen) == 0 && (pad > 0 || item >= maxItem) // no wider item could be made of it
		forOther := l.Src == item && !ownRun
		if l.Dst != next || next >= maxRows*item || forOther {
			left--
			loops[left] = l
			continue
		}
		chosen = append(chosen, l)
		next = next*l.N + pad*item
		pad = 0
	}
	return chosen, loops[left:]
}

// newAxis makes the table of a block of about limit entries from adjacent loops, innermost first, with pad entries of padding after each
// run of the first. It returns the loop from block to block, which runs once if the axis is one block, and the remaining loops.
func newAxis(loops []Loop, item, pad, limit int) (a axis, blocks Loop, others []Loop) {
	entries := elemsOf(loops)
	if pad > 0 {
		entries += entries / loops[0].N * pad
	}
	a = axis{n: 1, table: make([]int, 1, min(entries, limit+limit/2+pad))}
	blocks = Loop{N: 1}
	for k, l := range loops {
		turns := l.N
		if a.n*turns > limit+limit/2 {
			turns = evened(l.N, max(1, limit/a.n))
			blocks = Loop{N: ints.CeilDiv(l.N, turns), Src: turns * l.Src, Dst: turns * a.n * item}
			others = loops[k+1:]
		}
		a.repeat(turns, l.Src)
		a.n *= l.N
		if blocks.N > 1 {
			break // partial runs have nothing between them
		}
		for range pad {
			a.table = append(a.table, kernel.NoRow)
		}
		a.n = a.n + pad
		pad = 0
	}
	return a, blocks, others
}

// repeat concatenates turns copies of the table, step bytes apart on the far side.
func (a *axis) repeat(turns, step int) {
	n := len(a.table)
	a.table = slices.Grow(a.table, n*(turns-1))[:n*turns]
	for done := n; done < len(a.table); done *= 2 {
		by := done / n * step
		for i, at := range a.table[:min(done, len(a.table)-done)] {
			if at != kernel.NoRow {
				at += by
			}
			a.table[done+i] = at
		}
	}
	a.low += min(0, (turns-1)*step)
}

// invert exchanges source and destination.
func invert(loops []Loop) {
	for i, l := range loops {
		loops[i] = l.inverted()
	}
}

func (l Loop) inverted() Loop { return Loop{N: l.N, Src: l.Dst, Dst: l.Src} }

// unwanted returns how many items of the source lie between its runs, if both are short: they are read too, but not written. Dst is the
// source here.
//
//	3 of 4 channels of each image   |c0 c1 c2 —|c0 c1 c2 —|…
func unwanted(loops []Loop, item int) int {
	n := len(loops) - 1
	run := runOf(loops, item)
	if n >= 0 && loops[n].Dst == item {
		n--
	}
	if n < 0 || loops[n].Dst%item != 0 {
		return 0
	}
	if between := loops[n].Dst/item - run; between > 0 && between <= maxItem && run*item < line {
		return between
	}
	return 0
}

// dropLast removes the entries after the last run, which may be outside the source. Partial runs have none.
func (a *axis) dropLast(entries int) {
	if !slices.Contains(a.table, kernel.NoRow) {
		return
	}
	if len(a.table) == a.n {
		a.table = a.table[:a.n-entries]
	}
	a.n -= entries
}

// runOf returns how many consecutive items the loops have on the side of Dst.
func runOf(loops []Loop, item int) int {
	if n := len(loops); n > 0 && loops[n-1].Dst == item {
		return loops[n-1].N
	}
	return 1
}

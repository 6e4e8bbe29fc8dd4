package convert

import (
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/ints"
)

// axis is the rows or the columns of a matrix. They lie side by side on the near side and anywhere on the far one, where
// table tells how many bytes behind the first one each entry of a block begins, or that it is nowhere there: a row of
// padding, a column that nobody wants.
type axis struct {
	n     int // entries in all
	table []int
}

// adjacent takes, from loops in falling order of Dst, those whose turns lie side by side in the destination: the first
// has steps of one item, the next begins where it ends and its padding, and so on, until they have limit turns
// together. It returns them innermost first, and the others.
//
//	{N: 4·s, 16}{C: 1·t, 4}, items of 4 bytes, C = 4   →   4 turns of C, then N begins at 4·4 = 16 bytes
//
// Loops of which the source goes on side by side are left for the other axis, but for a run with padding behind it.
func adjacent(loops []Loop, item, pad, limit int) (taken, others []Loop) {
	next := item
	if n := len(loops); pad > 0 && (n == 0 || loops[n-1].Dst != item) { // a run of one
		taken, next, pad = []Loop{{N: 1, Dst: item}}, item+pad*item, 0
	}
	for k := len(loops) - 1; k >= 0; k-- {
		l := loops[k]
		if l.Dst != next || next >= limit*item || l.Src == item && (len(taken) > 0 || item < maxItem && pad == 0) {
			others = append([]Loop{l}, others...)
			continue
		}
		taken = append(taken, l)
		next = next*l.N + pad*item
		pad = 0
	}
	return taken, others
}

// newAxis makes the table of a block of about limit entries from loops that lie side by side, innermost first, with
// some padding behind each run of the first one. It returns the loop from block to block, of one turn where the axis is
// one block, and the loops that are left over.
func newAxis(loops []Loop, item, pad, limit int) (a axis, blocks Loop, others []Loop) {
	a, blocks = axis{n: 1, table: []int{0}}, Loop{N: 1}
	for k, l := range loops {
		turns := l.N
		if a.n*turns > limit+limit/2 {
			turns = evened(l.N, max(1, limit/a.n))
			blocks, others = Loop{ints.CeilDiv(l.N, turns), turns * l.Src, turns * a.n * item}, loops[k+1:]
		}
		a.repeat(turns, l.Src)
		a.n *= l.N
		if blocks.N > 1 {
			break // runs that are cut have nothing between them
		}
		for range pad {
			a.table = append(a.table, kernel.NoRow)
		}
		a.n, pad = a.n+pad, 0
	}
	return a, blocks, others
}

// repeat lays turns of the table behind each other, step bytes apart on the far side.
func (a *axis) repeat(turns, step int) {
	inner := a.table
	a.table = make([]int, 0, len(inner)*turns)
	for k := range turns {
		a.table = append(a.table, shifted(inner, k*step)...)
	}
}

// shifted adds by to every entry that is somewhere.
func shifted(table []int, by int) []int {
	out := make([]int, len(table))
	for i, t := range table {
		if out[i] = t; t != kernel.NoRow {
			out[i] += by
		}
	}
	return out
}

// step is how many bytes the entries lie apart on the far side, if all do so evenly.
func (a axis) step() (bytes int, even bool) {
	if len(a.table) < 2 {
		return 0, false
	}
	for k, t := range a.table {
		if t != k*a.table[1] {
			return 0, false
		}
	}
	return a.table[1], true
}

// inverted exchanges the sides.
func inverted(loops []Loop) []Loop {
	out := make([]Loop, len(loops))
	for i, l := range loops {
		out[i] = l.inverted()
	}
	return out
}

func (l Loop) inverted() Loop { return Loop{l.N, l.Dst, l.Src} }

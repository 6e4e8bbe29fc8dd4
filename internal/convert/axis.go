package convert

// axis is the rows or the columns of a matrix. They lie side by side on the near side and anywhere on the far one, where
// table tells how many bytes behind the first one each entry of a block begins.
type axis struct {
	n     int // entries in all
	table []int
}

// adjacent takes, from loops in falling order of Dst, those whose turns lie side by side in the destination: the first
// has steps of one item, the next begins where it ends, and so on, until they have limit turns together. It returns
// them innermost first, and the others.
//
//	{N: 4·s, 16}{C: 1·t, 4}, items of 4 bytes, C = 4   →   4 turns of C, then N begins at 4·4 = 16 bytes
//
// Loops of which the source goes on side by side are left for the other axis.
func adjacent(loops []Loop, item, limit int) (taken, others []Loop) {
	next := item
	for k := len(loops) - 1; k >= 0; k-- {
		l := loops[k]
		if l.Dst == next && next < limit*item && (l.Src != item || len(taken) == 0 && item == maxItem) {
			taken = append(taken, l)
			next *= l.N
			continue
		}
		others = append([]Loop{l}, others...)
	}
	return taken, others
}

// newAxis makes the table of a block of about limit entries from loops that lie side by side, innermost first. It
// returns the loop from block to block, of one turn where the axis is one block, and the loops that are left over.
func newAxis(loops []Loop, item, limit int) (a axis, blocks Loop, others []Loop) {
	a, blocks = axis{n: 1, table: []int{0}}, Loop{N: 1}
	for k, l := range loops {
		turns := l.N
		if a.n*turns > limit+limit/2 {
			turns = evened(l.N, max(1, limit/a.n))
			blocks, others = Loop{ceilDiv(l.N, turns), turns * l.Src, turns * l.Dst}, loops[k+1:]
		}
		inner := a.table
		a.table = make([]int, 0, len(inner)*turns)
		for k := range turns {
			for _, t := range inner {
				a.table = append(a.table, t+k*l.Src)
			}
		}
		a.n *= l.N
		if blocks.N > 1 {
			break
		}
	}
	return a, blocks, others
}

// even reports whether the entries lie step bytes apart on the far side too, so that both sides are one run.
func (a axis) even(step int) bool {
	for k, t := range a.table {
		if t != k*step {
			return false
		}
	}
	return true
}

// inverted exchanges the sides.
func inverted(loops []Loop) []Loop {
	out := make([]Loop, len(loops))
	for i, l := range loops {
		out[i] = Loop{l.N, l.Dst, l.Src}
	}
	return out
}

func turnsOf(loops []Loop) int {
	n := 1
	for _, l := range loops {
		n *= l.N
	}
	return n
}

func abs(a int) int {
	if a < 0 {
		return -a
	}
	return a
}

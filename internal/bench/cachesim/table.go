package cachesim

import "math/bits"

// table is one level. A row has the lines of a set, the most recent first, as their number + 1; 0 is an empty place.
type table struct {
	rows  []uint64
	ways  uint64
	sets  uint64
	mask  uint64 // sets − 1 where that is a power of two
	shift int    // the logarithm of the size of a line
}

func newTable(l Level) table {
	sets := l.Sets()
	t := table{rows: make([]uint64, sets*l.Ways), ways: uint64(l.Ways), sets: uint64(sets)}
	t.shift = bits.TrailingZeros(uint(l.Line))
	if sets&(sets-1) == 0 {
		t.mask = t.sets - 1
	}
	return t
}

// access makes a line the most recent of its set, and reports whether it was there. Those before it move up by one; if
// it was not there, the last one goes.
func (t *table) access(line int) bool {
	number := uint64(line)
	set := number & t.mask
	if t.mask != t.sets-1 {
		set = number % t.sets
	}
	row := t.rows[set*t.ways:][:t.ways]
	front := number + 1
	for i, was := range row {
		row[i] = front
		if was == number+1 {
			return true
		}
		front = was
	}
	return false
}

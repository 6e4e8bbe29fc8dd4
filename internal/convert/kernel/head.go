package kernel

import "iter"

// Where the destination rows of a block follow each other, those before the first one that begins with a line are its head. From there on
// tiles of whole lines and programs write past the caches; the head, and what is left behind the last whole tile or period, go through them:
//
//	line        |               |               |               |
//	row             |0  |1  |2  |3  |4  |5  |6  |7  |8  |9  |10 |
//	stores           cached      past the caches         cached

// heads are how many columns there are up to the first that begins with a line, by how many bytes past one the block's first column
// begins: -1 if none does, or too few lines follow.
type heads [cacheLine]int8

// headFrom is how many bytes after a head pay for writing them past the caches, where the last of them are no whole line.
const headFrom = 2 << 10

func newHeads(b *Block) *heads {
	h, row, all := &heads{}, b.rowBytes(), len(b.dstRows)
	for past := range h {
		h[past] = -1
	}
	if !b.packed || all*row%cacheLine == 0 {
		h[0] = 0
	}
	for n := 0; b.packed && n < cacheLine && (all-n)*row >= headFrom; n++ {
		if past := -n * row & (cacheLine - 1); h[past] < 0 {
			h[past] = int8(n)
		}
	}
	return h
}

// of yields the head of the first jobs and how many have the same, then of the next ones, of all jobs but the last.
func (h *heads) of(dst []byte, jobs []Job) iter.Seq2[int, []Job] {
	head := func(j Job) int { return int(h[pastLine(dst, j.Dst)]) }
	return func(yield func(int, []Job) bool) {
		for len(jobs) > 1 {
			first, n := head(jobs[0]), 1
			for n < len(jobs)-1 && head(jobs[n]) == first {
				n++
			}
			if !yield(first, jobs[:n+1]) {
				return
			}
			jobs = jobs[n:]
		}
	}
}

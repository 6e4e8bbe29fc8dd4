package kernel

import "unsafe"

// Where the destination rows of a block follow each other, those before the first one that begins with a line are its head. From there on
// tiles of whole lines and programs write past the caches; the head, and what is left behind the last whole tile or period, go through them:
//
//	line        |               |               |               |
//	row             |0  |1  |2  |3  |4  |5  |6  |7  |8  |9  |10 |
//	stores           cached      past the caches         cached

// heads are jobs that begin at one place of a line.
type heads struct {
	jobs []Job // one more than are moved
	head int   // columns; -1 if no column begins with a line, or too few lines follow
}

// headFrom is how many bytes after a head pay for writing them past the caches.
const headFrom = 2 << 10

// headsOf yields jobs in turn, those that have the same head at once.
func (b *Block) headsOf(dst []byte, jobs []Job) func(yield func(heads) bool) {
	base := int(uintptr(unsafe.Pointer(unsafe.SliceData(dst))))
	return func(yield func(heads) bool) {
		for len(jobs) > 1 {
			past, n := (base+jobs[0].Dst)%cacheLine, 1
			for n < len(jobs)-1 && (base+jobs[n].Dst)%cacheLine == past {
				n++
			}
			if !yield(heads{jobs[:n+1], b.head(past)}) {
				return
			}
			jobs = jobs[n:]
		}
	}
}

// head is how many columns there are up to the first that begins with a line, if the first one begins so many bytes past one.
func (b *Block) head(past int) int {
	if past == 0 {
		return 0
	}
	row := b.rowBytes()
	for n := 1; b.packed && n < cacheLine && (len(b.dstRows)-n)*row >= headFrom; n++ {
		if (past+n*row)%cacheLine == 0 {
			return n
		}
	}
	return -1
}

package threads

import (
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// Sector is the unit in which the L2 cache of NVIDIA's GPUs serves global memory, in bytes. (CUDA C++ Best Practices Guide 13, "Coalesced
// Access to Global Memory")
const Sector = 32

// Access describes how the warps of a layout read or write a tile in memory, each value once.
type Access struct {
	Vector  int `json:"vector_elems"`     // elements per access of a thread
	Sectors int `json:"sectors"`          // 32-byte sectors of all accesses
	Used    int `json:"needed_bytes"`     // bytes of the sectors that a warp uses
	Lanes   int `json:"lanes_per_sector"` // most lanes of an access that share a sector
}

// maxVector is the most bits that a thread accesses at once.
const maxVector = 128

// Access simulates the warps. offset returns the offset of a coordinate in memory, in elements of bits bits.
//
//	Vector = max 2^k: offset(t, n·2^k + j) = offset(t, n·2^k) + j, a multiple of 2^k, in at most 16 bytes
//	Sectors = Σ over accesses of a warp |{⌊byte / 32⌋}|
func (l Layout) Access(offset func(coord []int) int, bits int) Access {
	offsets := l.offsets(offset)
	a := Access{Vector: l.vector(offsets, maxVector/bits)}
	for warp := 0; warp < l.Threads; warp += l.Warp {
		for v := 0; v < l.Values; v += a.Vector {
			var starts []int
			for t := warp; t < min(warp+l.Warp, l.Threads); t++ {
				starts = append(starts, offsets[t*l.Values+v])
			}
			a.add(starts, bits)
		}
	}
	return a
}

// Run returns the largest power of two of consecutive, aligned elements that each thread has: Access.Vector without a limit.
func (l Layout) Run(offset func(coord []int) int) int { return l.vector(l.offsets(offset), l.Values) }

// offsets returns the offset of each value, by thread, then value.
func (l Layout) offsets(offset func(coord []int) int) []int {
	offsets := make([]int, len(l.elements))
	for k := range offsets {
		offsets[k] = offset(l.At(k/l.Values, k%l.Values))
	}
	return offsets
}

func (l Layout) vector(offsets []int, limit int) int {
	n := 1
	for next := 2; next <= limit && l.Values%next == 0; next *= 2 {
		if !inRuns(offsets, next) {
			return n
		}
		n = next
	}
	return n
}

// inRuns reports whether every n offsets are consecutive, and the first of them a multiple of n.
func inRuns(offsets []int, n int) bool {
	for k, at := range offsets {
		want := at - at%n
		if k%n > 0 {
			want = offsets[k-1] + 1
		}
		if at != want {
			return false
		}
	}
	return true
}

// add counts an access of lanes that each take a vector of elements from an offset on. Bytes that several lanes take count once.
func (a *Access) add(starts []int, bits int) {
	lanes := map[int]int{}
	used := 0
	slices.Sort(starts)
	for i, at := range starts {
		first, _ := ints.FloorDiv(at*bits, 8*Sector)
		last, _ := ints.FloorDiv(at*bits+a.Vector*bits-1, 8*Sector)
		for s := first; s <= last; s++ {
			lanes[s]++
			a.Lanes = max(a.Lanes, lanes[s])
		}
		if i == 0 || at != starts[i-1] {
			used += a.Vector * bits
		}
	}
	a.Sectors += len(lanes)
	a.Used += ints.CeilDiv(used, 8)
}

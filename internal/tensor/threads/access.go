package threads

import "slices"

// Sector is the unit in which the L2 cache of NVIDIA's GPUs serves global memory, in bytes. (CUDA C++ Best Practices Guide 13, "Coalesced
// Access to Global Memory")
const Sector = 32

// Access says how the warps of a layout read or write a tile in memory, each value once.
type Access struct {
	Vector  int `json:"vector_elems"`    // elements per access of a thread
	Sectors int `json:"sectors"`         // 32-byte sectors of all accesses
	Minimum int `json:"minimum_sectors"` // sectors that hold the bytes of all accesses if they are consecutive
	Lanes   int `json:"lanes"`           // most lanes of an access that share a sector
}

// Access simulates the warps. offset returns the offset of a coordinate in memory, in elements of bits bits.
//
//	Vector = max 2^k: offset(t, n·2^k + j) = offset(t, n·2^k) + j, a multiple of 2^k, in at most 16 bytes
//	Sectors = Σ over accesses of a warp |{⌊byte / 32⌋}|
func (l Layout) Access(offset func(coord []int) int, bits int) Access {
	offsets := make([]int, len(l.elements))
	for t := range l.Threads {
		for v := range l.Values {
			offsets[t*l.Values+v] = offset(l.At(t, v))
		}
	}
	a := Access{Vector: l.vector(offsets, bits)}
	for warp := 0; warp < l.Threads; warp += l.Warp {
		for v := 0; v < l.Values; v += a.Vector {
			a.add(l.starts(offsets, warp, v), a.Vector*bits)
		}
	}
	return a
}

// starts returns where the lanes of a warp access memory at value v; lanes at the same offset count once.
func (l Layout) starts(offsets []int, warp, v int) []int {
	var starts []int
	for t := warp; t < min(warp+l.Warp, l.Threads); t++ {
		starts = append(starts, offsets[t*l.Values+v])
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// vector returns the number of elements that each thread can access at once.
func (l Layout) vector(offsets []int, bits int) int {
	n := 1
	for next := 2; next*bits <= 128 && l.Values%next == 0; next *= 2 {
		for k, at := range offsets {
			if k%next == 0 && at%next != 0 || k%next != 0 && at != offsets[k-1]+1 {
				return n
			}
		}
		n = next
	}
	return n
}

// add counts an access of lanes that each take bits bits from an element on.
func (a *Access) add(starts []int, bits int) {
	element := bits / a.Vector
	lanes := map[int]int{}
	for _, at := range starts {
		first, last := at*element/8/Sector, (at*element+bits-1)/8/Sector
		for s := first; s <= last; s++ {
			lanes[s]++
			a.Lanes = max(a.Lanes, lanes[s])
		}
	}
	a.Sectors += len(lanes)
	a.Minimum += (len(starts)*bits + 8*Sector - 1) / (8 * Sector)
}

package tensor

import (
	"iter"
	"slices"
)

// Logical yields the elements in logical order, the last dim fastest: each coordinate with its storage offset. The coordinate's slice
// is reused; copy it to keep it.
//
// Post: Numel pairs, each coordinate of the shape once, each with its At.
func (l Layout) Logical() iter.Seq2[[]int, int] {
	return func(yield func([]int, int) bool) {
		if l.numel == 0 {
			return
		}
		coord := make([]int, len(l.dims))
		off := l.offset
		for yield(coord, l.swizzle.Apply(off)) {
			d := len(l.dims) - 1
			for ; d >= 0; d-- {
				off -= l.dims[d].At(coord[d])
				if coord[d]++; coord[d] < l.dims[d].Size {
					off += l.dims[d].At(coord[d])
					break
				}
				coord[d] = 0
			}
			if d < 0 {
				return
			}
		}
	}
}

// AccessOrder returns the dims in the loop order of channel-wise or spatial access, outermost first. Dims other than N and C are the
// pixels; ok is false without channels or pixels.
//
//	channel-wise    for every n: for every pixel: for every channel
//	spatial         for every n: for every channel: for every pixel
func (l Layout) AccessOrder(channelwise bool) (dims []int, ok bool) {
	var images, channels, pixels []int
	for d, dim := range l.dims {
		switch dim.Name {
		case "N":
			images = append(images, d)
		case "C":
			channels = append(channels, d)
		default:
			pixels = append(pixels, d)
		}
	}
	if channelwise {
		return slices.Concat(images, pixels, channels), len(channels) > 0 && len(pixels) > 0
	}
	return slices.Concat(images, channels, pixels), len(channels) > 0 && len(pixels) > 0
}

// Cell is a storage element and the coordinates stored there: none in padding, several if elements overlap.
type Cell struct {
	Offset   int
	Coords   [][]int
	Complete bool // false if there may be more coordinates
}

// Memory yields the cells of the storage from an offset to the end, with at most limit coordinates each.
//
// Post: one Cell for each offset in [from, Alloc), in rising order, with the result of Find.
func (l Layout) Memory(from, limit int) iter.Seq[Cell] {
	return func(yield func(Cell) bool) {
		for off := from; off < l.alloc; off++ {
			coords, complete := l.Find(off, limit)
			if !yield(Cell{off, coords, complete}) {
				return
			}
		}
	}
}

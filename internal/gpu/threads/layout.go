package threads

import (
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Limits on a layout.
const (
	maxRank     = 8
	maxThreads  = 1 << 13
	maxElements = 1 << 18 // of the tile, and values of all threads
)

// Layout maps each value of each thread to an element of a tile. It is immutable; make one with New or Parse.
type Layout struct {
	Tile    []int // sizes of the tile
	Threads int
	Values  int    // per thread
	Warp    int    // threads of a warp: 32, or 64 of AMD's CDNA
	Bits    int    // of an element, if its text has them; 0: any
	Held    int    // bits that an element takes in registers; 0: Bits
	Atom    *Atom  // whose Part the tile is; nil for other layouts
	Part    string // A, B, C, src or dst
	Note    string // what the layout does not say, or ""

	// InMemory is true of tensor memory, where the threads are lanes of a CTA, a warp is a CTA, and the values are columns of elements.
	InMemory bool

	lane     func(thread int) int // nil: thread mod Warp
	column   func(value int) int  // of tensor memory, in elements; nil: the value
	elements []int32              // by thread, then value: the row-major index of the element
	owners   []int32              // indices into elements, by element
	first    []int32              // element e has the owners from first[e] to first[e+1]
}

// Owner is a value of a thread.
type Owner struct{ Thread, Value int }

// Dims returns the names of a tile's dims: i, j, k, …
func Dims(rank int) []string {
	names := make([]string, rank)
	for d := range names {
		names[d] = string(rune('i' + d))
	}
	return names
}

// New tabulates a layout. at sets the coordinate of a value of a thread, or fails.
//
// New fails with Usage if a number is not positive or a coordinate is outside of the tile, with Unsupported above 8,192 threads, 2¹⁸
// values of all threads, or 2¹⁸ elements.
func New(tile []int, threads, values, warp int, at func(thread, value int, coord []int) error) (Layout, error) {
	l := Layout{Tile: tile, Threads: threads, Values: values, Warp: warp}
	size, err := l.check()
	if err != nil {
		return Layout{}, err
	}
	l.elements = make([]int32, threads*values)
	coord := make([]int, len(tile))
	for t := range threads {
		for v := range values {
			if err := at(t, v, coord); err != nil {
				return Layout{}, err
			}
			e, ok := l.index(coord)
			if !ok {
				return Layout{}, fault.New(fault.Usage, "value %d of thread %d is at %s, outside of the tile %s", v, t, tensor.Tuple(coord),
					tensor.Tuple(tile))
			}
			l.elements[t*values+v] = int32(e)
		}
	}
	l.invert(size)
	return l, nil
}

// check returns the number of elements of the tile.
func (l Layout) check() (size int, err error) {
	if len(l.Tile) == 0 || len(l.Tile) > maxRank {
		return 0, fault.New(fault.Usage, "a tile has 1 to %d dims, found %d", maxRank, len(l.Tile))
	}
	size, err = tensor.Numel(l.Tile)
	if err != nil {
		return 0, err
	}
	if size < 1 {
		return 0, fault.New(fault.Usage, "tile %s has no elements", tensor.Tuple(l.Tile))
	}
	if l.Threads < 1 || l.Values < 1 || l.Warp < 1 {
		return 0, fault.New(fault.Usage, "layout of %s with %s each", text.Count(l.Threads, "thread"), text.Count(l.Values, "value"))
	}
	if l.Threads > maxThreads {
		return 0, fault.New(fault.Unsupported, "layout of %d threads: the limit is %d", l.Threads, maxThreads)
	}
	if size > maxElements || l.Values > maxElements/l.Threads {
		return 0, fault.New(fault.Unsupported, "layout of %d threads with %d values over %d elements: the limit is %d of each", l.Threads,
			l.Values, size, maxElements)
	}
	return size, nil
}

// index returns the row-major index of a coordinate.
func (l Layout) index(coord []int) (int, bool) {
	if len(coord) != len(l.Tile) {
		return 0, false
	}
	e := 0
	for d, i := range coord {
		if i < 0 || i >= l.Tile[d] {
			return 0, false
		}
		e = e*l.Tile[d] + i
	}
	return e, true
}

// invert sorts the values by element, threads and values ascending.
func (l *Layout) invert(size int) {
	l.first = make([]int32, size+1)
	for _, e := range l.elements {
		l.first[e+1]++
	}
	for e := range size {
		l.first[e+1] += l.first[e]
	}
	next := append([]int32(nil), l.first...)
	l.owners = make([]int32, len(l.elements))
	for k, e := range l.elements {
		l.owners[next[e]] = int32(k)
		next[e]++
	}
}

// At returns the coordinate of a value of a thread; both are in range.
func (l Layout) At(thread, value int) []int { return l.Coord(int(l.elements[thread*l.Values+value])) }

// Coord returns the coordinate of an element by its row-major index.
func (l Layout) Coord(e int) []int {
	coord := make([]int, len(l.Tile))
	for d := len(l.Tile) - 1; d >= 0; d-- {
		coord[d] = e % l.Tile[d]
		e = e / l.Tile[d]
	}
	return coord
}

// Lane returns the number of a thread in its warp.
func (l Layout) Lane(thread int) int {
	if l.lane != nil {
		return l.lane(thread % l.Warp)
	}
	return thread % l.Warp
}

// Owners returns the values that hold an element, by thread, then value; none outside of the tile.
func (l Layout) Owners(coord ...int) []Owner {
	e, ok := l.index(coord)
	if !ok {
		return nil
	}
	var all []Owner
	for _, k := range l.owners[l.first[e]:l.first[e+1]] {
		all = append(all, Owner{int(k) / l.Values, int(k) % l.Values})
	}
	return all
}

// Holders returns the smallest and the largest number of values that hold an element: 0 is an element that no thread holds, more than 1
// is a broadcast.
func (l Layout) Holders() (low, high int) {
	low = len(l.elements)
	for e := range len(l.first) - 1 {
		n := int(l.first[e+1] - l.first[e])
		low = min(low, n)
		high = max(high, n)
	}
	return low, high
}

// Distinct returns the largest number of different elements that a thread holds: fewer than Values if its values repeat.
func (l Layout) Distinct() int {
	highest := 0
	for t := range l.Threads {
		seen := map[int32]bool{}
		for _, e := range l.elements[t*l.Values : (t+1)*l.Values] {
			seen[e] = true
		}
		highest = max(highest, len(seen))
	}
	return highest
}

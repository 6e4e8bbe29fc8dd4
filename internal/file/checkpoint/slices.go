package checkpoint

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Slice is the part of a tensor that one process saved: Sizes elements from Offsets on.
type Slice struct {
	Offsets, Sizes []int
	File           string // a path below the folder of the checkpoint
	At, Bytes      int64  // what is stored of it, in the file
	Strides        []int  // of its elements, the first of which is at byte At; nil: these bytes are a file of torch.save that holds it
}

// String returns the slice as an index of Python: [0:4, 0:5].
func (s Slice) String() string { return index(s.Offsets, s.Sizes) }

func index(offsets, sizes []int) string {
	parts := make([]string, len(offsets))
	for d, from := range offsets {
		parts[d] = fmt.Sprintf("%d:%d", from, from+sizes[d])
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// IsEmpty reports whether the slice has no elements: a dim was split into more slices than it has elements.
func (s Slice) IsEmpty() bool { return slices.Contains(s.Sizes, 0) }

// fits reports whether the slice is inside a tensor of this shape.
func (s Slice) fits(shape []int) bool {
	if len(s.Offsets) != len(shape) || len(s.Sizes) != len(shape) {
		return false
	}
	for d, n := range shape {
		if s.Offsets[d] > n-s.Sizes[d] {
			return false
		}
	}
	return true
}

// maxCells bounds the grid by which Uncovered compares slices.
const maxCells = 1 << 22

// Uncovered says which part of a tensor no slice holds, which slices overlap, or which one is not inside of the tensor; empty if each element is in
// exactly one slice. The bounds of all slices cut each dim; a cell between them must be in one slice.
func Uncovered(shape []int, all []Slice) string {
	all = slices.DeleteFunc(slices.Clone(all), Slice.IsEmpty)
	for _, s := range all {
		if !s.fits(shape) {
			return fmt.Sprintf("its slice %s is not inside of its shape %s", s, tensor.Tuple(shape))
		}
	}
	if slices.Contains(shape, 0) {
		return ""
	}
	g := newGrid(shape, all)
	if g.cells > maxCells {
		return fmt.Sprintf("the bounds of its %d slices make more than %d cells", len(all), maxCells)
	}
	holder := make([]int32, g.cells) // 1 + index of the slice that holds a cell
	for i, s := range all {
		if other := g.paint(holder, s, int32(i)+1); other > 0 {
			return fmt.Sprintf("its slices %s and %s overlap", all[other-1], s)
		}
	}
	if free := slices.Index(holder, 0); free >= 0 {
		return "no slice has its elements " + g.cell(free)
	}
	return ""
}

// grid cuts each dim where a slice begins or ends.
type grid struct {
	bounds [][]int // of each dim, rising, from 0 to its size
	cells  int
}

func newGrid(shape []int, all []Slice) grid {
	g := grid{}
	cells := int64(1)
	for d, n := range shape {
		at := []int{0, n}
		for _, s := range all {
			at = append(at, s.Offsets[d], s.Offsets[d]+s.Sizes[d])
		}
		slices.Sort(at)
		at = slices.Compact(at)
		g.bounds = append(g.bounds, at)
		cells = min(cells*int64(len(at)-1), maxCells+1)
	}
	g.cells = int(cells)
	return g
}

// paint marks the cells of a slice, up to one that another slice has, which it returns.
func (g grid) paint(holder []int32, s Slice, mark int32) (other int32) {
	var visit func(d, at int) int32
	visit = func(d, at int) int32 {
		if d == len(g.bounds) {
			other := holder[at]
			holder[at] = mark
			return other
		}
		from, _ := slices.BinarySearch(g.bounds[d], s.Offsets[d])
		to, _ := slices.BinarySearch(g.bounds[d], s.Offsets[d]+s.Sizes[d])
		for i := from; i < to; i++ {
			if other := visit(d+1, at*(len(g.bounds[d])-1)+i); other > 0 {
				return other
			}
		}
		return 0
	}
	return visit(0, 0)
}

// cell returns the elements of a cell as an index.
func (g grid) cell(at int) string {
	offsets := make([]int, len(g.bounds))
	sizes := make([]int, len(g.bounds))
	for d := len(g.bounds) - 1; d >= 0; d-- {
		n := len(g.bounds[d]) - 1
		i := at % n
		at /= n
		offsets[d] = g.bounds[d][i]
		sizes[d] = g.bounds[d][i+1] - g.bounds[d][i]
	}
	return index(offsets, sizes)
}

// SortSlices orders slices by their offsets.
func SortSlices(all []Slice) {
	slices.SortFunc(all, func(a, b Slice) int {
		return cmp.Or(slices.Compare(a.Offsets, b.Offsets), slices.Compare(a.Sizes, b.Sizes))
	})
}

// MaxLocation bounds a path in a file, in bytes.
const MaxLocation = 4096

// IsBelow reports whether a path that a file names stays below that file's folder, on any system.
func IsBelow(location string) bool {
	foreign := strings.ContainsAny(location, "\\:\x00") || len(location) > MaxLocation
	return !foreign && filepath.IsLocal(location)
}

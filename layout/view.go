package layout

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// All iterates over the elements in logical order, the last dim fastest: the coordinate and the offset of each. The coordinate's slice is
// reused: clone it to keep it.
func (l Layout) All() iter.Seq2[[]int, int] { return l.l.Logical() }

// Permute returns the layout of the same elements with its dims in another order: dim k of it is dim dims[k] of l, as in NumPy's transpose.
func (l Layout) Permute(dims ...int) (Layout, error) {
	if len(dims) != l.l.Rank() {
		return Layout{}, fmt.Errorf("permute %v: layout %s has %d dims", dims, l, l.l.Rank())
	}
	permuted := make([]tensor.Dim, len(dims))
	for k, d := range dims {
		if d < 0 || d >= len(dims) || slices.Contains(dims[:k], d) {
			return Layout{}, fmt.Errorf("permute %v: not a permutation of 0 to %d", dims, len(dims)-1)
		}
		permuted[k] = l.l.Dim(d)
	}
	if !l.isNamed() {
		for k := range permuted {
			permuted[k].Name = fmt.Sprintf("d%d", k)
		}
	}
	p, err := l.l.With(permuted, l.l.Offset(), l.l.Alloc())
	return Layout{p}, err
}

// Equal reports whether both layouts have the same shape, the same offset for each coordinate, and storages of the same size, whatever their dims
// are called.
func (l Layout) Equal(m Layout) bool {
	if !slices.Equal(l.Shape(), m.Shape()) || l.Size() != m.Size() {
		return false
	}
	a, plain := l.l.Strided()
	b, plainToo := m.l.Strided()
	if !plain || !plainToo {
		return l.String() == m.String()
	}
	for d, n := range a.Shape {
		if n > 1 && a.Strides[d] != b.Strides[d] {
			return false
		}
	}
	return l.Len() == 0 || a.Offset == b.Offset
}

// isNamed reports whether the dims have names of their own.
func (l Layout) isNamed() bool {
	for k, name := range l.l.Names() {
		if name != fmt.Sprintf("d%d", k) {
			return true
		}
	}
	return false
}

// Slice returns the layout of the elements whose index in a dim is start, start + step, start + 2·step, … up to stop, which is excluded.
// Negative indices do not count from the end:
//
//	Slice(1, 0, 3, 1)      the first three channels
//	Slice(1, 2, −1, −1)    three channels backwards: BGR of RGB
//
// It is a view: its offsets are in the storage of l. Indices must be in the dim. Of a dim in blocks, a slice is whole blocks, or steps evenly in
// memory; others have no layout.
func (l Layout) Slice(dim, start, stop, step int) (Layout, error) {
	sliced := func(text string, args ...any) error {
		return fmt.Errorf("slice %d:%d:%d of dim %d of layout %s: %s", start, stop, step, dim, l, fmt.Sprintf(text, args...))
	}
	if dim < 0 || dim >= l.l.Rank() {
		return Layout{}, sliced("it has %d dims", l.l.Rank())
	}
	d := l.l.Dim(dim)
	n, ok := count(d.Size, start, stop, step)
	if !ok {
		return Layout{}, sliced("indices are from 0 to %d", d.Size-1)
	}
	dims := make([]tensor.Dim, l.l.Rank())
	for k := range dims {
		dims[k] = l.l.Dim(k)
	}
	part, at, ok := partOf(d, n, start, step)
	if !ok {
		return Layout{}, sliced("it cuts a block")
	}
	dims[dim] = part
	return l.view(dims, l.l.Offset()+at)
}

// view returns a layout of other dims in the storage of l, up to its last element and the padding of its blocks.
func (l Layout) view(dims []tensor.Dim, offset int) (Layout, error) {
	v, err := l.l.With(dims, offset, tensor.Unbounded)
	if err != nil {
		return Layout{}, err
	}
	whole, err := wholeBlocks(v)
	if err != nil {
		return Layout{}, err
	}
	v, err = v.With(dims, offset, max(whole.Alloc(), v.Alloc()))
	return Layout{v}, err
}

// count returns the number of indices of a slice; ok is false if one is outside of a dim, or step is 0.
func count(size, start, stop, step int) (n int, ok bool) {
	if step == 0 {
		return 0, false
	}
	if step < 0 { // the same indices of the dim backwards
		start = size - 1 - start
		stop = size - 1 - stop
		step = -max(step, -math.MaxInt)
	}
	isIn := func(i int) bool { return 0 <= i && i <= size }
	if !isIn(start) || !isIn(stop) {
		return 0, false
	}
	if stop <= start {
		return 0, true
	}
	return (stop-start-1)/step + 1, true
}

// partOf returns the dim of n indices from start on, and the offset of the first one. ok is false if there is none.
func partOf(d tensor.Dim, n, start, step int) (part tensor.Dim, at int, ok bool) {
	part = tensor.Dim{Name: d.Name, Size: n}
	if n == 0 {
		part.Digits = []tensor.Digit{{Div: 1}}
		return part, 0, true
	}
	at = d.At(start)
	stride := 0
	if n > 1 {
		stride = d.At(start+step) - at
	}
	if isEven(d, n, start, step, stride) {
		part.Digits = []tensor.Digit{{Div: 1, Extent: n, Stride: stride}}
		return part, at, true
	}
	outer := len(d.Digits) - 1
	block := d.Digits[outer].Div
	whole := (start+n)%block == 0 || start+n == d.Size
	if step != 1 || start%block != 0 || !whole {
		return part, 0, false
	}
	part.Digits = slices.Clone(d.Digits)
	part.Digits[outer].Extent = (n + block - 1) / block
	return part, at, true
}

// isEven reports whether n indices are the same stride apart.
func isEven(d tensor.Dim, n, start, step, stride int) bool {
	if len(d.Digits) == 1 {
		return true
	}
	for k := range n {
		if d.At(start+k*step) != d.At(start)+k*stride {
			return false
		}
	}
	return true
}

// Index returns the layout of the elements with index i in a dim, without that dim: image 2 of a batch is Index(0, 2). It is a view, as Slice
// returns.
func (l Layout) Index(dim, i int) (Layout, error) {
	one, err := l.Slice(dim, i, i+1, 1)
	if err != nil {
		return Layout{}, err
	}
	dims := make([]tensor.Dim, 0, l.l.Rank())
	for k := range l.l.Rank() {
		if k != dim {
			dims = append(dims, one.l.Dim(k))
		}
	}
	if !l.isNamed() {
		for k := range dims {
			dims[k].Name = fmt.Sprintf("d%d", k)
		}
	}
	return one.view(dims, one.l.Offset())
}

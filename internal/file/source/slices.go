//go:build !js

package source

import (
	"io"
	"slices"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// assemble returns the elements of tensor i, which is in slices, as a file in C order. The files of the slices are open.
func (s *Set) assemble(i int) input.File {
	t := s.Tensors[i]
	return s.assembled(t, s.SlicesOf(t.Storage))
}

// assembled returns the elements of a tensor as far as some of its slices have them; the others are 0.
func (s *Set) assembled(t checkpoint.Tensor, parts []checkpoint.Slice) input.File {
	a := &assembly{set: s, tensor: t, steps: make([]int64, len(t.View.Shape))}
	step := int64(t.Type.ItemSize())
	for d := len(a.steps) - 1; d >= 0; d-- {
		a.steps[d] = step
		step *= int64(t.View.Shape[d])
	}
	for _, part := range parts {
		if !part.IsEmpty() {
			a.slices = append(a.slices, &placed{Slice: part, file: s.shards[part.File]})
		}
	}
	return input.Assembled(s.Path.Member(t.Name).String(), s.Storages[t.Storage].Bytes, a.read)
}

// assembly puts the elements of a tensor together.
type assembly struct {
	set    *Set
	tensor checkpoint.Tensor
	steps  []int64 // bytes from one element to the next along each dim, in C order
	slices []*placed
}

// placed is a slice and where its elements are, once they are used.
type placed struct {
	checkpoint.Slice
	file  input.File
	found sync.Once
	err   error
	first int64   // the byte of the first element in the file
	bytes int64   // from there to the end of the last
	steps []int64 // bytes from one element to the next along each dim

	together int // the first dim below which an index of each other dim has its elements in a row, both in the slice and in the tensor
}

// read fills p with the bytes of the tensor from byte at on.
func (a *assembly) read(p []byte, at int64) error {
	for _, x := range a.slices {
		low := int64(0)
		high := int64(a.tensor.Type.ItemSize())
		for d, from := range x.Offsets {
			low += int64(from) * a.steps[d]
			high += int64(from+x.Sizes[d]-1) * a.steps[d]
		}
		if low >= at+int64(len(p)) || high <= at {
			continue
		}
		x.found.Do(func() { x.err = a.find(x) })
		if x.err != nil {
			return fault.In(a.tensor.Name+x.String(), x.err)
		}
		err := x.file.Guard(func() error {
			data, err := x.file.Range(x.first, x.bytes)
			if err != nil {
				return err
			}
			w := window{a, p, at, x, data}
			w.copy(0, 0, 0)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// window is the bytes of a tensor from byte at on, to be copied from a slice.
type window struct {
	*assembly
	p     []byte
	at    int64
	slice *placed
	data  []byte // of the slice, from its first element on
}

// copy copies the elements below one index of each dim before d: they begin at byte to of the tensor, and at byte from of the slice.
func (w *window) copy(d int, to, from int64) {
	x := w.slice
	if d == x.together {
		n := int64(w.tensor.Type.ItemSize())
		if d < len(w.steps) {
			to += int64(x.Offsets[d]) * w.steps[d]
			n = int64(x.Sizes[d]) * w.steps[d]
		}
		low := max(to, w.at)
		high := min(to+n, w.at+int64(len(w.p)))
		if low < high {
			copy(w.p[low-w.at:], w.data[from+low-to:from+high-to])
		}
		return
	}
	offset := int64(x.Offsets[d])
	for i := max(0, (w.at-to)/w.steps[d]-offset); i < int64(x.Sizes[d]); i++ {
		begin := to + (offset+i)*w.steps[d]
		if begin >= w.at+int64(len(w.p)) {
			return
		}
		w.copy(d+1, begin, from+i*x.steps[d])
	}
}

// find finds the elements of a slice: where they are known to be, or in its file of torch.save.
func (a *assembly) find(x *placed) error {
	size := int64(a.tensor.Type.ItemSize())
	view := tensor.Strided{Shape: x.Sizes, Strides: x.Strides}
	x.first = x.At
	if x.Strides == nil {
		c, err := torch.Open(io.NewSectionReader(x.file, x.At, x.Bytes), x.Bytes, a.set.limit)
		if err != nil {
			return err
		}
		if len(c.Tensors) != 1 || !c.Tensors[0].Root {
			return fault.New(fault.Malformed, "its bytes in %s are not a tensor that torch.save wrote", text.Quoted(x.File))
		}
		t := c.Tensors[0]
		if !t.Type.Equal(a.tensor.Type) || !slices.Equal(t.View.Shape, x.Sizes) {
			return fault.New(fault.Malformed, "it is %s %s in %s, not %s %s", t.Type, tensor.Tuple(t.View.Shape), text.Quoted(x.File), a.tensor.Type,
				tensor.Tuple(x.Sizes))
		}
		view = t.View
		x.first += c.Storages[t.Storage].At + int64(view.Offset)*size
	}
	x.bytes = size
	for d, stride := range view.Strides {
		x.steps = append(x.steps, int64(stride)*size)
		x.bytes += int64(x.Sizes[d]-1) * int64(stride) * size
	}
	x.together = a.together(x)
	return nil
}

// together returns the first dim from which on the elements of a slice are in a row.
func (a *assembly) together(x *placed) int {
	first := len(a.steps)
	for d := first - 1; d >= 0; d-- {
		if x.Sizes[d] > 1 && x.steps[d] != a.steps[d] {
			break
		}
		first = d
		if x.Sizes[d] != a.tensor.View.Shape[d] {
			break
		}
	}
	return first
}

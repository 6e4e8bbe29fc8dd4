package recipe

import (
	"bytes"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/relate/diff"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Memory is the size of the windows in which tensors are made, in bytes, unless a command says otherwise.
const Memory = 24 << 20

// Maker makes tensors of a's.
type Maker struct {
	Open    func(name string) (*source.Tensor, error) // a tensor of a
	Memory  int64                                     // bytes of a window; four times as many are in use at once
	Convert convert.Options
}

// Make makes a tensor's elements in row-major order and calls emit for consecutive windows, from byte at on. Of a's storages it keeps in
// memory what a window needs.
func (m Maker) Make(t Tensor, emit func(at int64, window []byte) error) error {
	return fault.In("tensor "+text.Quoted(text.Cut(t.Name, 200)), m.make(t, emit))
}

func (m Maker) make(t Tensor, emit func(at int64, window []byte) error) error {
	to, err := dtype.Parse(t.DType)
	if err != nil {
		return err
	}
	elements, err := tensor.Numel(t.Shape)
	if err != nil || elements == 0 {
		return err
	}
	if len(t.Pieces) == 0 {
		return fault.New(fault.Unsupported, "the recipe does not explain it")
	}
	from := to
	change := func(dst, src []byte) { copy(dst, src) }
	if t.Change != nil {
		from, err = dtype.Parse(t.FromDType)
		if err == nil {
			change, err = t.changer(from, to)
		}
		if err != nil {
			return err
		}
	}
	sources := opened{open: m.Open, tensors: map[string]*source.Tensor{}}
	defer sources.close()
	var parts []convert.Part
	for _, p := range t.Pieces {
		part, err := sources.part(p, from, elements)
		if err != nil {
			return err
		}
		parts = append(parts, part)
	}
	var made []byte
	return sources.guard(func() error {
		return convert.Gather(parts, elements, from.ItemSize(), m.Memory, m.Convert, func(at int, window []byte) error {
			size := len(window) / from.ItemSize() * to.ItemSize()
			made = append(made[:0], make([]byte, size)...)
			change(made, window)
			sources.release()
			return emit(int64(at)*int64(to.ItemSize()), made)
		})
	})
}

// opened are the sources of a tensor.
type opened struct {
	open    func(name string) (*source.Tensor, error)
	tensors map[string]*source.Tensor
}

func (o *opened) close() {
	for _, t := range o.tensors {
		t.Close()
	}
}

// release gives the memory of the sources' pages back: the next window maps what it needs.
func (o *opened) release() {
	for _, t := range o.tensors {
		t.Release(0, int(t.Header.DataBytes))
	}
}

// guard calls f, which may read all sources.
func (o *opened) guard(f func() error) error {
	for _, t := range o.tensors {
		inner := f
		f = func() error { return t.Guard(inner) }
	}
	return f()
}

// part returns the plan of a piece of a tensor of so many elements.
func (o *opened) part(p Piece, typ dtype.Type, elements int) (convert.Part, error) {
	t := o.tensors[p.Tensor]
	if t == nil {
		var err error
		t, err = o.open(p.Tensor)
		if err != nil {
			return convert.Part{}, fault.New(fault.Negative, "a has no such tensor as its piece: %v", err)
		}
		o.tensors[p.Tensor] = t
	}
	own := "tensor " + text.Quoted(text.Cut(p.Tensor, 200)) + " of a"
	if !t.DType.Equal(typ) {
		return convert.Part{}, fault.In(own, fault.New(fault.Negative, "its dtype is %s, and the recipe is for %s", t.DType, typ))
	}
	src, err := t.Data()
	if err != nil {
		return convert.Part{}, err
	}
	from, err := layoutOf(p.From, t.Layout.Alloc())
	if err != nil {
		return convert.Part{}, fault.In(own, err)
	}
	to, err := layoutOf(p.To, elements)
	if err != nil {
		return convert.Part{}, fault.In(own, err)
	}
	plan, err := convert.NewPlan(to, from, typ.ItemSize())
	if err != nil {
		return convert.Part{}, fault.In(own, fault.New(fault.Negative, "the recipe does not fit it: %v", err))
	}
	part := convert.Part{Plan: plan, Src: src}
	if _, inFile := t.DataStart(); inFile {
		part.Disk = convert.Unmapped{Disk: t}
	}
	return part, nil
}

// layoutOf returns a layout of a storage of so many elements.
func layoutOf(s string, alloc int) (tensor.Layout, error) {
	parsed, err := notation.Parse(s)
	if err != nil || parsed.Exact == nil {
		return tensor.Layout{}, fault.New(fault.Malformed, "%s is not shape:strides", text.Quoted(text.Cut(s, 200)))
	}
	var dims []tensor.Dim
	for d := range parsed.Exact.Rank() {
		dims = append(dims, parsed.Exact.Dim(d))
	}
	return tensor.New(dims, parsed.Exact.Offset(), alloc)
}

// Compare makes a tensor and compares it with b, whose elements are in row-major order. It returns the first byte that differs; −1 if none does.
func (m Maker) Compare(t Tensor, b *source.Tensor) (first int64, err error) {
	first = -1
	rows, err := m.inRowMajor(b)
	if err != nil {
		return first, err
	}
	read := make([]byte, 0, m.Memory)
	err = m.Make(t, func(at int64, window []byte) error {
		own := append(read[:0], window...)
		if err := rows(own, int(at)); err != nil {
			return err
		}
		if bytes.Equal(own, window) {
			return nil
		}
		first = at
		for k := 0; k < len(own) && own[k] == window[k]; k++ {
			first++
		}
		return errDiffers
	})
	if first >= 0 {
		return first, nil
	}
	return first, err
}

// inRowMajor returns a function that reads bytes of a tensor's elements in row-major order: from its file, where that has them so, or else from a copy.
func (m Maker) inRowMajor(t *source.Tensor) (read func(p []byte, from int) error, err error) {
	strided, plain := t.Layout.Strided()
	_, inFile := t.DataStart()
	if plain && inFile && strided.IsContiguous(tensor.ContiguousFormat) {
		start := strided.Offset * t.DType.ItemSize()
		return func(p []byte, from int) error { return t.Read(p, start+from) }, nil
	}
	data, err := t.Data()
	if err != nil {
		return nil, err
	}
	side := diff.Side{Layout: t.Layout, DType: t.DType, Data: data, Pages: t}
	o := m.Convert
	o.Guard = t.Guard
	dense, err := diff.Dense(side, o)
	return func(p []byte, from int) error {
		return t.Guard(func() error { copy(p, dense[min(from, len(dense)):]); return nil })
	}, err
}

// errDiffers ends a comparison.
var errDiffers = fault.New(fault.Negative, "they differ")

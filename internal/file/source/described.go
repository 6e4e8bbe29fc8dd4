package source

import (
	"io"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
)

// openDescription opens a tensor that is only described, without data.
func (s *Set) openDescription(i int, n name.Name, o Options) (*Tensor, error) {
	if err := o.refuseLayout(); err != nil {
		return nil, fault.In(n.String(), err)
	}
	if o.DType != nil {
		return nil, fault.New(fault.Usage, "%s: its type is recorded; --dtype is for files", n)
	}
	view := s.Tensors[i]
	t := &Tensor{Source: n, Kind: "shape", DType: view.Type, StorageView: true, OrderSource: ByStrides,
		Device: s.Storages[view.Storage].Device}
	elems := 0
	if size := int64(view.Type.ItemSize()); size > 0 {
		elems = int(s.Storages[view.Storage].Bytes/size) * view.Type.PerByte()
	}
	l, err := view.View.Layout(nil, elems)
	if err != nil {
		return nil, fault.In(n.String(), err)
	}
	return t, t.adopt(l, o.Dims, elems)
}

// openDescribed reads the descriptions in a file or on standard input, as a set without data.
func openDescribed(n name.Name, o Options) (s *Set, err error) {
	if o.Raw != nil {
		return nil, fault.New(fault.Usage, "--from json and --raw exclude each other").WithHint("remove one of them")
	}
	s = newSet(n, checkpoint.JSON, nil, o)
	s.open = s.openDescription
	read := func(r io.Reader) (err error) {
		s.Container, s.Size, err = document.ReadTensors(n.Subject(), r, s.limit)
		return err
	}
	if n.IsStdin() {
		err = read(o.Stdin)
	} else {
		err = withFile(n, o, func(b input.File) error { return read(io.NewSectionReader(b, 0, b.Size())) })
	}
	if err != nil {
		return nil, err
	}
	s.index()
	return s, nil
}

// withFile runs f, which reads a file.
func withFile(n name.Name, o Options, f func(b input.File) error) error {
	b, err := input.Open(n, o.files())
	if err != nil {
		return err
	}
	defer b.Close()
	return b.Guard(func() error { return f(b) })
}

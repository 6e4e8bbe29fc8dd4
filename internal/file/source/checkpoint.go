package source

import (
	"io"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/gguf"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/file/onnx"
	"github.com/tlayout/tlayout/internal/file/pt2"
	"github.com/tlayout/tlayout/internal/file/ptd"
	"github.com/tlayout/tlayout/internal/file/safetensors"
	"github.com/tlayout/tlayout/internal/file/tflite"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// openCheckpoint reads where the tensors of a checkpoint are, but no data. It takes ownership of b.
func openCheckpoint(path name.Name, b input.File, format checkpoint.Format, o Options) (*Set, error) {
	s := newSet(path, format, b, o)
	err := fault.In(path.String(), b.Guard(func() (err error) {
		if format == index {
			return s.readIndex(o)
		}
		s.Container, err = readCheckpoint(b, format, s.limit)
		if err != nil {
			return err
		}
		return s.openBeside(o)
	}))
	return s.completed(err)
}

// completed completes a set whose container is filled, or closes it.
func (s *Set) completed(err error) (*Set, error) {
	if err != nil {
		s.Close()
		return nil, err
	}
	s.index()
	s.open = s.openView
	return s, nil
}

func readCheckpoint(b input.File, format checkpoint.Format, limit checkpoint.Limit) (*checkpoint.Container, error) {
	switch format {
	case checkpoint.GGUF:
		return gguf.Open(b, b.Size(), limit)
	case checkpoint.Safetensors:
		return safetensors.Open(b, b.Size(), limit)
	case checkpoint.ONNX:
		return onnx.Open(b, b.Size(), limit)
	case checkpoint.TFLite:
		return tflite.Open(b, b.Size(), limit)
	case checkpoint.PTD:
		return ptd.Open(b, b.Size(), limit)
	case checkpoint.PT2:
		return pt2.Open(b, b.Size(), limit)
	case checkpoint.Pickle:
		at, _ := npy.Objects(io.NewSectionReader(b, 0, b.Size()), b.Size(), npy.Limits{})
		return torch.OpenPickle(b, at, b.Size(), limit)
	}
	if format == checkpoint.Torch && input.IsRemote(b) {
		return torch.OpenRemote(b, b.Size(), limit)
	}
	if format.Pickled() {
		return torch.Open(b, b.Size(), limit)
	}
	return nil, fault.New(fault.Unsupported, "%s has no reader", format.Title())
}

// readIndex opens the files of an index and joins their tensors, in the index's order. A missing file is a finding.
func (s *Set) readIndex(o Options) error {
	x, err := safetensors.ReadIndex(s.file, s.file.Size(), s.limit)
	if err != nil {
		return err
	}
	s.Size = 0
	s.Files = x.Files
	s.shards = map[string]input.File{}
	opened := map[string]*checkpoint.Container{}
	s.Container = &checkpoint.Container{Format: checkpoint.Safetensors}
	for _, file := range x.Files {
		path := s.Path.Sibling(file)
		b, err := input.Open(path, o.files())
		if err != nil {
			continue
		}
		s.shards[file] = b
		opened[file], err = readShard(path, b, s.limit)
		if err != nil {
			return fault.In(text.Quoted(file), err)
		}
		s.Size += b.Size()
		s.join(file, opened[file])
	}
	s.Findings = x.Check(opened)
	return nil
}

// readShard reads a file of an index.
func readShard(path name.Name, b input.File, limit checkpoint.Limit) (c *checkpoint.Container, err error) {
	format, err := Recognize(b, path)
	if err != nil {
		return nil, err
	}
	switch format {
	case "", index, checkpoint.NPZ, checkpoint.NPY:
		return nil, fault.New(fault.Unsupported, "not a checkpoint")
	}
	err = b.Guard(func() (err error) { c, err = readCheckpoint(b, format, limit); return err })
	return c, err
}

// join adds the tensors of one file of an index. If two tensors have one name, the first counts; the findings say so.
func (s *Set) join(file string, c *checkpoint.Container) {
	all := s.Container
	all.Format = c.Format
	first := len(all.Storages)
	for _, x := range c.Storages {
		x.File = file
		all.Storages = append(all.Storages, x)
	}
	all.Locate = joinLocate(all.Locate, first, c.Locate)
	for _, t := range c.Tensors {
		t.Storage += first
		all.Tensors = append(all.Tensors, t)
	}
	for _, r := range c.Refused {
		r.Storages = slices.Clone(r.Storages)
		for i := range r.Storages {
			r.Storages[i] += first
		}
		all.Refused = append(all.Refused, r)
	}
	all.LeftOut = append(all.LeftOut, c.LeftOut...)
	for _, g := range c.Globals {
		if !slices.Contains(all.Globals, g) {
			all.Globals = append(all.Globals, g)
		}
	}
	for _, op := range c.Opcodes {
		if !slices.Contains(all.Opcodes, op) {
			all.Opcodes = append(all.Opcodes, op)
		}
	}
	all.Metadata = append(all.Metadata, c.Metadata...)
}

// joinLocate returns the Locate of two containers' storages, those of the second from index first on.
func joinLocate(a func(int) checkpoint.Located, first int, b func(int) checkpoint.Located) func(int) checkpoint.Located {
	if a == nil && b == nil {
		return nil
	}
	return func(storage int) checkpoint.Located {
		locate := a
		if storage >= first {
			locate = b
			storage -= first
		}
		if locate == nil {
			return checkpoint.Located{}
		}
		return locate(storage)
	}
}

// openView opens a tensor of a checkpoint.
func (s *Set) openView(i int, n name.Name, o Options) (*Tensor, error) {
	view := s.Tensors[i]
	storage := s.Storages[s.Tensors[i].Storage]
	var err error
	storage.At, err = s.locate(view.Storage, !o.HeaderOnly)
	if err != nil {
		return nil, fault.In(s.Path.String(), err)
	}
	t := &Tensor{Source: n, Kind: string(s.Format), DType: view.Type, Encoding: view.Encoding, Block: view.Block,
		Quant: view.Quant, file: s.storageFile(storage)}
	if s.Format.Sliced() {
		t.file = s.assemble(i)
	}
	t.Member = &Member{Archive: s.Path, Name: view.Name, Of: len(s.Tensors), Packed: storage.Bytes, Size: storage.Bytes,
		Device: storage.Device, Inline: storage.Inline, Slices: s.SlicesOf(view.Storage), Local: s.Locals[view.Name]}
	if storage.File != "" {
		t.Member.Archive = s.Path.Sibling(storage.File)
	}
	stated := s.Stated[view.Name]
	recorded := o.record(stated.Dims)
	if err := t.view(s.Format, view, storage, o); err != nil {
		return nil, fault.In(n.String(), err)
	}
	if recorded {
		t.OrderSource = ByHeader
	}
	if s.Content != nil {
		t.file = nil
		t.packed = newPacked(s.file, s.content(view.Storage), storage.Bytes, o)
	} else if storage.Inline && storage.Bytes > 0 {
		t.file, err = input.Text(n.String(), storage.Data)
		if err != nil {
			return nil, err
		}
		t.own = true
	}
	if stated.Note != "" {
		t.notes = append(t.notes, stated.Note)
	}
	if t.Encoding != "" {
		note := "an element is a block of " + t.Encoding + "; strides and offsets count blocks"
		if t.Quant == nil && t.Block > 0 {
			note += "; big-endian blocks are not decoded"
		}
		t.notes = append(t.notes, note)
	}
	if o.Opened != nil {
		o.Opened(t)
	}
	return t, nil
}

// locate returns where a storage begins. Where the bytes of a remote file are used, its header is fetched in the same request, and compared.
func (s *Set) locate(storage int, used bool) (at int64, err error) {
	x := s.Storages[storage]
	if s.Locate == nil || x.Inline || !used {
		return x.At, nil
	}
	l := s.Locate(storage)
	if l.Find == nil {
		return x.At, nil
	}
	if err := s.storageFile(x).Ensure(l.From, l.Bytes); err != nil {
		return 0, err
	}
	return l.Find()
}

// view opens a tensor of a checkpoint. PyTorch's formats record strides. A tensor in C order over its whole storage is an array, as in other
// formats, and so is one whose axes the user names. Otherwise the strides are known, and the dims' names are assumed where the memory
// order is their own.
func (t *Tensor) view(format checkpoint.Format, v checkpoint.Tensor, s checkpoint.Storage, o Options) error {
	size := int64(v.Type.ItemSize())
	t.Header = npy.Header{DType: v.Type, Descr: npy.Descr(v.Type), DataOffset: s.At}
	bytes := v.Type.Size(int64(v.View.Numel()))
	whole := v.View.Offset == 0 && bytes == s.Bytes
	mayBeArray := whole || o.Layout != nil || !format.Strided()
	t.Header.Fortran = !format.Strided() && !v.View.CContiguous().OK && v.View.FContiguous().OK
	if mayBeArray && (v.View.CContiguous().OK || t.Header.Fortran) {
		t.Header.DataOffset += int64(v.View.Offset) * size
		t.Header.DataBytes = bytes
		t.Header.Shape = v.View.Shape
		o.names = []string{} // the checkpoint's file name does not name a tensor's axes
		return t.interpret(o)
	}
	if err := t.onStorage(v, s, o); err != nil {
		return err
	}
	rank := t.Layout.Rank()
	if o.Dims != nil || !t.HasFormat || !hasUsualNames(rank) {
		return nil
	}
	if t.Format.Explicit() == notation.RowMajor(DimNames(rank)).Explicit() {
		t.OrderSource = ByRank
	}
	return nil
}

// onStorage makes the tensor a view of a storage, with its strides.
func (t *Tensor) onStorage(v checkpoint.Tensor, s checkpoint.Storage, o Options) error {
	if err := o.refuseLayout(); err != nil {
		return err
	}
	size := int64(v.Type.ItemSize())
	elems := 0
	t.Header = npy.Header{DType: v.Type, Descr: npy.Descr(v.Type), DataOffset: s.At}
	if size > 0 {
		elems = int(s.Bytes / size)
	}
	t.Header.DataBytes = int64(elems) * size
	if err := t.retype(o.DType); err != nil {
		return err
	}
	l, err := v.View.Layout(nil, elems)
	if err != nil {
		return err
	}
	t.StorageView = true
	t.OrderSource = ByStrides
	return t.adopt(l, o.Dims, elems)
}

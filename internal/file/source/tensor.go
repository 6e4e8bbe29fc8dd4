package source

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/filename"
	"github.com/tlayout/tlayout/internal/file/ggml"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// Tensor is an opened source. Close it.
type Tensor struct {
	Source      name.Name  // as the user named it
	Path        name.Name  // the set's name, as the user typed it
	Kind        string     // "npy"; "npz" for an archive's member; "raw" without a header; "shape" without a file
	Header      npy.Header // DataOffset is in the file, or in the archive that it was mapped from
	DType       dtype.Type
	FileShape   []int // physical; nil without an array in a file: typed tensors, views of a checkpoint's storage
	Layout      tensor.Layout
	Format      notation.Format // the memory order, outermost axis first, if HasFormat
	HasFormat   bool
	OrderSource OrderSource // what determined the order of the axes
	StorageView bool        // the layout has its own sizes and strides: the file is its storage
	Trailing    int64       // bytes after the data
	Following   int         // arrays in these bytes: a .npy file may hold several in a row
	Warnings    []string    // complete once the source is opened
	Encoding    string      // of a quantized tensor, whose elements are blocks of values: checkpoint.Tensor.Encoding
	Block       int         // values of such a block
	Quant       *ggml.Type  // parts of such a block; nil if they are unknown
	notes       []string    // about the name of the layout; see Notes
	Member      *Member     // nil except in archives
	Device      string      // of the memory of a described tensor: cuda:0, or meta for none; empty for the CPU's, and for files
	Gzip        bool        // the bytes are unpacked from a gzip stream

	file      input.File   // nil without data, or until a deflated member is unpacked
	set       *Set         // retained; nil once closed, and for described tensors
	own       bool         // file is closed with the tensor, not with the set
	data      []byte       // the result of Data
	packed    *packed      // the deflated member that file is unpacked from, or nil
	unchecked func() error // compares the data's checksum; nil once done, or without one
}

// Data returns the bytes of the data, without header and trailing bytes; of packed values, a byte for each. They are valid until Close; use them only
// inside Guard. The first call reads an archive's member to its end, to compare the checksum; a deflated one is unpacked then, up to Options.MaxUnpacked.
func (t *Tensor) Data() ([]byte, error) { return t.dataTo(t.Header.DataBytes) }

// DataTo returns the bytes of at least the first n elements of the storage, as Data does. A deflated member is unpacked only that far,
// so that damaged bytes may go unnoticed.
func (t *Tensor) DataTo(n int) ([]byte, error) {
	size := int64(t.DType.ItemSize())
	if size > 0 && int64(n)/int64(t.DType.PerByte()) >= t.Header.DataBytes/size {
		return t.Data()
	}
	return t.dataTo(t.DType.Size(int64(max(0, n))))
}

func (t *Tensor) dataTo(bytes int64) ([]byte, error) {
	if t.unchecked != nil {
		if err := t.file.Ensure(t.Header.DataOffset, t.Header.DataBytes); err != nil {
			return nil, err
		}
		if err := t.unchecked(); err != nil {
			return nil, err
		}
		t.unchecked = nil
	}
	if t.packed != nil {
		if err := t.unpack(bytes); err != nil {
			return nil, err
		}
		bytes = min(t.packed.done-t.Header.DataOffset, t.Header.DataBytes)
	} else if !t.DType.Packed() {
		bytes = t.Header.DataBytes
	}
	if t.file == nil || bytes == 0 || int64(len(t.data)) >= bytes*int64(t.DType.PerByte()) {
		return t.data, nil
	}
	data, err := t.file.Range(t.Header.DataOffset, bytes)
	if err == nil && t.DType.Packed() {
		err = t.file.Guard(func() error { data = t.unpackValues(data); return nil })
	}
	if err == nil {
		t.data = data
	}
	return data, err
}

// Item returns the bytes of the element at a storage offset; ok is false outside the data. Call Data first, and Item inside Guard.
func (t *Tensor) Item(off int) (item []byte, ok bool) {
	size := t.DType.ItemSize()
	if size == 0 {
		return []byte{}, t.HasData()
	}
	if off < 0 || off >= len(t.data)/size {
		return nil, false
	}
	return t.data[off*size : (off+1)*size], true
}

// Value prints the element at a storage offset; see Item.
func (t *Tensor) Value(off int) (text string, ok bool) {
	item, ok := t.Item(off)
	if !ok {
		return "", false
	}
	return t.DType.FormatValue(item), true
}

// Reads returns the names of the files that its set opened; none once closed, and for described tensors.
func (t *Tensor) Reads() []name.Name {
	if t.set == nil {
		return nil
	}
	return t.set.Reads()
}

// Shape returns the shape of the file's array, or of the tensor if the file has none; of a quantized tensor in values.
func (t *Tensor) Shape() []int {
	if t.FileShape != nil {
		return checkpoint.Values(t.FileShape, t.Block)
	}
	return t.Layout.Shape()
}

// HasData reports whether the layout has data.
func (t *Tensor) HasData() bool { return t.file != nil || t.packed != nil }

// OnDisk reports whether the data can be read without downloading or unpacking anything.
func (t *Tensor) OnDisk() bool { return t.file != nil && !input.IsRemote(t.file) }

// DataStart returns the byte of the named file at which the data begins; ok is false without a file, and for an array that was
// decompressed or is text in a pickle. Standard input counts as a file.
func (t *Tensor) DataStart() (at int64, ok bool) {
	if t.file == nil || t.Gzip {
		return 0, false
	}
	if t.Member != nil && !t.Member.inPlace() {
		return 0, false
	}
	return t.Header.DataOffset, true
}

// OwnName returns the tensor's name in its container, or that of its file, without ".npy".
func (t *Tensor) OwnName() string {
	if t.Member != nil {
		return filename.Bare(t.Member.Name)
	}
	return filename.Bare(t.Source.Base())
}

// Guard runs f, which may use Data, and returns an error if the file changed meanwhile.
func (t *Tensor) Guard(f func() error) error {
	if t.file == nil {
		return f()
	}
	return t.file.Guard(f)
}

// Close closes the file, once the set is closed too.
func (t *Tensor) Close() error {
	s := t.set
	t.set = nil
	var err error
	if t.packed != nil {
		t.packed.Close()
	}
	if t.own {
		err = t.file.Close()
	}
	if s != nil {
		err = errors.Join(err, s.release())
	}
	return err
}

// FileLayout returns the layout over the file's own axes, called d0, d1, ….
func (t *Tensor) FileLayout() (tensor.Layout, error) {
	axes := tensor.Packed
	if t.Header.Fortran {
		axes = tensor.ColumnMajor
	}
	s, err := axes(t.FileShape)
	if err != nil {
		return tensor.Layout{}, err
	}
	return s.Layout(nil, s.Numel())
}

// LayoutName returns the memory order's name, or shape:strides for a layout without a name.
func (t *Tensor) LayoutName() string { return cmp.Or(t.OrderName(), t.Layout.String()) }

// OrderName returns the memory order's name: c or fortran if the dims have default names d0, d1, …
func (t *Tensor) OrderName() string {
	if !t.HasFormat {
		return ""
	}
	names := t.Format.Names()
	switch f := t.Format; {
	case len(names) > 0 && !notation.AnyNumbered(names):
		return f.String()
	case f.Explicit() == notation.RowMajor(names).Explicit():
		return "c"
	case f.Explicit() == notation.RowMajor(names).Reversed().Explicit():
		return "fortran"
	default:
		return f.String()
	}
}

// RequireLayout fails if the memory order is assumed and the sizes suggest another one. flag is the flag that names the order.
func (t *Tensor) RequireLayout(flag string) error {
	looks := t.LooksLike()
	if looks == "" {
		return nil
	}
	return fault.New(fault.Usage, "%s is read as %s by default, but %s", t.Source, t.Format, t.Doubt()).
		WithHint("use %s %s or %s %s", flag, looks, flag, strings.ToLower(notation.JoinDims(t.Layout.Names())))
}

// OrderIsExact reports whether the order's name determines the layout: dense in that order, from offset 0.
func (t *Tensor) OrderIsExact() bool {
	if !t.HasFormat {
		return false
	}
	packed, err := t.In(t.Format)
	return err == nil && packed.String() == t.Layout.String()
}

// In returns the dense layout of the tensor's dims in another memory order.
//
// Post: its names and shape are those of t.Layout.
func (t *Tensor) In(f notation.Format) (tensor.Layout, error) {
	f, sizes, err := t.SizesIn(f)
	if err != nil {
		return tensor.Layout{}, err
	}
	return f.Bind(sizes)
}

// SizesIn returns the format over the tensor's dims, and their sizes. It refuses a format with other dims.
func (t *Tensor) SizesIn(f notation.Format) (notation.Format, []int, error) {
	f = t.Over(f)
	names := t.Layout.Names()
	if slices.Equal(f.Names(), names) {
		return f, t.Layout.Shape(), nil
	}
	hint := "name the source's own layout, or one with the same dims"
	near := text.Nearest(f.Key(), notation.WellKnown())
	if l, err := notation.Parse(near); err == nil && text.SameSet(l.Format.Names(), names) {
		hint = "did you mean " + near + "?"
	}
	return f, nil, fault.New(fault.Usage, "layout %s has dims %s, the source has %s", f,
		strings.Join(f.Names(), ", "), cmp.Or(strings.Join(names, ", "), "none")).WithHint("%s", hint)
}

// Over returns a format over the tensor's dims, in the tensor's order of them: numbered dims take the tensor's names. A format of other dims
// is returned as it is.
func (t *Tensor) Over(f notation.Format) notation.Format {
	if f.Positional() && f.Rank() == t.Layout.Rank() {
		return f.Rename(t.Layout.Names())
	}
	if same, ok := f.Over(t.Layout.Names()); ok {
		return same
	}
	return f
}

// Paging is memory advice for reading data larger than memory; see File. Offsets are bytes of the data.

// Resident reports whether a byte can be read without waiting for the disk; true if unknown.
func (t *Tensor) Resident(at int) bool {
	return t.file == nil || t.DType.Packed() || t.file.Resident(t.Header.DataOffset+int64(at))
}

// Fetch prefetches the bytes [from, to) without waiting for them.
func (t *Tensor) Fetch(from, to int) {
	if t.file != nil && !t.DType.Packed() {
		t.file.Fetch(t.Header.DataOffset+int64(from), int64(to-from))
	}
}

// Forget lets the system evict the bytes [from, to).
func (t *Tensor) Forget(from, to int) {
	if t.file != nil && !t.DType.Packed() {
		t.file.Forget(t.Header.DataOffset+int64(from), int64(to-from))
	}
}

// Release evicts the bytes [from, to) of Data. They can be read again.
func (t *Tensor) Release(from, to int) {
	if t.file != nil && !t.DType.Packed() {
		t.file.Release(t.Header.DataOffset+int64(from), int64(to-from))
	}
}

// Read reads len(p) bytes of the data, as Data returns them. Errors are fault.Resource.
func (t *Tensor) Read(p []byte, from int) error {
	if t.packed != nil {
		if err := t.unpack(t.Header.DataBytes); err != nil {
			return err
		}
	}
	if err := t.file.Ensure(t.Header.DataOffset, t.Header.DataBytes); err != nil {
		return err
	}
	if each := t.DType.PerByte(); each > 1 {
		words := make([]byte, t.DType.Size(int64(from+len(p)))-int64(from/each))
		err := input.ReadFull(t.file, words, t.Header.DataOffset+int64(from/each))
		copy(p, t.unpackValues(words)[from%each:])
		return err
	}
	return input.ReadFull(t.file, p, t.Header.DataOffset+int64(from))
}

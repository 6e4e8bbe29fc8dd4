package source

import (
	"io"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/npy"
)

// Stdin is the name by which standard input is opened.
const Stdin = "-"

// Options says how to read a source.
type Options struct {
	Layout     *notation.Layout // the order of the file's axes; nil to assume it by rank
	Channels   int              // logical size of C where the file is padded; 0 for all that is there
	DType      *tensor.DType    // reads the items as this type of the same size
	MaxHeader  int64            // bytes; 0 for npy's default
	Stdin      io.Reader
	HeaderOnly bool // from standard input read no further than the header
}

// Tensor is an opened source. Close it.
type Tensor struct {
	Source    string // as the user named it
	Kind      string // "npy", or "shape" where nothing but a shape was given
	Header    npy.Header
	DType     tensor.DType
	FileShape []int // physical; nil without a file
	Layout    tensor.Layout
	Format    notation.Format // the memory order, outermost axis first; its zero value where digits alone say it
	HasFormat bool
	Assumed   bool // the order was assumed by rank
	Named     bool // the order was named, by the user or a descriptor; otherwise strides or the rank tell
	Described bool // the layout says sizes and strides by itself: the file is its storage
	// Descriptor is the path of the descriptor in use; empty for none.
	Descriptor string
	Trailing   int64
	Warnings   []string
	Notes      []string // what is worth knowing about a name

	bytes *Bytes
}

// Open opens a source: "-" for standard input, x.layout.json for a descriptor, else a .npy file, whose descriptor
// x.npy.layout.json is used where it lies beside it and no layout is named. Errors are *fault.Error.
func Open(name string, o Options) (*Tensor, error) {
	switch {
	case name == Stdin && o.HeaderOnly:
		return openHeader(o)
	case name == Stdin:
		b, err := Spool(o.Stdin, 0)
		if err != nil {
			return nil, err
		}
		return openBytes(name, "standard input", b, o)
	case strings.HasSuffix(name, DescriptorSuffix):
		return openDescriptor(name, o)
	}
	b, err := OpenBytes(name)
	if err != nil {
		return nil, err
	}
	if o.Layout != nil {
		return openBytes(name, quoted(name), b, o)
	}
	return openBeside(name, b, o)
}

func quoted(name string) string { return `"` + fault.Quote(name) + `"` }

func openHeader(o Options) (*Tensor, error) {
	h, err := npy.ReadHeader(o.Stdin, -1, npy.Limits{MaxHeader: o.MaxHeader})
	if err != nil {
		return nil, fault.In("standard input", err)
	}
	t := &Tensor{Source: Stdin, Kind: "npy", Header: h, Warnings: []string{"only the header was read: whether the data is complete is not known"}}
	return t, t.interpret(o)
}

func openBytes(name, shown string, b *Bytes, o Options) (*Tensor, error) {
	t := &Tensor{Source: name, Kind: "npy", bytes: b}
	err := b.Guard(func() (err error) {
		t.Header, err = npy.ReadHeader(io.NewSectionReader(b, 0, b.Size()), b.Size(), npy.Limits{MaxHeader: o.MaxHeader})
		return err
	})
	if err == nil {
		t.Trailing = b.Size() - t.Header.DataOffset - t.Header.DataBytes
		err = t.interpret(o)
	}
	if err != nil {
		b.Close()
		return nil, fault.In(shown, err)
	}
	return t, nil
}

// interpret gives the file's axes names and the items their type.
func (t *Tensor) interpret(o Options) error {
	t.DType, t.FileShape = t.Header.DType, t.Header.Shape
	if o.DType != nil {
		hinted, err := t.DType.Opaque(*o.DType)
		if err != nil {
			return err
		}
		t.DType = hinted
	}
	return t.arrange(o)
}

// Data returns the file's data as bytes, without header and trailing bytes. They stay valid until Close; touch them
// only inside Guard.
func (t *Tensor) Data() ([]byte, error) {
	if t.bytes == nil || t.Header.DataBytes == 0 {
		return nil, nil
	}
	return t.bytes.Range(t.Header.DataOffset, t.Header.DataBytes)
}

// HasData reports whether there are bytes behind the layout.
func (t *Tensor) HasData() bool { return t.bytes != nil }

// Guard runs f, which may touch Data, and reports a file that changed meanwhile as an error.
func (t *Tensor) Guard(f func() error) error {
	if t.bytes == nil {
		return f()
	}
	return t.bytes.Guard(f)
}

// SameFile reports whether path names the opened file.
func (t *Tensor) SameFile(path string) bool { return t.bytes != nil && t.bytes.SameFile(path) }

// Close gives the file back.
func (t *Tensor) Close() error {
	if t.bytes == nil {
		return nil
	}
	return t.bytes.Close()
}

// FileLayout is the layout over the file's own axes, called d0, d1, ….
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

package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/words"
)

// Stdin is the name by which standard input is opened.
const Stdin = "-"

// KindRaw is the Kind of a file without a header.
const KindRaw = "raw"

// Options says how to read a source.
type Options struct {
	Layout    *notation.Layout // the order of the file's axes; nil to assume it by rank
	Dims      []string         // names of the shape's dims, in its order; nil for those of Layout, or by rank
	Channels  int              // logical size of C in a padded file; 0 for all of it
	DType     *dtype.Type      // reads the elements as this type of the same size
	MaxHeader int64            // bytes; 0 for npy's default
	// MaxUnpacked bounds the bytes of a deflated member that are unpacked into a temporary file; 0 for 1 GiB.
	MaxUnpacked int64
	// MaxDownload bounds the bytes of an object elsewhere that are kept in a temporary file; 0 for 8 GiB.
	MaxDownload int64
	// MaxTensors bounds the tensors of a container; 0 for checkpoint.DefaultLimit.
	MaxTensors checkpoint.Limit
	Progress   Progress
	Stdin      io.Reader
	names      []string // that may end in a layout, the strongest first; nil for the source's
	HeaderOnly bool     // read standard input no further than the header; with Raw, count its bytes and keep none
	Raw        *Typed   // what a file without a header holds, but for its DType and Layout; nil for .npy files and archives
	Skip       int64    // bytes of a raw file before the tensor's storage
	// AllowTrailing allows bytes of a raw file after the tensor's storage.
	AllowTrailing bool
	Described     bool          // the source is JSON that describes tensors; see Description
	Opened        func(*Tensor) // told of every file whose header was read; may be nil
}

// Tensor is an opened source. Close it.
type Tensor struct {
	Source    string     // as the user named it
	Kind      string     // "npy"; "npz" for a member of an archive; "raw" for a file without a header; "shape" without a file
	Header    npy.Header // its DataOffset is that of the file, or of the archive that it was mapped from
	DType     dtype.Type
	FileShape []int // physical; nil without an array in a file: a typed tensor, and a view of a checkpoint's storage
	Layout    tensor.Layout
	Format    notation.Format // the memory order, outermost axis first, if HasFormat
	HasFormat bool
	Told      Evidence // what told the order of the axes
	Described bool     // the layout has its own sizes and strides: the file is its storage
	Trailing  int64    // bytes after the data
	Warnings  []string // complete once the source is opened
	Encoding  string   // of a quantized tensor, whose elements are blocks of values: checkpoint.Tensor's
	Block     int      // values of such an element
	notes     []string // about the name of the layout; see Notes
	Member    *Member  // nil if it is not from an archive

	input     *input
	data      []byte       // what Data has returned
	packed    *packed      // the deflated member that input is unpacked from; nil for none
	unchecked func() error // compares the data's checksum; nil if that is done, or there is none
}

// CheckName refuses the empty name, which "$FILE" is where the shell has no such variable. It is fault.Usage.
func CheckName(name string) error {
	if name == "" {
		return fault.New(fault.Usage, "empty file name").WithHint("is a variable of the shell unset?")
	}
	return nil
}

// Open opens a source: "-" for standard input, x.npz:name for an array of an archive unless there is a file of that name,
// x.npz for the only array of one, otherwise a .npy file. A name that no file has may be a layout, (2,3):(5,1)@2, without data. Errors are *fault.Error.
func Open(name string, o Options) (*Tensor, error) {
	t, c, err := open(name, o)
	if c == nil {
		return t, err
	}
	defer c.Close()
	if member, ok := only(c); ok {
		return c.open(name, member, o)
	}
	return nil, c.refuse()
}

// OpenDraft opens a file that is written but has no name yet, as Open will when it is called name. Closing the tensor
// leaves the file open.
func OpenDraft(name string, file *os.File, o Options) (*Tensor, error) {
	b, err := borrow(words.Quoted(name), file)
	if err != nil {
		return nil, err
	}
	if o.Raw != nil {
		t := &Tensor{Source: words.Redact(name), Kind: KindRaw, input: b}
		if err := fault.In(words.Quoted(name), t.readRaw(o)); err != nil {
			t.Close()
			return nil, err
		}
		return t, nil
	}
	path, member, isMember := splitMember(name)
	if isMember {
		c, err := newContainer(path, b)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		return c.open(name, member, o)
	}
	return openBytes(name, words.Quoted(name), b, o)
}

// OpenOrList opens a source as Open does. Of a checkpoint that is named without one of its tensors it returns the list, even of one tensor; of
// an archive only if it has several arrays: one alone is the array that convert records a layout of.
func OpenOrList(name string, o Options) (*Tensor, *Listing, error) {
	t, c, err := open(name, o)
	if c == nil {
		return t, nil, err
	}
	defer c.Close()
	if member, ok := only(c); ok && !isCheckpoint(c) {
		t, err := c.open(name, member, o)
		return t, nil, err
	}
	list, err := c.list(o)
	return nil, list, err
}

func isCheckpoint(c container) bool {
	_, ok := c.(*Checkpoint)
	return ok
}

// open returns either a tensor or a container named without one of its tensors.
func open(name string, o Options) (*Tensor, container, error) {
	if err := CheckName(name); err != nil {
		return nil, nil, err
	}
	if o.Described {
		k, err := readDescribed(name, o)
		if err != nil || len(k.Tensors) > 1 {
			return nil, orNone(k), err
		}
		t, err := k.openDescribed(0, name, o)
		return t, nil, err
	}
	path, member, isMember := splitMember(name)
	switch {
	case o.Raw != nil:
		t, err := openRaw(name, o)
		return t, nil, err
	case o.Skip != 0:
		return nil, nil, fault.New(fault.Usage, "--skip needs --raw").WithHint("the header of a .npy file is skipped anyway")
	case name == Stdin:
		t, err := openStdin(o)
		return t, nil, err
	case isMember:
		c, err := openContainer(path, o)
		if err != nil {
			return nil, nil, err
		}
		defer c.Close()
		t, err := c.open(name, member, o)
		return t, nil, err
	}
	return openNamed(name, o)
}

// orNone is the container, without a pointer to nothing in it.
func orNone(k *Checkpoint) container {
	if k == nil {
		return nil
	}
	return k
}

// openNamed opens a .npy file or a container.
func openNamed(name string, o Options) (*Tensor, container, error) {
	b, err := openInput(name)
	if err != nil {
		if _, gone := os.Lstat(name); errors.Is(gone, fs.ErrNotExist) && !IsRemote(name) {
			t, err := missing(name, o, err)
			return t, nil, err
		}
		return nil, nil, err
	}
	b.take(o)
	isNpy := b.beginsNpy()
	var format checkpoint.Format
	if !isNpy {
		if format, err = b.containerFormat(name); err != nil {
			b.Close()
			return nil, nil, err
		}
	}
	if format == "" {
		if !isNpy {
			if err := b.otherFormat(name); err != nil {
				b.Close()
				return nil, nil, err
			}
		}
		t, err := openBytes(name, words.Quoted(name), b, o)
		if !isNpy {
			err = withRawHint(name, err)
		}
		return t, nil, err
	}
	c, err := newContainer(name, b)
	if err != nil {
		return nil, nil, err
	}
	return nil, c, nil
}

func openStdin(o Options) (*Tensor, error) {
	if o.HeaderOnly {
		return openHeader(o)
	}
	b, err := spoolStdin(o.Stdin, 0)
	if err != nil {
		return nil, err
	}
	return openBytes(Stdin, "standard input", b, o)
}

func openHeader(o Options) (*Tensor, error) {
	t := &Tensor{Source: Stdin, Kind: "npy", Warnings: []string{"only the header was read: whether the data is complete is not known"}}
	return t, fault.In("standard input", t.read(o.Stdin, -1, o))
}

func openBytes(name, shown string, b *input, o Options) (*Tensor, error) {
	return openWindow(name, shown, b, 0, b.Size(), o)
}

// openWindow reads the .npy file in the n bytes of b at byte at.
func openWindow(name, shown string, b *input, at, n int64, o Options) (*Tensor, error) {
	t := &Tensor{Source: words.Redact(name), Kind: "npy", input: b}
	err := b.Guard(func() error { return t.read(io.NewSectionReader(b, at, n), n, o) })
	if err != nil {
		b.Close()
		return nil, fault.In(shown, err)
	}
	t.Header.DataOffset += at
	return t, nil
}

// read reads the header of a .npy file of size bytes, negative if unknown, and makes the tensor.
func (t *Tensor) read(r io.Reader, size int64, o Options) (err error) {
	if t.Header, err = npy.ReadHeader(r, size, npy.Limits{MaxHeader: o.MaxHeader}); err != nil {
		return err
	}
	if size >= 0 {
		t.noteTrailing(size - t.Header.DataOffset - t.Header.DataBytes)
	}
	if err := t.interpret(o); err != nil {
		return err
	}
	if o.Opened != nil {
		o.Opened(t)
	}
	return nil
}

// noteTrailing keeps how many bytes are after the data, with a warning.
func (t *Tensor) noteTrailing(bytes int64) {
	if t.Trailing = bytes; bytes > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("ignoring %s after the data", words.Bytes(bytes)))
	}
}

// interpret names the file's axes and sets the elements' type.
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

package source

import (
	"cmp"
	"io"
	"os"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/foreign"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// KindRaw is the Kind of a file without a header.
const KindRaw = "raw"

// Options says how to read a source.
type Options struct {
	Layout    *notation.Layout // the order of the file's axes; nil to assume it by rank
	Dims      []string         // names of the shape's dims, in its order; nil for those of Layout, or by rank
	Channels  int              // logical size of C in a padded file; 0: all of it
	DType     *dtype.Type      // reads the elements as this type of the same size, or as values below a byte
	MaxHeader int64            // bytes; 0 for npy's default
	// MaxUnpacked bounds the bytes that are unpacked from a deflated member into a temporary file; 0: 1 GiB.
	MaxUnpacked int64
	// MaxDownload bounds the bytes of a remote file that are kept in a temporary file; 0: 8 GiB.
	MaxDownload int64
	// MaxTensors bounds the tensors of a container; 0: checkpoint.DefaultLimit.
	MaxTensors checkpoint.Limit
	Progress   input.Progress
	Stdin      io.Reader
	names      []string // names whose ending may be a layout, the strongest first; nil: the source's
	HeaderOnly bool     // read standard input and remote files only up to the header's end; with Raw, count a stream's bytes and keep none
	Raw        *Typed   // describes a headerless file, except for DType and Layout; nil: a .npy file or a container
	Skip       int64    // bytes of a raw file before the tensor's storage
	// AllowTrailing allows bytes of a raw file after the tensor's storage.
	AllowTrailing bool
	Planes        string        // the file has images of several planes: nv12; Raw.Shape are their sizes
	Pitch         int64         // bytes from row to row of such an image; 0: dense
	FromJSON      bool          // the source is JSON that describes tensors; see Description
	Opened        func(*Tensor) // called for each file whose header was read; may be nil
}

// record makes the names that a file has for a tensor's dims those that are used, unless the user names dims; it reports whether it does.
func (o *Options) record(dims []string) bool {
	if dims == nil || o.Dims != nil || o.Layout != nil {
		return false
	}
	o.Dims = dims
	return true
}

// maxUnpacked returns MaxUnpacked, or its default.
func (o Options) maxUnpacked() int64 { return cmp.Or(o.MaxUnpacked, defaultMaxUnpacked) }

// files returns the options for files.
func (o Options) files() input.Options {
	return input.Options{MaxDownload: o.MaxDownload, Progress: o.Progress}
}

// refuseLayout refuses what names or crops the axes of an array, of a source whose sizes and strides are known.
func (o Options) refuseLayout() error {
	flag := "--from"
	if o.Layout == nil {
		flag = "--channels"
	}
	if o.Layout == nil && o.Channels == 0 {
		return nil
	}
	return fault.New(fault.Usage, "its layout is known, and %s is for plain arrays", flag).WithHint("leave it out; --dims N,H,W,C names dims")
}

// Open opens a source once: the set reads that file later too, even if another file replaced it under its name. The pattern is what
// follows the colon of x.npz:conv*, for Set.Match and Set.Only; empty without a colon.
//
// A source is "-" for standard input; x.npz:name for tensors of a container, unless that is a file's name; the container itself; or a
// .npy file. A name without a file may be a layout, (2,3):(5,1)@2, without data. Errors are *fault.Error.
func Open(n name.Name, o Options) (s *Set, pattern string, err error) {
	if err := n.Check(); err != nil {
		return nil, "", err
	}
	if o.Pitch != 0 && o.Planes == "" {
		return nil, "", fault.New(fault.Usage, "--pitch is for images of several planes: --from nv12, p010 or i420").
			WithHint("--strides describes padded rows of other tensors; tlayout convert has --to-pitch, which makes them")
	}
	switch o.kind(n) {
	case jsonKind:
		s, err = openDescribed(n, o)
	case planesKind:
		s, pattern, err = openPlanes(n, o)
	case rawKind:
		s, err = openRaw(n, o)
	case streamKind:
		s = newSet(n, checkpoint.NPY, nil, o)
		s.open = func(_ int, _ name.Name, o Options) (*Tensor, error) { return openStdin(o) }
	case fileKind:
		s, pattern, err = openNamed(n, o)
	}
	if err != nil {
		return nil, "", err
	}
	s.given = n
	s.pattern = pattern
	return s, pattern, nil
}

// kind is how a source is opened.
type kind int

const (
	fileKind   kind = iota // by its name and its bytes
	streamKind             // a .npy file on standard input
	rawKind                // bytes without a header, in a file or on standard input
	planesKind             // an image of several planes
	jsonKind               // descriptions of tensors
)

// kind returns how a source of this name is opened. What the user says of it counts before its name.
func (o Options) kind(n name.Name) kind {
	if o.FromJSON {
		return jsonKind
	}
	if o.Planes != "" {
		return planesKind
	}
	if o.Raw != nil {
		return rawKind
	}
	if n.IsStdin() {
		return streamKind
	}
	return fileKind
}

// OpenOnly opens the one tensor that a source is or names. Errors are those of Open and Set.Only.
func OpenOnly(n name.Name, o Options) (*Tensor, error) {
	s, pattern, err := Open(n, o)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if s.IsContainer() && n == s.Path.Member(pattern) {
		return s.Named(pattern, o)
	}
	return s.Only(pattern, o)
}

// OpenDraft opens a written but not yet named file as Open will open it at path. Closing the set leaves the file open.
func OpenDraft(path name.Name, file *os.File, o Options) (*Set, error) {
	b, err := input.Borrow(path.String(), file)
	if err != nil {
		return nil, err
	}
	o.MaxTensors = checkpoint.MaxLimit // this program wrote it
	if o.Raw != nil {
		return rawSet(path, b, o), nil
	}
	return openKind(path, "", b, o)
}

// openNamed opens a source that has a name and is not a raw file.
func openNamed(n name.Name, o Options) (s *Set, pattern string, err error) {
	path, pattern, b := splitPattern(n, o)
	s, err = openKind(path, pattern, b, o)
	if err != nil {
		if path == n && !n.IsRemote() && !n.Exists() {
			s, err = missing(n, o, err)
		}
		return s, "", err
	}
	if s.archive != nil && pattern != "" {
		if inner, rest, err := s.openObjects(pattern, o); inner != nil || err != nil {
			return inner, rest, err
		}
	}
	if path != n {
		err = s.refuseMember(pattern)
	}
	if err != nil {
		s.Close()
		return nil, "", err
	}
	return s, pattern, nil
}

// refuseMember returns an error if a colon follows the name of a set without named tensors, or nothing follows the colon and no tensor has the
// empty name.
func (s *Set) refuseMember(pattern string) error {
	if !s.IsContainer() {
		return fault.New(fault.Unsupported, "%s holds no named tensors", s.Path).
			WithHint("FILE:NAME works for .npz files, PyTorch checkpoints, safetensors, GGUF, ONNX, .pt2, .tflite and .ptd files, Zarr, and pickles")
	}
	if _, named := s.byName[pattern]; pattern == "" && !named {
		return s.absent("")
	}
	return nil
}

// openKind opens a file as the format that its bytes have. A pattern means that only the selected tensors are used. It takes ownership
// of b, the file if it is already open.
func openKind(path name.Name, pattern string, b input.File, o Options) (s *Set, err error) {
	if b == nil {
		s, err = openFolder(path, o)
		if s != nil || err != nil {
			return s, err
		}
		if path.IsFolder() {
			err = foreign.Folder(path)
			if err != nil {
				return nil, err
			}
		}
		b, err = input.Open(path, o.files())
		if err != nil {
			return nil, err
		}
	}
	if head, err := readHead(b); err == nil && strings.HasPrefix(head, gzipMagic) {
		return openGzip(path, pattern, b, o)
	}
	format, err := Recognize(b, path)
	if err != nil {
		b.Close()
		return nil, err
	}
	return openKnown(path, pattern, b, format, o)
}

// openKnown opens a file of a format. It takes ownership of b.
func openKnown(path name.Name, pattern string, b input.File, format checkpoint.Format, o Options) (*Set, error) {
	switch format {
	case checkpoint.NPZ:
		return openArchive(path, b, o)
	case checkpoint.NPY, "": // only reading it tells what is wrong with a file of unknown format
		if pattern != "" && format != "" {
			return openSequence(path, b, o)
		}
		return openArray(path, b, format, o), nil
	case checkpoint.NIfTI, checkpoint.NRRD, checkpoint.IDX:
		return openImage(path, b, format, o)
	case checkpoint.DCP:
		return openSliced(path, path, b, o)
	case checkpoint.Streams:
		return openRow(path, b, o)
	default:
		return openCheckpoint(path, b, format, o)
	}
}

// openArray returns the set of the array in a .npy file, or in a file of unknown format. It takes ownership of b.
func openArray(path name.Name, b input.File, format checkpoint.Format, o Options) *Set {
	s := newSet(path, checkpoint.NPY, b, o)
	s.open = func(_ int, n name.Name, o Options) (*Tensor, error) {
		t, err := openWindow(n, n.String(), b, 0, b.Size(), o)
		if format == "" {
			err = withRawHint(path, err)
		}
		return t, err
	}
	return s
}

// openStdin opens a .npy file on standard input.
func openStdin(o Options) (*Tensor, error) {
	if o.HeaderOnly {
		t := &Tensor{Source: name.Standard, Kind: "npy", Warnings: []string{"only the header was read; the data may be incomplete"}}
		return t, fault.In(input.Stdin, t.read(o.Stdin, -1, o))
	}
	b, err := input.Spool(input.Stdin, o.Stdin, 0)
	if err != nil {
		return nil, err
	}
	t, err := openWindow(name.Standard, input.Stdin, b, 0, b.Size(), o)
	if err != nil {
		b.Close()
		return nil, err
	}
	t.own = true
	return t, nil
}

// openWindow reads the .npy file in size bytes of b from byte at on.
func openWindow(n name.Name, shown string, b input.File, at, size int64, o Options) (*Tensor, error) {
	t := &Tensor{Source: n, Kind: "npy", file: b}
	err := b.Guard(func() error { return t.read(io.NewSectionReader(b, at, size), size, o) })
	if err != nil {
		return nil, fault.In(shown, err)
	}
	if at == 0 && size == b.Size() && !n.IsStdin() {
		if err := b.Guard(func() error { t.noteFollowing(n, o); return nil }); err != nil {
			return nil, err
		}
	}
	t.Header.DataOffset += at
	return t, nil
}

// read reads the header of a .npy file of size bytes, negative if unknown, and makes the tensor.
func (t *Tensor) read(r io.Reader, size int64, o Options) (err error) {
	t.Header, err = npy.ReadHeader(r, size, npy.Limits{MaxHeader: o.MaxHeader})
	if err != nil {
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

// noteTrailing records the number of bytes after the data, with a warning.
func (t *Tensor) noteTrailing(bytes int64) {
	t.Trailing = bytes
	if bytes > 0 {
		t.Warnings = append(t.Warnings, ignoredText(bytes))
	}
}

// interpret names the file's axes and sets the elements' type.
func (t *Tensor) interpret(o Options) error {
	t.DType = t.Header.DType
	t.FileShape = t.Header.Shape
	if d, ok := t.valuesOf(o); ok {
		if err := t.spread(d); err != nil {
			return err
		}
		return t.arrange(o)
	}
	if err := t.retype(o.DType); err != nil {
		return err
	}
	return t.arrange(o)
}

// retype reads the elements as another type of the same size; nil changes nothing.
func (t *Tensor) retype(d *dtype.Type) (err error) {
	if d != nil {
		t.DType, err = t.DType.Opaque(*d)
	}
	return err
}

package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/remote"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/words"
)

// openSplit opens a split tensor by its manifest, as a single .npy file that is nowhere: a header, and the data of the files one after the
// other. What is needed of it is brought into a temporary file, as of an object elsewhere. Options that name a layout ignore the
// manifest's.
func openSplit(path string, o Options) (*Tensor, error) {
	in := func(err error) error { return fault.In(words.Quoted(path), err) }
	record, err := readSplit(path)
	if err != nil {
		return nil, in(err)
	}
	whole, err := joinPieces(path, record)
	if err != nil {
		return nil, in(err)
	}
	shown := words.Quoted(path)
	b := &input{name: shown, size: whole.size}
	b.reader, b.url, b.blocks = remote.NewReader(shown, whole, whole.header), path, map[int64]bool{}
	b.reader.Version = whole.version
	b.take(o)
	opts := o
	if o.Layout == nil {
		opts.Channels = 0
	}
	t, err := openBytes(path, shown, b, opts)
	if err != nil {
		return nil, err
	}
	t.Kind = "npy" // of which it is made
	if o.Layout == nil {
		if err := t.describe(record.Whole, o); err != nil {
			t.Close()
			return nil, in(err)
		}
	}
	return t, nil
}

// readSplit reads a manifest and checks that its files follow each other, and that they are beside it.
func readSplit(path string) (r SplitRecord, err error) {
	b, err := openInput(path)
	if err != nil {
		return r, err
	}
	defer b.Close()
	if b.Size() > maxRecord {
		return r, fault.New(fault.Malformed, "%d bytes are more than a manifest may have, %d", b.Size(), maxRecord)
	}
	text, err := io.ReadAll(io.NewSectionReader(b, 0, b.Size()))
	if err != nil {
		return r, err
	}
	return parseSplit(text)
}

func parseSplit(text []byte) (r SplitRecord, err error) {
	bad := func(format string, args ...any) (SplitRecord, error) {
		return r, fault.New(fault.Malformed, "not a manifest of a split tensor: "+format, args...)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return bad("%s", jsonTrouble(err))
	}
	if r.Schema != splitSchema {
		return bad("its schema is %s, expected %q", words.Quoted(words.Cut(r.Schema, 60)), splitSchema)
	}
	shape := r.Whole.FileShape
	if r.Axis < 0 || r.Axis >= len(shape) || slices.ContainsFunc(shape[:r.Axis], func(n int) bool { return n != 1 }) {
		return bad("axis %d of shape %s is not its outermost one", r.Axis, tensor.Tuple(shape))
	}
	if _, err := tensor.Numel(shape); err != nil {
		return r, err
	}
	at := 0
	for _, f := range r.Files {
		if f.Name != filepath.Base(f.Name) || !filepath.IsLocal(f.Name) || IsRemote(f.Name) {
			return bad("%s is not the name of a file beside it", words.Quoted(words.Cut(f.Name, 80)))
		}
		if f.Begin != at || f.End <= at {
			return bad("%s holds %d to %d, after %d", words.Quote(f.Name), f.Begin, f.End, at)
		}
		at = f.End
	}
	if at != shape[r.Axis] {
		return bad("its files hold %d values of axis %d, which has %d", at, r.Axis, shape[r.Axis])
	}
	return r, nil
}

// pieces are the files of a split tensor as one .npy file. It is the remote.Ranges of its input.
type pieces struct {
	header  []byte
	files   []piece
	size    int64
	version string // of all files, as Tensor.Version; "" if one has none
}

// piece is a file, and the part of the whole that its data are.
type piece struct {
	path   string
	offset int64 // of its data, in the file
	at     int64 // of its data, in the whole
	bytes  int64
	opened fs.FileInfo // nil of an object elsewhere
	far    *input      // that object; nil of a file, which is opened when it is read
}

// joinPieces looks at every file's header. Files of another type, order or shape than the manifest says are fault.Malformed.
func joinPieces(manifest string, r SplitRecord) (*pieces, error) {
	w := &pieces{}
	var first npy.Header
	versions := make([]string, len(r.Files))
	for i, f := range r.Files {
		p := piece{path: beside(manifest, f.Name)}
		b, err := openInput(p.path)
		if err != nil {
			return nil, err
		}
		versions[i] = b.version()
		h, err := npy.ReadHeader(io.NewSectionReader(b, 0, b.Size()), b.Size(), npy.Limits{})
		if p.opened = b.opened; b.reader != nil {
			p.far = b
		} else {
			b.Close()
		}
		if err != nil {
			return nil, fault.In(words.Quote(f.Name), err)
		}
		if i == 0 {
			first = h
			if w.header, err = npy.AppendHeader(nil, h.DType, false, r.Whole.FileShape); err != nil {
				return nil, err
			}
			w.size = int64(len(w.header))
		}
		shape := slices.Clone(r.Whole.FileShape)
		shape[r.Axis] = f.End - f.Begin
		if h.Fortran && len(shape) > 1 || !h.DType.Equal(first.DType) || !slices.Equal(h.Shape, shape) || b.Size() != h.DataOffset+h.DataBytes {
			return nil, fault.New(fault.Malformed, "%s holds %s of shape %s, expected %s of shape %s", words.Quote(f.Name), h.DType, tensor.Tuple(h.Shape),
				first.DType, tensor.Tuple(shape))
		}
		p.offset, p.at, p.bytes = h.DataOffset, w.size, h.DataBytes
		w.files = append(w.files, p)
		w.size += h.DataBytes
	}
	if !slices.Contains(versions, "") {
		w.version = fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q", versions)))
	}
	return w, nil
}

// Size is that of the whole, with its header.
func (w *pieces) Size() int64 { return w.size }

// Open reads n bytes of the whole.
func (w *pieces) Open(off, n int64) (io.ReadCloser, error) {
	var parts []io.Reader
	var open closers
	if head := int64(len(w.header)); off < head {
		k := min(n, head-off)
		parts = append(parts, bytes.NewReader(w.header[off:off+k]))
		off, n = off+k, n-k
	}
	for i := range w.files {
		p := &w.files[i]
		if n == 0 || off >= p.at+p.bytes {
			continue
		}
		k := min(n, p.at+p.bytes-off)
		b, err := p.open()
		if err != nil {
			open.Close()
			return nil, err
		}
		if p.far == nil {
			open = append(open, b)
		}
		parts = append(parts, io.NewSectionReader(b, p.offset+off-p.at, k))
		off, n = off+k, n-k
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(parts...), open}, nil
}

// open opens the file again, which must be the one that it was.
func (p *piece) open() (*input, error) {
	if p.far != nil {
		return p.far, nil
	}
	b, err := openInput(p.path)
	if err != nil {
		return nil, err
	}
	if !os.SameFile(b.opened, p.opened) || b.Size() != p.opened.Size() || !b.opened.ModTime().Equal(p.opened.ModTime()) {
		b.Close()
		return nil, remote.Changed(words.Quoted(p.path))
	}
	return b, nil
}

type closers []io.Closer

func (c closers) Close() (err error) {
	for _, x := range c {
		err = x.Close()
	}
	return err
}

package source

import (
	"compress/gzip"
	"io"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/array"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/idx"
	"github.com/tlayout/tlayout/internal/file/nifti"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/file/nrrd"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// recognizeArray returns the format of a file of size bytes that has one array behind a header of another format than .npy, by its first bytes.
func recognizeArray(head string, size int64) (format checkpoint.Format, ok bool) {
	if nifti.IsHeader(head) {
		return checkpoint.NIfTI, true
	}
	if strings.HasPrefix(head, nrrd.Magic) {
		return checkpoint.NRRD, true
	}
	return checkpoint.IDX, idx.Recognize(head, size)
}

// openImage opens a file that has one array behind such a header. It takes ownership of b.
func openImage(path name.Name, b input.File, format checkpoint.Format, o Options) (*Set, error) {
	s := newSet(path, format, b, o)
	var a *array.Array
	var bytes int64
	err := b.Guard(func() (err error) {
		a, err = readArray(b, path, format)
		if err != nil {
			return err
		}
		bytes, err = a.Bytes()
		return err
	})
	data := b
	if err == nil && (a.File != "" || a.Gzip) {
		data, err = s.elements(a, o)
	}
	if err == nil && a.At < 0 {
		a.At = max(0, data.Size()-bytes)
	}
	if err == nil && bytes > data.Size()-a.At {
		err = array.Damaged("a shape of %d bytes, %d in the file: it is truncated or damaged", bytes, max(0, data.Size()-a.At))
	}
	if err != nil {
		s.Close()
		return nil, fault.In(path.String(), err)
	}
	s.open = func(_ int, n name.Name, o Options) (*Tensor, error) {
		t := &Tensor{Source: n, Kind: string(format), file: data, notes: a.Notes}
		t.Header = npy.Header{DType: a.Type, Descr: npy.Descr(a.Type), Fortran: a.Fortran, Shape: a.Shape, DataOffset: a.At, DataBytes: bytes}
		t.noteTrailing(data.Size() - a.At - bytes)
		recorded := o.record(a.Dims)
		if err := t.interpret(o); err != nil {
			return nil, fault.In(n.String(), err)
		}
		if recorded {
			t.OrderSource = ByHeader
		}
		if o.Opened != nil {
			o.Opened(t)
		}
		return t, nil
	}
	return s, nil
}

func readArray(b input.File, n name.Name, format checkpoint.Format) (*array.Array, error) {
	switch format {
	case checkpoint.NIfTI:
		return nifti.Open(b, b.Size(), n.Base())
	case checkpoint.NRRD:
		return nrrd.Open(b, b.Size())
	}
	head, err := readHead(b)
	if err != nil {
		return nil, err
	}
	return idx.Open(head, b.Size())
}

// elements opens the elements of an array that are beside its header, or compressed. The set closes them.
func (s *Set) elements(a *array.Array, o Options) (input.File, error) {
	b := s.file
	if a.File != "" {
		if err := s.openShard(a.File, o); err != nil {
			return nil, err
		}
		s.Files = append(s.Files, a.File)
		b = s.shards[a.File]
	}
	if !a.Gzip {
		return b, nil
	}
	unpacked, err := gunzip(s.Path, b, a.At, o)
	if err != nil {
		return nil, err
	}
	s.keep(-1, unpacked)
	s.gzip = true
	a.At = 0
	return unpacked, nil
}

// gzipMagic begins a gzip file (RFC 1952, 2.3.1).
const gzipMagic = "\x1f\x8b"

// gunzip unpacks the gzip stream in a file, from a byte on, into a temporary file of at most Options.MaxUnpacked bytes.
func gunzip(n name.Name, b input.File, at int64, o Options) (unpacked input.File, err error) {
	limit := o.maxUnpacked()
	if err := b.Ensure(at, b.Size()-at); err != nil {
		return nil, err
	}
	err = b.Guard(func() error {
		r, err := gzip.NewReader(io.NewSectionReader(b, at, b.Size()-at))
		if err != nil {
			return array.Damaged("its gzip stream: %v", err)
		}
		source := &unzipped{r: r}
		unpacked, err = input.Spool(n.String(), io.LimitReader(source, limit+1), 0)
		if source.err != nil {
			return array.Damaged("its gzip stream: %v", source.err)
		}
		return err
	})
	if err == nil && unpacked.Size() > limit {
		err = tooLarge(n, unpacked.Size(), limit, "")
	}
	if err != nil && unpacked != nil {
		unpacked.Close()
		unpacked = nil
	}
	return unpacked, err
}

// unzipped keeps the error of a damaged stream.
type unzipped struct {
	r   io.Reader
	err error
}

func (u *unzipped) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && err != io.EOF {
		u.err = err
	}
	return n, err
}

// openGzip opens what a gzip file holds, if that is a source. It takes ownership of b.
func openGzip(path name.Name, pattern string, b input.File, o Options) (*Set, error) {
	defer b.Close()
	unpacked, err := gunzip(path, b, 0, o)
	if err != nil {
		return nil, fault.In(path.String(), err)
	}
	inner := path.WithEnding("")
	format, err := Recognize(unpacked, inner)
	if err != nil || format == "" {
		unpacked.Close()
		_, refused := Recognize(b, path)
		return nil, refused
	}
	s, err := openKnown(path, pattern, unpacked, format, o)
	if err != nil {
		return nil, err
	}
	s.gzip = true
	return s, nil
}

// noteGzip notes that the bytes of a tensor are not those of the named file.
func (t *Tensor) noteGzip() {
	t.Gzip = true
	t.notes = append(t.notes, "gzip: unpacked into "+text.Bytes(t.file.Size())+", in which bytes are counted")
}

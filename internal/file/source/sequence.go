package source

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// A .npy file may hold several arrays in a row: np.save appends one to an open file, and np.load of that file reads the next. The file's name stands
// for the first one, as for np.load of the name; x.npy:1 for the second, and x.npy:* for all.

// startsNpy reports whether a .npy file begins at a byte of b.
func startsNpy(b input.File, at int64) bool {
	var head [len(npy.Magic)]byte
	if b.Size()-at < int64(len(head)) {
		return false
	}
	n, _ := b.ReadAt(head[:], at) // unreadable bytes are not an array
	return string(head[:n]) == npy.Magic
}

// readSequence reads the headers of the arrays in a row in a .npy file, with DataOffset in the file, and returns the bytes that follow the last one.
// Only the first may be damaged.
func readSequence(b input.File, o Options, limit checkpoint.Limit) (headers []npy.Header, rest int64, err error) {
	for at := int64(0); at < b.Size(); {
		if len(headers) > 0 && !startsNpy(b, at) {
			return headers, b.Size() - at, nil
		}
		h, err := npy.ReadHeader(io.NewSectionReader(b, at, b.Size()-at), b.Size()-at, npy.Limits{MaxHeader: o.MaxHeader})
		if err != nil && len(headers) > 0 {
			return headers, b.Size() - at, nil
		}
		if err != nil {
			return nil, 0, err
		}
		if err := limit.Check(uint64(len(headers))+1, "arrays"); err != nil {
			return nil, 0, err
		}
		h.DataOffset += at
		at = h.DataOffset + h.DataBytes
		headers = append(headers, h)
	}
	return headers, 0, nil
}

// openSequence opens a .npy file as a container of its arrays, named 0, 1, …. It takes ownership of b.
func openSequence(path name.Name, b input.File, o Options) (*Set, error) {
	s := newSet(path, checkpoint.Sequence, b, o)
	s.Tensors = nil
	s.Storages = nil
	err := b.Guard(func() error {
		headers, _, err := readSequence(b, o, s.limit)
		if err != nil {
			return err
		}
		for i, h := range headers {
			axes := tensor.Packed
			if h.Fortran {
				axes = tensor.ColumnMajor
			}
			view, err := axes(h.Shape)
			if err != nil {
				return err
			}
			s.Storages = append(s.Storages, checkpoint.Storage{ID: strconv.Itoa(i), At: h.DataOffset, Bytes: h.DataBytes})
			s.Tensors = append(s.Tensors, checkpoint.Tensor{Name: strconv.Itoa(i), Type: h.DType, View: view, Storage: i})
		}
		s.open = func(i int, n name.Name, o Options) (*Tensor, error) { return s.openInSequence(headers[i], i, n, o) }
		return nil
	})
	if err != nil {
		s.Close()
		return nil, fault.In(path.String(), err)
	}
	s.index()
	return s, nil
}

// openInSequence opens array i, whose header is h.
func (s *Set) openInSequence(h npy.Header, i int, n name.Name, o Options) (*Tensor, error) {
	t := &Tensor{Source: n, Kind: "npy", Header: h, file: s.file}
	if o.names == nil {
		o.names = []string{s.Path.Base()}
	}
	if err := t.interpret(o); err != nil {
		return nil, fault.In(n.String(), err)
	}
	t.Member = &Member{Archive: s.Path, Name: strconv.Itoa(i), Of: len(s.Tensors), Packed: h.DataBytes, Size: h.DataBytes}
	if o.Opened != nil {
		o.Opened(t)
	}
	return t, nil
}

// noteFollowing replaces the warning of ignored bytes after the data of a .npy file by what they are, if they are arrays.
func (t *Tensor) noteFollowing(n name.Name, o Options) {
	if t.Trailing == 0 || !startsNpy(t.file, t.Header.DataOffset+t.Header.DataBytes) {
		return
	}
	headers, rest, err := readSequence(t.file, o, checkpoint.MaxLimit)
	if err != nil || len(headers) < 2 {
		return
	}
	t.Following = len(headers) - 1
	named := "reads it"
	if t.Following > 1 {
		named = "reads the next"
	}
	warning := fmt.Sprintf("%s in the file after this one; %s %s", text.Count(t.Following, "array"), n.Member("1").Arg(), named)
	if rest > 0 {
		warning += fmt.Sprintf("; ignoring %s after the last", text.Bytes(rest))
	}
	if at := slices.Index(t.Warnings, ignoredText(t.Trailing)); at >= 0 {
		t.Warnings[at] = warning
	}
}

// ignoredText is the warning of bytes after the data of a .npy file.
func ignoredText(bytes int64) string { return "ignoring " + text.Bytes(bytes) + " after the data" }

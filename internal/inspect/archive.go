package inspect

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/npz"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// ArchiveMember is what is known of a tensor because it comes from an archive.
type ArchiveMember struct {
	Archive     string  `json:"archive"`
	Member      string  `json:"member"`
	MemberBytes []byte  `json:"member_bytes,omitempty"` // base64, where the name is not UTF-8
	Members     int     `json:"members"`
	Compressed  bool    `json:"compressed"`
	PackedBytes int64   `json:"packed_bytes"`
	Mmap        *string `json:"mmap"` // the NumPy call that maps the data in place; null where none can
}

// newArchiveMember returns nil for a tensor that is not from an archive.
func newArchiveMember(t *source.Tensor) *ArchiveMember {
	m := t.Member
	if m == nil {
		return nil
	}
	r := &ArchiveMember{Archive: m.Archive, Member: m.Name, MemberBytes: words.RawBytes(m.Name), Members: m.Of, Compressed: m.Deflated,
		PackedBytes: m.Packed}
	if !m.Deflated {
		r.Mmap = memmap(m.Archive, t.Header)
	}
	return r
}

// character says in a few words whether the array can be mapped.
func (r *ArchiveMember) character() string {
	if r.Compressed {
		return "deflated in its archive: cannot be memory-mapped"
	}
	return "stored uncompressed in its archive: can be memory-mapped"
}

// Within says what a byte of the data is counted in: " of the file".
func (c *Container) Within() string {
	switch m := c.ArchiveMember; {
	case m == nil:
		return " of the file"
	case m.Compressed:
		return " of the decompressed .npy"
	}
	return " of the archive"
}

// memmap is the NumPy call that maps an array's data; nil where there are none, or Python cannot write the file's name.
func memmap(path string, h npy.Header) *string {
	if h.DataBytes == 0 || words.RawBytes(path) != nil {
		return nil
	}
	quoted := "'" + path + "'"
	if strings.ContainsAny(path, `'\`) || words.Quote(path) != path {
		quoted = strconv.Quote(path)
	}
	order := ""
	if h.Fortran {
		order = ", order='F'"
	}
	s := fmt.Sprintf("np.memmap(%s, dtype=%s, mode='r', offset=%d, shape=%s%s)", quoted, words.Quote(h.Descr), h.DataOffset,
		tensor.Tuple(h.Shape), order)
	return &s
}

// Archive is what inspect says of an archive as a whole. Its JSON names are a contract.
type Archive struct {
	Schema       string   `json:"schema"`
	Source       string   `json:"source"`
	SourceBytes  []byte   `json:"source_bytes,omitempty"` // base64, where the name is not UTF-8
	ArchiveBytes int64    `json:"archive_bytes"`
	Arrays       int      `json:"arrays"`
	DataBytes    int64    `json:"data_bytes"`
	Members      []Member `json:"members"`
	Warnings     []string `json:"warnings"`

	unread error // why the first of the unreadable members cannot be read
}

// Member is a member of an archive. What is not known, because it is not an array or cannot be read, is null.
type Member struct {
	Name        string  `json:"name"` // as NumPy calls it
	NameBytes   []byte  `json:"name_bytes,omitempty"`
	Member      string  `json:"member"`
	Array       bool    `json:"array"`
	DType       *string `json:"dtype"`
	Shape       []int   `json:"shape"`
	Fortran     *bool   `json:"fortran_order"`
	Method      string  `json:"method"`
	PackedBytes int64   `json:"packed_bytes"`
	DataBytes   *int64  `json:"data_bytes"`
	DataOffset  *int64  `json:"data_offset"` // in the archive; null for a deflated member
	Mmap        *string `json:"mmap"`
	Error       *string `json:"error"`
}

// NewArchive reports on an archive.
func NewArchive(a *source.Archive) *Archive {
	r := &Archive{Schema: "tlayout/npz/v1", Source: a.Path, SourceBytes: words.RawBytes(a.Path), ArchiveBytes: a.Size,
		Members: []Member{}, Warnings: append([]string{}, a.Warnings...)}
	for _, e := range a.Entries {
		m := newMember(a.Path, e)
		if m.Array {
			r.Arrays++
			r.DataBytes += e.DataBytes
		}
		if m.Error != nil && e.Err != source.ErrUnread {
			if r.unread == nil {
				r.unread = e.Err
			}
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s cannot be read: %s", words.Quoted(m.Name), *m.Error))
		}
		r.Members = append(r.Members, m)
	}
	return r
}

func newMember(path string, e source.Entry) Member {
	m := Member{Name: e.Name, NameBytes: words.RawBytes(e.Name), Member: e.Name, Array: e.Array && e.Err == nil,
		Method: e.Method.String(), PackedBytes: e.Packed}
	switch {
	case e.Err != nil:
		text := e.Err.Error()
		m.Name, m.Error = e.Key(), &text
	case e.Array:
		m.Name, m.DType, m.Shape, m.Fortran, m.DataBytes = e.Key(), &e.DType, e.Shape, &e.Fortran, &e.DataBytes
		if e.Method == npz.Stored {
			at := e.Offset + e.DataOffset
			m.DataOffset = &at
			m.Mmap = memmap(path, npy.Header{Descr: e.Descr, Fortran: e.Fortran, Shape: e.Shape, DataOffset: at, DataBytes: e.DataBytes})
		}
	}
	return m
}

// Err is an error where members cannot be read, which the warnings name: of the class and with the hint of the first.
func (r *Archive) Err() error {
	var first *fault.Error
	if !errors.As(r.unread, &first) {
		return r.unread
	}
	e := fault.New(first.Class, "%s: %d of %s cannot be read", words.Quote(r.Source), r.unreadable(), words.Count(len(r.Members), "member"))
	e.Hint = first.Hint
	return e
}

// Headline counts the arrays: x.npz: 5 arrays, 896 bytes of data, 2 deflated.
func (r *Archive) Headline() string {
	deflated := r.deflated()
	s := fmt.Sprintf("%s: %s, %s of data", words.Quote(r.Source), words.Count(r.Arrays, "array"), words.Bytes(r.DataBytes))
	switch {
	case r.Arrays == 0 && r.unread != nil:
		s = words.Quote(r.Source) + ": no readable arrays"
	case r.Arrays == 0:
		s = words.Quote(r.Source) + ": no arrays"
	case deflated == 0:
		s += ", stored uncompressed"
	case deflated == r.Arrays:
		s += ", deflated"
	default:
		s += fmt.Sprintf(", %d deflated", deflated)
	}
	if others := len(r.Members) - r.Arrays - r.unreadable(); others > 0 {
		s += "; " + words.Count(others, "other member")
	}
	if n := r.unreadable(); n > 0 {
		s += "; " + words.Count(n, "unreadable member")
	}
	return s
}

// unreadable counts the members that cannot be read.
func (r *Archive) unreadable() (n int) {
	for _, m := range r.Members {
		if m.Error != nil {
			n++
		}
	}
	return n
}

// deflated counts the compressed arrays.
func (r *Archive) deflated() (n int) {
	for _, m := range r.Members {
		if m.Array && m.DataOffset == nil {
			n++
		}
	}
	return n
}

// Usage says how to inspect one array, and which arrays can be mapped; nothing where no name can be given.
func (r *Archive) Usage() []string {
	times := map[string]int{}
	for _, m := range r.Members {
		times[m.Member]++
	}
	for _, m := range r.Members {
		name := r.Source + ":" + m.Name
		if !m.Array || times[m.Member] > 1 || words.Quote(name) != name {
			continue
		}
		lines := []string{"inspect one array without reading the others: tlayout inspect " + words.Shell(name)}
		if r.deflated() < r.Arrays {
			lines = append(lines, "stored arrays can be memory-mapped: inspect prints the np.memmap call, since np.load ignores mmap_mode for archives")
		}
		if r.deflated() > 0 {
			lines = append(lines, "deflated arrays cannot be memory-mapped: write them with np.savez instead of np.savez_compressed")
		}
		return lines
	}
	return nil
}

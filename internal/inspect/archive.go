package inspect

import (
	"cmp"
	"errors"
	"fmt"
	"iter"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/file/npz"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// ArchiveMember is what a tensor's archive adds to its report.
type ArchiveMember struct {
	Archive     string `json:"archive"`                 // name of the archive
	Member      string `json:"member"`                  // name of the archive's member
	MemberBytes []byte `json:"member_base64,omitempty"` // its bytes, if not UTF-8
	Members     int    `json:"member_count"`            // members of the archive
	Compressed  bool   `json:"compressed"`              // the member is deflated
	PackedBytes int64  `json:"compressed_bytes"`        // size of the member in the archive
	Device      string `json:"device,omitempty"`        // PyTorch's device: cpu, cuda:0, mps
	InPickle    bool   `json:"in_pickle,omitempty"`     // the data is encoded in a pickle, and cannot be mapped
	// slices that are put together, each of which may be in another file
	Slices  []Slice             `json:"slices,omitempty"`
	*PartOf `json:",omitempty"` // of one rank
	Mmap    *string             `json:"mmap"` // NumPy's call that maps the data; null without one
}

// newArchiveMember returns nil for a tensor that is not in an archive.
func newArchiveMember(t *source.Tensor) *ArchiveMember {
	m := t.Member
	if m == nil {
		return nil
	}
	r := &ArchiveMember{Archive: m.Archive.Redacted(), Member: m.Name, MemberBytes: text.RawBytes(m.Name), Members: m.Of, Compressed: m.Deflated,
		PackedBytes: m.Packed, Device: m.Device, InPickle: m.Inline, Slices: newSlices(m.Slices), PartOf: newPartOf(m.Local)}
	if _, inFile := t.DataStart(); inFile && t.FileShape != nil {
		r.Mmap = memmap(m.Archive, t.Header)
	}
	return r
}

// Within returns what a byte position of the data refers to, such as " of the file".
func (c *Container) Within() string {
	m := c.ArchiveMember
	if c.gzip {
		return " of the unpacked file"
	}
	if m == nil {
		return " of the file"
	}
	if m.Slices != nil {
		return " of the whole tensor, which is in slices"
	}
	if m.InPickle {
		return " of the array, which is in " + checkpoint.Format(c.Format).InlineIn()
	}
	if m.Compressed {
		return " of the decompressed .npy"
	}
	if c.Format != "npz" {
		return " of the checkpoint"
	}
	return " of the archive"
}

// memmap returns the NumPy call that maps an array's data; nil without data, or for a URL.
func memmap(file name.Name, h npy.Header) *string {
	if file.IsRemote() || h.DataBytes == 0 {
		return nil
	}
	order := ""
	if h.Fortran {
		order = ", order='F'"
	}
	s := fmt.Sprintf("np.memmap(%s, dtype=%s, mode='r', offset=%d, shape=%s%s)", file.Python(), text.Quote(h.Descr), h.DataOffset,
		tensor.Tuple(h.Shape), order)
	return &s
}

// Archive is the report on a whole archive. Its JSON names are a contract.
type Archive struct {
	document.Head
	ArchiveBytes int64 `json:"archive_bytes"` // size of the archive
	Arrays       int   `json:"array_count"`   // arrays
	DataBytes    int64 `json:"data_bytes"`    // size of the data, uncompressed

	archive    name.Name
	entries    []source.Entry // their Members come last in JSON, made one by one
	deflated   int            // number of deflated arrays
	unreadable int            // number of unreadable members
	unread     error          // error of the first one
}

// Len returns the number of members.
func (r *Archive) Len() int { return len(r.entries) }

// Members iterates over the members in archive order, making each on demand: there may be very many.
func (r *Archive) Members() iter.Seq[Member] {
	return func(yield func(Member) bool) {
		for i := range r.entries {
			if !yield(newMember(r.archive, &r.entries[i])) {
				return
			}
		}
	}
}

// Member is a member of an archive. Unknown values, of one that is not an array or not readable, are null.
type Member struct {
	Name        string        `json:"name"`
	NameBytes   []byte        `json:"name_base64,omitempty"` // its bytes, if not UTF-8
	Member      string        `json:"member"`
	Array       bool          `json:"array"` // the member is an array
	DType       *string       `json:"dtype"`
	Shape       []int         `json:"shape" jsonschema:"null for other members"`
	Fortran     *bool         `json:"fortran_order"`
	Layout      *string       `json:"layout" jsonschema:"from layout.json or the name of the member"`
	Method      string        `json:"method"` // stored, deflated, or another method of zip
	PackedBytes int64         `json:"compressed_bytes"`
	DataBytes   *int64        `json:"data_bytes"` // size of the data, uncompressed
	DataOffset  *int64        `json:"data_offset" jsonschema:"null for a deflated member"`
	Mmap        *string       `json:"mmap"`
	Error       *fault.Record `json:"error"` // why there is no answer
}

// NewArchive reports on an archive.
func NewArchive(a *source.Archive) *Archive {
	r := &Archive{Head: document.NewHead("tlayout/npz/v1", a.Path, a.Warnings...), archive: a.Path, ArchiveBytes: a.Size, entries: a.Entries}
	for i := range a.Entries {
		e := &a.Entries[i]
		if e.Array() {
			r.Arrays++
			r.DataBytes += e.DataBytes
			if e.Method != zip.Stored {
				r.deflated++
			}
		}
		if e.Err == nil {
			continue
		}
		if r.unreadable++; e.Err == npz.ErrUnread {
			continue
		}
		r.unread = cmp.Or(r.unread, e.Err)
		r.Warnings = append(r.Warnings, unreadable(a.Path, npz.Key(e.Member), e.Err))
	}
	return r
}

// unreadable is the warning that a member cannot be read as an array, with the reason, or how to read the arrays in it.
func unreadable(archive name.Name, member string, why error) string {
	if errors.Is(why, npy.ErrObjects) {
		return fmt.Sprintf("%s holds Python objects; their arrays: %s", text.Quoted(member), archive.Member(member).Arg())
	}
	return fmt.Sprintf("%s cannot be read: %s", text.Quoted(member), why)
}

func newMember(archive name.Name, e *source.Entry) Member {
	m := Member{Name: e.Name, NameBytes: text.RawBytes(e.Name), Member: e.Name, Array: e.Array(),
		Method: e.Method.String(), PackedBytes: e.Packed}
	if e.Err != nil {
		m.Name = npz.Key(e.Member)
		m.Error = fault.RecordOf(e.Err)
		return m
	}
	if !e.Array() {
		return m
	}
	dtype := e.DType.String()
	m.Name = npz.Key(e.Member)
	m.DType = &dtype
	m.Shape = e.Shape
	m.Fortran = &e.Fortran
	m.DataBytes = &e.DataBytes
	m.Layout = text.OrNull(e.Layout)
	if e.Method == zip.Stored {
		offset := e.Offset + e.Header.DataOffset
		m.DataOffset = &offset
		m.Mmap = memmap(archive, npy.Header{Descr: e.Descr, Fortran: e.Fortran, Shape: e.Shape, DataOffset: offset, DataBytes: e.DataBytes})
	}
	return m
}

// Err returns an error if members cannot be read, with the class and hint of the first; warnings name them.
func (r *Archive) Err() error {
	var first *fault.Error
	if !errors.As(r.unread, &first) {
		return r.unread
	}
	e := fault.New(first.Class, "%s: %d of %s cannot be read", text.Quote(r.Source), r.unreadable, text.Count(r.Len(), "member"))
	e.Hint = first.Hint
	return e
}

// Headline counts the arrays: x.npz: 5 arrays, 896 bytes of data, 2 deflated.
func (r *Archive) Headline() string {
	s := text.Quote(r.Source) + ": " + r.arraysText()
	if others := r.Len() - r.Arrays - r.unreadable; others > 0 {
		s += "; " + text.Count(others, "other member")
	}
	if n := r.unreadable; n > 0 {
		s += "; " + text.Count(n, "unreadable member")
	}
	return s
}

// arraysText counts the arrays and their bytes, and says how many are deflated.
func (r *Archive) arraysText() string {
	if r.Arrays == 0 {
		if r.unread != nil {
			return "no readable arrays"
		}
		return "no arrays"
	}
	s := fmt.Sprintf("%s, %s of data", text.Count(r.Arrays, "array"), text.Bytes(r.DataBytes))
	switch r.deflated {
	case 0:
		return s + ", stored uncompressed"
	case r.Arrays:
		return s + ", deflated"
	default:
		return s + fmt.Sprintf(", %d deflated", r.deflated)
	}
}

// Usage explains how to inspect one array, and which arrays can be mapped; empty if no name can be given.
func (r *Archive) Usage() []string {
	times := make(map[string]int, len(r.entries))
	for i := range r.entries {
		times[r.entries[i].Name]++
	}
	for i := range r.entries {
		e := &r.entries[i]
		array := r.archive.Member(npz.Key(e.Member))
		if !e.Array() || times[e.Name] > 1 || !array.IsTypable() {
			continue
		}
		lines := []string{"inspect one array without reading the others: tlayout inspect " + array.Arg()}
		if r.deflated < r.Arrays {
			lines = append(lines, "stored arrays can be memory-mapped: inspect prints the np.memmap call, since np.load ignores mmap_mode for archives")
		}
		if r.deflated > 0 {
			lines = append(lines, "deflated arrays cannot be memory-mapped: write them with np.savez instead of np.savez_compressed")
		}
		return lines
	}
	return nil
}

package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// memberReport is what there is to say of an array because it lies in an archive.
type memberReport struct {
	Archive     string  `json:"archive"`
	Member      string  `json:"member"`
	MemberBytes []byte  `json:"member_bytes,omitempty"` // base64, where the name is no UTF-8
	Members     int     `json:"members"`
	Compressed  bool    `json:"compressed"`
	PackedBytes int64   `json:"packed_bytes"`
	Mmap        *string `json:"mmap"` // the call of NumPy that maps the data in place; null where none can
}

// newMemberReport returns nil for a tensor that is not from an archive.
func newMemberReport(t *source.Tensor) *memberReport {
	m := t.Member
	if m == nil {
		return nil
	}
	r := &memberReport{Archive: m.Archive, Member: m.Name, MemberBytes: rawBytes(m.Name), Members: m.Of, Compressed: m.Deflated, PackedBytes: m.Packed}
	if !m.Deflated {
		r.Mmap = memmap(m.Archive, t.Header)
	}
	return r
}

// memberCharacter says in a few words whether the array can be read where it lies.
func memberCharacter(r *memberReport) string {
	if r.Compressed {
		return "deflated in its archive: read alone, but not mapped"
	}
	return "stored in its archive: can be mapped where it lies"
}

// addMemberFacts adds where the array lies, and answers whether it can be mapped.
func addMemberFacts(r *memberReport, t *render.Table, c *containerReport, itemSize int) {
	archive := fault.Quote(r.Archive)
	t.Add("archive", fmt.Sprintf("%s, 1 of %s in %s", shorten(fault.Quote(r.Member)), words.Count(r.Members, "member"), archive))
	switch {
	case r.Compressed:
		t.Add("mmap", fmt.Sprintf("no: it is deflated, %s in the archive. It can still be read alone: of this member no more was needed "+
			"than its header, %d of %d bytes, of the others nothing. np.savez, not np.savez_compressed, writes arrays that can be mapped",
			formatBytes(r.PackedBytes), c.DataOffset, c.DataOffset+c.DataBytes+c.TrailingBytes))
	case r.Mmap == nil:
		t.Add("mmap", "there is nothing to map")
	default:
		odd := ""
		if itemSize > 1 && c.DataOffset%int64(itemSize) != 0 {
			odd = fmt.Sprintf(" (no multiple of %d, which NumPy takes)", itemSize)
		}
		t.Add("mmap", fmt.Sprintf("yes, in place: it is stored without compression, its bytes lie in %s from byte %d on%s. numpy's "+
			"mmap_mode ignores archives, this does not: %s", archive, c.DataOffset, odd, shorten(*r.Mmap)))
	}
}

// within says what the data's place is counted in.
func (r *memberReport) within() string {
	switch {
	case r == nil:
		return ""
	case r.Compressed:
		return " of the .npy that it is when decompressed"
	}
	return " of the archive"
}

// memmap is the call of NumPy that maps data of a file; nil where there are none, or the file's name cannot be written.
func memmap(path string, h npy.Header) *string {
	if h.DataBytes == 0 || rawBytes(path) != nil {
		return nil
	}
	quoted := "'" + path + "'"
	if strings.ContainsAny(path, `'\`) || fault.Quote(path) != path {
		quoted = strconv.Quote(path)
	}
	order := ""
	if h.Fortran {
		order = ", order='F'"
	}
	s := fmt.Sprintf("np.memmap(%s, dtype=%s, mode='r', offset=%d, shape=%s%s)", quoted, fault.Quote(h.Descr), h.DataOffset,
		tensor.Tuple(h.Shape), order)
	return &s
}

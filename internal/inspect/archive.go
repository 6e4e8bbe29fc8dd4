package inspect

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/npy"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// MemberReport is what there is to say of an array because it lies in an archive.
type MemberReport struct {
	Archive     string  `json:"archive"`
	Member      string  `json:"member"`
	MemberBytes []byte  `json:"member_bytes,omitempty"` // base64, where the name is no UTF-8
	Members     int     `json:"members"`
	Compressed  bool    `json:"compressed"`
	PackedBytes int64   `json:"packed_bytes"`
	Mmap        *string `json:"mmap"` // the call of NumPy that maps the data in place; null where none can
}

// newMemberReport returns nil for a tensor that is not from an archive.
func newMemberReport(t *source.Tensor) *MemberReport {
	m := t.Member
	if m == nil {
		return nil
	}
	r := &MemberReport{Archive: m.Archive, Member: m.Name, MemberBytes: words.RawBytes(m.Name), Members: m.Of, Compressed: m.Deflated, PackedBytes: m.Packed}
	if !m.Deflated {
		r.Mmap = Memmap(m.Archive, t.Header)
	}
	return r
}

// Within says what the data's place is counted in.
func (r *MemberReport) Within() string {
	switch {
	case r == nil:
		return ""
	case r.Compressed:
		return " of the .npy that it is when decompressed"
	}
	return " of the archive"
}

// Memmap is the call of NumPy that maps data of a file; nil where there are none, or the file's name cannot be written.
func Memmap(path string, h npy.Header) *string {
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

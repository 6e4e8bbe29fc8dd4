package npz

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/text"
)

// Entry is a member of an archive. Err is why it cannot be read. If the member is not an array, only its Offset is set. DataOffset of
// the header counts from the content's first byte. Members with equal headers share one.
type Entry struct {
	zip.Member
	*npy.Header       // nil unless it is an array
	Offset      int64 // byte of the archive at which the content begins
	Err         error
}

// Array reports whether the member is a readable array.
func (e Entry) Array() bool { return e.Header != nil }

// maxHeaders bounds the bytes of all headers of an archive, and so a list's memory. It is enough for the largest directory with headers
// of 128 bytes, NumPy's common size.
const maxHeaders = 24 << 20

// likelyHeader is the size of most .npy headers.
const likelyHeader = 128

// ErrUnread is the Err of members beyond maxHeaders.
var ErrUnread error = fault.New(fault.Unsupported, "its header is not read: the earlier headers are too long")

// List reads the header of each array, up to maxHeaders bytes in total and maxHeader for a single one. Nothing else is read or
// unpacked.
func (a *Archive) List(maxHeader int64) (entries []Entry, warnings []string, err error) {
	if err := a.Prefetch(func(zip.Member) int64 { return likelyHeader }); err != nil {
		return nil, nil, err
	}
	return a.list(maxHeader, max(maxHeaders, maxHeader))
}

// list reads headers, up to limit bytes in total.
func (a *Archive) list(maxHeader, limit int64) (entries []Entry, warnings []string, err error) {
	entries = make([]Entry, 0, len(a.Members))
	headers := headers{reader: a.NewReader(), maxHeader: maxHeader, left: limit, known: map[string]*npy.Header{}}
	count := make(map[string]int, len(a.Members))
	unread := 0
	for _, m := range a.Members {
		e := Entry{Member: m}
		e.Err = headers.read(&e)
		if fault.ClassOf(e.Err) == fault.Resource && e.Err != nil {
			return nil, nil, e.Err
		}
		if e.Err == ErrUnread {
			unread++
		}
		if count[m.Name]++; count[m.Name] == 2 {
			warnings = append(warnings, "several members have the name "+text.Quoted(m.Name)+": readers disagree about which one counts")
		}
		entries = append(entries, e)
	}
	if unread > 0 {
		warnings = append(warnings, fmt.Sprintf("the headers of %d members are not read: the earlier headers have %d bytes; each can be read individually",
			unread, limit-headers.left))
	}
	return entries, warnings, nil
}

// headers reads the headers of members.
type headers struct {
	reader    *zip.Reader
	maxHeader int64
	left      int64                  // bytes left to read
	known     map[string]*npy.Header // headers read
}

// read reads the header of an array, unless no bytes are left, and subtracts its size from left.
func (h *headers) read(e *Entry) (err error) {
	content, at, err := h.reader.Open(e.Member)
	e.Offset = at
	if err != nil {
		return err
	}
	if h.left <= 0 {
		return ErrUnread
	}
	r := &io.LimitedReader{R: content, N: math.MaxInt64}
	defer func() { h.left -= math.MaxInt64 - r.N }()
	var head [len(npy.Magic)]byte
	n, err := io.ReadFull(r, head[:])
	short := err == io.EOF || err == io.ErrUnexpectedEOF
	if err != nil && !short {
		return err
	}
	if string(head[:n]) != npy.Magic && !strings.HasSuffix(e.Name, ".npy") {
		return nil
	}
	read, err := npy.ReadHeader(io.MultiReader(bytes.NewReader(head[:n]), r), e.Size, npy.Limits{MaxHeader: h.maxHeader})
	if err == nil {
		e.Header = h.shared(read)
	}
	return err
}

// shared returns an equal earlier header, or this one.
func (h *headers) shared(read npy.Header) *npy.Header {
	key := fmt.Sprint(read.Major, read.Minor, read.Chars, read.Python2, read.Descr, read.Fortran, read.Shape, read.DataOffset)
	if known := h.known[key]; known != nil {
		return known
	}
	read.Descr = strings.Clone(read.Descr) // without the header's text
	h.known[key] = &read
	return &read
}

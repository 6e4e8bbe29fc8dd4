package zip

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/text"
)

// Sizes in bytes of the fixed parts of the records, and their signatures.
const (
	endSize, locatorSize, end64Size = 22, 20, 56
	entrySize, localSize            = 46, 30

	endMagic, locatorMagic, end64Magic = "PK\x05\x06", "PK\x06\x07", "PK\x06\x06"
	entryMagic, localMagic             = "PK\x01\x02", "PK\x03\x04"
	descriptorMagic                    = "PK\x07\x08"
)

// maxDirectory bounds the directory in bytes, and so its memory; a member has about 70.
const maxDirectory = 8 << 20

var le = binary.LittleEndian

// end is the location of the directory.
type end struct {
	count        uint64 // members
	size, offset int64  // size of the directory in bytes
}

// findEnd reads the record at the end of the file, and the 64-bit one if present. The archive must be the whole file, from its first
// byte to the last.
func findEnd(file io.ReaderAt, size int64, kind string) (end, error) {
	if err := checkStart(file, size, kind); err != nil {
		return end{}, err
	}
	tail, err := readAt(file, size-min(size, endSize+math.MaxUint16+locatorSize), size)
	if err != nil {
		return end{}, err
	}
	e, at, ok := lastEnd(tail)
	if !ok {
		return end{}, fault.New(fault.Malformed, "the directory at the end of the archive is missing").
			WithHint("the file is incomplete: its directory is at the end; copy or download it again")
	}
	r := tail[at:]
	if extra := len(r) - endSize - int(le.Uint16(r[20:])); extra != 0 {
		return end{}, damaged("the archive's end record claims %d bytes after it, there are %d", le.Uint16(r[20:]), len(r)-endSize)
	}
	if le.Uint16(r[4:]) != 0 || le.Uint16(r[6:]) != 0 || le.Uint16(r[8:]) != le.Uint16(r[10:]) {
		return end{}, fault.New(fault.Unsupported, "a multi-part archive").WithHint("join the parts with the program that made them")
	}
	start := size - int64(len(r)) // where the directory must end
	if at >= locatorSize && string(tail[at-locatorSize:][:4]) == locatorMagic {
		start -= locatorSize + end64Size
		e, err = e.extended(file, tail[at-locatorSize:at], start)
		if err != nil {
			return end{}, err
		}
	}
	return e, e.check(start)
}

// lastEnd reads the record at the end of a file's last bytes, which begins at byte at of them; ok is false without one.
func lastEnd(tail []byte) (e end, at int, ok bool) {
	at = bytes.LastIndex(tail, []byte(endMagic))
	if at < 0 || len(tail)-at < endSize {
		return end{}, 0, false
	}
	r := tail[at:]
	return end{uint64(le.Uint16(r[10:])), int64(le.Uint32(r[12:])), int64(le.Uint32(r[16:]))}, at, true
}

// InRow reports whether the file ends with an archive that is not all of it: another one, or other bytes, precede it. It does not check that
// the archive can be read.
func InRow(file io.ReaderAt, size int64) (bool, error) {
	first, ok, err := LastStart(file, size)
	return ok && first > 0, err
}

// LastStart returns the byte at which the archive begins that ends at byte size of a file; ok is false if none does.
func LastStart(file io.ReaderAt, size int64) (first int64, ok bool, err error) {
	const ends = endSize + locatorSize + end64Size
	tail, err := readAt(file, size-min(size, ends), size)
	if err != nil {
		return 0, false, err
	}
	e, at, ok := lastEnd(tail)
	if !ok { // a comment follows
		tail, err = readAt(file, size-min(size, ends+math.MaxUint16), size)
		if err != nil {
			return 0, false, err
		}
		e, at, ok = lastEnd(tail)
	}
	if !ok {
		return 0, false, nil
	}
	start := size - int64(len(tail)-at) // where the directory ends
	if wide := at - locatorSize - end64Size; wide >= 0 && string(tail[wide:][:4]) == end64Magic {
		start -= locatorSize + end64Size
		e.size = int64(le.Uint64(tail[wide+40:]))
		e.offset = int64(le.Uint64(tail[wide+48:]))
	}
	if e.offset < 0 || e.size < 0 {
		return 0, false, nil
	}
	first = start - e.size - e.offset // where byte 0 of the archive is
	if first < 0 || first > size-4 {
		return 0, false, nil
	}
	head, err := readAt(file, first, first+4)
	return first, string(head) == localMagic, err
}

// checkStart refuses files that are not archives.
func checkStart(file io.ReaderAt, size int64, kind string) error {
	head, err := readAt(file, 0, min(size, 4))
	if err != nil {
		return err
	}
	if s := string(head); s != localMagic && s != endMagic {
		return fault.New(fault.Malformed, "not a %s: it starts with %q instead of %q", kind, head, localMagic)
	}
	return nil
}

// extended returns the 64-bit end, which begins at the byte that the locator names. The 32-bit one must agree with it, or have its
// maximum.
func (e end) extended(file io.ReaderAt, locator []byte, start int64) (end, error) {
	if !locates(locator, start) {
		return end{}, damaged("the archive's 64-bit end is not where its locator says")
	}
	r, err := readAt(file, start, start+end64Size)
	if err != nil {
		return end{}, err
	}
	count := le.Uint64(r[32:])
	size := le.Uint64(r[40:])
	offset := le.Uint64(r[48:])
	if string(r[:4]) != end64Magic || le.Uint64(r[4:]) != end64Size-12 {
		return end{}, damaged("the archive's 64-bit end is broken")
	}
	if le.Uint32(r[16:]) != 0 || le.Uint32(r[20:]) != 0 || le.Uint64(r[24:]) != count {
		return end{}, fault.New(fault.Unsupported, "a multi-part archive").WithHint("join the parts with the program that made them")
	}
	wide := end{count, int64(size), int64(offset)}
	if size > math.MaxInt64 || offset > math.MaxInt64 || !e.agrees(wide) {
		return end{}, damaged("the archive's 64-bit end contradicts the other one")
	}
	return wide, nil
}

// locates reports whether a locator names the byte at which the 64-bit end begins, in an archive of one part.
func locates(locator []byte, start int64) bool {
	if start < 0 || le.Uint64(locator[8:]) != uint64(start) {
		return false
	}
	part := le.Uint32(locator[4:])
	parts := le.Uint32(locator[16:])
	return part == 0 && parts <= 1
}

// agrees reports whether each field of the 32-bit end is that of the 64-bit one, or its maximum, which refers to it.
func (e end) agrees(wide end) bool {
	same := func(narrow, wide, maximum uint64) bool { return narrow == wide || narrow == maximum }
	return same(e.count, wide.count, math.MaxUint16) &&
		same(uint64(e.size), uint64(wide.size), math.MaxUint32) &&
		same(uint64(e.offset), uint64(wide.offset), math.MaxUint32)
}

// check requires the directory to end where the records after it begin.
func (e end) check(start int64) error {
	if e.offset > start || e.size != start-e.offset {
		return damaged("the directory has %d bytes from byte %d on, but must end at byte %d", e.size, e.offset, start)
	}
	if e.size > maxDirectory {
		return fault.New(fault.Unsupported, "the archive's directory has %d bytes, over the limit of %d", e.size, maxDirectory).
			WithHint("spread the members over several archives")
	}
	if e.count > uint64(e.size/entrySize) {
		return damaged("the directory is too small for %d members", e.count)
	}
	return nil
}

// readAt returns the bytes [from, to) of the file, which must have them.
func readAt(file io.ReaderAt, from, to int64) ([]byte, error) {
	p := make([]byte, to-from)
	if n, err := file.ReadAt(p, from); n < len(p) {
		return nil, err
	}
	return p, nil
}

// readDirectory returns the directory's members, which must fill it.
func readDirectory(file io.ReaderAt, e end) ([]Member, error) {
	rest, err := readAt(file, e.offset, e.offset+e.size)
	if err != nil {
		return nil, err
	}
	members := make([]Member, 0, e.count)
	for range e.count {
		m, n := parseEntry(rest)
		if n == 0 {
			return nil, damaged("entry %d of the directory is broken", len(members)+1)
		}
		members = append(members, m)
		rest = rest[n:]
	}
	if len(rest) > 0 {
		return nil, damaged("the directory has %d bytes after its %d members", len(rest), e.count)
	}
	return members, nil
}

// parseEntry reads the entry at the start of r and returns its length in bytes; 0 if it is broken.
func parseEntry(r []byte) (m Member, n int) {
	if len(r) < entrySize || string(r[:4]) != entryMagic {
		return m, 0
	}
	name := entrySize + int(le.Uint16(r[28:]))
	extra := name + int(le.Uint16(r[30:]))
	n = extra + int(le.Uint16(r[32:]))
	if len(r) < n {
		return m, 0
	}
	size := uint64(le.Uint32(r[24:]))
	packed := uint64(le.Uint32(r[20:]))
	header := uint64(le.Uint32(r[42:]))
	if !widen(r[name:extra], &size, &packed, &header) || max(size, packed, header) > math.MaxInt64 {
		return m, 0
	}
	return Member{string(r[entrySize:name]), Method(le.Uint16(r[10:])), int64(packed), int64(size), le.Uint32(r[16:]),
		le.Uint16(r[8:]), int64(header), 0}, n
}

// widen replaces the numbers that have the 32-bit maximum by those of the extra field with ID 1, which lists them in this order. It
// returns false if that field is too short.
func widen(extra []byte, numbers ...*uint64) bool {
	for len(extra) >= 4 {
		id := le.Uint16(extra)
		n := int(le.Uint16(extra[2:]))
		extra = extra[4:]
		if len(extra) < n {
			return false
		}
		field := extra[:n]
		extra = extra[n:]
		if id != 1 {
			continue
		}
		for _, x := range numbers {
			if *x != math.MaxUint32 {
				continue
			}
			if len(field) < 8 {
				return false
			}
			*x = le.Uint64(field)
			field = field[8:]
		}
		return true
	}
	return true
}

// separate checks that members are before the directory and do not overlap, and records where each must end. A member has at least its
// header, its name and its content.
func separate(members []Member, directory int64) error {
	order := ints.Range(len(members))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(members[a].header, members[b].header) })
	for k, i := range order {
		m := &members[i]
		m.limit = directory
		next := "the directory"
		if k+1 < len(order) {
			m.limit = members[order[k+1]].header
			next = text.Quoted(members[order[k+1]].Name)
		}
		if end := m.limit - localSize - int64(len(m.Name)); m.header > end || m.Packed > end-m.header {
			return fault.New(fault.Malformed, "member %s overlaps %s", text.Quoted(m.Name), next).
				WithHint("overlaps are typical of malicious archives; do not trust this one")
		}
	}
	return nil
}

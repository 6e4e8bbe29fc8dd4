package zip

import (
	"bytes"
	"math"

	"github.com/tlayout/tlayout/internal/fault"
)

// Flags of a member. Source: APPNOTE.TXT, section 4.4.4.
const (
	encrypted = 1<<0 | 1<<6 | 1<<13
	streamed  = 1 << 3 // sizes and checksum follow the content, and are in the directory
	patched   = 1 << 5
)

// maxRatio is deflate's best compression: two bits for 258 bytes, 1032 : 1.
const maxRatio = 258 * 8 / 2

// readable refuses a member with unreadable content.
func (m Member) readable() error {
	if m.flags&encrypted != 0 {
		return fault.New(fault.Unsupported, "the member is encrypted").WithHint("unpack it with its password first")
	}
	if m.flags&patched != 0 || m.Method != Stored && m.Method != Deflated {
		return fault.New(fault.Unsupported, "unsupported compression: %s", m.Method).
			WithHint("write the archive again, with stored or deflated members")
	}
	if m.Method == Stored && m.Packed != m.Size {
		return damaged("the member is stored uncompressed, but has two sizes: %d bytes and %d", m.Size, m.Packed)
	}
	if m.Method == Deflated && m.Size/maxRatio > m.Packed {
		return damaged("%d bytes cannot unpack to %d: deflate's best ratio is 1032 to 1", m.Packed, m.Size)
	}
	return nil
}

// prefetcher is a file whose single ranges are slow to read: a remote one.
type prefetcher interface {
	Prefetch(ranges [][2]int64) error
}

// likelyExtra is how many bytes follow the name in most headers; also the size of a small content.
const likelyExtra = 128

// Prefetch reads the headers of all members at once if the file is remote, with the bytes before them, where a descriptor may be, and
// the first bytes of each content, as many as content returns, in whole reads.
func (a *Archive) Prefetch(content func(Member) int64) error {
	file, ok := a.file.(prefetcher)
	if !ok {
		return nil
	}
	ranges := [][2]int64{{a.directory - descriptorSize, a.directory}}
	for _, m := range a.Members {
		n := min(m.Packed, (content(m)+readSize-1)/readSize*readSize)
		ranges = append(ranges, [2]int64{m.header - descriptorSize, m.header + localSize + int64(len(m.Name)) + likelyExtra + n})
	}
	return file.Prefetch(ranges)
}

// Extent returns the bytes of the archive with a member's header and content, and any gap before the next one.
func (a *Archive) Extent(m Member) (at, n int64) { return m.header, m.limit - m.header }

// Implied returns the byte of the archive at which the member's content begins, as the directory alone implies it: the next part, minus a
// descriptor, minus the content. A descriptor has one of four sizes; the right one is that which makes the byte a multiple of alignment. ok
// is false if none does, or several do. Locate reads the member's header, and compares.
func (a *Archive) Implied(m Member, alignment int64) (at int64, ok bool) {
	header := m.header + localSize + int64(len(m.Name))
	if m.flags&streamed == 0 {
		at = m.limit - m.Packed
		return at, at >= header
	}
	for _, descriptor := range descriptorSizes {
		start := m.limit - descriptor - m.Packed
		if start < header || start%alignment != 0 {
			continue
		}
		if ok {
			return 0, false
		}
		at = start
		ok = true
	}
	return at, ok
}

// descriptorSizes are those of a checksum and two sizes of 4 or 8 bytes, behind a signature or not.
var descriptorSizes = []int64{4 + 2*4, 4 + 4 + 2*4, 4 + 2*8, 4 + 4 + 2*8}

// Locate returns the byte of the archive at which the member's content begins, if its header agrees with the directory.
func (a *Archive) Locate(m Member) (int64, error) {
	start, _, err := a.span(m)
	return start, err
}

// span returns the byte at which the member's content begins, and the end of everything that belongs to it.
func (a *Archive) span(m Member) (start, end int64, err error) {
	if err := m.readable(); err != nil {
		return 0, 0, err
	}
	r, err := readAt(a.file, m.header, m.header+localSize+int64(len(m.Name)))
	if err != nil {
		return 0, 0, err
	}
	name := int64(le.Uint16(r[26:]))
	extra := int64(le.Uint16(r[28:]))
	start = m.header + localSize + name + extra
	end = start + m.Packed
	if string(r[:4]) != localMagic {
		return 0, 0, damaged("the directory points to byte %d, where no member begins", m.header)
	}
	if string(r[localSize:]) != m.Name || name != int64(len(m.Name)) {
		return 0, 0, differs("name")
	}
	if Method(le.Uint16(r[8:])) != m.Method || (le.Uint16(r[6:])^m.flags)&(encrypted|patched) != 0 {
		return 0, 0, differs("method")
	}
	if end > m.limit {
		return 0, 0, damaged("the member ends at byte %d, past byte %d, where the next part begins", end, m.limit)
	}
	more, err := readAt(a.file, start-extra, start)
	if err != nil {
		return 0, 0, err
	}
	if err := m.agrees(r, more); err != nil || le.Uint16(r[6:])&streamed == 0 {
		return start, end, err
	}
	n, err := a.descriptor(m, end)
	return start, end + n, err
}

// agrees compares sizes and checksum with the member's header, which may have zeros if they follow the content.
func (m Member) agrees(r, extra []byte) error {
	crc := le.Uint32(r[14:])
	packed := uint64(le.Uint32(r[18:]))
	size := uint64(le.Uint32(r[22:]))
	wide := packed == math.MaxUint32 || size == math.MaxUint32
	if wide && !widen(extra, &size, &packed) {
		return differs("size")
	}
	inDescriptor := le.Uint16(r[6:])&streamed != 0
	same := func(local, central uint64) bool { return local == central || inDescriptor && local == 0 }
	if !same(size, uint64(m.Size)) || !same(packed, uint64(m.Packed)) {
		return differs("size")
	}
	if !same(uint64(crc), uint64(m.CRC)) {
		return differs("checksum")
	}
	return nil
}

// descriptor returns the length in bytes of the descriptor that begins at byte at, and must agree with the directory: its signature,
// which old archives omit (APPNOTE.TXT, section 4.3.9.3), the checksum, and both sizes, in 32 bits or, for ZIP64, in 64. miniz, which
// torch.save uses, writes 64 bits also for small members after the first 4 GiB. If two agree, the one counts that ends where the next
// part begins.
func (a *Archive) descriptor(m Member, at int64) (int64, error) {
	r, err := readAt(a.file, at, min(m.limit, at+descriptorSize))
	if err != nil {
		return 0, err
	}
	crc := le.AppendUint32(nil, m.CRC)
	wide := le.AppendUint64(le.AppendUint64(crc[:4:4], uint64(m.Packed)), uint64(m.Size))
	forms := [][]byte{append([]byte(descriptorMagic), wide...), wide}
	if max(m.Packed, m.Size) <= math.MaxUint32 {
		narrow := le.AppendUint32(le.AppendUint32(crc[:4:4], uint32(m.Packed)), uint32(m.Size))
		forms = append(forms, append([]byte(descriptorMagic), narrow...), narrow)
	}
	n := int64(-1)
	for _, f := range forms {
		if bytes.HasPrefix(r, f) && (n < 0 || at+int64(len(f)) == m.limit) {
			n = int64(len(f))
		}
	}
	if n < 0 {
		return 0, fault.New(fault.Malformed, "the descriptor after the member and the archive's directory disagree").
			WithHint("the file is incomplete or modified; copy or download it again")
	}
	return n, nil
}

// descriptorSize is the size of the longest descriptor.
const descriptorSize = 24

func differs(what string) error {
	return fault.New(fault.Malformed, "the member's header and the archive's directory disagree about its %s", what).
		WithHint("readers see different contents in such an archive; write it again")
}

package npz

import (
	"math"

	"github.com/tlayout/tlayout/internal/fault"
)

// Flags of a member. Source: APPNOTE.TXT, section 4.4.4.
const (
	encrypted = 1<<0 | 1<<6 | 1<<13
	streamed  = 1 << 3 // sizes and checksum stand behind the content, and in the directory
	patched   = 1 << 5
)

// maxRatio is how much deflate can make of a byte: two bits for 258 bytes, 1032 : 1.
const maxRatio = 258 * 8 / 2

// Readable returns nil for a member whose content can be had.
func (m Member) Readable() error {
	switch {
	case m.flags&encrypted != 0:
		return fault.New(fault.Unsupported, "the member is encrypted").WithHint("unpack it with the program that knows its password")
	case m.flags&patched != 0 || m.Method != Stored && m.Method != Deflated:
		return fault.New(fault.Unsupported, "the member is packed in a way that NumPy does not write: %s", m.Method).
			WithHint("np.savez and np.savez_compressed write archives that can be read")
	case m.Method == Stored && m.Packed != m.Size:
		return damaged("the member is stored as it is, yet has two sizes: %d bytes and %d", m.Size, m.Packed)
	case m.Method == Deflated && m.Size/maxRatio > m.Packed:
		return damaged("%d bytes cannot hold %d: deflate packs 1032 into one at most", m.Packed, m.Size)
	}
	return nil
}

// Locate returns the byte of the archive at which the member's content begins, if its header agrees with the directory.
func (a *Archive) Locate(m Member) (int64, error) {
	if err := m.Readable(); err != nil {
		return 0, err
	}
	r, err := readAt(a.file, m.header, m.header+localSize+int64(len(m.Name)))
	if err != nil {
		return 0, err
	}
	name, extra := int64(le.Uint16(r[26:])), int64(le.Uint16(r[28:]))
	begins := m.header + localSize + name + extra
	switch {
	case string(r[:4]) != localMagic:
		return 0, damaged("the directory names byte %d, where no member begins", m.header)
	case string(r[localSize:]) != m.Name || name != int64(len(m.Name)):
		return 0, differs("name")
	case Method(le.Uint16(r[8:])) != m.Method || (le.Uint16(r[6:])^m.flags)&(encrypted|patched) != 0:
		return 0, differs("method")
	case begins+m.Packed > m.limit:
		return 0, damaged("the member ends at byte %d, behind byte %d where something else begins", begins+m.Packed, m.limit)
	}
	more, err := readAt(a.file, begins-extra, begins)
	if err != nil {
		return 0, err
	}
	return begins, m.agrees(r, more)
}

// agrees compares sizes and checksum with the member's header; they may be zero there where they stand behind the content.
func (m Member) agrees(r, extra []byte) error {
	crc, packed, size := le.Uint32(r[14:]), uint64(le.Uint32(r[18:])), uint64(le.Uint32(r[22:]))
	wide := packed == math.MaxUint32 || size == math.MaxUint32
	if wide && !widen(extra, &size, &packed) {
		return differs("size")
	}
	later := le.Uint16(r[6:])&streamed != 0
	same := func(here, there uint64) bool { return here == there || later && here == 0 }
	switch {
	case !same(size, uint64(m.Size)) || !same(packed, uint64(m.Packed)):
		return differs("size")
	case !same(uint64(crc), uint64(m.CRC)):
		return differs("checksum")
	}
	return nil
}

func differs(what string) error {
	return fault.New(fault.Malformed, "the member's header says another %s than the archive's directory", what).
		WithHint("readers see different arrays in such an archive; write it again")
}

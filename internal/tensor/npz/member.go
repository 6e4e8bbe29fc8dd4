package npz

import (
	"bufio"
	"compress/flate"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"math"

	"github.com/tlayout/tlayout/internal/fault"
)

// Flags of a member. Source: APPNOTE.TXT, section 4.4.4.
const (
	encrypted = 1<<0 | 1<<6 | 1<<13
	streamed  = 1 << 3 // sizes and checksum are after the content, and in the directory
	patched   = 1 << 5
)

// maxRatio is deflate's best compression: two bits for 258 bytes, 1032 : 1.
const maxRatio = 258 * 8 / 2

// readable refuses a member whose content cannot be read.
func (m Member) readable() error {
	switch {
	case m.flags&encrypted != 0:
		return fault.New(fault.Unsupported, "the member is encrypted").WithHint("unpack it with the program that knows its password")
	case m.flags&patched != 0 || m.Method != Stored && m.Method != Deflated:
		return fault.New(fault.Unsupported, "the member is packed in a way that NumPy does not write: %s", m.Method).
			WithHint("np.savez and np.savez_compressed write archives that can be read")
	case m.Method == Stored && m.Packed != m.Size:
		return damaged("the member is stored without compression, but has two sizes: %d bytes and %d", m.Size, m.Packed)
	case m.Method == Deflated && m.Size/maxRatio > m.Packed:
		return damaged("%d bytes cannot unpack to %d: the best ratio of deflate is 1032 to 1", m.Packed, m.Size)
	}
	return nil
}

// Locate returns the byte of the archive at which the member's content begins, if its header agrees with the directory.
func (a *Archive) Locate(m Member) (int64, error) {
	if err := m.readable(); err != nil {
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
		return 0, damaged("the member ends at byte %d, after byte %d where something else begins", begins+m.Packed, m.limit)
	}
	more, err := readAt(a.file, begins-extra, begins)
	if err != nil {
		return 0, err
	}
	return begins, m.agrees(r, more)
}

// agrees compares sizes and checksum with the member's header, where they may be zero if they are after the content.
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
	return fault.New(fault.Malformed, "the member's header and the archive's directory disagree about its %s", what).
		WithHint("readers see different arrays in such an archive; write it again")
}

// Content returns a reader of the member's content, unpacked. It returns io.EOF only if size and checksum are those of the
// directory; until then nothing is checked. It never returns more than the directory's size.
func (a *Archive) Content(m Member) (io.Reader, error) {
	content, _, err := a.NewReader().Open(m)
	return content, err
}

// Reader reads the contents of members one after the other, with the same buffers.
type Reader struct {
	archive *Archive
	packed  *bufio.Reader
	inflate io.Reader // nil until a member is deflated
}

// NewReader makes a Reader. It is not safe for concurrent use.
func (a *Archive) NewReader() *Reader { return &Reader{archive: a, packed: bufio.NewReader(nil)} }

// Open returns a reader of a member's content, as Content does, and the byte of the archive at which the content begins. The
// reader that the last call returned must not be used any more.
func (r *Reader) Open(m Member) (io.Reader, int64, error) {
	at, err := r.archive.Locate(m)
	if err != nil {
		return nil, 0, err
	}
	r.packed.Reset(io.NewSectionReader(r.archive.file, at, m.Packed))
	c := &content{r: r.packed, sum: crc32.NewIEEE(), member: m, left: m.Size}
	switch reused, ok := r.inflate.(flate.Resetter); {
	case m.Method != Deflated:
	case !ok:
		r.inflate = flate.NewReader(r.packed)
		c.r = r.inflate
	default:
		if err := reused.Reset(r.packed, nil); err != nil {
			return nil, 0, err
		}
		c.r = r.inflate
	}
	return c, at, nil
}

// content compares what is read with the directory.
type content struct {
	r      io.Reader
	sum    hash.Hash32
	member Member
	left   int64 // bytes
}

func (c *content) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if int64(n) > c.left {
		return 0, damaged("the member unpacks to more than the %d bytes in the directory", c.member.Size)
	}
	c.sum.Write(p[:n])
	c.left -= int64(n)
	return n, c.judge(err)
}

// judge explains an error of the reader of packed bytes; at their end it compares size and checksum.
func (c *content) judge(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case err == io.EOF && c.left > 0 || errors.Is(err, io.ErrUnexpectedEOF):
		return damaged("the member unpacks to %d bytes, the directory says %d", c.member.Size-c.left, c.member.Size)
	case err == io.EOF && c.sum.Sum32() != c.member.CRC:
		return damaged("the checksum of its bytes is %08x, the archive says %08x: they are damaged", c.sum.Sum32(), c.member.CRC)
	case errors.As(err, &corrupt):
		return damaged("the member's packed bytes are damaged at byte %d", int64(corrupt))
	}
	return err
}

package zip

import (
	"bufio"
	"compress/flate"
	"errors"
	"hash"
	"hash/crc32"
	"io"
)

// Content returns a reader of the member's uncompressed content. It returns io.EOF only if size and checksum match the directory;
// before that nothing is checked. It never returns more than the directory's size.
func (a *Archive) Content(m Member) (io.Reader, error) {
	content, _, err := a.NewReader().Open(m)
	return content, err
}

// Reader reads the contents of members one after another, with shared buffers.
type Reader struct {
	archive *Archive
	packed  *bufio.Reader
	inflate io.Reader // nil until a deflated member is read
}

// readSize is how many bytes of the archive a Reader reads at once.
const readSize = 2 << 10

// NewReader returns a Reader, which is not safe for concurrent use.
func (a *Archive) NewReader() *Reader {
	return &Reader{archive: a, packed: bufio.NewReaderSize(nil, readSize)}
}

// Open returns a reader of a member's content, as Content does, and the byte of the archive at which the content begins. It invalidates
// the reader of the previous call.
func (r *Reader) Open(m Member) (io.Reader, int64, error) {
	at, err := r.archive.Locate(m)
	if err != nil {
		return nil, 0, err
	}
	r.packed.Reset(io.NewSectionReader(r.archive.file, at, m.Packed))
	c := &content{r: r.packed, sum: crc32.NewIEEE(), member: m, left: m.Size}
	if m.Method != Deflated {
		return c, at, nil
	}
	if reused, ok := r.inflate.(flate.Resetter); ok {
		if err := reused.Reset(r.packed, nil); err != nil {
			return nil, 0, err
		}
	} else {
		r.inflate = flate.NewReader(r.packed)
	}
	c.r = r.inflate
	return c, at, nil
}

// content compares the bytes read with the directory.
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

// judge explains an error of the underlying reader; at its end it compares size and checksum.
func (c *content) judge(err error) error {
	var corrupt flate.CorruptInputError
	if err == io.EOF && c.left > 0 || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged("the member unpacks to %d bytes, the directory has %d", c.member.Size-c.left, c.member.Size)
	}
	if err == io.EOF && c.sum.Sum32() != c.member.CRC {
		return damaged("its bytes are damaged: checksum %08x, the archive has %08x", c.sum.Sum32(), c.member.CRC)
	}
	if errors.As(err, &corrupt) {
		return damaged("the member's compressed bytes are damaged at byte %d", int64(corrupt))
	}
	return err
}

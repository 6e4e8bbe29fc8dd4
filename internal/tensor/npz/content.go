package npz

import (
	"bufio"
	"compress/flate"
	"errors"
	"hash"
	"hash/crc32"
	"io"
)

// Content returns a reader of the member's content, unpacked. It returns io.EOF only where size and checksum are those
// of the directory; what was read before that is not checked. It never returns more than the directory's size.
func (a *Archive) Content(m Member) (io.Reader, error) {
	at, err := a.Locate(m)
	if err != nil {
		return nil, err
	}
	c := &content{r: io.NewSectionReader(a.file, at, m.Packed), sum: crc32.NewIEEE(), member: m, left: m.Size}
	if m.Method == Deflated {
		c.r = flate.NewReader(bufio.NewReader(c.r))
	}
	return c, nil
}

// content compares what goes by with what the directory says.
type content struct {
	r      io.Reader
	sum    hash.Hash32
	member Member
	left   int64 // bytes
}

func (c *content) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if int64(n) > c.left {
		return 0, damaged("the member unpacks to more than the %d bytes that the directory says", c.member.Size)
	}
	c.sum.Write(p[:n])
	c.left -= int64(n)
	return n, c.judge(err)
}

// judge says what an error of the packed bytes' reader means; at their end it compares size and checksum.
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

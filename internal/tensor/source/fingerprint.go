package source

import (
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// fingerprintEnd is how much of either end of the data a fingerprint covers, in bytes.
const fingerprintEnd = 64 << 10

// Fingerprint tells one file's data from another's: its length and the CRC-32C of its first and last 64 KiB. It is
// quick for data of any size, and no protection against malice. The data is written to it in order.
type Fingerprint struct {
	crc       hash.Hash32
	size, pos int64
}

// NewFingerprint begins the fingerprint of size bytes of data.
func NewFingerprint(size int64) *Fingerprint {
	return &Fingerprint{crc: crc32.New(crc32.MakeTable(crc32.Castagnoli)), size: size}
}

// Write takes the next part of the data.
func (f *Fingerprint) Write(p []byte) (int, error) {
	n := int64(len(p))
	if head := min(n, fingerprintEnd-f.pos); head > 0 {
		f.crc.Write(p[:head])
	}
	if tail := max(fingerprintEnd, f.size-fingerprintEnd) - f.pos; tail < n {
		f.crc.Write(p[max(0, tail):])
	}
	f.pos += n
	return len(p), nil
}

// String is the fingerprint once all data is written.
func (f *Fingerprint) String() string { return fmt.Sprintf("%d:%08x", f.size, f.crc.Sum32()) }

// fingerprint is that of the opened file's data. It touches both ends and nothing between.
func (t *Tensor) fingerprint() (string, error) {
	size := t.Header.DataBytes
	f := NewFingerprint(size)
	for f.pos < size {
		n := min(fingerprintEnd, size-f.pos)
		if _, err := io.Copy(f, io.NewSectionReader(t.bytes, t.Header.DataOffset+f.pos, n)); err != nil {
			return "", err
		}
		if f.pos < size {
			f.pos = max(f.pos, size-fingerprintEnd)
		}
	}
	return f.String(), nil
}

package source

import (
	"fmt"
	"hash/crc32"
	"io"
)

// fingerprintEnd is how much of either end of the data a fingerprint covers, in bytes.
const fingerprintEnd = 64 << 10

// Fingerprint tells one file's data from another's: its length and the CRC-32C of its first and last 64 KiB. It is
// quick for data of any size, and no protection against malice. The data is the size bytes from at on; both ends are
// read and nothing between.
func Fingerprint(file io.ReaderAt, at, size int64) (string, error) {
	crc := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	head := min(size, fingerprintEnd)
	tail := max(head, size-fingerprintEnd)
	for _, end := range []*io.SectionReader{io.NewSectionReader(file, at, head), io.NewSectionReader(file, at+tail, size-tail)} {
		if _, err := io.Copy(crc, end); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%d:%08x", size, crc.Sum32()), nil
}

//go:build !js

package zarr

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strconv"

	"github.com/klauspost/compress/zstd"

	"github.com/tlayout/tlayout/internal/fault"
)

// codec turns the bytes of a chunk into what they were encoded from, of at most limit bytes.
type codec struct {
	name   string
	decode func(data []byte, limit int) ([]byte, error)
}

var codecs = map[string]codec{
	"gzip": {"gzip", func(data []byte, limit int) ([]byte, error) { return inflate(gzipped(data))(limit) }},
	"zlib": {"zlib", func(data []byte, limit int) ([]byte, error) {
		return inflate(zlib.NewReader(bytes.NewReader(data)))(limit)
	}},
	"zstd":   {"zstd", unzstd},
	"crc32c": {"crc32c", withoutSum},
}

// codecOf returns the codec of a name. Data of an array that has another one are not read.
func (a *array) codecOf(name string) codec {
	c, known := codecs[name]
	if !known {
		a.refuse(name, "codec")
		c.name = name
	}
	return c
}

// refuse records why data cannot be read.
func (a *array) refuse(name, kind string) {
	if a.codec == nil {
		a.codec = fault.New(fault.Unsupported, "its %s %s is not read: none, gzip, zlib, zstd and crc32c are", kind, strconv.Quote(name))
	}
}

func gzipped(data []byte) (io.Reader, error) { return gzip.NewReader(bytes.NewReader(data)) }

// inflate returns what reads a decompressed chunk.
func inflate[R io.Reader](r R, err error) func(limit int) ([]byte, error) {
	return func(limit int) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
		if err == nil && len(out) > limit {
			err = errTooLong
		}
		return out, err
	}
}

var errTooLong = damaged("it decompresses to more than a chunk")

// leastWindow is a window of Zstandard that any chunk may have, in bytes.
const leastWindow = 16 << 20

func unzstd(data []byte, limit int) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(limit, leastWindow))))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(data, nil)
}

const sumBytes = 4

// withoutSum compares and removes the CRC-32C at the end. (Zarr codecs/crc32c)
func withoutSum(data []byte, _ int) ([]byte, error) {
	n := len(data) - sumBytes
	if n < 0 {
		return nil, damaged("it has no checksum")
	}
	if crc32.Checksum(data[:n], crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(data[n:]) {
		return nil, damaged("its checksum is another one")
	}
	return data[:n], nil
}

// decoded runs codecs backwards on the bytes of a chunk.
func decoded(data []byte, all []codec, limit int) (_ []byte, err error) {
	for i := len(all) - 1; i >= 0; i-- {
		data, err = all[i].decode(data, limit)
		if err != nil {
			return nil, fault.In(all[i].name, malformedChunk(err))
		}
	}
	return data, nil
}

// malformedChunk gives the error of a library its class.
func malformedChunk(err error) error {
	if fault.ClassOf(err) == fault.Malformed {
		return err
	}
	return damaged("%v", cmp.Or(err, io.ErrUnexpectedEOF))
}

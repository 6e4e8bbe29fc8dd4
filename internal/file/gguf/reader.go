package gguf

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/tlayout/tlayout/internal/fault"
)

// reader reads a file from its beginning.
type reader struct {
	file  io.ReaderAt
	size  int64
	at    int64 // bytes read
	buf   *bufio.Reader
	order binary.ByteOrder
	raw   [8]byte // of a number
}

const room = 1 << 16 // bytes read at once

func newReader(file io.ReaderAt, size int64) *reader {
	buf := bufio.NewReaderSize(io.NewSectionReader(file, 0, size), int(min(room, max(size, 16))))
	return &reader{file: file, size: size, buf: buf, order: binary.LittleEndian}
}

// left returns the number of unread bytes.
func (r *reader) left() uint64 { return uint64(r.size - r.at) }

// read fills p.
func (r *reader) read(p []byte) error {
	if uint64(len(p)) > r.left() {
		return cutOff()
	}
	n, err := io.ReadFull(r.buf, p)
	r.at += int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return cutOff() // it shrank while being read
	}
	return err
}

// skip skips n bytes; many are not read.
func (r *reader) skip(n uint64) error {
	if n > r.left() {
		return cutOff()
	}
	r.at += int64(n)
	if n <= room {
		_, err := r.buf.Discard(int(n))
		if errors.Is(err, io.EOF) {
			return cutOff()
		}
		return err
	}
	r.buf.Reset(io.NewSectionReader(r.file, r.at, r.size-r.at))
	return nil
}

// number reads an unsigned number of 1, 2, 4 or 8 bytes.
func (r *reader) number(bytes int) (uint64, error) {
	raw := r.raw[:bytes]
	if err := r.read(raw); err != nil {
		return 0, err
	}
	switch bytes {
	case 1:
		return uint64(raw[0]), nil
	case 2:
		return uint64(r.order.Uint16(raw)), nil
	case 4:
		return uint64(r.order.Uint32(raw)), nil
	}
	return r.order.Uint64(raw), nil
}

// uint32 reads a type or a number of dims.
func (r *reader) uint32() (uint32, error) {
	n, err := r.number(4)
	return uint32(n), err
}

// count reads a number of things, each of at least min bytes.
func (r *reader) count(what string, min uint64) (uint64, error) {
	n, err := r.number(8)
	if err == nil && n > r.left()/min {
		err = damaged("%d %s do not fit in the remaining %d bytes", n, what, r.left())
	}
	return n, err
}

// name reads a short text: a key, or a tensor's name. A key has at most 65,535 bytes (docs/gguf.md), a name 64, which programs built
// with another GGML_MAX_NAME exceed.
func (r *reader) name(what string) (string, error) {
	n, err := r.count("bytes of a "+what, 1)
	if err != nil {
		return "", err
	}
	if n == 0 || n > maxName {
		return "", damaged("a %s of %d bytes, expected 1 to %d", what, n, maxName)
	}
	p := make([]byte, n)
	err = r.read(p)
	return string(p), err
}

const maxName = 1<<16 - 1

func cutOff() error { return damaged("the file is truncated in its header") }

// damaged is the error for bytes that break the format.
func damaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Malformed, format, args...).WithHint("copy or download the file again, or write it again")
}

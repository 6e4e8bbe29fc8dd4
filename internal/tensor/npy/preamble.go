package npy

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/tlayout/tlayout/internal/fault"
)

const magic = "\x93NUMPY"

// preamble is what stands before the header's text.
type preamble struct {
	major, minor uint8
	length       int64 // of the text, in bytes
}

// size returns the bytes of magic, version and length.
func (p preamble) size() int64 {
	if p.major == 1 {
		return 10
	}
	return 12
}

func readPreamble(r io.Reader, fileSize int64) (preamble, error) {
	if fileSize == 0 {
		return preamble{}, fault.New(fault.Malformed, "the file is empty")
	}
	var buf [12]byte
	n, err := io.ReadFull(r, buf[:8])
	if have := buf[:min(n, len(magic))]; string(have) != magic[:len(have)] {
		e := fault.New(fault.Malformed, "not a .npy file: it starts with %q instead of %q", have, magic)
		if strings.HasPrefix(string(have), "PK") {
			e.Hint = "it is a zip archive; of a file that is called x.npz, x.npz:name is the array of that name"
		}
		return preamble{}, e
	}
	if err != nil {
		return preamble{}, endOf(err, "magic and version", int64(n))
	}
	p := preamble{major: buf[6], minor: buf[7]}
	if p.major < 1 || p.major > 3 || p.minor != 0 {
		return preamble{}, fault.New(fault.Unsupported, ".npy version %d.%d is not one of 1.0, 2.0 and 3.0", p.major, p.minor)
	}
	n, err = io.ReadFull(r, buf[8:p.size()])
	if err != nil {
		return preamble{}, endOf(err, "header length", 8+int64(n))
	}
	p.length = int64(binary.LittleEndian.Uint32(buf[8:])) // version 1 has read two bytes, the others are zero
	return p, nil
}

// readText reads the header's text, and returns it as UTF-8. The length is checked before anything is allocated.
func readText(r io.Reader, p preamble, fileSize, limit int64) (string, error) {
	if fileSize >= 0 && p.length > fileSize-p.size() {
		return "", fault.New(fault.Malformed, "the header claims %d bytes, but the file has %d after the length",
			p.length, max(0, fileSize-p.size()))
	}
	if p.length > limit || p.length > math.MaxInt {
		return "", fault.New(fault.Unsupported, "the header has %d bytes, more than the limit of %d", p.length, limit).
			WithHint("if the file can be trusted, allow it with --max-header %d", p.length)
	}
	text, err := io.ReadAll(io.LimitReader(r, p.length)) // grows with what arrives
	if err != nil {
		return "", fault.In("reading the header", err)
	}
	if int64(len(text)) < p.length {
		return "", endOf(io.EOF, "header", p.size()+int64(len(text)))
	}
	if p.major < 3 {
		return fromLatin1(text), nil
	}
	if !utf8.Valid(text) {
		return "", fault.New(fault.Malformed, "the header is not valid UTF-8, as version 3.0 requires")
	}
	return string(text), nil
}

// fromLatin1 decodes text in which each byte is the code point of that number.
func fromLatin1(b []byte) string {
	out := make([]byte, 0, len(b))
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return string(out)
}

// endOf turns the end of the input into a Malformed error; other read errors stay what they are. have is in bytes.
func endOf(err error, within string, have int64) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.New(fault.Malformed, "the file ends after %d bytes, within the %s", have, within)
	}
	return fault.In("reading the "+within, err)
}

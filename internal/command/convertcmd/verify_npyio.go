//go:build !js

package convertcmd

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"

	npyio "github.com/sbinet/npyio/npy"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/text"
)

// secondReader reads the .npy file in stream with npyio (github.com/sbinet/npyio) and compares type, order and shape, and the bytes from npyio's data
// offset on. It uses only the header of npyio: its decoder supports few types and holds all values in memory. npyio supports versions 1 and 2, and no
// dtype with a brace in a field's name.
func secondReader(file io.Reader, ours *source.Tensor) (note string, err error) {
	h := ours.Header
	if h.Major > 2 || strings.ContainsAny(h.Descr, "{}") {
		return "npyio does not support this header", nil
	}
	stream := bufio.NewReaderSize(file, int(min(1<<20, 4<<10+h.DataBytes)))
	r, err := npyio.NewReader(stream)
	if err != nil {
		return "", unnamed(err)
	}
	d := r.Header.Descr
	if !sameDescr(d.Type, latin1(h.Descr[1:len(h.Descr)-1])) || d.Fortran != h.Fortran || !slices.Equal(d.Shape, h.Shape) {
		return "", fault.New(fault.Negative, "got %s %v, fortran order %t", text.Quote(d.Type), d.Shape, d.Fortran)
	}
	return "npyio agrees", ours.Guard(func() error { return compareStream(stream, ours) })
}

// sameDescr compares types in NumPy's spelling. Raw bytes have no byte order: <V2, written by ml_dtypes for bfloat16, equals |V2.
func sameDescr(a, b string) bool {
	if len(a) > 1 && len(b) > 1 && a[1] == 'V' {
		return a[1:] == b[1:]
	}
	return a == b
}

// latin1 encodes text as in the headers of versions 1 and 2, one byte per character.
func latin1(s string) string {
	var b []byte
	for _, r := range s {
		b = append(b, byte(r))
	}
	return string(b)
}

// compareStream compares the rest of the stream with the tensor's data.
func compareStream(stream io.Reader, ours *source.Tensor) error {
	data, err := ours.Data()
	if err != nil {
		return err
	}
	block := make([]byte, max(1, min(1<<20, len(data)+1)))
	at := 0 // bytes compared
	for {
		n, err := io.ReadFull(stream, block)
		if n > len(data) || !bytes.Equal(block[:n], data[:n]) {
			return fault.New(fault.Negative, "bytes differ")
		}
		ours.Release(at, at+n)
		at += n
		data = data[n:]
		if err == nil {
			continue
		}
		if err != io.EOF && err != io.ErrUnexpectedEOF {
			return unnamed(err)
		}
		if len(data) > 0 {
			return fault.New(fault.Negative, "%d bytes missing", len(data))
		}
		return nil
	}
}

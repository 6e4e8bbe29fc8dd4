package onnx

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/hostile"
)

// TestDamage: a model cut anywhere before its metadata is malformed, and with any bit flipped it has no tensor outside of the file.
func TestDamage(t *testing.T) {
	whole := sample()
	graph := bytes.Index(whole, []byte{14<<3 | 2}) // the metadata begins, or a byte like its tag
	for n := range whole {
		_, err := open(whole[:n])
		if n < graph && err == nil {
			t.Errorf("the first %d bytes are a model", n)
		}
		checkPlaces(t, whole[:n])
	}
	hostile.Flip(whole, func(raw []byte) { checkPlaces(t, raw) })
}

// TestBounds: names, metadata and tensors exactly at their bounds are read, and one more is refused.
func TestBounds(t *testing.T) {
	const limit, all = 600, 16 << 20
	tensors := func(n, size, more int) []byte {
		var g message
		for i := range n {
			g = g.Bytes(5, tensorOf(fmt.Sprintf("%0*d", size, i), 2, 0))
		}
		for i := range more {
			g = g.Bytes(5, tensorOf(string(rune('a'+i)), 2, 0))
		}
		return modelOf(g)
	}
	props := func(n, size, more int) []byte {
		m := message{}.Bytes(7, nil)
		for range n {
			m = m.Bytes(14, message{}.Text(2, strings.Repeat("x", size)))
		}
		for range more {
			m = m.Bytes(14, message{}.Text(2, "x"))
		}
		return m
	}
	for _, c := range []struct {
		what  string
		file  func(more int) []byte
		class fault.Class
		text  string
	}{
		{"all names", func(more int) []byte { return tensors(256, all/256, more) }, fault.Unsupported, "the names of the tensors: more than 16777216 bytes in total"},
		{"tensors", func(more int) []byte { return tensors(limit+more, 3, 0) }, fault.Resource, "more than 600 tensors"},
		{"all metadata", func(more int) []byte { return props(512, all/512, more) }, fault.Unsupported, "the metadata: more than 16777216 bytes in total"},
		{"texts", func(more int) []byte { return props(limit+more, 3, 0) }, fault.Resource, "more than 600 metadata texts"},
	} {
		for more := range 2 {
			raw := c.file(more)
			_, err := Open(bytes.NewReader(raw), int64(len(raw)), limit)
			if more == 0 && err != nil {
				t.Errorf("%s: %v", c.what, err)
			}
			if more == 1 {
				hostile.WantFault(t, c.what, err, c.class, c.text)
			}
		}
	}
}

// TestInline: numbers in varints take memory only for what the model has of them, and no more than a bound.
func TestInline(t *testing.T) {
	raw := modelOf(graphOf(tensorOf("t", 7, maxInline/8).Packed(7, 1), tensorOf("u", 7, 1<<50).Packed(7, 1)))
	used := hostile.AllocatedBy(func() {
		_, err := open(raw)
		hostile.WantFault(t, "a shape of a gigabyte", err, fault.Malformed, "its shape has 1073741824 bytes, int64_data 8")
	})
	if used > 1<<18 {
		t.Errorf("%d bytes allocated", used)
	}
	if strconv.IntSize < 64 {
		return // a larger tensor has no place in memory
	}
	c, err := open(modelOf(graphOf(tensorOf("u", 7, 1<<50).Packed(7, 1))))
	if err != nil || len(c.Refused) != 1 || !strings.Contains(c.Refused[0].Why, "over the limit of 1073741824 bytes in typed fields") {
		t.Errorf("%+v, %v", c, err)
	}
}

// sparseFile is a file of which only the first and last bytes are in memory; between them it is zero.
type sparseFile struct {
	head, tail []byte
	size, read int64
}

func (f *sparseFile) ReadAt(p []byte, at int64) (int, error) {
	f.read += int64(len(p))
	for i := range p {
		p[i] = 0
		if k := at + int64(i); k < int64(len(f.head)) {
			p[i] = f.head[k]
		} else if from := f.size - int64(len(f.tail)); k >= from {
			p[i] = f.tail[k-from]
		}
	}
	if at+int64(len(p)) > f.size {
		return 0, io.EOF
	}
	return len(p), nil
}

// TestUnread: of a model with a tensor of two gigabytes, some kilobytes are read.
func TestUnread(t *testing.T) {
	const n = 2_000_000_000
	head := tensorOf("w", 2, n)
	head = append(head, 9<<3|2, 0x80, 0xa8, 0xd6, 0xb9, 7) // raw_data of n bytes
	after := tensorOf("v", 2, 2).Bytes(9, []byte{5, 6})
	tail := message{}.Bytes(5, after)
	tensor := int64(len(head)) + n
	graph := message(nil)
	graph = append(graph, 5<<3|2)
	graph = appendVarint(graph, uint64(tensor))
	inGraph := int64(len(graph)) + tensor + int64(len(tail))
	file := append(message{}.Number(1, 8), 7<<3|2)
	file = appendVarint(file, uint64(inGraph))
	file = append(append(file, graph...), head...)
	f := &sparseFile{head: file, tail: tail, size: int64(len(file)) + n + int64(len(tail))}
	c, err := Open(f, f.size, 10)
	if err != nil || len(c.Tensors) != 2 || c.Storages[0].Bytes != n || c.Storages[1].At != f.size-2 {
		t.Fatalf("%+v, %v", c, err)
	}
	if f.read > 32<<10 {
		t.Errorf("%d bytes were read", f.read)
	}
}

func appendVarint(m message, v uint64) message {
	for ; v >= 0x80; v >>= 7 {
		m = append(m, byte(v)|0x80)
	}
	return append(m, byte(v))
}

// FuzzONNX opens any bytes: no panic; memory in proportion to the bytes; a clean *fault.Error; and tensors that are in the file, in as many bytes as
// their shapes have.
func FuzzONNX(f *testing.F) {
	f.Add(sample())
	f.Add([]byte(modelOf(graphOf(tensorOf("t", 1, 2).Floats(4, 1, 2)))))
	f.Add([]byte(modelOf(graphOf(tensorOf("t", 2, 4).Outside("location", "x", "offset", "4"), tensorOf("u", 2, 4).Outside("location", "x", "offset", "2")))))
	f.Fuzz(func(t *testing.T, raw []byte) {
		Recognize(bytes.NewReader(raw), int64(len(raw)))
		before := hostile.Allocated()
		_, _ = open(raw)
		if used := hostile.Allocated() - before; used > 1<<20+200*uint64(len(raw)) {
			t.Fatalf("%d bytes allocated for a file of %d", used, len(raw))
		}
		checkPlaces(t, raw)
	})
}

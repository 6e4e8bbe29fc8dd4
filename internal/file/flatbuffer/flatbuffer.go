// Package flatbuffer reads tables of FlatBuffers by the numbers of their fields, from a file of any size.
//
// A table begins with the distance back to its vtable, which has, behind two sizes, a 16-bit offset for each field; 0: the field has its default.
// Texts, vectors and tables are 32-bit offsets forward from where the offset is. All numbers are little-endian. (FlatBuffers 25.9, internals.md)
//
// Input is assumed to be hostile: every read is checked, and the first failure stays: later reads return zeros, until Err is asked.
package flatbuffer

import (
	"encoding/binary"
	"fmt"
	"io"
)

// File is a file of size bytes.
type File struct {
	r      io.ReaderAt
	size   int64
	window []byte
	at     int64 // the first byte of the window
	err    error
}

// windowBytes are read at once.
const windowBytes = 64 << 10

// New returns a file of size bytes.
func New(r io.ReaderAt, size int64) *File { return &File{r: r, size: size} }

// Err returns the first failure: an offset outside the file, or r's error.
func (f *File) Err() error { return f.err }

// bytes returns n bytes at a position, at most windowBytes: valid until the next call, and zeros after a failure.
func (f *File) bytes(at int64, n int) []byte {
	if f.err == nil && (at < 0 || at > f.size-int64(n)) {
		f.err = fmt.Errorf("%d bytes at byte %d of %d", n, at, f.size)
	}
	if f.err != nil {
		return make([]byte, n)
	}
	if at < f.at || at+int64(n) > f.at+int64(len(f.window)) {
		f.window = make([]byte, min(windowBytes, f.size-at))
		f.at = at
		if _, err := io.ReadFull(io.NewSectionReader(f.r, at, f.size-at), f.window); err != nil {
			f.err = err
			f.window = nil
			return make([]byte, n)
		}
	}
	return f.window[at-f.at:][:n]
}

// Uint reads a number of 1, 2, 4 or 8 bytes at a position.
func (f *File) Uint(at int64, bytes int) uint64 {
	var raw [8]byte
	copy(raw[:], f.bytes(at, bytes))
	return binary.LittleEndian.Uint64(raw[:])
}

// follow returns the position that an offset at another one leads to.
func (f *File) follow(at int64) int64 { return at + int64(f.Uint(at, 4)) }

// Text reads n bytes at a position.
func (f *File) Text(at int64, n int) string {
	all := make([]byte, 0, min(n, windowBytes))
	for len(all) < n && f.err == nil {
		all = append(all, f.bytes(at+int64(len(all)), min(n-len(all), windowBytes))...)
	}
	return string(all)
}

// Root returns the table of the whole file.
func (f *File) Root() Table { return f.table(f.follow(0)) }

func (f *File) table(at int64) Table {
	vtable := at - int64(int32(f.Uint(at, 4)))
	return Table{f, at, vtable, int64(f.Uint(vtable, 2))}
}

// Table is a table. Its fields have the numbers of their order in the schema, from 0 on.
type Table struct {
	f          *File
	at, vtable int64
	size       int64 // bytes of the vtable
}

// field returns where a field is; ok is false if it has its default.
func (t Table) field(number int) (at int64, ok bool) {
	slot := 4 + 2*int64(number)
	if t.f == nil || slot+2 > t.size {
		return 0, false
	}
	offset := int64(t.f.Uint(t.vtable+slot, 2))
	return t.at + offset, offset != 0
}

// Has reports whether the table has a field.
func (t Table) Has(field int) bool {
	_, ok := t.field(field)
	return ok
}

// Uint returns a field that is a number of so many bytes; 0 if the table does not have it.
func (t Table) Uint(field, bytes int) uint64 {
	at, ok := t.field(field)
	if !ok {
		return 0
	}
	return t.f.Uint(at, bytes)
}

// Table returns a field that is a table; one without fields if the table does not have it.
func (t Table) Table(field int) Table {
	at, ok := t.field(field)
	if !ok {
		return Table{}
	}
	return t.f.table(t.f.follow(at))
}

// Vector returns a field that is a vector or a text, of elements of so many bytes; an empty one if the table does not have it.
func (t Table) Vector(field, bytes int) Vector {
	at, ok := t.field(field)
	if !ok {
		return Vector{}
	}
	at = t.f.follow(at)
	n := int64(t.f.Uint(at, 4))
	if n*int64(bytes) > t.f.size-at-4 {
		t.f.err = fmt.Errorf("a vector of %d elements at byte %d of %d", n, at, t.f.size)
	}
	if t.f.err != nil {
		n = 0
	}
	return Vector{t.f, at + 4, int(n), bytes}
}

// Vector is consecutive elements.
type Vector struct {
	f     *File
	At    int64 // the first byte
	Len   int
	bytes int // of an element
}

// Uint returns element i, a number.
func (v Vector) Uint(i int) uint64 { return v.f.Uint(v.At+int64(i)*int64(v.bytes), v.bytes) }

// Table returns element i, a table.
func (v Vector) Table(i int) Table { return v.f.table(v.f.follow(v.At + int64(i)*int64(v.bytes))) }

// Text returns the elements as a text, of at most limit bytes.
func (v Vector) Text(limit int) string {
	if v.Len == 0 {
		return ""
	}
	return v.f.Text(v.At, min(v.Len, limit))
}

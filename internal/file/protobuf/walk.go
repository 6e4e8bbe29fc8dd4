package protobuf

import (
	"encoding/binary"
	"errors"
	"io"
	"iter"

	"github.com/tlayout/tlayout/internal/fault"
)

// Types of fields, the low three bits of a tag.
const (
	Varint  = 0
	Fixed64 = 1
	Bytes   = 2 // a text, bytes, a message, or packed numbers
	Fixed32 = 5
)

// maxTag is the largest tag: a number of 29 bits, and a type.
const maxTag = 1<<32 - 1

// Section is consecutive bytes of a file.
type Section struct{ At, Bytes int64 }

// End returns the byte after the last.
func (s Section) End() int64 { return s.At + s.Bytes }

// Field is a field of a message.
type Field struct {
	Tag     int64  // its number in the schema << 3 | its type
	Value   uint64 // of a field of the types Varint, Fixed32 and Fixed64
	Section        // the content of a field of the type Bytes; else the bytes of the value
}

// File reads messages in a file, through a window that moves over it. It is not safe for concurrent use.
type File struct {
	r      io.ReaderAt
	size   int64
	at     int64  // byte of the file at which the window begins
	window []byte // what was read last
	ahead  int64  // bytes to read at once
}

// Bytes of a window: the least after a jump over a field that was skipped, doubled as long as reads go on where the last one ended.
const (
	minWindow = 4 << 10
	maxWindow = 64 << 10
)

// New returns a reader of a file of size bytes.
func New(r io.ReaderAt, size int64) *File { return &File{r: r, size: size, ahead: minWindow / 2} }

// Whole returns the section of the whole file, which is a message if the file is one.
func (f *File) Whole() Section { return Section{0, f.size} }

// Fields yields the fields of a message in the file's order. It stops at the first error, which it yields.
func (f *File) Fields(message Section) iter.Seq2[Field, error] {
	return func(yield func(Field, error) bool) {
		for at := message.At; at < message.End(); {
			x, err := f.field(at, message.End())
			if err != nil {
				yield(Field{}, err)
				return
			}
			if !yield(x, nil) {
				return
			}
			at = x.End()
		}
	}
}

// maxHead bounds a tag and a value or length in bytes: two varints.
const maxHead = 2 * 10

// field reads the field at a byte of a message that ends at end.
func (f *File) field(at, end int64) (Field, error) {
	head, err := f.peek(at, min(maxHead, end-at))
	if err != nil {
		return Field{}, err
	}
	tag, n := binary.Uvarint(head)
	if n <= 0 || tag > maxTag || tag>>3 == 0 {
		return Field{}, damaged("byte %d is not the tag of a field", at)
	}
	x := Field{Tag: int64(tag)}
	head = head[n:]
	x.At = at + int64(n)
	switch tag & 7 {
	case Varint:
		x.Value, n = binary.Uvarint(head)
	case Fixed64:
		x.Value, n = fixed(head, 8)
	case Fixed32:
		x.Value, n = fixed(head, 4)
	case Bytes:
		return f.content(x, head, end)
	default:
		return Field{}, damaged("byte %d is the tag of a group, or of no type", at)
	}
	if n <= 0 {
		return Field{}, damaged("the field at byte %d has no value", at)
	}
	x.Bytes = int64(n)
	return x, nil
}

// fixed returns a little-endian number of n bytes, and n; 0 if p has fewer.
func fixed(p []byte, n int) (uint64, int) {
	if len(p) < n {
		return 0, 0
	}
	var raw [8]byte
	copy(raw[:], p[:n])
	return binary.LittleEndian.Uint64(raw[:]), n
}

// content reads the length of a field's content.
func (f *File) content(x Field, head []byte, end int64) (Field, error) {
	length, n := binary.Uvarint(head)
	if n <= 0 {
		return Field{}, damaged("the field at byte %d has no length", x.At)
	}
	x.At += int64(n)
	if length > uint64(end-x.At) {
		return Field{}, damaged("the field at byte %d would have %d bytes, but its message only %d more", x.At, length, end-x.At)
	}
	x.Bytes = int64(length)
	return x, nil
}

// Varints yields the numbers of a repeated field: one of the type Varint, or several of the type Bytes, which are packed.
func (f *File) Varints(x Field) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for at := x.At; at < x.End(); {
			p, err := f.peek(at, min(maxHead/2, x.End()-at))
			if err != nil {
				yield(0, err)
				return
			}
			v, n := binary.Uvarint(p)
			if n <= 0 {
				yield(0, damaged("byte %d begins no number", at))
				return
			}
			if !yield(v, nil) {
				return
			}
			at += int64(n)
		}
	}
}

// Content returns the bytes of a section, as many as it has: the caller bounds them.
func (f *File) Content(s Section) ([]byte, error) {
	if s.Bytes <= maxWindow {
		p, err := f.peek(s.At, s.Bytes)
		return append([]byte(nil), p...), err
	}
	p := make([]byte, s.Bytes)
	return p, f.read(p, s.At)
}

// peek returns n bytes of the file, at most maxWindow, until the next call.
func (f *File) peek(at, n int64) ([]byte, error) {
	from := at - f.at
	if from >= 0 && from+n <= int64(len(f.window)) {
		return f.window[from : from+n], nil
	}
	goesOn := from >= 0 && from <= int64(len(f.window))
	f.ahead = min(2*f.ahead, maxWindow)
	if !goesOn {
		f.ahead = minWindow
	}
	size := min(max(n, f.ahead), f.size-at)
	if int64(cap(f.window)) < size {
		f.window = make([]byte, size)
	}
	f.window = f.window[:size]
	err := f.read(f.window, at)
	if err != nil {
		f.window = nil
		return nil, err
	}
	f.at = at
	return f.window[:n], nil
}

// read fills p with the bytes of the file from a byte that is inside of it.
func (f *File) read(p []byte, at int64) error {
	n, err := f.r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		return damaged("the file shrank while it was read")
	}
	return err
}

// damaged is the error for bytes that are no message.
func damaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Malformed, format, args...).WithHint("copy or download the file again, or write it again")
}

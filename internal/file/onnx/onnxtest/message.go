// Package onnxtest writes ONNX models for the tests of their readers. Only tests import it.
//
// It does not import google.golang.org/protobuf, whose init opens the running program: tests of cmd/tlayout are the program, and run with few
// open files.
package onnxtest

import (
	"encoding/binary"
	"math"
)

// Message is a message of protobuf.
type Message []byte

// Types of fields. (protobuf.dev/programming-guides/encoding)
const (
	varint  = 0
	bytes   = 2
	fixed32 = 5
)

func (m Message) tag(field, kind int) Message { return binary.AppendUvarint(m, uint64(field<<3|kind)) }

// Number appends a number.
func (m Message) Number(field int, v uint64) Message {
	return binary.AppendUvarint(m.tag(field, varint), v)
}

// Bytes appends bytes, or a message.
func (m Message) Bytes(field int, content []byte) Message {
	return append(binary.AppendUvarint(m.tag(field, bytes), uint64(len(content))), content...)
}

// Text appends a text.
func (m Message) Text(field int, s string) Message { return m.Bytes(field, []byte(s)) }

// Packed appends numbers in one field.
func (m Message) Packed(field int, numbers ...uint64) Message {
	var all []byte
	for _, n := range numbers {
		all = binary.AppendUvarint(all, n)
	}
	return m.Bytes(field, all)
}

// Floats appends float32 numbers, each a field of its own, as proto2 writes them without [packed].
func (m Message) Floats(field int, numbers ...float32) Message {
	for _, x := range numbers {
		m = binary.LittleEndian.AppendUint32(m.tag(field, fixed32), math.Float32bits(x))
	}
	return m
}

// Outside makes a tensor's elements external data, of pairs of keys and values.
func (m Message) Outside(pairs ...string) Message {
	for i := 0; i < len(pairs); i += 2 {
		m = m.Bytes(13, Message{}.Text(1, pairs[i]).Text(2, pairs[i+1]))
	}
	return m.Number(14, 1)
}

package main

import (
	"bytes"
	"errors"
)

// memory is the memory with which a WebAssembly program starts, as its data section describes it.
type memory struct {
	bytes    []byte
	segments []segment
}

// segment is a part of the data section: length bytes of the program, from at on, which begin at address.
type segment struct{ address, at, length int }

var errMalformed = errors.New("not a WebAssembly program of Go")

// dataSection is the id of the section with the initial memory (WebAssembly 1.0, 5.5.14).
const dataSection = 11

// readMemory reads the active segments of memory 0, each of them with a constant address.
func readMemory(program []byte) (m memory, err error) {
	r := reader{program, 8}
	if !bytes.HasPrefix(program, []byte("\x00asm\x01\x00\x00\x00")) {
		return m, errMalformed
	}
	for r.at < len(program) {
		id := r.byte()
		length := r.unsigned()
		if length < 0 || r.at+length > len(program) {
			return m, errMalformed
		}
		if id != dataSection {
			r.at += length
			continue
		}
		section := reader{program[:r.at+length], r.at}
		err := m.readSegments(&section)
		return m, err
	}
	return m, errMalformed
}

func (m *memory) readSegments(r *reader) error {
	const (
		active  = 0
		i32     = 0x41 // i32.const
		end     = 0x0b
		largest = 1 << 30
	)
	for range r.unsigned() {
		if r.byte() != active || r.byte() != i32 {
			return errMalformed
		}
		s := segment{address: r.unsigned()}
		if r.byte() != end {
			return errMalformed
		}
		s.length = r.unsigned()
		s.at = r.at
		last := s.address + s.length
		isOutside := s.length < 0 || s.at+s.length > len(r.program)
		if isOutside || s.address < 0 || last > largest {
			return errMalformed
		}
		r.at += s.length
		if last > len(m.bytes) {
			m.bytes = append(m.bytes, make([]byte, last-len(m.bytes))...)
		}
		copy(m.bytes[s.address:], r.program[s.at:s.at+s.length])
		m.segments = append(m.segments, s)
	}
	return nil
}

// writeTo writes the memory back into the segments of the program.
func (m memory) writeTo(program []byte) {
	for _, s := range m.segments {
		copy(program[s.at:s.at+s.length], m.bytes[s.address:])
	}
}

// reader reads a program; past its end, zeros.
type reader struct {
	program []byte
	at      int
}

func (r *reader) byte() byte {
	if r.at >= len(r.program) {
		return 0
	}
	r.at++
	return r.program[r.at-1]
}

// unsigned reads a number in LEB128 of at most 5 bytes; -1 if it is longer. Addresses are signed numbers, but none is negative.
func (r *reader) unsigned() int {
	value := 0
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		value |= int(b&0x7f) << shift
		if b < 0x80 {
			return value
		}
	}
	return -1
}

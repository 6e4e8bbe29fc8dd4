package dump

import "encoding/binary"

// lens is an element type: how bytes become keys, in the order of the values.
type lens struct {
	name string
	size int
	cost float64 // how much more alike neighbors must be than with cheaper types
	key  func(b []byte) uint16
	odd  func(b []byte) int // how implausible the value is
}

var lenses = [...]lens{
	{"uint8", 1, 1, func(b []byte) uint16 { return uint16(b[0]) }, nil},
	{"int8", 1, 1.1, func(b []byte) uint16 { return uint16(b[0] ^ 0x80) }, nil},
	{"uint16", 2, 1.08, binary.LittleEndian.Uint16, nil},
	{">u2", 2, 1.09, binary.BigEndian.Uint16, nil},
	{"int16", 2, 1.14, func(b []byte) uint16 { return binary.LittleEndian.Uint16(b) ^ 0x8000 }, nil},
	{">i2", 2, 1.15, func(b []byte) uint16 { return binary.BigEndian.Uint16(b) ^ 0x8000 }, nil},
	{"float16", 2, 1.06, func(b []byte) uint16 { return ordered(binary.LittleEndian.Uint16(b)) }, func(b []byte) int { return exotic(b, 10, 15, 10) }},
	{"bfloat16", 2, 1.05, func(b []byte) uint16 { return ordered(binary.LittleEndian.Uint16(b)) }, func(b []byte) int { return exotic(b, 7, 127, 12) }},
	{"float32", 4, 1.03, func(b []byte) uint16 { return ordered(binary.LittleEndian.Uint16(b[2:])) }, func(b []byte) int { return exotic(b[2:], 7, 127, 20) }},
}

// ordered maps the upper 16 bits of floats to integers of the same order.
func ordered(x uint16) uint16 {
	if x&0x8000 != 0 {
		return ^x
	}
	return x | 0x8000
}

// exotic returns 1 for a float below 2^-limit, which half of the values may be, and 25 for one that is huge or not finite; the float's upper 16
// bits decide.
func exotic(b []byte, mantissa, bias, limit int) int {
	x := int(binary.LittleEndian.Uint16(b) & 0x7fff)
	switch e := x>>mantissa - bias; {
	case e > limit:
		return 25
	case e < -limit && x != 0:
		return 1
	}
	return 0
}

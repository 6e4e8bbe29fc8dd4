package dump

import (
	"encoding/binary"
	"math"
)

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
	{"float64", 8, 1.04, func(b []byte) uint16 { return ordered(upper(b)) }, exoticDouble},
	{"int32", 4, 1.02, func(b []byte) uint16 { return small(int64(int32(binary.LittleEndian.Uint32(b)))) }, func(b []byte) int { return large(int64(int32(binary.LittleEndian.Uint32(b)))) }},
	{"int64", 8, 1.02, func(b []byte) uint16 { return small(int64(binary.LittleEndian.Uint64(b))) }, func(b []byte) int { return large(int64(binary.LittleEndian.Uint64(b))) }},
}

// Integers of 32 and 64 bits are wider than their values: those of pictures are.
const minSmall, maxSmall = math.MinInt16, math.MaxUint16

// small maps the integers of pictures to keys of the same order.
func small(x int64) uint16 {
	x = min(max(x, minSmall), maxSmall)
	return uint16((x - minSmall) * math.MaxUint16 / (maxSmall - minSmall))
}

// What an implausible value counts, of samples: a type is refused if all count more than half of them. Tiny floats count 1, so that half of the
// values may be tiny; of values that pictures never have, one in fifty is too many.
const (
	oddTiny = 1
	oddHuge = 25
)

// large returns oddHuge for an integer that is no pixel's.
func large(x int64) int {
	if x < minSmall || x > maxSmall {
		return oddHuge
	}
	return 0
}

// double returns a float64.
func double(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

// upper returns the upper 16 bits of a float64 as a float32.
func upper(b []byte) uint16 { return uint16(math.Float32bits(float32(double(b))) >> 16) }

// exoticDouble is exotic of a float64.
func exoticDouble(b []byte) int {
	x := math.Abs(double(b))
	if x != 0 && x < 1.0/(1<<20) {
		return oddTiny
	}
	if !(x < 1<<20) { // or NaN
		return oddHuge
	}
	return 0
}

// ordered maps the upper 16 bits of floats to integers of the same order.
func ordered(x uint16) uint16 {
	if x&0x8000 != 0 {
		return ^x
	}
	return x | 0x8000
}

// exotic returns oddTiny for a float below 2^-limit, and oddHuge for one that is huge or not finite; the float's upper 16 bits decide.
func exotic(b []byte, mantissa, bias, limit int) int {
	x := int(binary.LittleEndian.Uint16(b) & 0x7fff)
	e := x>>mantissa - bias
	if e > limit {
		return oddHuge
	}
	if e < -limit && x != 0 {
		return oddTiny
	}
	return 0
}

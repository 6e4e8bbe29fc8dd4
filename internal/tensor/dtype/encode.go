package dtype

import (
	"encoding/binary"
	"math"
)

// FromFloat64 returns a function that writes a number as an element of a type in its byte order, rounded to nearest even and, of integers,
// clipped to their range; ok is false for types whose elements are not numbers of whole bytes, and for float8.
func FromFloat64(d Type) (write func(item []byte, x float64), ok bool) {
	size := d.ItemSize()
	bits := bitsOfFloat64(d)
	if bits == nil || d.Packed() {
		return nil, false
	}
	swap := LittleEndian(d)
	return func(item []byte, x float64) {
		var raw [8]byte
		binary.LittleEndian.PutUint64(raw[:], bits(x))
		copy(item[:size], raw[:])
		if swap != nil {
			swap(item[:size])
		}
	}, true
}

// bitsOfFloat64 returns the bits of a rounded number; nil for types that have none.
func bitsOfFloat64(d Type) func(x float64) uint64 {
	size := 8 * d.ItemSize()
	switch d.Kind() {
	case Float:
		switch name := d.String(); name {
		case "float64":
			return math.Float64bits
		case "float32", "float16", "bfloat16":
			return func(x float64) uint64 { return narrowBits(name, float32(x)) }
		}
	case Int:
		limit := math.Ldexp(1, size-1)
		return func(x float64) uint64 { return uint64(int64(max(-limit, min(limit-1, math.RoundToEven(x))))) }
	case Uint:
		limit := math.Ldexp(1, size)
		return func(x float64) uint64 { return uint64(max(0, min(limit-1, math.RoundToEven(x)))) }
	}
	return nil
}

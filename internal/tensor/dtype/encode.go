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
		case "float32":
			return func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
		case "float16", "bfloat16":
			return func(x float64) uint64 { return narrowBits(name, oddly(x)) }
		}
	case Int:
		return func(x float64) uint64 { return clipped(x, -math.Ldexp(1, size-1), math.Ldexp(1, size-1)) }
	case Uint:
		return func(x float64) uint64 { return clipped(x, 0, math.Ldexp(1, size)) }
	}
	return nil
}

// clipped returns a number as an integer of at least low and below the limit, in two's complement. NaN is 0.
func clipped(x, low, limit float64) uint64 {
	x = math.RoundToEven(x)
	if x != x {
		return 0
	}
	if x >= limit {
		return uint64(limit/2) + (uint64(limit/2) - 1) // limit − 1, which float64 may not have
	}
	x = max(x, low)
	if low < 0 {
		return uint64(int64(x))
	}
	return uint64(x)
}

// oddly returns a number as a float32 from which rounding to fewer digits gives what rounding the number itself gives: if float32 does not have it,
// the odd one of its neighbors.
func oddly(x float64) float32 {
	f := float32(x)
	if float64(f) == x || f-f != 0 {
		return f
	}
	bits := math.Float32bits(f)
	if math.Abs(float64(f)) > math.Abs(x) {
		bits--
	}
	return math.Float32frombits(bits | 1)
}

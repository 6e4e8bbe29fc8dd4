package dtype

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Number is a real number, exactly: ±mant·2^exp, where the highest bit of mant is set unless the number is 0; or an
// infinity, or NaN. All types have at most 64 significant bits, so that equal numbers are equal structs; −0 is 0, and
// NaN is NaN.
type Number struct {
	mant  uint64
	exp   int
	minus bool
	kind  kind
}

type kind byte

const (
	finite kind = iota
	infinite
	notANumber
)

// Exact returns what reads one number of a real type, or one part of a complex number.
func Exact(d Type) func(item []byte) Number {
	switch read, narrow := part(d); {
	case narrow:
		return func(item []byte) Number { return exactly(read(item)) }
	case d.Kind() == Int:
		return func(item []byte) Number {
			n := int64(binary.LittleEndian.Uint64(item))
			return normal(uint64(max(n, -n)), 0, n < 0) // −2^63 is its own negative, and right as a uint64
		}
	case d.Kind() == Uint:
		return func(item []byte) Number { return normal(binary.LittleEndian.Uint64(item), 0, false) }
	}
	return extended
}

// Parts returns what reads the real and the imaginary part of a number; the latter is 0 for real types.
func Parts(d Type) func(item []byte) (re, im Number) {
	read := Exact(d)
	if d.Kind() != Complex {
		return func(item []byte) (re, im Number) { return read(item), Number{} }
	}
	half := d.ItemSize() / 2
	return func(item []byte) (re, im Number) { return read(item[:half]), read(item[half:]) }
}

// extended reads x87's 80 bits: an explicit mantissa of 64, then 15 of exponent and the sign. Mantissas without their
// highest bit are no numbers to the processor, unless the exponent is 0 (see tensor's dtype_float.go).
func extended(item []byte) Number {
	mant, top := binary.LittleEndian.Uint64(item), binary.LittleEndian.Uint16(item[8:])
	exp, minus := int(top&0x7fff), top>>15 == 1
	switch {
	case exp == 0x7fff && mant == 1<<63:
		return Number{kind: infinite, minus: minus}
	case exp == 0x7fff, exp > 0 && mant>>63 == 0:
		return Number{kind: notANumber}
	}
	return normal(mant, max(exp, 1)-16383-63, minus)
}

// exactly is the number that a float64 is.
func exactly(f float64) Number {
	switch {
	case f != f:
		return Number{kind: notANumber}
	case math.IsInf(f, 0):
		return Number{kind: infinite, minus: f < 0}
	}
	raw := math.Float64bits(f)
	mant, exp := raw&(1<<52-1), int(raw>>52&0x7ff)
	if exp > 0 {
		mant |= 1 << 52
	}
	return normal(mant, max(exp, 1)-1075, f < 0)
}

// normal is ±mant·2^exp.
func normal(mant uint64, exp int, minus bool) Number {
	if mant == 0 {
		return Number{}
	}
	shift := bits.LeadingZeros64(mant)
	return Number{mant: mant << shift, exp: exp - shift, minus: minus}
}

// IsNaN reports whether it is no number.
func (n Number) IsNaN() bool { return n.kind == notANumber }

// Float64 is the float64 next to the number, to nearest even; infinite beyond its range.
func (n Number) Float64() float64 {
	high, low := n.halves()
	return high + low
}

// Distance is |n − m|, rounded; NaN or infinite where that is none, or beyond float64's range.
func (n Number) Distance(m Number) float64 {
	high, low := n.halves()
	high2, low2 := m.halves()
	return math.Abs(high - high2 + (low - low2))
}

// halves are two floats whose sum is the number itself, the second of less than 11 bits.
func (n Number) halves() (high, low float64) {
	const lowBits = 1<<11 - 1
	switch n.kind {
	case notANumber:
		return math.NaN(), 0
	case infinite:
		high = math.Inf(1)
	default:
		high, low = math.Ldexp(float64(n.mant&^lowBits), n.exp), math.Ldexp(float64(n.mant&lowBits), n.exp)
	}
	if n.minus {
		return -high, -low
	}
	return high, low
}

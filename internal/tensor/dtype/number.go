package dtype

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strings"

	"github.com/x448/float16"
)

// IsNumber reports whether elements are numbers: booleans, integers, floats or complex.
func IsNumber(d Type) bool { return strings.ContainsRune("biufc", rune(d.Kind())) }

// Float64 returns a function that reads one number of a real type that float64 holds exactly; ok is false for other types.
func Float64(d Type) (read func(item []byte) float64, ok bool) {
	switch size := d.ItemSize(); d.Kind() {
	case Bool:
		return func(item []byte) float64 { return float64(min(item[0], 1)) }, true
	case Int:
		shift := 64 - d.bits()
		return func(item []byte) float64 { return float64(int64(littleUint(item)<<shift) >> shift) }, size < 8
	case Uint:
		mask := uint64(1)<<d.bits() - 1
		return func(item []byte) float64 { return float64(littleUint(item) & mask) }, size < 8
	case Float:
		if size == 1 {
			table := oneByteFloats(d)
			return func(item []byte) float64 { return table[item[0]] }, true
		}
		if d.String() == "bfloat16" {
			return upperHalf, true
		}
		return plainFloat(size), size <= 8
	}
	return nil, false
}

// upperHalf reads a bfloat16, the upper half of a float32.
func upperHalf(item []byte) float64 {
	return float64(math.Float32frombits(uint32(littleUint(item)) << 16))
}

// part is Float64, or for complex types that of a part.
func part(d Type) (read func(item []byte) float64, ok bool) {
	if d.Kind() != Complex {
		return Float64(d)
	}
	half := d.ItemSize() / 2
	if d.String() == "bcomplex32" {
		return upperHalf, true
	}
	return plainFloat(half), half <= 8
}

// Float64s returns a function that reads len(dst) numbers of a type that float64 holds exactly; nil for other types.
func Float64s(d Type) func(dst []float64, items []byte) {
	read, exact := Float64(d)
	if !exact {
		return nil
	}
	switch d.String() {
	case "float32":
		return func(dst []float64, items []byte) {
			for i := range dst {
				dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(items[4*i:])))
			}
		}
	case "float64":
		return func(dst []float64, items []byte) {
			for i := range dst {
				dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(items[8*i:]))
			}
		}
	}
	size := d.ItemSize()
	return func(dst []float64, items []byte) {
		for i := range dst {
			dst[i] = read(items[i*size : (i+1)*size])
		}
	}
}

// NearFloat64s is Float64s, and rounds integers of 64 bits to the nearest float64: enough to compare neighbors, not to tell numbers apart.
func NearFloat64s(d Type) func(dst []float64, items []byte) {
	if d.ItemSize() != 8 {
		return Float64s(d)
	}
	switch d.Kind() {
	case Int:
		return func(dst []float64, items []byte) {
			for i := range dst {
				dst[i] = float64(int64(binary.LittleEndian.Uint64(items[8*i:])))
			}
		}
	case Uint:
		return func(dst []float64, items []byte) {
			for i := range dst {
				dst[i] = float64(binary.LittleEndian.Uint64(items[8*i:]))
			}
		}
	}
	return Float64s(d)
}

// plainFloat reads IEEE floats of 2, 4 or 8 bytes.
func plainFloat(size int) func([]byte) float64 {
	switch size {
	case 2:
		return func(item []byte) float64 {
			return float64(float16.Frombits(binary.LittleEndian.Uint16(item)).Float32())
		}
	case 4:
		return func(item []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(item))) }
	}
	return func(item []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(item)) }
}

// oneByteFloats returns the values of a float of at most 8 bits.
func oneByteFloats(d Type) *[256]float64 {
	var table [256]float64
	for i := range table {
		table[i], _ = d.ext.spec().decode(uint32(i))
	}
	return &table
}

// Number is an exact real number ±mant·2^exp, with the highest bit of mant set unless it is 0; or an infinity or NaN. All types have at
// most 64 significant bits, so equal numbers are equal structs. −0 equals 0, and NaN equals NaN.
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

// Exact returns a function that reads one number of a real type, or one part of a complex number.
func Exact(d Type) func(item []byte) Number {
	if read, exact := part(d); exact {
		return func(item []byte) Number { return exactly(read(item)) }
	}
	switch d.Kind() {
	case Int:
		return func(item []byte) Number {
			n := int64(binary.LittleEndian.Uint64(item))
			return normal(uint64(max(n, -n)), 0, n < 0) // −2^63 is its own negative, which is correct as a uint64
		}
	case Uint:
		return func(item []byte) Number { return normal(binary.LittleEndian.Uint64(item), 0, false) }
	}
	return extended
}

// Parts returns a function that reads the real and the imaginary part of a number; the latter is 0 for real types.
func Parts(d Type) func(item []byte) (re, im Number) {
	read := Exact(d)
	if d.Kind() != Complex {
		return func(item []byte) (re, im Number) { return read(item), Number{} }
	}
	half := d.ItemSize() / 2
	return func(item []byte) (re, im Number) { return read(item[:half]), read(item[half:]) }
}

// extended reads the x87 80-bit extended format; see formatExtended.
func extended(item []byte) Number {
	mant := binary.LittleEndian.Uint64(item)
	top := binary.LittleEndian.Uint16(item[8:])
	exp := int(top & 0x7fff)
	minus := top>>15 == 1
	switch extendedKind(exp, mant) {
	case infinite:
		return Number{kind: infinite, minus: minus}
	case notANumber:
		return Number{kind: notANumber}
	}
	return normal(mant, max(exp, 1)-16383-63, minus)
}

// exactly converts a float64.
func exactly(f float64) Number {
	if math.IsNaN(f) {
		return Number{kind: notANumber}
	}
	if math.IsInf(f, 0) {
		return Number{kind: infinite, minus: f < 0}
	}
	raw := math.Float64bits(f)
	mant := raw & (1<<52 - 1)
	exp := int(raw >> 52 & 0x7ff)
	if exp > 0 {
		mant |= 1 << 52
	}
	return normal(mant, max(exp, 1)-1075, f < 0)
}

// normal returns ±mant·2^exp.
func normal(mant uint64, exp int, minus bool) Number {
	if mant == 0 {
		return Number{}
	}
	shift := bits.LeadingZeros64(mant)
	return Number{mant: mant << shift, exp: exp - shift, minus: minus}
}

// IsNaN reports whether n is NaN.
func (n Number) IsNaN() bool { return n.kind == notANumber }

// Float64 rounds to float64, to nearest even; infinite beyond its range.
func (n Number) Float64() float64 {
	high, low := n.halves()
	return high + low
}

// Distance returns |n − m|, rounded; NaN or infinite if n or m is, or beyond float64's range.
func (n Number) Distance(m Number) float64 {
	high, low := n.halves()
	high2, low2 := m.halves()
	return math.Abs(high - high2 + (low - low2))
}

// halves returns two floats whose exact sum is the number; the second has at most 11 bits.
func (n Number) halves() (high, low float64) {
	const lowBits = 1<<11 - 1
	switch n.kind {
	case notANumber:
		return math.NaN(), 0
	case infinite:
		high = math.Inf(1)
	default:
		high = math.Ldexp(float64(n.mant&^lowBits), n.exp)
		low = math.Ldexp(float64(n.mant&lowBits), n.exp)
	}
	if n.minus {
		return -high, -low
	}
	return high, low
}

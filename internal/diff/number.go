package diff

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// number is ±mant·2^exp, exactly; the highest bit of mant is set unless it is 0. All types have at most 64 significant
// bits, so that equal numbers are equal structs.
type number struct {
	mant  uint64
	exp   int
	minus bool
	kind  numberKind
}

type numberKind byte

const (
	finite numberKind = iota
	infinite
	notANumber
)

func isNumber(d tensor.DType) bool { return strings.ContainsRune("biufc", rune(d.Kind())) }

// numbers compares numbers of two types.
func (r Rule) numbers(a, b tensor.DType) same {
	if a.Kind() == tensor.Complex || b.Kind() == tensor.Complex {
		return r.complexes(a, b)
	}
	readA, narrowA := float64Of(a)
	readB, narrowB := float64Of(b)
	if narrowA && narrowB {
		return func(x, y []byte) (bool, float64) { return r.floats(readA(x), readB(y)) }
	}
	numberA, numberB := numberOf(a), numberOf(b)
	return func(x, y []byte) (bool, float64) {
		p, q := numberA(x), numberB(y)
		if p == q {
			return true, 0
		}
		apart := p.distance(q)
		return r.close(apart, math.Abs(q.float())), apart
	}
}

func (r Rule) floats(a, b float64) (bool, float64) {
	if a == b || a != a && b != b {
		return true, 0
	}
	apart := math.Abs(a - b)
	return r.close(apart, math.Abs(b)), apart
}

// complexes compares complex numbers, or one with a real number. Their distance is that in the plane.
func (r Rule) complexes(a, b tensor.DType) same {
	partsA, partsB := partsOf(a), partsOf(b)
	return func(x, y []byte) (bool, float64) {
		re, im := partsA(x)
		re2, im2 := partsB(y)
		nan, nan2 := re.kind == notANumber || im.kind == notANumber, re2.kind == notANumber || im2.kind == notANumber
		switch {
		case nan && nan2 || re == re2 && im == im2:
			return true, 0
		case nan || nan2:
			return false, math.NaN()
		}
		apart := math.Hypot(re.distance(re2), im.distance(im2))
		return r.close(apart, math.Hypot(re2.float(), im2.float())), apart
	}
}

// partsOf reads the real and the imaginary part.
func partsOf(d tensor.DType) func([]byte) (re, im number) {
	if d.Kind() != tensor.Complex {
		read := numberOf(d)
		return func(item []byte) (re, im number) { return read(item), number{} }
	}
	half := d.ItemSize() / 2
	read := floatBits(half)
	return func(item []byte) (re, im number) { return read(item[:half]), read(item[half:]) }
}

// floatBits reads IEEE floats, and x87's where they have more than eight bytes.
func floatBits(size int) func([]byte) number {
	if size > 8 {
		return extended
	}
	read := plainFloat(size)
	return func(item []byte) number { return exactly(read(item)) }
}

// numberOf reads numbers of a real type.
func numberOf(d tensor.DType) func([]byte) number {
	switch read, narrow := float64Of(d); {
	case narrow:
		return func(item []byte) number { return exactly(read(item)) }
	case d.Kind() == tensor.Int:
		return func(item []byte) number {
			n := int64(binary.LittleEndian.Uint64(item))
			return normal(uint64(max(n, -n)), 0, n < 0) // −2^63 is its own negative, and right as a uint64
		}
	case d.Kind() == tensor.Uint:
		return func(item []byte) number { return normal(binary.LittleEndian.Uint64(item), 0, false) }
	}
	return extended
}

// float64Of reads numbers of a real type that float64 holds exactly; false for other types.
func float64Of(d tensor.DType) (read func([]byte) float64, ok bool) {
	switch size := d.ItemSize(); d.Kind() {
	case tensor.Bool:
		return func(item []byte) float64 { return float64(min(item[0], 1)) }, true
	case tensor.Int:
		shift := 64 - 8*size
		return func(item []byte) float64 { return float64(int64(little(item)<<shift) >> shift) }, size < 8
	case tensor.Uint:
		return func(item []byte) float64 { return float64(little(item)) }, size < 8
	case tensor.Float:
		switch name := d.String(); {
		case strings.HasPrefix(name, "float8"):
			table := float8s(d)
			return func(item []byte) float64 { return table[item[0]] }, true
		case name == "bfloat16":
			return func(item []byte) float64 { return float64(math.Float32frombits(uint32(little(item)) << 16)) }, true
		}
		return plainFloat(size), size <= 8
	}
	return nil, false
}

// readerOf reads many numbers of a type that float64 holds; nil for other types.
func readerOf(d tensor.DType) func(dst []float64, items []byte) {
	read, narrow := float64Of(d)
	size := d.ItemSize()
	switch {
	case !narrow:
		return nil
	case d.Kind() == tensor.Float && size == 4:
		return func(dst []float64, items []byte) {
			for i := range dst {
				dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(items[4*i:])))
			}
		}
	case d.Kind() == tensor.Float && size == 8:
		return func(dst []float64, items []byte) {
			for i := range dst {
				dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(items[8*i:]))
			}
		}
	}
	return func(dst []float64, items []byte) {
		for i := range dst {
			dst[i] = read(items[i*size : (i+1)*size])
		}
	}
}

// little reads an unsigned number of up to eight bytes, the lowest first.
func little(item []byte) uint64 {
	var n uint64
	for i := len(item) - 1; i >= 0; i-- {
		n = n<<8 | uint64(item[i])
	}
	return n
}

// plainFloat reads IEEE floats of 2, 4 or 8 bytes.
func plainFloat(size int) func([]byte) float64 {
	switch size {
	case 2:
		return func(item []byte) float64 { return float16(binary.LittleEndian.Uint16(item)) }
	case 4:
		return func(item []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(item))) }
	}
	return func(item []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(item)) }
}

// float16 widens the exponent by putting the bits where float32 has them, and scales by the difference of the biases,
// 2^(127−15); that is exact, for subnormals too.
func float16(h uint16) float64 {
	sign, rest := uint32(h>>15)<<31, uint32(h&0x7fff)
	if rest >= 0x7c00 { // infinity, NaN
		return float64(math.Float32frombits(sign | 0xff<<23 | rest<<13))
	}
	return float64(math.Float32frombits(sign|rest<<13)) * (1 << 112)
}

// float8s are the numbers of a type of one byte, all of which print exactly.
func float8s(d tensor.DType) *[256]float64 {
	var table [256]float64
	for i := range table {
		v, err := strconv.ParseFloat(d.FormatValue([]byte{byte(i)}), 32)
		if err != nil {
			panic(err) // what is printed can be read
		}
		table[i] = v
	}
	return &table
}

// extended reads x87's 80 bits: an explicit mantissa of 64, then 15 of exponent and the sign.
func extended(item []byte) number {
	mant, top := binary.LittleEndian.Uint64(item), binary.LittleEndian.Uint16(item[8:])
	exp, minus := int(top&0x7fff), top>>15 == 1
	switch {
	case exp == 0x7fff && mant == 1<<63:
		return number{kind: infinite, minus: minus}
	case exp == 0x7fff, exp > 0 && mant>>63 == 0:
		return number{kind: notANumber}
	}
	return normal(mant, max(exp, 1)-16383-63, minus)
}

// exactly is the number that a float64 is.
func exactly(f float64) number {
	switch {
	case f != f:
		return number{kind: notANumber}
	case math.IsInf(f, 0):
		return number{kind: infinite, minus: f < 0}
	}
	raw := math.Float64bits(f)
	mant, exp := raw&(1<<52-1), int(raw>>52&0x7ff)
	if exp > 0 {
		mant |= 1 << 52
	}
	return normal(mant, max(exp, 1)-1075, f < 0)
}

// normal is ±mant·2^exp.
func normal(mant uint64, exp int, minus bool) number {
	if mant == 0 {
		return number{}
	}
	shift := bits.LeadingZeros64(mant)
	return number{mant: mant << shift, exp: exp - shift, minus: minus}
}

// halves are two floats whose sum is the number itself, the second of less than 11 bits.
func (n number) halves() (high, low float64) {
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

func (n number) float() float64 {
	high, low := n.halves()
	return high + low
}

// distance is |n − m|; NaN or infinite where that is none, or beyond float64's range.
func (n number) distance(m number) float64 {
	high, low := n.halves()
	high2, low2 := m.halves()
	return math.Abs(high - high2 + (low - low2))
}

package dtype

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// ext is the index of a type that machine-learning frameworks added to NumPy's; 0: none.
type ext byte

// extSpec describes such a type: a float with one sign bit (none in e8m0), exp exponent bits and mant mantissa bits, or a pair of them; or an integer
// of fewer than 8 bits.
type extSpec struct {
	name      string
	kind      Kind
	size      int // bytes
	exp, mant int // bits
	bias      int
	special   extSpecial
	bits      int  // of an element below a byte; 0 for others
	unpacked  bool // elements below a byte have a byte each, always
}

// extSpecial is which bit patterns are not finite numbers.
type extSpecial byte

const (
	ieeeSpecial  extSpecial = iota // exponent all ones: infinity, or NaN with a mantissa
	onesAreNaN                     // "fn": all bits but the sign are ones: NaN; no infinity
	minusZeroNaN                   // "fnuz": only the sign bit: NaN; no infinity, no -0
	unsignedExp                    // e8m0: powers of two; all ones: NaN
	allFinite                      // no infinity, no NaN
)

// extSpecs holds the parameters given in ml_dtypes' README and in its ml_dtypes/include/float8.h, mxfloat.h and float4.h; bfloat16 is the
// upper half of a float32, complex32 a pair of float16 and bcomplex32 one of bfloat16 (PyTorch's names). Values of 6 bits have a byte each, as
// ml_dtypes 0.6 stores them. float4_e2m1fn_x2 is PyTorch's element of two values, the first one low
// (torch/headeronly/util/Float4_e2m1fn_x2.h, 2.8). Integers below a byte are two's complement (int4.h); int1 is 0 or -1.
//
// To add a type below a byte: a row here, and its codes in TestNarrowValues.
var extSpecs = [...]extSpec{
	{},
	{"bfloat16", Float, 2, 8, 7, 127, ieeeSpecial, 0, false},
	{"complex32", Complex, 4, 5, 10, 15, ieeeSpecial, 0, false},
	{"bcomplex32", Complex, 4, 8, 7, 127, ieeeSpecial, 0, false},
	{"float8_e3m4", Float, 1, 3, 4, 3, ieeeSpecial, 0, false},
	{"float8_e4m3", Float, 1, 4, 3, 7, ieeeSpecial, 0, false},
	{"float8_e4m3b11fnuz", Float, 1, 4, 3, 11, minusZeroNaN, 0, false},
	{"float8_e4m3fn", Float, 1, 4, 3, 7, onesAreNaN, 0, false},
	{"float8_e4m3fnuz", Float, 1, 4, 3, 8, minusZeroNaN, 0, false},
	{"float8_e5m2", Float, 1, 5, 2, 15, ieeeSpecial, 0, false},
	{"float8_e5m2fnuz", Float, 1, 5, 2, 16, minusZeroNaN, 0, false},
	{"float8_e8m0fnu", Float, 1, 8, 0, 127, unsignedExp, 0, false},
	{"float6_e2m3fn", Float, 1, 2, 3, 1, allFinite, 6, true},
	{"float6_e3m2fn", Float, 1, 3, 2, 3, allFinite, 6, true},
	{"float4_e2m1fn", Float, 1, 2, 1, 1, allFinite, 4, false},
	{pairOfFloat4, Void, 1, 0, 0, 0, 0, 0, false},
	{name: "int4", kind: Int, size: 1, bits: 4},
	{name: "int2", kind: Int, size: 1, bits: 2},
	{name: "int1", kind: Int, size: 1, bits: 1},
	{name: "uint4", kind: Uint, size: 1, bits: 4},
	{name: "uint2", kind: Uint, size: 1, bits: 2},
	{name: "uint1", kind: Uint, size: 1, bits: 1},
}

const pairOfFloat4 = "float4_e2m1fn_x2"

func (e ext) spec() *extSpec { return &extSpecs[e] }

// extNamed returns the type with this name.
func extNamed(name string, order ByteOrder) (Type, bool) {
	for i := 1; i < len(extSpecs); i++ {
		if s := &extSpecs[i]; s.name == name {
			if s.size == 1 {
				order = NoOrder
			}
			return Type{kind: s.kind, order: order, ext: ext(i), size: s.size, unpacked: s.unpacked}, true
		}
	}
	return Type{}, false
}

// formatFloat prints a little-endian float: half of the element if d is complex.
func (d Type) formatFloat(b []byte) string {
	if d.ext != 0 {
		return formatNarrow(uint32(littleUint(b)), d.ext.spec())
	}
	switch len(b) {
	case 2:
		return formatNarrow(uint32(littleUint(b)), &float16Spec)
	case 4:
		v := float64(math.Float32frombits(uint32(littleUint(b))))
		return layFloat(v, strconv.FormatFloat(v, 'e', -1, 32))
	case 8:
		v := math.Float64frombits(littleUint(b))
		return layFloat(v, strconv.FormatFloat(v, 'e', -1, 64))
	}
	return formatExtended(littleUint(b[:8]), uint16(littleUint(b[8:10])))
}

var float16Spec = extSpec{name: "float16", kind: Float, size: 2, exp: 5, mant: 10, bias: 15}

// formatNarrow prints a float of at most 16 bits. An 8-bit float is printed exactly: "shortest" would print
// float8_e4m3fn's 0.375 as 0.4.
func formatNarrow(raw uint32, s *extSpec) string {
	v, precision := s.decode(raw)
	if v == 0 || v != v || math.IsInf(v, 0) {
		return layFloat(v, "0e+00")
	}
	if s.size == 1 || v == math.Trunc(v) && math.Abs(v) < 1<<24 {
		return layFloat(v, strconv.FormatFloat(v, 'e', -1, 32))
	}
	uneven := raw&(1<<s.mant-1) == 0 && int(raw>>s.mant)&(1<<s.exp-1) > 1
	return layFloat(v, shortest(new(big.Float).SetPrec(precision).SetFloat64(v), uneven))
}

// shortest prints v with the fewest digits that read back as v in its precision. math/big assumes equidistant neighbors; below a power
// of two they are closer, unless subnormal. For such a power, uneven, digits are added until the text reads back, which may be one more
// than needed above v.
func shortest(v *big.Float, uneven bool) string {
	text := v.Text('e', -1)
	for decimals := max(0, strings.IndexByte(text, 'e')-3); uneven; decimals++ {
		back, _, err := big.ParseFloat(text, 10, v.Prec(), big.ToNearestEven)
		if err != nil || back.Cmp(v) == 0 {
			break
		}
		text = v.Text('e', decimals)
	}
	return text
}

// decode returns the value of a bit pattern and its number of significant bits, which is smaller for subnormals.
func (s *extSpec) decode(raw uint32) (v float64, precision uint) {
	mant := raw & (1<<s.mant - 1)
	exp := int(raw>>s.mant) & (1<<s.exp - 1)
	sign := 1.0
	if s.special != unsignedExp && raw>>(s.exp+s.mant)&1 == 1 {
		sign = -1
	}
	switch s.kindOf(sign < 0, exp, mant) {
	case infinite:
		return math.Inf(int(sign)), 1
	case notANumber:
		return math.NaN(), 1
	}
	if s.special == unsignedExp {
		return math.Ldexp(1, exp-s.bias), 1
	}
	if exp == 0 { // subnormal
		return math.Copysign(math.Ldexp(float64(mant), 1-s.bias-s.mant), sign), uint(max(1, bits.Len32(mant)))
	}
	return sign * math.Ldexp(float64(mant|1<<s.mant), exp-s.bias-s.mant), uint(s.mant + 1)
}

// kindOf returns what a bit pattern is: finite, infinite or notANumber.
func (s *extSpec) kindOf(minus bool, exp int, mant uint32) kind {
	lastExp := exp == 1<<s.exp-1
	nan := false
	switch s.special {
	case ieeeSpecial:
		if lastExp && mant == 0 {
			return infinite
		}
		nan = lastExp
	case onesAreNaN:
		nan = lastExp && mant == 1<<s.mant-1
	case minusZeroNaN:
		nan = minus && exp == 0 && mant == 0
	case unsignedExp:
		nan = lastExp
	}
	if nan {
		return notANumber
	}
	return finite
}

// extendedKind returns what a pattern of the x87 80-bit extended format is. The highest mantissa bit is the integer bit; patterns without it
// are invalid to the processor, unless subnormal.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, section 4.2.2 and table 8-3.
func extendedKind(exp int, mant uint64) kind {
	if exp == 0x7fff && mant == 1<<63 {
		return infinite
	}
	if exp == 0x7fff || exp > 0 && mant>>63 == 0 {
		return notANumber
	}
	return finite
}

// formatExtended prints the x87 80-bit extended format: sign and 15 exponent bits in top, 64 mantissa bits. Invalid patterns print as "nan".
func formatExtended(mant uint64, top uint16) string {
	exp := int(top & 0x7fff)
	sign := 1 - 2*int(top>>15)
	switch extendedKind(exp, mant) {
	case infinite:
		return layFloat(math.Inf(sign), "")
	case notANumber:
		return layFloat(math.NaN(), "")
	}
	if mant == 0 {
		return layFloat(math.Copysign(0, float64(sign)), "0e+00")
	}
	precision := uint(bits.Len64(mant))
	v := new(big.Float).SetPrec(precision).SetUint64(mant)
	v.SetMantExp(v, max(exp, 1)-16383-63)
	if sign < 0 {
		v.Neg(v)
	}
	return layFloat(1, shortest(v, exp > 1 && mant == 1<<63))
}

// layFloat formats a number given in exponent form, "-1.25e+03", like NumPy: without exponent from 1e-4 to below 1e16. v determines −0
// and numbers that are not finite.
func layFloat(v float64, exponential string) string {
	if math.IsInf(v, 1) {
		return "inf"
	}
	if math.IsInf(v, -1) {
		return "-inf"
	}
	if math.IsNaN(v) {
		return "nan"
	}
	if v == 0 && math.Signbit(v) {
		return "-0"
	}
	number, power, _ := strings.Cut(exponential, "e")
	sign := ""
	digits := strings.Replace(number, ".", "", 1)
	if digits[0] == '-' {
		sign = "-"
		digits = digits[1:]
	}
	exp, err := strconv.Atoi(power)
	if err != nil || exp < -4 || exp >= 16 {
		return exponential
	}
	if exp < 0 {
		return sign + "0." + strings.Repeat("0", -exp-1) + digits
	}
	if exp+1 >= len(digits) {
		return sign + digits + strings.Repeat("0", exp+1-len(digits))
	}
	return sign + digits[:exp+1] + "." + digits[exp+1:]
}

package dtype

// ext numbers the types that machine-learning frameworks added to NumPy's; 0 is none of them.
type ext byte

// extSpec describes such a type: a float of one sign bit (none for e8m0), exp exponent bits and mant mantissa bits,
// or a pair of them.
type extSpec struct {
	name      string
	kind      Kind
	size      int // bytes
	exp, mant int // bits
	bias      int
	special   extSpecial
}

// extSpecial says which bit patterns are not finite numbers.
type extSpecial byte

const (
	ieeeSpecial  extSpecial = iota // exponent all ones: infinity, or NaN with a mantissa
	onesAreNaN                     // "fn": all bits but the sign are ones: NaN; no infinity
	minusZeroNaN                   // "fnuz": sign bit alone: NaN; no infinity, no -0
	unsignedExp                    // e8m0: powers of two; all ones: NaN
)

// extSpecs holds the parameters given in ml_dtypes' README and in its ml_dtypes/include/float8.h; bfloat16 is the
// upper half of a float32, complex32 a pair of float16 (PyTorch's name).
var extSpecs = [...]extSpec{
	{},
	{"bfloat16", Float, 2, 8, 7, 127, ieeeSpecial},
	{"complex32", Complex, 4, 5, 10, 15, ieeeSpecial},
	{"float8_e3m4", Float, 1, 3, 4, 3, ieeeSpecial},
	{"float8_e4m3", Float, 1, 4, 3, 7, ieeeSpecial},
	{"float8_e4m3b11fnuz", Float, 1, 4, 3, 11, minusZeroNaN},
	{"float8_e4m3fn", Float, 1, 4, 3, 7, onesAreNaN},
	{"float8_e4m3fnuz", Float, 1, 4, 3, 8, minusZeroNaN},
	{"float8_e5m2", Float, 1, 5, 2, 15, ieeeSpecial},
	{"float8_e5m2fnuz", Float, 1, 5, 2, 16, minusZeroNaN},
	{"float8_e8m0fnu", Float, 1, 8, 0, 127, unsignedExp},
}

func (e ext) spec() *extSpec { return &extSpecs[e] }

// extNamed returns the type of that name.
func extNamed(name string, order ByteOrder) (Type, bool) {
	for i := 1; i < len(extSpecs); i++ {
		if s := &extSpecs[i]; s.name == name {
			if s.size == 1 {
				order = NoOrder
			}
			return Type{kind: s.kind, order: order, ext: ext(i), size: s.size}, true
		}
	}
	return Type{}, false
}

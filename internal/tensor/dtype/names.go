package dtype

import (
	"sort"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// names maps NumPy's words and one-letter codes to kind and size, as on 64-bit Linux. Source: the keys of numpy.sctypeDict and
// numpy.typecodes in NumPy 1.24 and 2.5; words that NumPy 2 removed are kept.
var names = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"?": "b1", "bool": "b1", "bool_": "b1", "bool8": "b1",

		"b": "i1", "h": "i2", "i": "i4", "l": "i8", "q": "i8", "p": "i8",
		"B": "u1", "H": "u2", "I": "u4", "L": "u8", "Q": "u8", "P": "u8", "n": "i8", "N": "u8",
		"e": "f2", "f": "f4", "d": "f8", "g": "f16", "F": "c8", "D": "c16", "G": "c32", "c": "S1",

		"int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8",
		"uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8",
		"float16": "f2", "float32": "f4", "float64": "f8", "float128": "f16",
		"complex64": "c8", "complex128": "c16", "complex256": "c32",

		"byte": "i1", "short": "i2", "intc": "i4", "int": "i8", "int_": "i8", "int0": "i8",
		"long": "i8", "longlong": "i8", "intp": "i8",
		"ubyte": "u1", "ushort": "u2", "uintc": "u4", "uint": "u8", "uint0": "u8",
		"ulong": "u8", "ulonglong": "u8", "uintp": "u8",
		"half": "f2", "single": "f4", "double": "f8", "float": "f8", "float_": "f8", "longdouble": "f16", "longfloat": "f16",
		"csingle": "c8", "singlecomplex": "c8", "cdouble": "c16", "cfloat": "c16", "complex": "c16", "complex_": "c16",
		"clongdouble": "c32", "clongfloat": "c32", "longcomplex": "c32",

		"bytes": "S0", "bytes_": "S0", "bytes0": "S0", "string_": "S0",
		"str": "U0", "str_": "U0", "str0": "U0", "unicode": "U0", "unicode_": "U0",
		"void": "V0", "void0": "V0",
	}
})

const known = "valid: float32, <f4, >i2, |b1, S5, <U7, V12, M8[ns], bfloat16, float8_e4m3fn " +
	"and other NumPy and ml_dtypes names"

// unknown returns the error for an unknown name, with similar names as its hint.
func unknown(s string) error {
	err := fault.New(fault.Unsupported, "unknown dtype %s", quote(s))
	if near := similarNames(s); len(near) > 0 {
		return err.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	return err.WithHint(known)
}

// unsized returns the error for a kind that does not exist in n bytes.
func unsized(whole string, kind Kind, n uint64) error {
	if hint, ok := unsizedHints[sized{kind, n}]; ok {
		return fault.New(fault.Unsupported, "unknown dtype %s", quote(whole)).WithHint("%s", hint)
	}
	return unknown(whole)
}

// sized is a kind in a number of bytes.
type sized struct {
	kind Kind
	size uint64
}

const longDouble32 = "it is the long double of 32-bit x86; convert it to float64 or float128 on the machine that wrote it"

// unsizedHints are what to write in place of sizes that NumPy does not have, but other libraries do.
var unsizedHints = map[sized]string{
	{Float, 1}:    "name the one-byte float: float8_e5m2 (ml_dtypes: f1), float8_e4m3fn, …",
	{Complex, 4}:  "its name is complex32",
	{Float, 12}:   longDouble32,
	{Complex, 24}: longDouble32,
}

// similarNames returns at most two names that s may misspell: the nearest ones, within one edit, or two for at least six letters.
// Digits are a type's size, not a typo: int9 is not int8, but float3 may be float32. Names that only old NumPy has are not suggested.
func similarNames(s string) []string {
	if len(s) < 3 || len(s) > 40 {
		return nil
	}
	s = strings.ToLower(s)
	nearest := 1 + min(1, len(s)/6)
	var near []string
	consider := func(name string) {
		d := text.Distance(s, name)
		if strings.HasPrefix(name, s) && digitsOf(s) == "" {
			d = 1 // incomplete
		}
		if d > nearest || !isSuggested(name) || !sizedAlike(s, name) {
			return
		}
		if d < nearest {
			nearest = d
			near = nil
		}
		near = append(near, name)
	}
	for name := range names() {
		consider(name)
	}
	for _, spec := range extSpecs[1:] {
		consider(spec.name)
	}
	sort.Strings(near)
	return near[:min(2, len(near))]
}

// isSuggested reports whether a name is neither a letter code nor one that only old NumPy has: bool_, bytes0.
func isSuggested(name string) bool {
	return len(name) >= 3 && !strings.HasSuffix(name, "_") && !strings.HasSuffix(name, "0")
}

// sizedAlike reports whether the digits of a misspelled name may be those of a name: the same, or a prefix or suffix; and without digits, if
// the name continues what was typed.
func sizedAlike(s, name string) bool {
	typed := digitsOf(s)
	digits := digitsOf(name)
	if typed == "" {
		return digits == "" || strings.HasPrefix(name, s)
	}
	return strings.HasPrefix(digits, typed) || strings.HasSuffix(digits, typed)
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// DirectMLBits returns the width of a DML_TENSOR_DATA_TYPE; 0 if DirectML lacks the type (bool, bfloat16, complex, strings), for which
// DMLCalcBufferTensorSize returns 0 bytes.
func DirectMLBits(d Type) int {
	switch d.String() {
	case "float32", "uint32", "int32":
		return 32
	case "float16", "uint16", "int16":
		return 16
	case "uint8", "int8":
		return 8
	case "float64", "uint64", "int64":
		return 64
	}
	return 0
}

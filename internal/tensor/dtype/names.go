package dtype

import (
	"sort"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// names maps NumPy's words and one-letter codes to kind and size, as on 64-bit Linux. Source: the keys of
// numpy.sctypeDict and numpy.typecodes in NumPy 1.24; words that NumPy 2 dropped are kept.
var names = map[string]string{
	"?": "b1", "bool": "b1", "bool_": "b1", "bool8": "b1",

	"b": "i1", "h": "i2", "i": "i4", "l": "i8", "q": "i8", "p": "i8",
	"B": "u1", "H": "u2", "I": "u4", "L": "u8", "Q": "u8", "P": "u8",
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

const known = "known are float32, <f4, >i2, |b1, S5, <U7, V12, M8[ns], bfloat16, float8_e4m3fn " +
	"and other NumPy and ml_dtypes names"

// unknown is the error for an unknown name, with similar names as its hint.
func unknown(s string) error {
	err := fault.New(fault.Unsupported, "unknown dtype %s", quote(s))
	if near := similarNames(s); len(near) > 0 {
		return err.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	return err.WithHint(known)
}

// unsized is the error for a kind that does not exist in n bytes.
func unsized(whole string, kind Kind, n uint64) error {
	err := fault.New(fault.Unsupported, "unknown dtype %s", quote(whole))
	switch {
	case kind == Float && n == 1:
		return err.WithHint("a one-byte float has to be named: float8_e5m2 (which ml_dtypes calls f1), float8_e4m3fn, …")
	case kind == Complex && n == 4:
		return err.WithHint("its name is complex32")
	case kind == Float && n == 12, kind == Complex && n == 24:
		return err.WithHint("it is the long double of 32-bit x86; convert it to f8 or f16 on the machine that wrote it")
	}
	return unknown(whole)
}

// similarNames returns up to three names within two edits of s, or one edit of a short s.
func similarNames(s string) []string {
	if len(s) > 40 {
		return nil
	}
	most := min(2, len(s)/3)
	var near []string
	for name := range names {
		if len(name) > 2 && words.Distance(strings.ToLower(s), name) <= most {
			near = append(near, name)
		}
	}
	for _, spec := range extSpecs[1:] {
		if words.Distance(strings.ToLower(s), spec.name) <= most {
			near = append(near, spec.name)
		}
	}
	sort.Slice(near, func(i, j int) bool {
		a, b := words.Distance(s, near[i]), words.Distance(s, near[j])
		return a < b || a == b && near[i] < near[j]
	})
	return near[:min(3, len(near))]
}

// DirectMLBits returns the width of a DML_TENSOR_DATA_TYPE; 0 if DirectML has no such type (bool, bfloat16, complex,
// strings), for which DMLCalcBufferTensorSize returns 0 bytes.
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

package dtype

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
)

// Parse reads a dtype's name: a NumPy name ("float32", "longdouble"), a typestr ("<f4", "|b1", "S5", "<U7", "M8[25s]"), a comma list of
// them ("<f4,i2", a structure with fields f0, f1), or a type from ml_dtypes ("bfloat16", "float8_e4m3fn"). Machine-dependent sizes are
// those of NumPy on 64-bit Linux, and native order is little-endian.
//
// Source of the grammar: NumPy numpy/core/src/multiarray/descriptor.c, compared with NumPy 1.24 and 2.5. NumPy accepts, but Parse
// refuses: signs and blanks before a size ("S-5", "f 4"), repeat counts ("2f4"), divided units ("M8[D/3]") and units counted zero
// times. Errors are Unsupported.
func Parse(s string) (Type, error) {
	if hasComma(s) {
		return parseList(s)
	}
	order, code := cutOrder(s)
	if code == "" {
		return Type{}, unknown(s)
	}
	if code[0] == 'O' || strings.HasPrefix(code, "object") {
		return Type{}, fault.New(fault.Unsupported, "object arrays (%s) contain Python pickles, which are not supported",
			quote(s)).WithHint("save the array with a numeric or string dtype")
	}
	if d, ok := extNamed(code, order); ok {
		return d, nil
	}
	if d, ok := parseTime(order, code); ok {
		return d, nil
	}
	if len(code) == len(s) || len(code) == 1 { // only a single letter can have an order character
		if full, ok := names()[code]; ok {
			code = full
		}
	}
	return parseSized(s, order, code)
}

// cutOrder splits off the byte order character. '=' and '|' mean native order, assumed to be little-endian.
func cutOrder(s string) (ByteOrder, string) {
	if s == "" {
		return Little, s
	}
	switch s[0] {
	case '<', '=', '|':
		return Little, s[1:]
	case '>':
		return Big, s[1:]
	}
	return Little, s
}

// parseSized reads a kind letter followed by a size: "f4", "U7", "S". whole is for the error.
func parseSized(whole string, order ByteOrder, code string) (Type, error) {
	kind := Kind(code[0])
	digits := code[1:]
	if kind == 'a' {
		kind = Bytes
	}
	n, err := strconv.ParseUint("0"+digits, 10, 64)
	if err != nil {
		if strings.Trim(digits, "0123456789") != "" {
			return Type{}, unknown(whole)
		}
		n = math.MaxUint64 // only digits, but out of range
	}
	switch kind {
	case Bytes, Void:
		order = NoOrder
	case Text:
		if n > maxItemSize/4 {
			n = math.MaxUint64
		} else {
			n *= 4
		}
	default:
		if !slices.Contains(kindSizes[kind], n) {
			return Type{}, unsized(whole, kind, n)
		}
		if n == 1 {
			order = NoOrder
		}
	}
	if n > maxItemSize {
		return Type{}, tooLarge()
	}
	return Type{kind: kind, order: order, size: int(n)}, nil
}

// kindSizes are the sizes in bytes that NumPy on 64-bit Linux has of a kind of numbers; f16 and c32 are x86 long doubles.
var kindSizes = map[Kind][]uint64{Bool: {1}, Int: {1, 2, 4, 8}, Uint: {1, 2, 4, 8}, Float: {2, 4, 8, 16}, Complex: {8, 16, 32}}

// hasComma reports whether s is a comma list; a comma inside a unit's brackets does not count.
func hasComma(s string) bool {
	depth := 0
	for _, r := range s {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				return true
			}
		}
	}
	return false
}

// maxListed bounds a comma list, which has a field for every two bytes.
const maxListed = 1000

// parseList reads "<f4, i2": a structure with fields f0, f1, … without padding. A single dtype followed by a comma is that dtype, as in
// NumPy 1; since 2.0 it is a structure of one field.
func parseList(s string) (Type, error) {
	if strings.Count(s, ",") > maxListed {
		return Type{}, fault.New(fault.Unsupported, "a dtype list of more than %d entries", maxListed)
	}
	parts := strings.Split(strings.TrimSuffix(s, ","), ",")
	fields := make([]Field, 0, len(parts))
	size := 0
	for i, part := range parts {
		if i > 0 {
			part = strings.TrimLeft(part, " \t\n\r\f\v")
		}
		d, err := Parse(strings.TrimRight(part, " \t\n\r\f\v"))
		if err != nil {
			return Type{}, err
		}
		fields = append(fields, Field{Name: "f" + strconv.Itoa(i), DType: d, Offset: size})
		if d.size > maxItemSize-size {
			return Type{}, tooLarge()
		}
		size += d.size
	}
	if len(fields) == 1 {
		return fields[0].DType, nil
	}
	return StructOf(fields, size)
}

package dtype

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/x448/float16"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// ParseValue returns the bytes of one item of the given value: an integer or boolean in range, a float (rounded to
// nearest, nan and inf included), or for any type 0 for zero bytes and 0x… for the item's bytes in hexadecimal, in the
// order in which they lie. It fails with Usage where the value does not fit the type.
func (d Type) ParseValue(s string) ([]byte, error) {
	if s == "0" {
		return make([]byte, d.size), nil
	}
	if raw, ok := strings.CutPrefix(s, "0x"); ok {
		if item, err := hex.DecodeString(raw); err == nil && len(item) == d.size {
			return item, nil
		}
		return nil, fault.New(fault.Usage, "value %s is not %d bytes in hexadecimal", words.Quote(s), d.size)
	}
	bits, ok := d.valueBits(s)
	if !ok {
		return nil, fault.New(fault.Usage, "%q is no value of dtype %s", s, d).
			WithHint("0x and %d hexadecimal digits give the item's bytes", 2*d.size)
	}
	item := binary.LittleEndian.AppendUint64(nil, bits)[:d.size]
	if d.order == Big {
		slices.Reverse(item)
	}
	return item, nil
}

// valueBits returns the value's bits, least significant first, for types of at most 8 bytes.
func (d Type) valueBits(s string) (uint64, bool) {
	switch name := d.String(); {
	case d.kind == Bool:
		b, err := strconv.ParseBool(s)
		if b {
			return 1, err == nil
		}
		return 0, err == nil
	case d.kind == Int:
		n, err := strconv.ParseInt(s, 10, 8*d.size)
		return uint64(n), err == nil
	case d.kind == Uint:
		n, err := strconv.ParseUint(s, 10, 8*d.size)
		return n, err == nil
	case name == "float64":
		x, err := strconv.ParseFloat(s, 64)
		return math.Float64bits(x), err == nil
	case name == "float32", name == "float16", name == "bfloat16":
		x, err := strconv.ParseFloat(s, 32)
		tooLarge := name == "float16" && math.Abs(x) >= 65520 && !math.IsInf(x, 0)
		return narrowBits(name, float32(x)), err == nil && !tooLarge
	}
	return 0, false
}

// narrowBits rounds a float32 to the named type. A bfloat16 is the upper half of a float32, rounded to nearest even.
func narrowBits(name string, x float32) uint64 {
	bits := math.Float32bits(x)
	switch {
	case name == "float16":
		return uint64(float16.Fromfloat32(x))
	case name == "bfloat16" && x != x:
		return uint64(bits>>16 | 0x40)
	case name == "bfloat16":
		return uint64((bits + 0x7FFF + bits>>16&1) >> 16)
	}
	return uint64(bits)
}

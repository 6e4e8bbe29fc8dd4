package dtype

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/tlayout/tlayout/internal/ints"
)

// bits returns the bits of an element that carry its value.
func (d Type) bits() int {
	if n := d.ext.spec().bits; n > 0 {
		return n
	}
	return 8 * d.size
}

// Packed reports whether several elements share a byte. The first one has the byte's lowest bits: value 2k of int4 is the low half of byte k, as in
// PyTorch's float4_e2m1fn_x2, and in words of little-endian integers.
func (d Type) Packed() bool { return !d.unpacked && d.bits() < 8 && d.size > 0 }

// Unpacked reports whether values below a byte have a byte each.
func (d Type) Unpacked() bool { return d.unpacked }

// AsUnpacked returns the same type with a byte for each value: int4 as NumPy's and PyTorch's arrays hold it. Other types are unchanged.
func (d Type) AsUnpacked() Type {
	d.unpacked = d.unpacked || d.Packed()
	return d
}

// MayBeUnpacked reports whether elements of a file may be values below a byte that have a byte each: ml_dtypes' arrays, which .npy calls |V1.
func MayBeUnpacked(d Type) bool { return d.kind == Void && d.size == 1 && d.ext == 0 }

// Bits returns the size of an element in memory and files, in bits: 4 for int4.
func (d Type) Bits() int {
	if d.Packed() {
		return d.bits()
	}
	return 8 * d.size
}

// WholeBytes returns the size of an element in bytes, 0 for values that share a byte.
func (d Type) WholeBytes() int { return d.Bits() / 8 }

// InBytes returns the size of n elements in bytes, which may be a part of one: "2.5". It does not overflow.
func (d Type) InBytes(n int) string {
	if d.Packed() {
		return strconv.FormatFloat(float64(n)/float64(d.PerByte()), 'f', -1, 64)
	}
	if bytes := n * d.size; d.size == 0 || bytes/d.size == n {
		return strconv.Itoa(bytes)
	}
	return new(big.Int).Mul(big.NewInt(int64(n)), big.NewInt(int64(d.size))).String()
}

// ByteOf returns the byte in which element n begins.
func (d Type) ByteOf(n int) int {
	byteOf, _ := ints.FloorDiv(n, d.PerByte())
	return byteOf * d.size
}

// In describes where element n is: "64", or "64 low", "64 high" and "64 bits 2-3" of a byte that it shares.
func (d Type) In(n int) string {
	if !d.Packed() {
		return d.InBytes(n)
	}
	return strconv.Itoa(d.ByteOf(n)) + " " + d.Part(n)
}

// Part names the bits of element n in a byte that it shares: low, high, bits 2-3; empty for other types.
func (d Type) Part(n int) string {
	if !d.Packed() {
		return ""
	}
	bits := d.bits()
	_, k := ints.FloorDiv(n, d.PerByte())
	first := k * bits
	switch bits {
	case 4:
		return [...]string{"low", "high"}[k]
	case 1:
		return fmt.Sprintf("bit %d", first)
	}
	return fmt.Sprintf("bits %d-%d", first, first+bits-1)
}

// Uint8 is the type of a byte.
var Uint8 = Type{kind: Uint, order: NoOrder, size: 1}

// Size returns the bytes of n elements: ⌈n · Bits / 8⌉.
func (d Type) Size(n int64) int64 {
	if d.Packed() {
		each := int64(8 / d.bits())
		return n/each + min(n%each, 1)
	}
	return n * int64(d.size)
}

// PerByte returns how many elements share a byte: 2 for int4, 1 for types of whole bytes.
func (d Type) PerByte() int {
	if d.Packed() {
		return 8 / d.bits()
	}
	return 1
}

// Unpack returns packed elements with a byte each, as the program holds them: dst[i] = bits i·Bits to (i+1)·Bits of src. len(dst) is their number.
func (d Type) Unpack(dst, src []byte) {
	bits := d.bits()
	each := d.PerByte()
	mask := byte(1<<bits - 1)
	for i := range dst {
		dst[i] = src[i/each] >> (i % each * bits) & mask
	}
}

// Pack is the inverse of Unpack. It sets all of dst, Size(len(src)) bytes; the rest of the last one is zero.
func (d Type) Pack(dst, src []byte) {
	bits := d.bits()
	each := d.PerByte()
	mask := byte(1<<bits - 1)
	clear(dst)
	for i, v := range src {
		dst[i/each] |= v & mask << (i % each * bits)
	}
}

// formatPair prints the two values of a float4_e2m1fn_x2.
func formatPair(b byte) string {
	d, _ := extNamed("float4_e2m1fn", NoOrder)
	return "(" + d.formatFloat([]byte{b & 15}) + ", " + d.formatFloat([]byte{b >> 4}) + ")"
}

package ggml

import (
	"encoding/binary"
	"math"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// scaler returns the scale and the min of a group of a block's values.
type scaler func(block []byte, group int) (scale, min float64)

// noMin is the min of types without one: x + −0 is x, also for x = −0.
var noMin = math.Copysign(0, -1)

// product is a product of float32 in float32; it is exact before it is rounded.
func product(a, b float64) float64 { return float64(float32(a * b)) }

// readHalf reads a float16.
var readHalf = func() func(item []byte) float64 {
	d, _ := dtype.Parse("<f2")
	read, _ := dtype.Float64(d)
	return read
}()

// half returns the float16 at a byte.
func half(block []byte, at int) float64 { return readHalf(block[at : at+2]) }

// scaleAt is one float16 for the block.
func scaleAt(at int) scaler {
	return func(b []byte, _ int) (scale, min float64) { return half(b, at), noMin }
}

// scaleAndMin is two of them, as in q4_1.
func scaleAndMin(b []byte, _ int) (scale, min float64) { return half(b, 0), half(b, 2) }

// float32Scale is that of q8_K.
func float32Scale(b []byte, _ int) (scale, min float64) {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), noMin
}

// scalesQ2K are 4 bits, times d; mins the other 4, times dmin.
func scalesQ2K(b []byte, g int) (scale, min float64) {
	return product(half(b, 80), float64(b[g]&15)), -product(half(b, 82), float64(b[g]>>4))
}

// scalesQ3K are 6 bits, minus 32: the low 4 are nibbles of 8 bytes, low ones first, the high 2 are in 4 bytes.
func scalesQ3K(b []byte, g int) (scale, min float64) {
	low := b[96+g%8] >> (g / 8 * 4) & 15
	high := b[104+g%4] >> (g / 4 * 2) & 3
	return product(half(b, 108), float64(low|high<<4)-32), noMin
}

// scalesQ4K are 6 bits, of q5_K too. Those of groups 0 to 3 are whole, in bytes 4 to 7, and their mins in 8 to 11. Those of groups 4 to 7
// have their low 4 bits in the nibbles of bytes 12 to 15, scales low and mins high; their high 2 are above those of groups 0 to 3.
func scalesQ4K(b []byte, g int) (scale, min float64) {
	sc := b[4+g%4]
	m := b[8+g%4]
	if g < 4 {
		sc = sc & 63
		m = m & 63
	} else {
		sc = b[8+g]&15 | sc>>6<<4
		m = b[8+g]>>4 | m>>6<<4
	}
	return product(half(b, 0), float64(sc)), -product(half(b, 2), float64(m))
}

// scalesQ6K are int8.
func scalesQ6K(b []byte, g int) (scale, min float64) {
	return product(half(b, 208), float64(int8(b[192+g]))), noMin
}

// scalesIQ4XS are 6 bits, minus 32: the low 4 are nibbles, the high 2 are in a uint16.
func scalesIQ4XS(b []byte, g int) (scale, min float64) {
	low := int(b[4+g/2]) >> (g % 2 * 4) & 15
	high := int(binary.LittleEndian.Uint16(b[2:])) >> (2 * g) & 3
	return product(half(b, 0), float64(low|high<<4)-32), noMin
}

// powerOfTwo is an E8M0. ggml has no NaN in it: 255 is 2¹²⁸.
func powerOfTwo(b []byte, _ int) (scale, min float64) { return math.Ldexp(1, int(b[0])-127), noMin }

// scalesNVFP4 are unsigned E4M3. ggml ignores the sign, and takes NaN without it for 0.
func scalesNVFP4(b []byte, g int) (scale, min float64) {
	exponent := int(b[g] >> 3 & 15)
	fraction := float64(b[g] & 7)
	if b[g] == 0x7f {
		return 0, noMin
	}
	if exponent == 0 {
		return math.Ldexp(fraction, -9), noMin
	}
	return math.Ldexp(8+fraction, exponent-10), noMin
}

// scalesIQ1S are bits 12 to 14 of uint16s, doubled, plus 1.
func scalesIQ1S(b []byte, g int) (scale, min float64) {
	return product(half(b, 0), 2*float64(b[35+2*g]>>4&7)+1), noMin
}

// scalesIQ1M are 3 bits, four in the low 12 bits of each of four uint16s, doubled, plus 1. Their high 4 bits are those of d, low ones first.
func scalesIQ1M(b []byte, g int) (scale, min float64) {
	d := []byte{b[49]>>4 | b[51]&0xf0, b[53]>>4 | b[55]&0xf0}
	s := binary.LittleEndian.Uint16(b[48+g/4*2:]) >> (g % 4 * 3) & 7
	return product(half(d, 0), 2*float64(s)+1), noMin
}

// highNibbles are the high 4 bits of bytes, plus 1/2, times a factor.
func highNibbles(first, stride int, factor float64) scaler {
	return func(b []byte, g int) (scale, min float64) {
		return product(half(b, 0), (float64(b[first+stride*g]>>4)+.5)*factor), noMin
	}
}

// nibbles are those of bytes, low ones first, plus 1/2, times a factor.
func nibbles(first int, factor float64) scaler {
	return func(b []byte, g int) (scale, min float64) {
		return product(half(b, 0), (float64(b[first+g/2]>>(g%2*4)&15)+.5)*factor), noMin
	}
}

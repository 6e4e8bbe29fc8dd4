// Package cast converts numbers from one type of Go to another.
//
//	y = x·Scale + Shift    in float64, each operation rounded, then rounded to the type of y
//
// Without a map, y = x, rounded to the type of y: integers are not rounded to float64 before. Rounding is to nearest, ties to even. Of an integer
// type, y is the nearest value of the type, its lowest or highest beyond its range, and 0 for NaN.
package cast

import (
	"math"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Map is y = x·Scale + Shift.
type Map struct{ Scale, Shift float64 }

// Caster converts values of S to D, by a map for each channel. Its methods are those of convert.Caster.
type Caster[D, S kernel.Scalar] struct {
	maps   []Map
	mapped bool
	tables [][256]D // of each channel, the values of all bytes; nil if S is larger, or there are few elements
}

// minPerEntry is the number of elements for each entry of a table that make it worthwhile.
const minPerEntry = 2

// New returns a caster for about this many elements. Without maps there is one channel, whose values are kept.
func New[D, S kernel.Scalar](maps []Map, elems int) *Caster[D, S] {
	c := &Caster[D, S]{maps: maps, mapped: len(maps) > 0}
	if !c.mapped {
		c.maps = []Map{{Scale: 1}}
	}
	if kernel.SizeOf[S]() > 1 || elems/256/minPerEntry < len(c.maps) {
		return c
	}
	all := make([]S, 256)
	memory := kernel.BytesOf(all)
	for i := range memory {
		memory[i] = byte(i)
	}
	tables := make([][256]D, len(c.maps))
	for i := range tables {
		convert(tables[i][:], all, c.maps[i], c.mapped)
	}
	c.tables = tables
	return c
}

// Run converts the values of one channel.
func (c *Caster[D, S]) Run(dst, src []byte, channel int) {
	if c.tables != nil {
		lookUpBits(dst, src, &c.tables[channel])
		return
	}
	convert(valuesOf[D](dst), valuesOf[S](src), c.maps[channel], c.mapped)
}

// Mixed converts values of several channels: value i is of channel base + channels[i].
func (c *Caster[D, S]) Mixed(dst, src []byte, base int, channels []int) {
	to := valuesOf[D](dst)
	if c.tables != nil {
		for i, channel := range channels {
			to[i] = c.tables[base+channel][src[i]]
		}
		return
	}
	from := valuesOf[S](src)
	var memory [256]float64
	for len(channels) > 0 {
		y := memory[:min(len(memory), len(channels))]
		for i, channel := range channels[:len(y)] {
			m := &c.maps[base+channel]
			y[i] = float64(float64(from[i])*m.Scale) + m.Shift
		}
		convert(to[:len(y)], y, Map{Scale: 1}, false)
		to = to[len(y):]
		from = from[len(y):]
		channels = channels[len(y):]
	}
}

// valuesOf returns the values in memory of the convert package, which is aligned.
func valuesOf[T kernel.Scalar](b []byte) []T {
	values, ok := kernel.ValuesOf[T](b)
	if !ok {
		panic("cast: memory is not aligned")
	}
	return values
}

// lookUpBits looks up values by their bits: loads and stores of integers take less time than those of floats.
func lookUpBits[D kernel.Scalar](dst, src []byte, table *[256]D) {
	bits := kernel.BytesOf(table[:])
	switch kernel.SizeOf[D]() {
	case 4:
		lookUp(valuesOf[uint32](dst), src, (*[256]uint32)(valuesOf[uint32](bits)))
	case 8:
		lookUp(valuesOf[uint64](dst), src, (*[256]uint64)(valuesOf[uint64](bits)))
	default:
		lookUp(valuesOf[D](dst), src, table)
	}
}

// lookUp is dst[i] = table[src[i]], eight at once.
func lookUp[D kernel.Scalar](dst []D, src []byte, table *[256]D) {
	for len(src) >= 8 && len(dst) >= 8 {
		from := (*[8]byte)(src)
		to := (*[8]D)(dst)
		to[0] = table[from[0]]
		to[1] = table[from[1]]
		to[2] = table[from[2]]
		to[3] = table[from[3]]
		to[4] = table[from[4]]
		to[5] = table[from[5]]
		to[6] = table[from[6]]
		to[7] = table[from[7]]
		src = src[8:]
		dst = dst[8:]
	}
	for i, x := range src {
		dst[i] = table[x]
	}
}

// convert converts values by a map, or as they are.
func convert[D, S kernel.Scalar](dst []D, src []S, m Map, mapped bool) {
	if isFloat[D]() {
		if mapped {
			affine(dst, src, m)
		} else {
			plain(dst, src)
		}
		return
	}
	if !mapped && !isFloat[S]() {
		saturated(dst, src)
		return
	}
	if kernel.SizeOf[D]() == 8 {
		rounded64(dst, src, m)
		return
	}
	rounded(dst, src, m)
}

// isFloat reports whether a type is of floating point.
func isFloat[T kernel.Scalar]() bool {
	half := 0.5
	return T(half) != 0
}

// plain converts to floating point.
func plain[D, S kernel.Scalar](dst []D, src []S) {
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = D(x)
	}
}

// affine converts to floating point by a map. The conversion of the product keeps compilers from fusing it with the sum.
func affine[D, S kernel.Scalar](dst []D, src []S, m Map) {
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = D(float64(float64(x)*m.Scale) + m.Shift)
	}
}

// limits returns the lowest and the highest value of an integer type.
func limits[T kernel.Scalar]() (low, high T) {
	bits := 8 * kernel.SizeOf[T]()
	var zero T
	if zero-1 > 0 {
		return 0, zero - 1
	}
	power := T(uint64(1) << (bits - 2))
	return -power - power, power - 1 + power
}

// saturated converts an integer to another integer type.
func saturated[D, S kernel.Scalar](dst []D, src []S) {
	low, high := limits[D]()
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = D(x)
		if x < 0 && int64(x) < int64(low) {
			dst[i] = low
		}
		if x > 0 && uint64(x) > uint64(high) {
			dst[i] = high
		}
	}
}

// toInteger is 1.5·2⁵². In a sum with it of 2⁵² to 2⁵³ the last bit counts ones, so that the sum is rounded to an integer, ties to even, and
// its bits are those of toInteger and that integer. Bits of positive floats are in their order, and those of negative ones are less.
const (
	toInteger     = 3 << 51
	toIntegerBits = 0x4338 << 48
)

// rounded converts to an integer type of up to 32 bits by a map.
func rounded[D, S kernel.Scalar](dst []D, src []S, m Map) {
	low, high := limits[D]()
	within(dst, src, m, toIntegerBits+int64(low), toIntegerBits+int64(high))
}

// within is rounded between the bits of two sums. The lowest bits of a sum are the integer; those of toInteger are 0.
func within[D, S kernel.Scalar](dst []D, src []S, m Map, low, high int64) {
	dst = dst[:len(src)]
	for i, x := range src {
		y := float64(float64(x)*m.Scale) + m.Shift
		if y != y { // NaN
			y = 0
		}
		bits := int64(math.Float64bits(y + toInteger))
		dst[i] = D(min(max(bits, low), high))
	}
}

// rounded64 converts to an integer type of 64 bits by a map.
func rounded64[D, S kernel.Scalar](dst []D, src []S, m Map) {
	low, high := limits[D]()
	below := float64(low) // exact; the first float64 above high is float64(high), which is rounded up to a power of two
	above := float64(high)
	dst = dst[:len(src)]
	for i, x := range src {
		y := math.RoundToEven(float64(float64(x)*m.Scale) + m.Shift)
		if y != y { // NaN
			y = 0
		}
		if y >= above {
			dst[i] = high
			continue
		}
		if y < below {
			dst[i] = low
			continue
		}
		dst[i] = D(y)
	}
}

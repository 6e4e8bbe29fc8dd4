package scalar

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// Float64 returns what reads one number of a real type that float64 holds exactly; false for other types.
func Float64(d tensor.DType) (read func(item []byte) float64, ok bool) {
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

// part is Float64, and of complex types the same for one of their parts.
func part(d tensor.DType) (read func(item []byte) float64, ok bool) {
	if half := d.ItemSize() / 2; d.Kind() == tensor.Complex {
		return plainFloat(half), half <= 8
	}
	return Float64(d)
}

// Float64s returns what reads as many numbers as dst has, of a type that float64 holds exactly; nil for other types.
func Float64s(d tensor.DType) func(dst []float64, items []byte) {
	read, narrow := Float64(d)
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

// float8s are the numbers of a type of one byte, all of which float32 holds exactly.
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

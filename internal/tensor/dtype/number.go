package dtype

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/x448/float16"
)

// IsNumber reports whether items of the type are numbers: booleans, integers, floats or complex.
func IsNumber(d Type) bool { return strings.ContainsRune("biufc", rune(d.Kind())) }

// Float64 returns what reads one number of a real type that float64 holds exactly; false for other types.
func Float64(d Type) (read func(item []byte) float64, ok bool) {
	switch size := d.ItemSize(); d.Kind() {
	case Bool:
		return func(item []byte) float64 { return float64(min(item[0], 1)) }, true
	case Int:
		shift := 64 - 8*size
		return func(item []byte) float64 { return float64(int64(little(item)<<shift) >> shift) }, size < 8
	case Uint:
		return func(item []byte) float64 { return float64(little(item)) }, size < 8
	case Float:
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
func part(d Type) (read func(item []byte) float64, ok bool) {
	if half := d.ItemSize() / 2; d.Kind() == Complex {
		return plainFloat(half), half <= 8
	}
	return Float64(d)
}

// Float64s returns what reads as many numbers as dst has, of a type that float64 holds exactly; nil for other types.
func Float64s(d Type) func(dst []float64, items []byte) {
	read, narrow := Float64(d)
	size := d.ItemSize()
	switch {
	case !narrow:
		return nil
	case d.Kind() == Float && size == 4:
		return func(dst []float64, items []byte) {
			for i := range dst {
				dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(items[4*i:])))
			}
		}
	case d.Kind() == Float && size == 8:
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
		return func(item []byte) float64 {
			return float64(float16.Frombits(binary.LittleEndian.Uint16(item)).Float32())
		}
	case 4:
		return func(item []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(item))) }
	}
	return func(item []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(item)) }
}

// float8s are the numbers of a type of one byte.
func float8s(d Type) *[256]float64 {
	var table [256]float64
	for i := range table {
		table[i], _ = d.ext.spec().decode(uint32(i))
	}
	return &table
}

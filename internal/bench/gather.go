package bench

import (
	"encoding/binary"
	"math"

	"github.com/x448/float16"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// float is the type in which an operation computes.
type float interface{ float32 | float64 }

// gather loads a run of elements of any type that lie anywhere:
//
//	dst[i] = src[at + moves[i]]
//
// at and moves are bytes; dst holds at least as many elements as there are moves.
type gather[F float] func(dst []F, src []byte, at int, moves []int)

// loads fails with Unsupported for types that no gather loads.
func loads(it item) error {
	name := it.dtype.String()
	if narrowGathers[name] == nil && name != "float64" || it.dtype.Order() == dtype.Big {
		return fault.New(fault.Unsupported, "operations do not compute with %s (%s)", name, it.dtype.Typestr()).
			WithHint("they do with float16, bfloat16, float32 and float64, little-endian, and uint8; the walks take every type")
	}
	return nil
}

// narrowGathers are those of the types that are computed with in float32.
var narrowGathers = map[string]gather[float32]{
	"float16": gatherFloat16, "bfloat16": gatherBfloat16, "float32": gatherFloat32, "uint8": gatherUint8,
}

func gatherFloat64(dst []float64, src []byte, at int, moves []int) {
	dst = dst[:len(moves)]
	for i, m := range moves {
		p := at + m
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[p : p+8]))
	}
}

func gatherFloat32(dst []float32, src []byte, at int, moves []int) {
	dst = dst[:len(moves)]
	for i, m := range moves {
		p := at + m
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[p : p+4]))
	}
}

func gatherFloat16(dst []float32, src []byte, at int, moves []int) {
	dst = dst[:len(moves)]
	for i, m := range moves {
		p := at + m
		dst[i] = float16.Frombits(binary.LittleEndian.Uint16(src[p : p+2])).Float32()
	}
}

// gatherBfloat16: a bfloat16 is the upper half of a float32.
func gatherBfloat16(dst []float32, src []byte, at int, moves []int) {
	dst = dst[:len(moves)]
	for i, m := range moves {
		p := at + m
		dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src[p:p+2])) << 16)
	}
}

func gatherUint8(dst []float32, src []byte, at int, moves []int) {
	dst = dst[:len(moves)]
	for i, m := range moves {
		dst[i] = float32(src[at+m])
	}
}

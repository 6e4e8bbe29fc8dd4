package bench

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"testing"
)

// Every number of 8 or 16 bits loads as the value that the dtype encodes to the same bits; NaN as NaN.
func TestGathersLoadEveryNumber(t *testing.T) {
	for _, dtype := range []string{"float16", "bfloat16", "uint8"} {
		enc := opEncoding(t, dtype)
		count := 1 << (8 * enc.size)
		src, moves := make([]byte, count*2), make([]int, count)
		for k := range count {
			moves[k] = k * enc.size
			binary.LittleEndian.PutUint16(src[moves[k]:], uint16(k))
		}
		dst := make([]float32, count)
		narrowGathers[dtype](dst, src, 0, moves)
		for k, got := range dst {
			bits := src[moves[k]:][:enc.size]
			if enc.dtype.FormatValue(bits) == "nan" && got != got {
				continue
			}
			back, err := enc.dtype.ParseValue(strconv.FormatFloat(float64(got), 'g', -1, 64))
			if err != nil || !bytes.Equal(back, bits) {
				t.Fatalf("%s %#x is loaded as %v, which is %#x, %v", dtype, bits, got, back, err)
			}
		}
	}
}

// A gather loads from any offsets: backwards, twice from one, up to the last byte; the rest of dst is unchanged.
func TestGathersFollowMoves(t *testing.T) {
	for _, dtype := range opDTypes {
		enc := opEncoding(t, dtype)
		src := []byte{0xFF} // odd addresses
		for _, v := range []int{5, 9, 0, 15} {
			src = append(src, enc.codes[v]...)
		}
		at, moves := 1+2*enc.size, []int{enc.size, -enc.size, -2 * enc.size, 0, enc.size}
		want := []float64{15, 9, 5, 0, 15, -1}
		var got []float64
		if dtype == "float64" {
			got = []float64{-1, -1, -1, -1, -1, -1}
			gatherFloat64(got, src, at, moves)
		} else {
			dst := []float32{-1, -1, -1, -1, -1, -1}
			narrowGathers[dtype](dst, src, at, moves)
			for _, x := range dst {
				got = append(got, float64(x))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", dtype, got, want)
		}
	}
}

// The gathers of four and eight bytes keep every bit: of fractions, negative numbers and signed zeros.
func TestGathersOfWideNumbers(t *testing.T) {
	for _, x := range []float64{-1.25, math.Pi, 1e-300, math.Inf(-1), math.Copysign(0, -1)} {
		wide, narrow, single := make([]float64, 1), make([]float32, 1), float32(x)
		gatherFloat64(wide, binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)), 0, []int{0})
		gatherFloat32(narrow, binary.LittleEndian.AppendUint32(nil, math.Float32bits(single)), 0, []int{0})
		if math.Float64bits(wide[0]) != math.Float64bits(x) || math.Float32bits(narrow[0]) != math.Float32bits(single) {
			t.Errorf("%v is loaded as %v and %v", x, wide[0], narrow[0])
		}
	}
}

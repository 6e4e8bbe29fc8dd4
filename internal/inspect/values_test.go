package inspect

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// TestEvidenceOfTypes: the same image says the same of its axes in every type that holds its numbers, of both byte orders.
func TestEvidenceOfTypes(t *testing.T) {
	const channels, height, width = 3, 61, 83
	numbers := make([]int, 0, channels*height*width)
	for c := range channels {
		for h := range height {
			for w := range width {
				x, y := float64(w), float64(h)
				numbers = append(numbers, int(60+30*math.Sin((x*x/97+9*float64(c))/31)+25*math.Cos((y*y/53-7*float64(c))/17)))
			}
		}
	}
	dir := t.TempDir()
	var want []string
	for _, typ := range []string{"uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64", ">i8", ">u8", ">i4", ">f8"} {
		d, err := dtype.Parse(typ)
		need.Made(t, err)
		path := filepath.Join(dir, "x.npy")
		header, err := npy.AppendHeader(nil, d, false, []int{channels, height, width})
		need.Made(t, err)
		need.Made(t, os.WriteFile(path, append(header, encoded(d, numbers)...), 0o666))
		x, err := source.OpenOnly(name.Parse(path), source.Options{})
		need.Made(t, err)
		got := ByValues(x)
		need.Made(t, x.Close())
		if want == nil {
			want = got
		}
		if len(got) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %v, expected %v", typ, got, want)
		}
	}
}

// encoded returns whole numbers as elements of a type.
func encoded(d dtype.Type, numbers []int) (data []byte) {
	var order binary.AppendByteOrder = binary.LittleEndian
	if d.Order() == dtype.Big {
		order = binary.BigEndian
	}
	for _, n := range numbers {
		bits := uint64(n)
		if d.Kind() == dtype.Float {
			bits = math.Float64bits(float64(n))
		}
		switch d.ItemSize() {
		case 1:
			data = append(data, byte(n))
		case 2:
			if d.Kind() == dtype.Float {
				bits = halfOf(n)
			}
			data = order.AppendUint16(data, uint16(bits))
		case 4:
			if d.Kind() == dtype.Float {
				bits = uint64(math.Float32bits(float32(n)))
			}
			data = order.AppendUint32(data, uint32(bits))
		default:
			data = order.AppendUint64(data, bits)
		}
	}
	return data
}

// halfOf returns the bits of a whole number from 1 to 2047 as a float16.
func halfOf(n int) uint64 {
	exponent := 0
	for n>>(exponent+1) > 0 {
		exponent++
	}
	return uint64(exponent+15)<<10 | uint64(n)<<(10-exponent)&0x3ff
}

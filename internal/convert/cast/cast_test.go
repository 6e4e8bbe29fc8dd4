package cast

import (
	"math"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// TestTables: bytes are converted alike with tables and without, by one channel and by several.
func TestTables(t *testing.T) {
	tables[float32](t)
	tables[float64](t)
	tables[int8](t)
	tables[uint16](t)
	tables[int64](t)
}

func tables[D kernel.Scalar](t *testing.T) {
	t.Helper()
	src := make([]byte, 1003)
	channels := make([]int, len(src))
	for i := range src {
		src[i] = byte(i * 7)
		channels[i] = i % 3
	}
	maps := []Map{{0.5, 0}, {2, -100}, {-1, 0.25}, {1, 1}}
	few := New[D, int8](maps, 0)
	many := New[D, int8](maps, 1<<20)
	if few.tables != nil || many.tables == nil {
		t.Fatal("tables are not made for many elements alone")
	}
	both := [2][]D{}
	for k, c := range []*Caster[D, int8]{few, many} {
		dst := make([]D, 2*len(src))
		c.Run(kernel.BytesOf(dst[:len(src)]), src, 2)
		c.Mixed(kernel.BytesOf(dst[len(src):]), src, 1, channels)
		both[k] = dst
	}
	if !slices.Equal(both[0], both[1]) {
		t.Errorf("%T: tables differ from the conversion of single values", both[0])
	}
	for i, x := range src {
		if want := define[D](float64(int8(x)), maps[1+channels[i]]); both[0][len(src)+i] != want {
			t.Errorf("value %d: %v, want %v", i, both[0][len(src)+i], want)
		}
	}
}

// define is the map of numbers that are within the range of D after it, or beyond it by less than 2³¹.
func define[D kernel.Scalar](x float64, m Map) D {
	y := x*m.Scale + m.Shift
	if isFloat[D]() {
		return D(y)
	}
	low, high := limits[D]()
	return D(min(max(math.RoundToEven(y), float64(low)), float64(high)))
}

// TestNaN: NaN of either sign becomes 0, also where large numbers saturate.
func TestNaN(t *testing.T) {
	src := []float64{math.NaN(), math.Copysign(math.NaN(), -1), math.MaxFloat64, -math.MaxFloat64, 1 << 51, -3 << 51, -1 << 52, 1 << 53}
	dst := make([]int32, len(src))
	New[int32, float64](nil, 0).Run(kernel.BytesOf(dst), kernel.BytesOf(src), 0)
	if want := []int32{0, 0, math.MaxInt32, math.MinInt32, math.MaxInt32, math.MinInt32, math.MinInt32, math.MaxInt32}; !slices.Equal(dst, want) {
		t.Errorf("%v, want %v", dst, want)
	}
}

package relate

import (
	"math"
	"testing"

	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// TestScaleWithinRounding: numbers that are scaled, moved and rounded to a type are near their scale, of any magnitude; an eighth more is not.
func TestScaleWithinRounding(t *testing.T) {
	r := random.New(t)
	for _, name := range []string{"bfloat16", "float16", "<f4", "<f8"} {
		typ := typeOf(name)
		for range 2000 {
			s := newScale(typ)
			s.factor, s.offset = 0.5, float64(r.IntN(3)-1)
			x := math.Ldexp(1+r.Float64(), r.IntN(12)-4)
			y := rounded(typ, s.factor*x+s.offset)
			if d := s.distance(x, y); d > 1 {
				t.Fatalf("%s: %v·%v%+v is %v, %v tolerances away", name, s.factor, x, s.offset, y, d)
			}
			if more := y + max(s.factor*x, math.Abs(y))/8; s.distance(x, more) <= 1 {
				t.Fatalf("%s: %v is near %v", name, more, y)
			}
		}
	}
}

// rounded returns a number as a type has it.
func rounded(t dtype.Type, x float64) float64 { return numbersOf(t)(encode(t, x)) }

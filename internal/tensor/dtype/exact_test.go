package dtype

import (
	"math"
	"strconv"
	"testing"
)

// TestReaders: every way to read a number gives what is printed of its item, for all items of one byte and many of two.
// Types that IEEE's definition fits are compared with that.
func TestReaders(t *testing.T) {
	for _, name := range []string{"bool", "int8", "uint8", "int16", "uint16", "float16", "bfloat16", "float8_e3m4", "float8_e4m3",
		"float8_e5m2", "float8_e4m3fn", "float8_e8m0fnu", "float8_e4m3fnuz"} {
		d := dtype(name)
		read, ok := Float64(d)
		many, exact, parts := Float64s(d), Exact(d), Parts(d)
		if !ok || !IsNumber(d) {
			t.Fatalf("%s: is read: %v, is a number: %v", name, ok, IsNumber(d))
		}
		bits, defines := ieee[name]
		for i := 0; i < 1<<(8*d.ItemSize()); i += 1 + 10*(d.ItemSize()-1) {
			item := []byte{byte(i), byte(i >> 8)}[:d.ItemSize()]
			var want float64
			if defines {
				want = defined(i, bits[0], bits[1])
			} else {
				want = printed(d.FormatValue(item))
			}
			var one [1]float64
			many(one[:], item)
			re, im := parts(item)
			for how, got := range []float64{read(item), one[0], exact(item).Float64(), re.Float64()} {
				if got != want && !(got != got && want != want) {
					t.Fatalf("%s: % x is %g, reader %d reads %g", name, item, want, how, got)
				}
			}
			if im != (Number{}) || exact(item).IsNaN() != (want != want) {
				t.Fatalf("%s: % x has parts %v and %v", name, item, re, im)
			}
		}
	}
	for _, name := range []string{"int64", "uint64", "float128", "complex64", "S1", "M8[s]"} {
		if _, ok := Float64(dtype(name)); ok || Float64s(dtype(name)) != nil {
			t.Errorf("float64 holds every %s", name)
		}
	}
}

// ieee has the bits of exponent and mantissa.
var ieee = map[string][2]int{
	"float16": {5, 10}, "bfloat16": {8, 7}, "float8_e3m4": {3, 4}, "float8_e4m3": {4, 3}, "float8_e5m2": {5, 2},
}

func printed(text string) float64 {
	if b, err := strconv.ParseBool(text); err == nil && len(text) > 1 {
		return map[bool]float64{true: 1}[b]
	}
	return must(strconv.ParseFloat(text, 32))
}

// defined is the number that IEEE 754-2019, section 3.4, defines for a sign, some bits of exponent, and of mantissa.
func defined(raw, expBits, mantBits int) float64 {
	last := 1<<expBits - 1
	exp, mant := raw>>mantBits&last, float64(raw&(1<<mantBits-1))/float64(int(1)<<mantBits)
	sign := 1 - 2*float64(raw>>(expBits+mantBits))
	switch {
	case exp == last && mant == 0:
		return math.Inf(int(sign))
	case exp == last:
		return math.NaN()
	case exp == 0:
		return sign * math.Ldexp(mant, 1-last/2)
	}
	return sign * math.Ldexp(1+mant, exp-last/2)
}

// TestDistance: a distance is rounded once, of numbers that float64 does not hold too, and is none where a number is not
// finite.
func TestDistance(t *testing.T) {
	whole := func(n uint64) Number { return normal(n, 0, false) }
	nan, inf := exactly(math.NaN()), exactly(math.Inf(1))
	for _, c := range []struct {
		a, b Number
		want float64
	}{
		{whole(1<<63 + 1), whole(1 << 63), 1},
		{whole(math.MaxUint64), whole(0), 1 << 64},
		{exactly(-0.5), exactly(0.25), 0.75},
		{whole(1), inf, math.Inf(1)},
		{inf, inf, math.NaN()},
		{whole(1), nan, math.NaN()},
		{normal(1, 5000, false), whole(1), math.Inf(1)},
	} {
		for _, got := range []float64{c.a.Distance(c.b), c.b.Distance(c.a)} {
			if got != c.want && !(got != got && c.want != c.want) {
				t.Errorf("%+v and %+v are %g apart, expected %g", c.a, c.b, got, c.want)
			}
		}
	}
}

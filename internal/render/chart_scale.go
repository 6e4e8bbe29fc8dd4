package render

import (
	"strconv"
	"strings"
)

// scale maps values of 0 to end to lengths of 0 to length, in columns or pixels.
type scale struct{ end, length float64 }

// at is where a value lies. The conversion keeps processors that have a fused multiply-add from rounding once only, so
// that a chart is the same everywhere.
func (s scale) at(v float64) float64 {
	if s.end == 0 {
		return 0
	}
	return float64(v / s.end * s.length)
}

// tick is a round number on a scale.
type tick struct {
	value float64
	label string
}

// ticks are the multiples of the least step of 1, 2 or 5 times a power of ten that keeps them apart by a length, up to
// the scale's end.
func (s scale) ticks(apart float64) []tick {
	digit, exponent := roundStep(s.end * min(1, apart/s.length))
	var ticks []tick
	for k := 0; ; k++ {
		v, err := strconv.ParseFloat(strconv.Itoa(k*digit)+"e"+strconv.Itoa(exponent), 64)
		if err != nil || v > s.end {
			return ticks
		}
		ticks = append(ticks, tick{v, strconv.FormatFloat(v, 'g', -1, 64)})
		if digit == 0 {
			return ticks
		}
	}
}

// roundStep is the least digit·10^exponent ≥ step with a digit of 1, 2, 5 or 10. The step's own digits are compared as
// text gives them, for a logarithm is not the same on all machines. Of 0 it is 0.
func roundStep(step float64) (digit, exponent int) {
	if step == 0 {
		return 0, 0
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(step, 'e', -1, 64), "e")
	m, _ := strconv.ParseFloat(mantissa, 64)
	exponent, _ = strconv.Atoi(power)
	for _, digit := range []int{1, 2, 5} {
		if m <= float64(digit) {
			return digit, exponent
		}
	}
	return 1, exponent + 1
}

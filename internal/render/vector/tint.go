package vector

import "math"

// turn is how many hues take turns where there are more indices than FewHues: neighbours are told apart, and a block of 4
// or 8 channels has the same ones as the next.
const turn = 8

// HuesOf are the tints that tell n indices apart: index i has tint i mod N.
func HuesOf(n int) Tints {
	if n > FewHues {
		n = turn
	}
	return Tints{Kind: Hues, N: max(1, n)}
}

// RGB is the colour of the i-th tint in the light or the dark scheme; after the last comes the first again.
//
// Hues go around the circle in even steps, h = 25° + 360°·i/N, which is red, green and blue where N is 3. Reds are
// darker than greens, L = L₀ - 0.06·cos h, for readers to whom they differ in nothing else. A ramp is a straight line in
// OKLab, so that all its steps look alike.
func (t Tints) RGB(i int, dark bool) (r, g, b uint8) {
	n := max(t.N, 1)
	i = (i%n + n) % n
	if t.Kind == Ramp {
		return t.ramp(float64(i)/float64(max(n-1, 1)), dark)
	}
	if n == 1 {
		i, n = 2, 3 // alone it is the blue of three: a red would be a warning
	}
	h := (25 + 360*float64(i)/float64(n)) * math.Pi / 180
	c := oklch{0.85 - 0.06*math.Cos(h), 0.11, h}
	if dark {
		c = oklch{0.40 - 0.06*math.Cos(h), 0.11, h}
	}
	return c.rgb()
}

// ramp is what lies between the ends of the ramp, from 0 to 1.
func (Tints) ramp(x float64, dark bool) (r, g, b uint8) {
	from, to := oklch{0.95, 0.025, rampHue}, oklch{0.69, 0.125, rampHue}
	if dark {
		from, to = oklch{0.29, 0.025, rampHue}, oklch{0.51, 0.095, rampHue}
	}
	return oklch{from.L + (to.L-from.L)*x, from.C + (to.C-from.C)*x, rampHue}.rgb()
}

const rampHue = 195 * math.Pi / 180

package vector

import "math"

// oklch is a colour as it looks: lightness from 0 to 1, chroma from 0 for grey, and hue in radians. Colours that lie
// equally far apart in OKLab, where a = C·cos h and b = C·sin h, look about equally different.
//
// Björn Ottosson, "A perceptual color space for image processing", 2020, https://bottosson.github.io/posts/oklab/
type oklch struct{ L, C, h float64 }

// linear is the colour as red, green and blue light:
//
//	l = (L + 0.3963·a + 0.2158·b)³        r =  4.0767·l - 3.3077·m + 0.2310·s
//	m = (L - 0.1056·a - 0.0639·b)³        g = -1.2684·l + 2.6098·m - 0.3413·s
//	s = (L - 0.0895·a - 1.2915·b)³        b = -0.0042·l - 0.7034·m + 1.7076·s
//
// A colour that a screen has is of 0 to 1 in all three.
func (c oklch) linear() [3]float64 {
	a, b := c.C*math.Cos(c.h), c.C*math.Sin(c.h)
	l, m, s := cube(c.L+0.3963377774*a+0.2158037573*b), cube(c.L-0.1055613458*a-0.0638541728*b),
		cube(c.L-0.0894841775*a-1.2914855480*b)
	return [3]float64{
		4.0767416621*l - 3.3077115913*m + 0.2309699292*s,
		-1.2684380046*l + 2.6097574011*m - 0.3413193965*s,
		-0.0041960863*l - 0.7034186147*m + 1.7076147010*s,
	}
}

func cube(x float64) float64 { return x * x * x }

func (c oklch) onScreen() bool {
	rgb := c.linear()
	return min(rgb[0], rgb[1], rgb[2]) >= 0 && max(rgb[0], rgb[1], rgb[2]) <= 1
}

// rgb is the colour in sRGB, with as much of its chroma as a screen has at its lightness and hue.
func (c oklch) rgb() (r, g, b uint8) {
	if !c.onScreen() {
		low, high := 0.0, c.C
		for high-low > 1e-4 {
			c.C = (low + high) / 2
			if c.onScreen() {
				low = c.C
			} else {
				high = c.C
			}
		}
		c.C = low
	}
	light := c.linear()
	return encode(light[0]), encode(light[1]), encode(light[2])
}

// encode is light as sRGB has it: 12.92·v below 0.0031308, 1.055·v^(1/2.4) - 0.055 from there on (IEC 61966-2-1).
func encode(v float64) uint8 {
	v = min(max(v, 0), 1)
	if v < 0.0031308 {
		return uint8(math.Round(255 * 12.92 * v))
	}
	return uint8(math.Round(255 * (1.055*math.Pow(v, 1/2.4) - 0.055)))
}

// lightOf is the light that sRGB means, from 0 to 1: the inverse of encode.
func lightOf(c uint8) float64 {
	v := float64(c) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

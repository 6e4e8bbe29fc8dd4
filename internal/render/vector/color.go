package vector

import (
	"math"
)

// Paint is a color by its purpose, with a shade per scheme. Tint makes those of cells.
type Paint int

const (
	None   Paint = iota
	Ground       // background
	Ink          // text and strong lines
	Quiet        // secondary text
	Accent       // best text, paths
	Grid         // hair lines
	Bar          // of a chart
	Best         // highlighted bar
	Limit        // a limit's line
	Edge         // a border between blocks
	Frame        // a cache line's frame
	Hatch        // stripes over padding
	firstTint
)

// Tint returns the paint of a drawing's i-th tint. Ink has a contrast of at least 4.5 to each.
func Tint(i int) Paint { return firstTint + Paint(i) }

// Tints are N colors for cells.
type Tints struct {
	Kind TintKind `json:"kind"`  // its kind, in a word
	N    int      `json:"tints"` // tints
}

// FewHues is how many hues are distinguishable: a legend names them all, and no terminal shows two alike.
const FewHues = 12

// MaxRamp bounds the tints of a ramp: more are not distinguishable.
const MaxRamp = 64

// TintKind says whether tints are categories or quantities.
type TintKind int

const (
	Hues      TintKind = iota // around the color circle: red, green, blue if N is 3
	Ramp                      // from small to large
	Diverging                 // from negative, blue, to positive, orange; the middle of an odd N is zero, grey
)

// MaxDiverging is the number of tints of a diverging scale, odd so that zero has its own.
const MaxDiverging = MaxRamp - 1

// MarshalText returns the kind's name in JSON.
func (k TintKind) MarshalText() ([]byte, error) {
	return []byte([...]string{Hues: "hues", Ramp: "ramp", Diverging: "diverging"}[k]), nil
}

// RGB returns the color of a paint in the light or dark scheme, or of Ground for None and for tints, whose colors are in Tints. Text has a
// contrast of at least 4.5 to the ground; bars, frames, edges and paths have 3 to what is below them (WCAG 2.2, 1.4.3 and 1.4.11).
func (p Paint) RGB(dark bool) (r, g, b uint8) {
	c, known := palette[p]
	if !known {
		c = palette[Ground]
	}
	rgb := c.light
	if dark {
		rgb = c.dark
	}
	return uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb)
}

// shades are 0xrrggbb, one for each scheme.
type shades struct{ light, dark uint32 }

var palette = map[Paint]shades{
	Ground: {0xffffff, 0x12161c},
	Ink:    {0x1c2430, 0xe6ebf2},
	Quiet:  {0x566273, 0x9aa7b8},
	Accent: {0x1d4fd7, 0x82b1ff},
	Grid:   {0xe3e8ee, 0x29313c},
	Bar:    {0x8494a8, 0x66768c},
	Best:   {0x2b63e8, 0x3b7cf0},
	Limit:  {0xa8480a, 0xf0b060},
	Edge:   {0x3d4a5c, 0xc2ccd9},
	Frame:  {0x526177, 0x9aa8bc},
	Hatch:  {0xa3aebc, 0x4c586a},
}

// rgb returns the color of any paint of the drawing.
func (d Drawing) rgb(p Paint, dark bool) (r, g, b uint8) {
	if p >= firstTint {
		return d.Tints.RGB(int(p-firstTint), dark)
	}
	return p.RGB(dark)
}

// turn is the period of hues for more than FewHues indices: neighbors differ, and each block of 4 or 8 channels has the same hues.
const turn = 8

// HuesOf returns the tints for n indices: index i has tint i mod N.
func HuesOf(n int) Tints {
	if n > FewHues {
		n = turn
	}
	return Tints{Kind: Hues, N: max(1, n)}
}

// RGB is the color of the i-th tint, modulo N, in the light or the dark scheme.
//
// Hues go around the circle in even steps, h = 25° + 360°·i/N: red, green and blue if N is 3. Reds are darker than greens,
// L = L₀ - 0.06·cos h, for readers who are red-green blind. A ramp is a straight line in OKLab, so that its steps look
// even; a diverging scale is two from grey, to a blue and to an orange of the same lightness.
func (t Tints) RGB(i int, dark bool) (r, g, b uint8) {
	n := max(t.N, 1)
	i = (i%n + n) % n
	x := float64(i) / float64(max(n-1, 1))
	switch t.Kind {
	case Ramp:
		return line(rampFrom, rampTo, x, dark).rgb()
	case Diverging:
		if 2*i < n-1 {
			return line(grey, blue, 1-2*x, dark).rgb()
		}
		return line(grey, orange, max(0, 2*x-1), dark).rgb()
	}
	if n == 1 {
		i = 2
		n = 3 // a single hue is the blue of three: red would look like a warning
	}
	h := (25 + 360*float64(i)/float64(n)) * math.Pi / 180
	c := oklch{0.85 - 0.06*math.Cos(h), 0.11, h}
	if dark {
		c = oklch{0.40 - 0.06*math.Cos(h), 0.11, h}
	}
	return c.rgb()
}

// end is the end of a line of tints, in the light and dark schemes.
type end struct{ light, dark oklch }

// Ends of ramps, and of diverging scales.
var (
	rampFrom = end{oklch{0.95, 0.025, degrees(195)}, oklch{0.29, 0.025, degrees(195)}}
	rampTo   = end{oklch{0.69, 0.125, degrees(195)}, oklch{0.51, 0.095, degrees(195)}}
	grey     = end{oklch{0.94, 0, 0}, oklch{0.29, 0, 0}}
	blue     = end{oklch{0.71, 0.12, degrees(250)}, oklch{0.48, 0.11, degrees(250)}}
	orange   = end{oklch{0.71, 0.12, degrees(50)}, oklch{0.48, 0.11, degrees(50)}}
)

func degrees(h float64) float64 { return h * math.Pi / 180 }

// line returns the color at x, from 0 to 1, on the line between two ends, with the hue of the second.
func line(from, to end, x float64, dark bool) oklch {
	a, b := from.light, to.light
	if dark {
		a = from.dark
		b = to.dark
	}
	return oklch{a.L + (b.L-a.L)*x, a.C + (b.C-a.C)*x, b.h}
}

// OKLab is a color in a space where distance measures visible difference; see oklch.
type OKLab struct{ L, a, b float64 }

// NewOKLab is a color of sRGB. Of red, green and blue light it is
//
//	l = ∛(0.4122·r + 0.5363·g + 0.0514·b)        L = 0.2105·l + 0.7936·m - 0.0041·s
//	m = ∛(0.2119·r + 0.6807·g + 0.1074·b)        a = 1.9780·l - 2.4286·m + 0.4506·s
//	s = ∛(0.0883·r + 0.2817·g + 0.6300·b)        b = 0.0259·l + 0.7828·m - 0.8087·s
func NewOKLab(red, green, blue uint8) OKLab {
	r := lightOf(red)
	g := lightOf(green)
	b := lightOf(blue)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return OKLab{0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s}
}

// Distance returns the distance of two points in OKLab.
func (x OKLab) Distance(y OKLab) float64 {
	return math.Sqrt((x.L-y.L)*(x.L-y.L) + (x.a-y.a)*(x.a-y.a) + (x.b-y.b)*(x.b-y.b))
}

// oklch is a color as perceived: lightness from 0 to 1, chroma from 0 for grey, hue in radians. Equal distances in OKLab,
// where a = C·cos h and b = C·sin h, look about equally different.
//
// Björn Ottosson, "A perceptual color space for image processing", 2020, https://bottosson.github.io/posts/oklab/
type oklch struct{ L, C, h float64 }

// linear is the color as red, green and blue light:
//
//	l = (L + 0.3963·a + 0.2158·b)³        r =  4.0767·l - 3.3077·m + 0.2310·s
//	m = (L - 0.1056·a - 0.0639·b)³        g = -1.2684·l + 2.6098·m - 0.3413·s
//	s = (L - 0.0895·a - 1.2915·b)³        b = -0.0042·l - 0.7034·m + 1.7076·s
//
// A screen can show it if all three are from 0 to 1.
func (c oklch) linear() [3]float64 {
	a, b := c.C*math.Cos(c.h), c.C*math.Sin(c.h)
	l := cube(c.L + 0.3963377774*a + 0.2158037573*b)
	m := cube(c.L - 0.1055613458*a - 0.0638541728*b)
	s := cube(c.L - 0.0894841775*a - 1.2914855480*b)
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

// rgb returns the color in sRGB, with its chroma reduced to the screen's gamut.
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

// encode returns light as an sRGB byte: 12.92·v below 0.0031308, otherwise 1.055·v^(1/2.4) - 0.055 (IEC 61966-2-1).
func encode(v float64) uint8 {
	v = min(max(v, 0), 1)
	if v < 0.0031308 {
		return uint8(math.Round(255 * 12.92 * v))
	}
	return uint8(math.Round(255 * (1.055*math.Pow(v, 1/2.4) - 0.055)))
}

// lightOf is the inverse of encode, from 0 to 1.
func lightOf(c uint8) float64 {
	v := float64(c) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

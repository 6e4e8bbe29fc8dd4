package render

import (
	"fmt"
	"math"
	"regexp"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// fewHues are told apart on any terminal.
const fewHues = 12

// paints are, for each tint, what makes a terminal write black on it: in the tint's own colour where the terminal has all
// of them, otherwise in the nearest of its 256; of a few hues each has another.
func (o TextOptions) paints(t vector.Tints) []string {
	all := make([]string, t.N)
	cube := newColourCube()
	for i := range all {
		r, g, b := t.RGB(i, false)
		if o.TrueColor {
			all[i] = fmt.Sprintf("\x1b[38;2;0;0;0;48;2;%d;%d;%dm", r, g, b)
		} else {
			n := cube.nearest(r, g, b)
			all[i] = fmt.Sprintf("\x1b[38;5;16;48;5;%dm", 16+n)
			if t.Kind == vector.Hues && t.N <= fewHues {
				cube[n].L = math.Inf(1) // far from all
			}
		}
	}
	return all
}

// colourCube is the 6·6·6 colours that terminals number from 16 on.
type colourCube [216]oklab

func newColourCube() (c colourCube) {
	level := [6]uint8{0, 95, 135, 175, 215, 255}
	for i := range c {
		c[i] = newOKLab(level[i/36], level[i/6%6], level[i%6])
	}
	return c
}

func (c colourCube) nearest(r, g, b uint8) int {
	want, best := newOKLab(r, g, b), 0
	for i := range c {
		if want.distance(c[i]) < want.distance(c[best]) {
			best = i
		}
	}
	return best
}

// oklab is a colour whose distance from another is about how different they look: Björn Ottosson, "A perceptual color
// space for image processing", 2020, https://bottosson.github.io/posts/oklab/
type oklab struct{ L, a, b float64 }

// newOKLab is, of red, green and blue light:
//
//	l = ∛(0.4122·r + 0.5363·g + 0.0514·b)        L = 0.2105·l + 0.7936·m - 0.0041·s
//	m = ∛(0.2119·r + 0.6807·g + 0.1074·b)        a = 1.9780·l - 2.4286·m + 0.4506·s
//	s = ∛(0.0883·r + 0.2817·g + 0.6300·b)        b = 0.0259·l + 0.7828·m - 0.8087·s
func newOKLab(red, green, blue uint8) oklab {
	r, g, b := light(red), light(green), light(blue)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return oklab{0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s}
}

// light is what sRGB means (IEC 61966-2-1).
func light(c uint8) float64 {
	v := float64(c) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func (x oklab) distance(y oklab) float64 {
	return math.Sqrt((x.L-y.L)*(x.L-y.L) + (x.a-y.a)*(x.a-y.a) + (x.b-y.b)*(x.b-y.b))
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// uncoloured is text without colours.
func uncoloured(s string) string { return escapes.ReplaceAllString(s, "") }

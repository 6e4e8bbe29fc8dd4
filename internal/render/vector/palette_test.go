package vector

import (
	"fmt"
	"math"
	"testing"
)

// linearOf is the light of a colour, red, green and blue, as sRGB has it (IEC 61966-2-1).
func linearOf(r, g, b uint8) [3]float64 {
	linear := func(v uint8) float64 {
		if x := float64(v) / 255; x > 0.04045 {
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return float64(v) / 255 / 12.92
	}
	return [3]float64{linear(r), linear(g), linear(b)}
}

// luminance and contrast are those of WCAG 2.2, "relative luminance" and "contrast ratio".
func luminance(c [3]float64) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

func contrast(a, b [3]float64) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x/y, y/x)
}

// The formula: black on white has 21, and #767676 is known as the lightest grey that passes 4.5 on white.
func TestContrast(t *testing.T) {
	white := linearOf(255, 255, 255)
	if c := contrast(linearOf(0, 0, 0), white); math.Abs(c-21) > 1e-9 {
		t.Errorf("black on white: %v", c)
	}
	if a, b := contrast(linearOf(0x76, 0x76, 0x76), white), contrast(linearOf(0x77, 0x77, 0x77), white); a < 4.5 || b >= 4.5 {
		t.Errorf("greys: %v, %v", a, b)
	}
}

func light(p Paint, dark bool) [3]float64 { return linearOf(p.RGB(dark)) }

// Text, bars and lines can be told from what they lie on in both schemes, and the grid and the hatch stay behind.
func TestPalettes(t *testing.T) {
	for _, dark := range []bool{false, true} {
		for _, c := range []struct {
			a, b        Paint
			least, most float64
		}{
			{Ink, Ground, 10, 21}, {Quiet, Ground, 4.5, 8}, {Accent, Ground, 4.5, 21}, {Limit, Ground, 4.5, 21},
			{Bar, Ground, 3, 21}, {Best, Ground, 3, 21}, {Ink, Bar, 3, 21}, {Ink, Best, 3, 21},
			{Edge, Ground, 7, 21}, {Frame, Ground, 4.5, 21}, {Ink, Grid, 7, 21}, {Grid, Ground, 1.1, 1.5},
			{Hatch, Ground, 2, 3}, {Ink, Hatch, 4.5, 21},
		} {
			if got := contrast(light(c.a, dark), light(c.b, dark)); got < c.least || got > c.most {
				t.Errorf("dark %v, %v on %v: %.2f, want %v to %v", dark, c.a, c.b, got, c.least, c.most)
			}
		}
	}
}

// Every paint has a colour of its own in each scheme, or another's on purpose.
func TestPaints(t *testing.T) {
	for p := Ground; p < firstTint; p++ {
		c, known := palette[p]
		if !known || c.light == c.dark {
			t.Errorf("paint %d: %+v", p, c)
		}
	}
	r, g, b := Hatch.RGB(true)
	if got := fmt.Sprintf("%02x%02x%02x", r, g, b); got != "4c586a" {
		t.Error(got)
	}
	if None.RGB(false); palette[Ground].light != 0xffffff {
		t.Error("the ground is not white")
	}
}

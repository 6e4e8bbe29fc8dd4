package vector

import (
	"fmt"
	"math"
	"testing"
)

// linearOf returns the light of a color, red, green and blue, by sRGB (IEC 61966-2-1).
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

// TestContrast: black on white has 21, and #767676 is the lightest grey that passes 4.5 on white.
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

// TestPalettes: text, bars and lines contrast with what is below them in both schemes; grid and hatch stay in the background.
func TestPalettes(t *testing.T) {
	for _, dark := range []bool{false, true} {
		for _, c := range []struct {
			a, b      Paint
			low, high float64
		}{
			{Ink, Ground, 10, 21}, {Quiet, Ground, 4.5, 8}, {Accent, Ground, 4.5, 21}, {Limit, Ground, 4.5, 21},
			{Bar, Ground, 3, 21}, {Best, Ground, 3, 21}, {Ink, Bar, 3, 21}, {Ink, Best, 3, 21},
			{Edge, Ground, 7, 21}, {Frame, Ground, 4.5, 21}, {Ink, Grid, 7, 21}, {Grid, Ground, 1.1, 1.5},
			{Hatch, Ground, 2, 3}, {Ink, Hatch, 4.5, 21},
		} {
			if got := contrast(light(c.a, dark), light(c.b, dark)); got < c.low || got > c.high {
				t.Errorf("dark %v, %v on %v: %.2f, want %v to %v", dark, c.a, c.b, got, c.low, c.high)
			}
		}
	}
}

// TestPaints: every paint has a unique color in each scheme, or deliberately shares one.
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

// lab returns a color in OKLab, by Ottosson's matrices from light, rather than the inverse ones that make tints.
func lab(c [3]float64) [3]float64 {
	row := func(v [3]float64, x, y, z float64) float64 { return x*v[0] + y*v[1] + z*v[2] }
	v := [3]float64{
		math.Cbrt(row(c, 0.4122214708, 0.5363325363, 0.0514459929)),
		math.Cbrt(row(c, 0.2119034982, 0.6806995451, 0.1073969566)),
		math.Cbrt(row(c, 0.0883024619, 0.2817188376, 0.6299787005)),
	}
	return [3]float64{row(v, 0.2104542553, 0.7936177850, -0.0040720468), row(v, 1.9779984951, -2.4285922050, 0.4505937099),
		row(v, 0.0259040371, 0.7827717662, -0.8086757660)}
}

// apart returns the visible difference of two colors.
func apart(a, b [3]float64) float64 {
	a, b = lab(a), lab(b)
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

func tint(t Tints, i int, dark bool) [3]float64 { return linearOf(t.RGB(i, dark)) }

// schemes calls f for each kind and scheme.
func schemes(f func(kind TintKind, dark bool)) {
	for _, kind := range []TintKind{Hues, Ramp, Diverging} {
		for _, dark := range []bool{false, true} {
			f(kind, dark)
		}
	}
}

// TestTintContrast: text is readable on every tint, and lines over them are visible, however many tints there are.
func TestTintContrast(t *testing.T) {
	schemes(func(kind TintKind, dark bool) {
		for n := 1; n <= 256; n += 1 + n/24 {
			for i := range n {
				c := tint(Tints{kind, n}, i, dark)
				if got := contrast(light(Ink, dark), c); got < 4.5 {
					t.Fatalf("text on tint %d of %d, kind %d, dark %v: %.2f", i, n, kind, dark, got)
				}
				for _, p := range []Paint{Accent, Frame, Edge} {
					if got := contrast(light(p, dark), c); got < 2.2 {
						t.Fatalf("paint %d on tint %d of %d, kind %d, dark %v: %.2f", p, i, n, kind, dark, got)
					}
				}
				if got := apart(light(Ground, dark), c); got < 0.05 {
					t.Fatalf("tint %d of %d, kind %d, dark %v: %.3f from the ground", i, n, kind, dark, got)
				}
			}
		}
	})
}

// TestHuesOf: each index has a unique hue, up to FewHues; beyond that, 8 hues repeat.
func TestHuesOf(t *testing.T) {
	for _, c := range [][2]int{{0, 1}, {1, 1}, {3, 3}, {12, 12}, {13, 8}, {64, 8}, {math.MaxInt, 8}} {
		if got := HuesOf(c[0]); got != (Tints{Hues, c[1]}) {
			t.Errorf("%d indices have %+v, want %d hues", c[0], got, c[1])
		}
	}
}

// TestHues: three hues are red, green and blue; a single one is blue; hues repeat after the last.
func TestHues(t *testing.T) {
	for _, dark := range []bool{false, true} {
		for i := range 3 {
			r, g, b := Tints{Hues, 3}.RGB(i, dark)
			v := [3]int{int(r), int(g), int(b)}
			if v[i] < 6*v[(i+1)%3]/5 || v[i] < 6*v[(i+2)%3]/5 {
				t.Errorf("hue %d of 3 is %v", i, v)
			}
		}
		if tint(Tints{Hues, 1}, 0, dark) != tint(Tints{Hues, 3}, 2, dark) {
			t.Error("a hue alone is not blue")
		}
		five, none, one := Tints{Hues, 5}, Tints{Hues, 0}, Tints{Hues, 1}
		if tint(five, -1, dark) != tint(five, 9, dark) || tint(none, 7, dark) != tint(one, 0, dark) {
			t.Error("hues are not a circle")
		}
	}
}

// TestHuesApart: up to eight hues are distinguishable, even with color vision deficiency. A difference of 0.02 in OKLab is about the
// smallest visible one. The matrices are from Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color
// Vision Deficiency", 2009, for light and full severity.
func TestHuesApart(t *testing.T) {
	for name, eye := range map[string]struct {
		sees  [3][3]float64
		least float64
	}{
		"usual": {[3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0.06},
		"protanopia": {[3][3]float64{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
			{-0.003882, -0.048116, 1.051998}}, 0.045},
		"deuteranopia": {[3][3]float64{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
			{-0.011820, 0.042940, 0.968881}}, 0.03},
	} {
		seen := func(c [3]float64) (v [3]float64) {
			for i, row := range eye.sees {
				v[i] = min(max(row[0]*c[0]+row[1]*c[1]+row[2]*c[2], 0), 1)
			}
			return v
		}
		for n := 2; n <= 8; n++ {
			for _, dark := range []bool{false, true} {
				for i := range n {
					for j := range i {
						a, b := tint(Tints{Hues, n}, i, dark), tint(Tints{Hues, n}, j, dark)
						if got := apart(seen(a), seen(b)); got < eye.least {
							t.Errorf("%s, dark %v: hues %d and %d of %d are %.3f apart", name, dark, j, i, n, got)
						}
					}
				}
			}
		}
	}
}

// TestRamp: a ramp leads away from the background in perceptually even steps.
func TestRamp(t *testing.T) {
	for _, dark := range []bool{false, true} {
		r := Tints{Ramp, 9}
		whole := apart(tint(r, 0, dark), tint(r, 8, dark))
		for i := range 8 {
			step := apart(tint(r, i, dark), tint(r, i+1, dark))
			if math.Abs(step-whole/8) > 0.006 {
				t.Errorf("dark %v: step %d is %.4f of %.4f", dark, i, step, whole)
			}
			from := light(Ground, dark)
			if apart(from, tint(r, i+1, dark)) <= apart(from, tint(r, i, dark)) {
				t.Errorf("dark %v: step %d goes back", dark, i)
			}
		}
		if whole < 0.2 {
			t.Errorf("dark %v: the ramp goes %.3f far", dark, whole)
		}
	}
}

// TestDiverging: a diverging scale leads from a grey middle to both ends in even steps of equal size on either side; its ends, and the
// tints next to the middle, are distinguishable even with red-green blindness.
func TestDiverging(t *testing.T) {
	for _, dark := range []bool{false, true} {
		d := Tints{Diverging, 9}
		if r, g, b := d.RGB(4, dark); r != g || g != b {
			t.Errorf("dark %v: zero is %d %d %d", dark, r, g, b)
		}
		for k := 1; k <= 4; k++ {
			low, high := apart(tint(d, 4, dark), tint(d, 4-k, dark)), apart(tint(d, 4, dark), tint(d, 4+k, dark))
			if math.Abs(low-high) > 0.01 || low < 0.055*float64(k) {
				t.Errorf("dark %v: step %d is %.3f to one side and %.3f to the other", dark, k, low, high)
			}
		}
		if b := lab(tint(d, 0, dark))[2]; b > -0.08 {
			t.Errorf("dark %v: the lowest tint is not blue: %.3f", dark, b)
		}
		if b := lab(tint(d, 8, dark))[2]; b < 0.06 {
			t.Errorf("dark %v: the highest tint is not orange: %.3f", dark, b)
		}
	}
}

// TestOneColorOneMeaning: no tint is the color of a path, a bar or a text, and no two tints of a scale have the same color.
func TestOneColorOneMeaning(t *testing.T) {
	for _, dark := range []bool{false, true} {
		for _, all := range []Tints{{Hues, 2}, {Hues, 3}, {Hues, 8}, {Hues, FewHues}, {Ramp, MaxRamp}, {Diverging, MaxDiverging}} {
			seen := map[[3]float64]string{}
			for p := Ground; p < firstTint; p++ {
				seen[light(p, dark)] = fmt.Sprint("paint ", p)
			}
			for i := range all.N {
				c := tint(all, i, dark)
				if other, taken := seen[c]; taken {
					t.Errorf("dark %v: tint %d of %+v is also %s", dark, i, all, other)
				}
				seen[c] = fmt.Sprint("tint ", i)
			}
		}
	}
}

// TestOKLCH: converting from OKLCH inverts the conversion to OKLab.
func TestOKLCH(t *testing.T) {
	for _, c := range []oklch{{0.85, 0.05, 1}, {0.4, 0.06, 4}, {0.6, 0, 0}, {1, 0, 0}} {
		back := lab(c.linear())
		want := [3]float64{c.L, c.C * math.Cos(c.h), c.C * math.Sin(c.h)}
		for i := range back {
			if math.Abs(back[i]-want[i]) > 1e-4 {
				t.Errorf("%v is %v", c, back)
			}
		}
	}
	if r, g, b := (oklch{0.85, 0.4, 2.5}).rgb(); r == g && g == b || !(oklch{0.85, 0.05, 2.5}).onScreen() {
		t.Errorf("a green beyond the screen is %d %d %d", r, g, b)
	}
}

// TestOKLab: NewOKLab inverts the conversion to screen colors, up to rounding.
func TestOKLab(t *testing.T) {
	for _, c := range []oklch{{0.85, 0.05, 1}, {0.4, 0.06, 4}, {0.6, 0, 0}, {0.1, 0.01, 2}, {1, 0, 0}} {
		want := OKLab{c.L, c.C * math.Cos(c.h), c.C * math.Sin(c.h)}
		if off := NewOKLab(c.rgb()).Distance(want); off > 0.01 {
			t.Errorf("%v is %v off", c, off)
		}
	}
}

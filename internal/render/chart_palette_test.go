package render

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// luminance and contrast are those of WCAG 2.2, "relative luminance" and "contrast ratio".
func luminance(color string) float64 {
	linear := func(hex string) float64 {
		v := float64(must(strconv.ParseUint(hex, 16, 8))) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(color[1:3]) + 0.7152*linear(color[3:5]) + 0.0722*linear(color[5:7])
}

func contrast(a, b string) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x/y, y/x)
}

// The formula: black on white has 21, and #767676 is known as the lightest grey that passes 4.5 on white.
func TestContrast(t *testing.T) {
	if c := contrast("#000000", "#ffffff"); math.Abs(c-21) > 1e-9 {
		t.Errorf("black on white: %v", c)
	}
	if a, b := contrast("#767676", "#ffffff"), contrast("#777777", "#ffffff"); a < 4.5 || b >= 4.5 {
		t.Errorf("greys: %v, %v", a, b)
	}
}

// Text and bars can be told from what they lie on in both schemes, and the grid stays behind.
func TestPalettes(t *testing.T) {
	for name, p := range map[string]palette{"light": lightPalette, "dark": darkPalette} {
		for _, c := range []struct {
			what, a, b string
			least      float64
		}{
			{"text", p.text, p.ground, 4.5}, {"quiet text", p.quiet, p.ground, 4.5},
			{"best text", p.accent, p.ground, 4.5}, {"limit's name", p.limit, p.ground, 4.5},
			{"bar", p.bar, p.ground, 3}, {"best bar", p.best, p.ground, 3},
			{"interval on bar", p.text, p.bar, 3}, {"interval on best bar", p.text, p.best, 3},
		} {
			if got := contrast(c.a, c.b); got < c.least {
				t.Errorf("%s, %s: %.2f, want %v", name, c.what, got, c.least)
			}
		}
		if got := contrast(p.grid, p.ground); got > 1.5 {
			t.Errorf("%s: the grid stands out by %.2f", name, got)
		}
	}
}

// Every class that is drawn has its colour in both schemes, and what is tested above is what is drawn.
func TestStyle(t *testing.T) {
	light, dark, found := strings.Cut(style(), "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatal(style())
	}
	for _, rule := range strings.Split(strings.TrimSpace(lightPalette.rules("")), "\n") {
		selector, _, _ := strings.Cut(rule, " {")
		inDark := strings.Contains(dark, "    "+selector+" {") && !strings.Contains(dark, "    "+rule)
		if !strings.Contains(light, "  "+rule) || !inDark {
			t.Errorf("%s is not in both schemes with different colours", selector)
		}
	}
	p := darkPalette
	for selector, color := range map[string]string{"text": p.text, "text.quiet": p.quiet, "text.best": p.accent,
		"text.limit-name": p.limit, ".ground": p.ground, "rect.bar": p.bar, "rect.bar.best": p.best} {
		if !strings.Contains(dark, "    "+selector+" { fill: "+color+"; }\n") {
			t.Errorf("%s is not %s in\n%s", selector, color, dark)
		}
	}
}

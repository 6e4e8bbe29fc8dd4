package scene

import (
	"fmt"
	"math"
	"regexp"

	"github.com/tlayout/tlayout/internal/render/vector"
)

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
			if t.Kind == vector.Hues && t.N <= vector.FewHues {
				cube[n].L = math.Inf(1) // far from all
			}
		}
	}
	return all
}

// colourCube is the 6·6·6 colours that terminals number from 16 on.
type colourCube [216]vector.OKLab

func newColourCube() *colourCube {
	var c colourCube
	level := [6]uint8{0, 95, 135, 175, 215, 255}
	for i := range c {
		c[i] = vector.NewOKLab(level[i/36], level[i/6%6], level[i%6])
	}
	return &c
}

func (c *colourCube) nearest(r, g, b uint8) int {
	want, best := vector.NewOKLab(r, g, b), 0
	for i := range c {
		if want.Distance(c[i]) < want.Distance(c[best]) {
			best = i
		}
	}
	return best
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// uncoloured is text without colours.
func uncoloured(s string) string { return escapes.ReplaceAllString(s, "") }

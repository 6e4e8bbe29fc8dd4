package vector

import (
	"fmt"
	"image/color"
	"math"
)

// Stripes rise from left to right: x + y is a multiple of their pitch, counted from the drawing's corner, so that
// those of neighbours go on in each other. Lengths are pixels of the drawing.
const (
	pitch      = 6
	thick      = 1.25 // of a stripe
	stripeTile = "M-1 1L1 -1M-1 7L7 -1M5 7L7 5"
)

func stripePen(p Paint) class { return class{kind: pen, stroke: p, width: thick} }

// patterns are what rectangles are filled with that are striped.
func (s *svg) patterns() {
	written := map[Paint]bool{}
	for _, c := range s.classes {
		if c.kind == striped && !written[c.fill] {
			written[c.fill] = true
			fmt.Fprintf(s, "<pattern id=\"%s-%d\" width=\"%d\" height=\"%[3]d\" patternUnits=\"userSpaceOnUse\">"+
				"<path class=\"%[4]s\" d=\"%[5]s\"/></pattern>\n", s.id, c.fill, pitch, s.names[stripePen(c.fill)], stripeTile)
		}
	}
}

// stripes fill a PNG's rectangle.
type stripes struct {
	color color.NRGBA
	scale float64 // pixels of the file for one of the drawing
}

// ColorAt is the stripe's colour, as opaque as much of the pixel lies on it. The middle of the next stripe is
// |(x + y) mod pitch| / √2 away.
func (s stripes) ColorAt(x, y int) color.Color {
	off := math.Mod((float64(x)+float64(y)+1)/s.scale, pitch)
	inside := thick/2 - min(off, pitch-off)/math.Sqrt2
	c := s.color
	c.A = uint8(255 * min(max(inside*s.scale+0.5, 0), 1))
	return c
}

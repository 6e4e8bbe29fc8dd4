package vector

import (
	"image"
	"image/color"
	"image/png"
	"io"
	"math"

	"git.sr.ht/~sbinet/gg"

	"github.com/tlayout/tlayout/internal/fault"
)

// PNGOptions say how a drawing becomes pixels.
type PNGOptions struct {
	Scale float64 // pixels of the file for one of the drawing, so that it is sharp; 2 where it is 0
	Dark  bool    // in the colours of the dark scheme
}

// mostPixels bounds a PNG, whose pixels take four bytes of memory each.
const mostPixels = 64 << 20

// PNG writes the drawing as one PNG file, with the Go fonts. Characters that they do not have are drawn where shapes
// has them, or stand as U+FFFD. A picture of more than 64 Mi pixels is a fault of class Unsupported.
func (d Drawing) PNG(w io.Writer, o PNGOptions) error {
	scale := or(o.Scale, 2)
	width, height := math.Ceil(size(d.Width)*scale), math.Ceil(size(d.Height)*scale)
	if width*height > mostPixels {
		return fault.New(fault.Unsupported, "a picture of %.0f × %.0f pixels: a PNG here has at most %d million of them",
			width, height, mostPixels>>20).WithHint("write it as .svg, which is as large as it needs to be, or draw less of it")
	}
	im := image.NewRGBA(image.Rect(0, 0, int(max(width, 1)), int(max(height, 1))))
	c := &canvas{Context: gg.NewContextForRGBA(im), image: im, drawing: d, scale: scale, dark: o.Dark,
		hands: map[style]*hand{}}
	c.SetLineCapButt()
	c.SetLineJoinRound()
	c.SetColor(c.color(Ground))
	c.Clear()
	c.marks(d.Marks)
	return png.Encode(w, im)
}

// canvas is pixels that a drawing is drawn on.
type canvas struct {
	*gg.Context
	image   *image.RGBA
	drawing Drawing
	scale   float64
	dark    bool
	hands   map[style]*hand
}

func (c *canvas) color(p Paint) color.NRGBA {
	r, g, b := c.drawing.rgb(p, c.dark)
	return color.NRGBA{r, g, b, 255}
}

func (c *canvas) marks(marks []Mark) {
	for _, m := range marks {
		switch m := m.(type) {
		case Rect:
			c.rect(m)
		case Line:
			c.line(m)
		case Text:
			c.text(m)
		case Group:
			c.marks(m.Marks)
		}
	}
}

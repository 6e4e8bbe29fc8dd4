package vector

import (
	"image"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// hand is a font at the size that it writes in, in pixels of the file.
type hand struct {
	*typeface
	face font.Face
	size float64
}

// style is what hands differ in.
type style struct {
	bold, mono bool
	size       float64
}

// leastHand and largestHand bound a font in pixels of the file; a smaller one cannot be seen.
const leastHand, largestHand = 1, 4096

func (c *canvas) hand(t Text) *hand {
	s := style{t.Bold, t.Mono, min(t.size()*c.scale, largestHand)}
	if h, known := c.hands[s]; known {
		return h
	}
	h := &hand{typeface: typefaceOf(s.bold, s.mono), size: s.size}
	var err error
	if h.face, err = opentype.NewFace(h.Font, &opentype.FaceOptions{Size: s.size, DPI: 72}); err != nil {
		panic(err) // the font is built in
	}
	c.hands[s] = h
	return h
}

func (c *canvas) text(t Text) {
	if t.Paint == None || t.size()*c.scale < leastHand {
		return
	}
	h, words, width := c.hand(t), spread(t.Words, t.Mono), 0.0
	for _, r := range words {
		width += h.advance(r) * h.size
	}
	x, y := length(t.X)*c.scale-width*float64(t.Anchor)/2, t.baseline()*c.scale
	if y < -h.size || y > float64(c.Height())+h.size {
		return
	}
	c.SetColor(c.color(t.Paint))
	for _, r := range words {
		if x > float64(c.Width()) {
			return
		}
		a := h.advance(r) * h.size
		if a > 0 && x+2*h.size > 0 {
			c.letter(h, r, x, y, t.Paint)
		}
		x += a
	}
}

// letter writes a character that stands at a place.
func (c *canvas) letter(h *hand, r rune, x, y float64, p Paint) {
	if s, drawn := shapes[r]; drawn && !h.has(r) {
		c.shape(s, h, x, y, p)
		return
	}
	dot := fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(y * 64)}
	if at, mask, from, _, ok := h.face.Glyph(dot, h.glyph(r)); ok {
		draw.DrawMask(c.image, at, image.NewUniform(c.color(p)), image.Point{}, mask, from, draw.Over)
	}
}

// shape draws a character that the font does not have; it is as wide as all, where all are equally wide.
func (c *canvas) shape(s shape, h *hand, x, y float64, p Paint) {
	squeeze := 1.0
	if h.even {
		squeeze = min(h.ascii['0']/s.width, 1)
		x += (h.ascii['0'] - s.width*squeeze) / 2 * h.size
	}
	for _, line := range s.lines {
		for _, at := range line {
			c.LineTo(x+at.X*squeeze*h.size, y-at.Y*h.size)
		}
		if s.pen {
			c.pen(p, h.typeface.pen*h.size/c.scale, false)
			c.ClearPath()
		} else {
			c.Fill()
		}
	}
}

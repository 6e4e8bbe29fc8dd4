//go:build !js

package vector

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"sync"

	"git.sr.ht/~sbinet/gg"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/tlayout/tlayout/internal/fault"
)

// maxPixels bounds a PNG; a pixel needs four bytes of memory.
const maxPixels = 32 << 20

// PNG writes the drawing as one PNG file, with the Go fonts. Characters they lack are drawn as shapes, or as U+FFFD. A picture of more than
// 32 Mi pixels is Unsupported.
func (d Drawing) PNG(w io.Writer, o PNGOptions) error {
	scale := or(o.Scale, 2)
	width, height := math.Ceil(size(d.Width)*scale), math.Ceil(size(d.Height)*scale)
	if width*height > maxPixels {
		return fault.New(fault.Unsupported, "a PNG of %.0f × %.0f pixels exceeds the limit of %d million",
			width, height, maxPixels>>20).WithHint("use .svg, which has no limit, or draw less")
	}
	im := image.NewRGBA(image.Rect(0, 0, int(max(width, 1)), int(max(height, 1))))
	c := &canvas{Context: gg.NewContextForRGBA(im), image: im, drawing: d, scale: scale, dark: o.Dark,
		hands: map[style]*hand{}, indices: map[color.NRGBA]int{}}
	c.SetLineCapButt()
	c.SetLineJoinRound()
	c.SetColor(c.color(Ground))
	c.Clear()
	c.marks(d.Marks)
	fast := png.Encoder{CompressionLevel: png.BestSpeed}
	if indexed, ok := c.indexed(); ok {
		return fast.Encode(w, indexed)
	}
	return fast.Encode(w, im)
}

// drawnFont is a built-in font.
type drawnFont struct {
	*typeface
	*sfnt.Font
	pen float64 // width of its strokes, for a size of 1
}

var (
	drawnRegular  = sync.OnceValue(func() *drawnFont { return newDrawnFont(goregular.TTF, 0.07) })
	drawnBold     = sync.OnceValue(func() *drawnFont { return newDrawnFont(gobold.TTF, 0.11) })
	drawnMono     = sync.OnceValue(func() *drawnFont { return newDrawnFont(gomono.TTF, 0.07) })
	drawnMonoBold = sync.OnceValue(func() *drawnFont { return newDrawnFont(gomonobold.TTF, 0.11) })
)

func newDrawnFont(ttf []byte, pen float64) *drawnFont {
	f, err := sfnt.Parse(ttf)
	if err != nil {
		panic(err) // the font is built in
	}
	size := fixed.Int26_6(f.UnitsPerEm()) // an advance is in the font's own units at this size
	width := func(r rune) (float64, bool) {
		var b sfnt.Buffer
		i, err := f.GlyphIndex(&b, r)
		if err != nil || i == 0 {
			return 0, false
		}
		a, err := f.GlyphAdvance(&b, i, size, font.HintingNone)
		return float64(a) / float64(size), err == nil
	}
	var ascii [128]float64
	for r := range ascii {
		ascii[r], _ = width(rune(r))
	}
	cached := func(r rune) (float64, bool) {
		if r >= ' ' && r < 127 {
			return ascii[r], true
		}
		return width(r)
	}
	return &drawnFont{&typeface{cached, ascii['i'] == ascii['W']}, f, pen}
}

// drawnFontOf returns the font of a style.
func drawnFontOf(isBold, isMono bool) *drawnFont {
	if isBold && isMono {
		return drawnMonoBold()
	}
	if isMono {
		return drawnMono()
	}
	if isBold {
		return drawnBold()
	}
	return drawnRegular()
}

// canvas is the pixels of a drawing.
type canvas struct {
	*gg.Context
	image   *image.RGBA
	drawing Drawing
	scale   float64
	dark    bool
	hands   map[style]*hand
	palette color.Palette       // the paints, and what indexed adds
	indices map[color.NRGBA]int // in palette
}

func (c *canvas) color(p Paint) color.NRGBA {
	r, g, b := c.drawing.rgb(p, c.dark)
	rgb := color.NRGBA{r, g, b, 255}
	if _, known := c.indices[rgb]; !known {
		c.indices[rgb] = len(c.palette)
		c.palette = append(c.palette, rgb)
	}
	return rgb
}

// maxBlend is the largest invisible difference, of 255, between an edge pixel's color and the one used for it.
const maxBlend = 8

// indexed returns the picture in 256 colors: every paint, and blends of paints at the edges of letters and lines. The file is a fifth as
// large and ten times as fast to write. ok is false if it needs more colors.
func (c *canvas) indexed() (im *image.Paletted, ok bool) {
	im = image.NewPaletted(c.image.Rect, nil)
	var last color.NRGBA
	at := 0
	paints := len(c.palette)
	for i := range im.Pix {
		p := c.image.Pix[4*i : 4*i+4 : 4*i+4]
		if rgb := (color.NRGBA{p[0], p[1], p[2], p[3]}); rgb != last {
			last = rgb
			at, ok = c.indices[rgb]
			if !ok {
				blends := c.palette[paints:]
				at = paints + blends.Index(rgb)
				if len(blends) == 0 || farther(c.palette[at].(color.NRGBA), rgb, maxBlend) {
					at = len(c.palette)
					c.palette = append(c.palette, rgb)
				}
				c.indices[rgb] = at
			}
			if len(c.palette) > 256 {
				return nil, false
			}
		}
		im.Pix[i] = uint8(at)
	}
	im.Palette = c.palette
	return im, true
}

// farther reports whether two colors are more than n apart in red, green or blue.
func farther(a, b color.NRGBA, n int) bool {
	far := func(a, b uint8) bool { return max(int(a)-int(b), int(b)-int(a)) > n }
	return far(a.R, b.R) || far(a.G, b.G) || far(a.B, b.B)
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

// rect draws a rectangle, clipped to the page: fill, stripes, border.
func (c *canvas) rect(r Rect) {
	x, y := c.across(r.X), c.down(r.Y)
	w := c.across(length(r.X)+length(r.W)) - x
	h := c.down(length(r.Y)+length(r.H)) - y
	if w <= 0 || h <= 0 {
		return
	}
	if radius := min(or(r.Radius, 0)*c.scale, w/2, h/2); radius > 0 {
		c.DrawRoundedRectangle(x, y, w, h, radius)
	} else {
		c.DrawRectangle(x, y, w, h)
	}
	if r.Fill != None {
		c.SetColor(c.color(r.Fill))
		c.FillPreserve()
	}
	if r.Hatch != None {
		c.SetFillStyle(stripes{c.color(r.Hatch), c.scale})
		c.FillPreserve()
	}
	if r.Stroke != None {
		c.pen(r.Stroke, r.strokeWidth(), false)
	}
	c.ClearPath()
}

// pen strokes the path.
func (c *canvas) pen(p Paint, width float64, dashed bool) {
	c.SetColor(c.color(p))
	c.SetLineWidth(min(width*c.scale, float64(c.Width()+c.Height())))
	c.SetDash()
	if dashed {
		c.SetDash(dash*c.scale, gap*c.scale)
	}
	c.StrokePreserve()
}

func (c *canvas) line(l Line) {
	if len(l.Points) < 2 || l.Stroke == None {
		return
	}
	for _, p := range l.Points {
		c.LineTo(c.across(p.X), c.down(p.Y))
	}
	c.pen(l.Stroke, l.width(), l.Dashed)
	c.ClearPath()
}

// across and down convert to pixels of the file, clamped near the page.
func (c *canvas) across(x float64) float64 { return near(length(x)*c.scale, c.Width()) }
func (c *canvas) down(y float64) float64   { return near(length(y)*c.scale, c.Height()) }

func near(v float64, page int) float64 { return min(max(v, -float64(page)-100), 2*float64(page)+100) }

// hand is a font at a size, in pixels of the file.
type hand struct {
	*drawnFont
	face font.Face
	size float64
}

// style is the key of a hand.
type style struct {
	bold, mono bool
	size       float64
}

// minHand and maxHand bound a font in pixels of the file; a smaller one is invisible.
const minHand, maxHand = 1, 4096

func (c *canvas) hand(t Text) *hand {
	s := style{t.Bold, t.Mono, min(t.size()*c.scale, maxHand)}
	if h, known := c.hands[s]; known {
		return h
	}
	h := &hand{drawnFont: drawnFontOf(s.bold, s.mono), size: s.size}
	var err error
	h.face, err = opentype.NewFace(h.Font, &opentype.FaceOptions{Size: s.size, DPI: 72})
	if err != nil {
		panic(err) // the font is built in
	}
	c.hands[s] = h
	return h
}

func (c *canvas) text(t Text) {
	if t.Paint == None || t.size()*c.scale < minHand {
		return
	}
	h := c.hand(t)
	words := spread(t.Words, t.Mono)
	width := 0.0
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

// letter draws a character at a position.
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

// shape draws a character that the font lacks, at the font's width if monospaced.
func (c *canvas) shape(s shape, h *hand, x, y float64, p Paint) {
	squeeze := 1.0
	if h.even {
		squeeze = min(h.units('0')/s.width, 1)
		x += (h.units('0') - s.width*squeeze) / 2 * h.size
	}
	for _, line := range s.lines {
		for _, at := range line {
			c.LineTo(x+at.X*squeeze*h.size, y-at.Y*h.size)
		}
		if s.pen {
			c.pen(p, h.drawnFont.pen*h.size/c.scale, false)
			c.ClearPath()
		} else {
			c.Fill()
		}
	}
}

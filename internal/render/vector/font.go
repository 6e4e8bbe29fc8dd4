package vector

import (
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// typeface is a font that is built in, with what it has of the commonest characters.
type typeface struct {
	*sfnt.Font
	ascii [128]float64 // advances, for a size of 1
	even  bool         // all equally wide
	pen   float64      // how thick its lines are, for a size of 1
}

var (
	regular  = sync.OnceValue(func() *typeface { return newTypeface(goregular.TTF, 0.07) })
	bold     = sync.OnceValue(func() *typeface { return newTypeface(gobold.TTF, 0.11) })
	mono     = sync.OnceValue(func() *typeface { return newTypeface(gomono.TTF, 0.07) })
	monoBold = sync.OnceValue(func() *typeface { return newTypeface(gomonobold.TTF, 0.11) })
)

// typefaceOf is the font for a way of writing.
func typefaceOf(isBold, isMono bool) *typeface {
	switch {
	case isBold && isMono:
		return monoBold()
	case isMono:
		return mono()
	case isBold:
		return bold()
	}
	return regular()
}

func newTypeface(ttf []byte, pen float64) *typeface {
	f, err := sfnt.Parse(ttf)
	if err != nil {
		panic(err) // the font is built in
	}
	t := &typeface{Font: f, pen: pen}
	for r := range t.ascii {
		t.ascii[r] = t.units(t.glyph(rune(r)))
	}
	t.even = t.ascii['i'] == t.ascii['W']
	return t
}

// has reports whether the font can write a character.
func (t *typeface) has(r rune) bool {
	var b sfnt.Buffer
	i, err := t.GlyphIndex(&b, r)
	return err == nil && i != 0
}

// glyph is the character that the font writes for another: itself, one much like it, or the mark of a character that
// cannot be shown.
func (t *typeface) glyph(r rune) rune {
	if t.has(r) {
		return r
	}
	if a, ok := alike[r]; ok {
		return a
	}
	return unicode.ReplacementChar
}

// units is how far a character of the font goes, for a size of 1.
func (t *typeface) units(r rune) float64 {
	var b sfnt.Buffer
	i, err := t.GlyphIndex(&b, r)
	size := fixed.Int26_6(t.UnitsPerEm()) // the advance is in the font's own units at this size
	a, err2 := t.GlyphAdvance(&b, i, size, font.HintingNone)
	if err != nil || err2 != nil {
		return 0
	}
	return float64(a) / float64(size)
}

// Measure is the width in pixels that a line of text has room in, in a PNG and in an SVG, whose font is its reader's.
// It is that of the Go fonts, and a sixth more where letters differ in width: DejaVu Sans, the widest font that is
// usual, is 15 % wider than they are.
func Measure(words string, size float64, bold, mono bool) float64 {
	t, em := typefaceOf(bold, mono), 0.0
	for _, r := range spread(words, mono) {
		em += t.advance(r)
	}
	if !mono {
		em *= 7.0 / 6
	}
	return float64(em * min(or(size, usualFont), largestFont))
}

// advance is how far a character goes, for a size of 1. What a font does not have is as wide as what stands for it, and
// wide letters of Asia are as wide as high.
func (t *typeface) advance(r rune) float64 {
	s, drawn := shapes[r]
	switch {
	case r >= ' ' && r < 127:
		return t.ascii[r]
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x2e80 && !t.has(r):
		return 1
	case t.even || r == figureBlank:
		return t.ascii['0']
	case drawn:
		return s.width
	}
	return t.units(t.glyph(r))
}

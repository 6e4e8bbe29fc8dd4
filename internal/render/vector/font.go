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

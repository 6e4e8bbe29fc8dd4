package vector

import (
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// typeface is a built-in font, with cached widths of ASCII.
type typeface struct {
	*sfnt.Font
	ascii [128]float64 // advances, for a size of 1
	even  bool         // monospaced
	pen   float64      // width of its strokes, for a size of 1
}

// The typefaces that measure text. Go Bold and Go Mono have the characters of Go Regular; only a PNG draws them, so that measuring needs
// their widths alone and the page in a browser has neither font. Bold characters that are not ASCII count as regular ones.
var (
	regular = sync.OnceValue(func() *typeface { return newTypeface(goregular.TTF, 0.07) })
	bold    = sync.OnceValue(func() *typeface {
		t := *regular()
		for i, advance := range boldAdvances {
			t.ascii[' '+i] = advance / unitsPerEm
		}
		return &t
	})
	mono = sync.OnceValue(func() *typeface {
		t := *regular()
		for r := range t.ascii {
			t.ascii[r] = monoAdvance / unitsPerEm
		}
		t.even = true
		return &t
	})
)

// Advances of Go Mono, and of ASCII from the blank on in Go Bold, in units of the fonts.
const (
	unitsPerEm  = 2048.0
	monoAdvance = 1229.0
)

var boldAdvances = [...]float64{
	569, 682, 971, 1139, 1139, 1821, 1479, 487, 682, 682, 1143, 1196, 569, 1196, 569, 569, 1139, 1139, 1139,
	1139, 1139, 1139, 1139, 1139, 1139, 1139, 682, 682, 1196, 1196, 1196, 1251, 1997, 1479, 1479, 1479, 1479, 1366,
	1251, 1593, 1479, 928, 1139, 1479, 1251, 1706, 1479, 1593, 1366, 1593, 1479, 1366, 1251, 1479, 1366, 1933, 1366,
	1366, 1251, 682, 569, 682, 1196, 1139, 682, 1139, 1251, 1139, 1251, 1139, 682, 1251, 1251, 592, 589, 1139,
	611, 1821, 1251, 1251, 1251, 1251, 797, 1139, 682, 1251, 1139, 1593, 1139, 1139, 1024, 797, 573, 797, 1196,
}

// widthsOf returns the font with the widths of a style: bold monospaced text is as wide as other.
func widthsOf(isBold, isMono bool) *typeface {
	if isMono {
		return mono()
	}
	if isBold {
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

// has reports whether the font has a character.
func (t *typeface) has(r rune) bool {
	var b sfnt.Buffer
	i, err := t.GlyphIndex(&b, r)
	return err == nil && i != 0
}

// glyph returns the character to draw for another: itself, a similar one, or U+FFFD.
func (t *typeface) glyph(r rune) rune {
	if t.has(r) {
		return r
	}
	if a, ok := substitutes[r]; ok {
		return a
	}
	return unicode.ReplacementChar
}

// units returns the advance of a character of the font, for a size of 1.
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

// Measure returns the width in pixels of a line of text, in a PNG and in an SVG, whose font is the reader's: the width in the Go fonts,
// plus a sixth for proportional text, because DejaVu Sans, the widest common font, is 15 % wider.
func Measure(words string, size float64, bold, mono bool) float64 {
	t := widthsOf(bold, mono)
	em := 0.0
	for _, r := range spread(words, mono) {
		em += t.advance(r)
	}
	if !mono {
		em *= 7.0 / 6
	}
	return float64(em * min(or(size, defaultFont), maxFont))
}

// advance returns the width of a character, for a size of 1. Missing characters have the width of their replacement; wide East Asian
// letters are square.
func (t *typeface) advance(r rune) float64 {
	if r >= ' ' && r < 127 {
		return t.ascii[r]
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	if r >= 0x2e80 && !t.has(r) {
		return 1
	}
	if t.even || r == figureBlank {
		return t.ascii['0']
	}
	if s, drawn := shapes[r]; drawn {
		return s.width
	}
	return t.units(t.glyph(r))
}

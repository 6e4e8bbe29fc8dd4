package vector

import (
	_ "embed" // advances.txt
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// typeface has the widths of a font's characters, for a size of 1.
type typeface struct {
	width func(rune) (advance float64, ok bool) // of a character; not ok if the font has none
	even  bool                                  // monospaced
}

// advances.txt has the widths of Go Regular, so that the page in a browser measures text without a font.
//
//go:embed advances.txt
var advanceTable string

// The typefaces that measure text. Go Bold and Go Mono have the characters of Go Regular; only a PNG draws them. Bold characters that are
// not ASCII count as regular ones.
var (
	regular = sync.OnceValue(func() *typeface {
		advances := map[rune]float64{}
		for line := range strings.Lines(advanceTable) {
			first, widths, _ := strings.Cut(line, " ")
			r, err := strconv.ParseUint(first, 16, 32)
			if err != nil {
				continue // the comment
			}
			for _, w := range strings.Fields(widths) {
				n, _ := strconv.Atoi(w)
				advances[rune(r)] = float64(n) / unitsPerEm
				r++
			}
		}
		return &typeface{width: func(r rune) (float64, bool) {
			advance, ok := advances[r]
			return advance, ok
		}}
	})
	bold = sync.OnceValue(func() *typeface {
		return &typeface{width: func(r rune) (float64, bool) {
			if i := int(r) - ' '; i >= 0 && i < len(boldAdvances) {
				return boldAdvances[i] / unitsPerEm, true
			}
			return regular().width(r)
		}}
	})
	mono = sync.OnceValue(func() *typeface {
		return &typeface{even: true, width: func(r rune) (float64, bool) { return monoAdvance / unitsPerEm, regular().has(r) }}
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

// has reports whether the font has a character.
func (t *typeface) has(r rune) bool {
	_, ok := t.width(r)
	return ok
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
	advance, _ := t.width(r)
	return advance
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
		return t.units(r)
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	if r >= 0x2e80 && !t.has(r) {
		return 1
	}
	if t.even || r == figureBlank {
		return t.units('0')
	}
	if s, drawn := shapes[r]; drawn {
		return s.width
	}
	return t.units(t.glyph(r))
}

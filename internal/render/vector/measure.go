package vector

import "unicode"

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

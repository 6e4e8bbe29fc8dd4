package vector

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// Drawing is a picture. Lengths are pixels from its top left corner, x to the right, y down.
type Drawing struct {
	Width, Height float64
	Title, Desc   string   // for screen readers: name and description
	Panels        []string // names of the parts that links number
	Tints         Tints    // the colors of Tint(i)
	Marks         []Mark   // later ones cover earlier ones
}

// Mark is a part of a drawing: Rect, Line, Text or Group.
type Mark interface{ mark() }

// Rect is a rectangle. Hatch, if not None, is the color of stripes over the Fill.
type Rect struct {
	X, Y, W, H, Radius float64
	Fill, Stroke       Paint
	StrokeWidth        float64 // 0 means 1
	Hatch              Paint
}

// Line joins points.
type Line struct {
	Points []Point
	Stroke Paint
	Width  float64 // 0 means 1
	Dashed bool
}

// Point is a position in a drawing.
type Point struct{ X, Y float64 }

// Text is a line of words. Y is the middle of its height.
type Text struct {
	X, Y   float64
	Words  string
	Paint  Paint
	Size   float64 // of the font; 0 means 13
	Anchor Anchor
	Bold   bool
	Mono   bool // all characters have the same width, 0.6 of the size
}

// Anchor is the part of a text that is at its X.
type Anchor int

const (
	Start Anchor = iota
	Middle
	End
)

// Group is a set of related marks. Title is for the pointer and screen readers; it may be empty.
type Group struct {
	Title string
	Link  Link
	Marks []Mark
}

// Link relates a group to others, for a script that highlights them together.
type Link struct {
	Panel int   // number of the drawing's part that the group is in
	Line  int   // groups of a panel with the same number are fetched together; negative: with no others
	Keys  []int // groups with a key in common show the same
}

func (Rect) mark()  {}
func (Line) mark()  {}
func (Text) mark()  {}
func (Group) mark() {}

// shapes are characters that the Go fonts do not have, for a size of 1: x to the right, y up from the
// baseline. They are filled, or drawn with a pen.
var shapes = map[rune]shape{
	'★': {width: 0.92, lines: [][]Point{star(0.46, 0.36, 0.46)}},
	'⋮': {width: 0.36, lines: [][]Point{dot(0.18, 0.02), dot(0.18, 0.31), dot(0.18, 0.60)}},
	'⌈': {width: 0.34, pen: true, lines: [][]Point{{{0.30, 0.76}, {0.10, 0.76}, {0.10, -0.18}}}},
	'⌉': {width: 0.34, pen: true, lines: [][]Point{{{0.04, 0.76}, {0.24, 0.76}, {0.24, -0.18}}}},
	'⌊': {width: 0.34, pen: true, lines: [][]Point{{{0.10, 0.76}, {0.10, -0.18}, {0.30, -0.18}}}},
	'⌋': {width: 0.34, pen: true, lines: [][]Point{{{0.24, 0.76}, {0.24, -0.18}, {0.04, -0.18}}}},
}

type shape struct {
	width float64
	pen   bool
	lines [][]Point
}

// substitutes maps characters that the fonts lack to similar ones.
var substitutes = map[rune]rune{
	'\t': ' ', '\n': ' ', '\r': ' ', '\u2009': ' ', figureBlank: firmBlank,
	'⋯': '…', '⋅': '·', '∘': '°', '⟶': '→', '↦': '→', '⇒': '→', '⇄': '↔', '◆': '♦',
}

// star has five points on a circle.
func star(x, y, r float64) []Point {
	var corners []Point
	for k := range 10 {
		at := r
		angle := float64(k) * math.Pi / 5
		if k%2 == 1 {
			at = r * 0.382 // where lines between points cross: (3 - √5)/2
		}
		corners = append(corners, Point{x + at*math.Sin(angle), y + at*math.Cos(angle)})
	}
	return corners
}

func dot(x, y float64) []Point {
	const h = 0.055
	return []Point{{x - h, y}, {x - h, y + 2*h}, {x + h, y + 2*h}, {x + h, y}}
}

// maxLength bounds lengths, in pixels.
const maxLength = 1e6

// length makes any number drawable: 0 for NaN, at most a million.
func length(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return min(max(v, -maxLength), maxLength)
}

// size is a width or height, at least 1.
func size(v float64) float64 { return max(length(v), 1) }

// or returns v, or fallback for 0; never negative.
func or(v, fallback float64) float64 {
	v = length(v)
	if v == 0 {
		v = fallback
	}
	return max(v, 0)
}

// strokeWidth returns 0 without a border.
func (r Rect) strokeWidth() float64 {
	if r.Stroke == None {
		return 0
	}
	return or(r.StrokeWidth, 1)
}

// defaultFont and maxFont are sizes of a font.
const defaultFont, maxFont = 13, 500

func (t Text) size() float64 { return min(or(t.Size, defaultFont), maxFont) }

// baseline returns the letters' baseline: capitals are about 0.7 of the size high, and centered on Y.
func (t Text) baseline() float64 { return length(t.Y) + float64(0.35*t.size()) }

// Stripes rise from left to right: x + y is a multiple of their pitch, relative to the drawing's corner, so that stripes
// continue in neighboring rectangles. Lengths are pixels of the drawing.
const (
	pitch      = 6
	thick      = 1.25 // of a stripe
	stripeTile = "M-1 1L1 -1M-1 7L7 -1M5 7L7 5"
)

func stripePen(p Paint) class { return class{kind: pen, stroke: p, width: thick} }

// patterns are the fills of striped rectangles.
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

// stripes fill a rectangle of a PNG.
type stripes struct {
	color color.NRGBA
	scale float64 // pixels of the file for one of the drawing
}

// ColorAt returns the stripe's color, with the part of the pixel that it covers as opacity. The middle of the next stripe is |(x + y) mod
// pitch| / √2 away.
func (s stripes) ColorAt(x, y int) color.Color {
	off := math.Mod((float64(x)+float64(y)+1)/s.scale, pitch)
	inside := thick/2 - min(off, pitch-off)/math.Sqrt2
	c := s.color
	c.A = uint8(255 * min(max(inside*s.scale+0.5, 0), 1))
	return c
}

// Lengths of a dashed line, in pixels.
const dash, gap = 4, 3

func (l Line) width() float64 { return or(l.Width, 1) }

// Fixed-width blanks: as wide as a digit, and as a blank.
const figureBlank, firmBlank = '\u2007', '\u00a0'

// spread gives consecutive blanks, and those at either end, the width of a digit each, so that numbers in a column line up.
// SVG would collapse them.
func spread(words string, mono bool) string {
	if strings.Trim(words, " ") == words && !strings.Contains(words, "  ") {
		return words
	}
	firm := figureBlank
	if mono {
		firm = firmBlank
	}
	runes := []rune(words)
	for i, r := range runes {
		atEnd := i == 0 || i == len(runes)-1
		besideBlank := !atEnd && (runes[i-1] == firm || runes[i+1] == ' ')
		if r == ' ' && (atEnd || besideBlank) {
			runes[i] = firm
		}
	}
	return string(runes)
}

// PNGOptions control how a drawing becomes pixels.
type PNGOptions struct {
	Scale float64 // pixels of the file per pixel of the drawing; 0 means 2
	Dark  bool    // use the dark scheme
}

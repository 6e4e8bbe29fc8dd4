package vector

import "math"

// shapes are characters that the Go fonts do not have, for a size of 1: x to the right, y up from the line that letters
// stand on. They are filled, or drawn with a pen where that is said.
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

// alike are characters of the fonts that stand for others, which they do not have.
var alike = map[rune]rune{
	'\t': ' ', '\n': ' ', '\r': ' ', '\u2009': ' ', figureBlank: firmBlank,
	'⋯': '…', '⋅': '·', '∘': '°', '⟶': '→', '↦': '→', '⇒': '→', '⇄': '↔', '◆': '♦',
}

// star has five points on a circle.
func star(x, y, r float64) []Point {
	var corners []Point
	for k := range 10 {
		at, angle := r, float64(k)*math.Pi/5
		if k%2 == 1 {
			at = r * 0.382 // where the lines from point to point cross: (3 - √5)/2
		}
		corners = append(corners, Point{x + at*math.Sin(angle), y + at*math.Cos(angle)})
	}
	return corners
}

func dot(x, y float64) []Point {
	const h = 0.055
	return []Point{{x - h, y}, {x - h, y + 2*h}, {x + h, y + 2*h}, {x + h, y}}
}

package vector

import "math"

// most bounds lengths, in pixels.
const most = 1e6

// length makes any number a length that can be drawn: what is none becomes 0, and what is too large a million.
func length(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return min(max(v, -most), most)
}

// size is what a drawing's width or height is taken for.
func size(v float64) float64 { return max(length(v), 1) }

// or is v, or what stands for 0; not less than 0.
func or(v, usual float64) float64 {
	if v = length(v); v == 0 {
		v = usual
	}
	return max(v, 0)
}

// strokeWidth is 0 where there is no border.
func (r Rect) strokeWidth() float64 {
	if r.Stroke == None {
		return 0
	}
	return or(r.StrokeWidth, 1)
}

// usualFont and largestFont are sizes of a font.
const usualFont, largestFont = 13, 500

func (t Text) size() float64 { return min(or(t.Size, usualFont), largestFont) }

// baseline is where the letters stand: capitals are about 0.7 of the size high, so that their middle is at Y.
func (t Text) baseline() float64 { return length(t.Y) + float64(0.35*t.size()) }

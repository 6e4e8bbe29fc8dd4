package scene

import (
	"math"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// key is a sign and its meaning.
type key struct {
	words string
	wider float64 // than a swatch
	sign  func(x, y float64) []vector.Mark
}

// keys are those of the signs that occur.
func (d *drawing) keys() []key {
	line, block, outer := d.cacheLine(), d.hasGap(1, 1), d.hasGap(2, math.MaxInt)
	hatched := vector.Rect{Stroke: vector.Grid, Hatch: vector.Hatch}
	framed := vector.Rect{Stroke: vector.Frame, Radius: 4}
	fetched := vector.Rect{Stroke: vector.Accent, Radius: 4, StrokeWidth: 2}
	var keys []key
	for _, k := range []struct {
		occurs bool
		key    key
	}{
		{d.some(isPadding), key{"padding", 0, boxSign(hatched)}},
		{d.some(isOutside), key{outsideWords, 0, boxSign(vector.Rect{Stroke: vector.Grid})}},
		{d.some(isShared), key{"elements at one address", 4, sharedSign}},
		{block, key{"the innermost axis starts over", 0, gapSign(0)}},
		{outer && block, key{"outer axes too", 0, gapSign(3)}},
		{outer && !block, key{"several axes start over", 0, gapSign(3)}},
		{line > 0, key{"a cache line, " + strconv.Itoa(line) + " B", 0, boxSign(framed)}},
		{d.inMemory(isHit), key{"a line that the path fetches", 0, boxSign(fetched)}},
		{d.some(isStep), key{"order of access", 20, pathSign}},
	} {
		if k.occurs {
			keys = append(keys, k.key)
		}
	}
	return keys
}

// hasGap reports whether within a row as many axes start over as least and most say, but for the first element.
func (s Scene) hasGap(least, most int) bool {
	return slices.ContainsFunc(s.Memories, func(m Memory) bool {
		return slices.ContainsFunc(m.Rows, func(r MemoryRow) bool {
			for k := 1; k < len(r.Cells); k++ {
				if c := r.Cells[k]; least <= c.Edge && c.Edge <= most && r.Cells[k-1].Kind != Outside {
					return true
				}
			}
			return false
		})
	})
}

// cacheLine is the size of the lines that are framed, in bytes; 0 where none are.
func (s Scene) cacheLine() int {
	for _, m := range s.Memories {
		if m.Line > 0 && len(m.Rows) > 0 && !m.wide() {
			return m.Line
		}
	}
	return 0
}

// boxSign is a square like r.
func boxSign(r vector.Rect) func(x, y float64) []vector.Mark {
	return func(x, y float64) []vector.Mark {
		r.X, r.Y, r.W, r.H = x, y, swatch, swatch
		return []vector.Mark{r}
	}
}

func sharedSign(x, y float64) []vector.Mark {
	return []vector.Mark{vector.Text{X: x, Y: y + 7, Words: "×2", Paint: vector.Ink, Size: belowSize, Mono: true}}
}

// gapSign is two cells with a gap between them, which is wider by some pixels.
func gapSign(wider float64) func(x, y float64) []vector.Mark {
	return func(x, y float64) []vector.Mark {
		cell := vector.Rect{X: x, Y: y, W: 6 - wider/2, H: swatch, Fill: vector.Grid, Stroke: vector.Quiet}
		other := cell
		other.X += swatch - other.W
		return []vector.Mark{cell, other}
	}
}

// pathSign is a path from step 1 to step 2.
func pathSign(x, y float64) []vector.Mark {
	d := drawing{}
	b := &board{tops: []float64{y + swatch/2 - badgeMiddle}, stops: []stop{{step: 1, left: x - badgeFrom}, {step: 2, left: x + 20}}}
	b.route(1)
	d.drawPath(b)
	return d.marks
}

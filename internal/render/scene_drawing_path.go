package render

import (
	"math"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of a path.
const (
	badgeHeight = 11.0
	badgeLane   = 9 // from a cell's left to where a path goes down
	badgeBack   = 4 // from there to where it goes up, and from the middle of badges to where it goes back
)

// path is where a path comes to. It goes down and up in the lanes left of labels and across above them, so that it
// crosses none: columns line up.
type path struct {
	stops []stop
	skips int // of rows so far
}

// stop is a cell on the path: the middle of its badge.
type stop struct {
	step, skips int
	x, y        float64
}

// badgeWidth is that of a step's number and its ground.
func badgeWidth(step int) float64 {
	return float64(6 + 6*len(strconv.Itoa(step)))
}

// add notes a cell that is drawn at x and y.
func (p *path) add(c Cell, x, y float64) {
	if c.Step > 0 {
		p.stops = append(p.stops, stop{c.Step, p.skips, x + badgeLane, y + badgeHeight/2 + 2.5})
	}
}

// planePath draws a plane's part of the path.
func (d *sceneDrawing) planePath(p Plane, left float64, tops []float64) {
	for i, r := range p.Rows {
		for k, c := range r.Cells {
			d.path.add(c, left+d.cell.w*float64(k), tops[i])
		}
	}
}

// drawPath joins each stop to the next where that is drawn, and numbers them. What leads across rows that are left out
// is dashed.
func (d *sceneDrawing) drawPath(p path) {
	slices.SortStableFunc(p.stops, func(a, b stop) int { return a.step - b.step })
	for i := 1; i < len(p.stops); i++ {
		from, to := p.stops[i-1], p.stops[i]
		if to.step == from.step+1 {
			d.put(vector.Line{Points: way(from, to), Stroke: vector.Accent, Width: 1.5, Arrow: true, Dashed: from.skips != to.skips})
		}
	}
	for _, s := range p.stops {
		d.badge(s)
	}
}

// way leads from one badge's border to another's: first down or up, then across. It keeps to the right, so that ways
// down and up, and ways on and back, lie beside each other.
func way(from, to stop) []vector.Point {
	lane, y := from.x, to.y
	if to.y < from.y {
		lane += badgeBack
	}
	side := badgeLeft(to)
	if to.x < from.x {
		y += badgeBack
		side = badgeRight(to)
	}
	const half = badgeHeight / 2
	leaves := vector.Point{X: lane, Y: from.y + math.Copysign(half, to.y-from.y)}
	switch {
	case to.x == from.x:
		return []vector.Point{leaves, {X: lane, Y: to.y - math.Copysign(half+1, to.y-from.y)}}
	case to.y != from.y:
		return []vector.Point{leaves, {X: lane, Y: y}, {X: side, Y: y}}
	case to.x < from.x:
		return []vector.Point{{X: badgeLeft(from), Y: y}, {X: side, Y: y}}
	}
	return []vector.Point{{X: badgeRight(from), Y: y}, {X: side, Y: y}}
}

func badgeLeft(s stop) float64  { return s.x - badgeLane + 2 }
func badgeRight(s stop) float64 { return badgeLeft(s) + badgeWidth(s.step) }

// badge is a step's number.
func (d *sceneDrawing) badge(s stop) {
	d.put(vector.Rect{X: badgeLeft(s), Y: s.y - badgeHeight/2, W: badgeWidth(s.step), H: badgeHeight, Radius: 3,
		Fill: vector.Accent})
	d.put(vector.Text{X: badgeLeft(s) + badgeWidth(s.step)/2, Y: s.y, Words: strconv.Itoa(s.step), Paint: vector.Ground,
		Size: cornerSize, Anchor: vector.Middle, Bold: true, Mono: true})
}

package scene

import (
	"math"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of a path.
const (
	badgeHeight = 11.0
	badgeFrom   = 2.0 // a cell's left to its badge
	badgeMiddle = 8.0 // a cell's top to the middle of its badge
	trackGap    = 4.0 // between wires beside each other, in memory
	wiredGap    = 16  // between rows of memory, at least, where wires run
	planeTrack  = 3.0 // the same in planes, where labels have ended
	planeFoot   = 4.5 // from the wires' middle to the row below
)

// stop is a cell on the path.
type stop struct {
	step, skips int     // skips are the rows left out above it
	row         int     // of the board
	left        float64 // of the cell
	top         bool    // nothing but names is above its row
}

// badgeWidth is that of a step's number and its ground.
func badgeWidth(step int) float64 {
	return float64(6 + 6*len(strconv.Itoa(step)))
}

func (s stop) badgeLeft() float64 { return s.left + badgeFrom }

func (s stop) badgeRight() float64 { return s.badgeLeft() + badgeWidth(s.step) }

// memoryBoard is the path through a memory whose cells begin at left.
func (d *drawing) memoryBoard(m Memory, left float64) *board {
	b, skips := &board{cell: d.cell.w, pitch: trackGap}, 0
	for i, r := range m.Rows {
		if r.Skip != "" {
			skips++
		}
		for k, c := range r.Cells {
			if c.Step > 0 && r.Skip == "" {
				b.stops = append(b.stops, stop{step: c.Step, skips: skips, row: i, left: left + d.cell.w*float64(k)})
			}
		}
	}
	b.route(mostTracks)
	b.lift = b.rowGap() / 2
	return b
}

// rowGap is how far rows of a memory lie apart: there is room for cache lines' frames, and for wires between those.
func (b *board) rowGap() float64 {
	if b.tracks == 0 {
		return rowGap
	}
	return max(wiredGap, 2*frameGap+trackGap*float64(b.tracks)+1)
}

// gridPath is the path through planes while they are drawn: tops are where its rows may begin or end.
type gridPath struct {
	stops []stop
	at    []float64 // of each stop's row
	tops  []float64
}

// planePath notes a plane's part of the path.
func (d *drawing) planePath(p Plane, left float64, tops []float64) {
	d.path.tops = append(d.path.tops, tops...)
	for i, r := range p.Rows {
		for k, c := range r.Cells {
			if c.Step > 0 {
				d.path.stops = append(d.path.stops, stop{step: c.Step, left: left + d.cell.w*float64(k), top: i == 0})
				d.path.at = append(d.path.at, tops[i])
			}
		}
	}
}

// board routes the path below the labels of planes.
func (p gridPath) board(cell float64) *board {
	slices.Sort(p.tops)
	b := &board{cell: cell, stops: p.stops, tops: slices.Compact(p.tops), lift: planeFoot, pitch: planeTrack}
	for i := range b.stops {
		b.stops[i].row, _ = slices.BinarySearch(b.tops, p.at[i])
	}
	b.route(planeTracks)
	return b
}

// drawPath draws the wires, and numbers the stops. What leads across rows that are left out is dashed.
func (d *drawing) drawPath(b *board) {
	for _, w := range b.wires {
		d.put(vector.Line{Points: b.points(w), Stroke: vector.Accent, Width: 1.5, Arrow: true, Dashed: w.dashed})
	}
	for _, s := range b.stops {
		d.badge(s, b.tops[s.row]+badgeMiddle)
	}
}

// points are where a wire runs, from one badge's border to another's.
func (b *board) points(w wire) []vector.Point {
	var points []vector.Point
	for _, k := range w.knots {
		points = append(points, vector.Point{X: k.x, Y: b.y(k)})
	}
	const half = badgeHeight / 2
	last := len(points) - 1
	if next := points[1]; next.X == points[0].X {
		points[0].Y += math.Copysign(half, next.Y-points[0].Y)
	}
	if before := points[last-1]; before.X == points[last].X {
		points[last].Y -= math.Copysign(half+1, points[last].Y-before.Y)
	}
	return points
}

// y is how high a knot lies.
func (b *board) y(k knot) float64 {
	if k.track == onBadge {
		return b.tops[k.row] + badgeMiddle
	}
	return b.tops[k.row] - b.lift + b.pitch*(float64(k.track)-float64(b.tracks-1)/2)
}

// badge is a step's number.
func (d *drawing) badge(s stop, middle float64) {
	d.put(vector.Rect{X: s.badgeLeft(), Y: middle - badgeHeight/2, W: badgeWidth(s.step), H: badgeHeight, Radius: 3,
		Fill: vector.Accent})
	d.put(vector.Text{X: s.badgeLeft() + badgeWidth(s.step)/2, Y: middle, Words: strconv.Itoa(s.step), Paint: vector.Ground,
		Size: cornerSize, Anchor: vector.Middle, Bold: true, Mono: true})
}

package scene

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of a path.
const (
	badgeHeight = 11.0
	badgeFrom   = 2.0 // from a cell's left to its badge
	badgeMiddle = 8.0 // from a cell's top to the center of its badge
	trackGap    = 4.0 // between neighboring wires
	wiredGap    = 16  // minimum between rows with wires
)

// stop is a cell on the path.
type stop struct {
	step, skips int     // skips counts the Skips above it
	row         int     // of the board
	left        float64 // of the cell
}

// badgeWidth returns the width of a step's number and its background.
func badgeWidth(step int) float64 {
	return float64(6 + 6*len(strconv.Itoa(step)))
}

func (s stop) badgeLeft() float64 { return s.left + badgeFrom }

func (s stop) badgeRight() float64 { return s.badgeLeft() + badgeWidth(s.step) }

// memoryBoard returns the path through a memory whose cells start at left.
func (d *drawing) memoryBoard(m Memory, left float64) *board {
	b := &board{cell: d.cell.w}
	skips := 0
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
	b.route(maxTracks)
	b.lift = b.rowGap() / 2
	return b
}

// rowGap returns the distance between rows of a memory: space for the frames of cache lines, and for wires between those.
func (b *board) rowGap() float64 {
	if b.tracks == 0 {
		return rowGap
	}
	return max(wiredGap, 2*frameGap+trackGap*float64(b.tracks)+1)
}

// drawPath draws wires and badges. Wires across omitted rows are dashed.
func (d *drawing) drawPath(b *board) {
	for _, w := range b.wires {
		d.put(vector.Line{Points: b.points(w), Stroke: vector.Accent, Width: 1.5, Arrow: true, Dashed: w.dashed})
	}
	for _, s := range b.stops {
		d.badge(s, b.tops[s.row]+badgeMiddle)
	}
}

// points returns the corners of a wire, from the border of one badge to that of another.
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

// y returns the vertical position of a knot.
func (b *board) y(k knot) float64 {
	if k.track == onBadge {
		return b.tops[k.row] + badgeMiddle
	}
	return b.tops[k.row] - b.lift + trackGap*(float64(k.track)-float64(b.tracks-1)/2)
}

// badge draws a step's number.
func (d *drawing) badge(s stop, middle float64) {
	d.put(vector.Rect{X: s.badgeLeft(), Y: middle - badgeHeight/2, W: badgeWidth(s.step), H: badgeHeight, Radius: 3,
		Fill: vector.Accent})
	d.put(vector.Text{X: s.badgeLeft() + badgeWidth(s.step)/2, Y: middle, Words: strconv.Itoa(s.step), Paint: vector.Ground,
		Size: cornerSize, Anchor: vector.Middle, Bold: true, Mono: true})
}

// board is a path drawn like a circuit board: a wire connects the badges of consecutive stops, and runs on tracks in the
// gaps above rows.
//
//	┌─┐      ┌─┐
//	│1├─────►│2│
//	└─┘      └┬┘
//	 ┌────────┘    down to the gap above the next stop's row, along it, and down
//	┌▼┐
//	│3│
type board struct {
	cell   float64   // width
	stops  []stop    // in the order of steps
	tops   []float64 // of rows
	lift   float64   // from a row's top up to the middle of its tracks
	tracks int       // used in each gap
	wires  []wire

	inRow, inColumn []int // rank of each stop, row by row and column by column
}

// Numbers of tracks and stops.
const (
	maxTracks = 6 // between rows
	maxStops  = 256
)

// route finds a wire from each stop to the next, if that is drawn: the first way that touches no earlier wire, on one of the tracks; or
// simply the first way, if all touch or there are more than maxStops stops.
func (b *board) route(tracks int) {
	slices.SortStableFunc(b.stops, func(s, t stop) int { return s.step - t.step })
	b.inRow = b.ranks(func(s, t stop) int { return cmp.Or(s.row-t.row, cmp.Compare(s.left, t.left)) })
	b.inColumn = b.ranks(func(s, t stop) int { return cmp.Or(cmp.Compare(s.left, t.left), s.row-t.row) })
	for i := 1; i < len(b.stops); i++ {
		if from, to := b.stops[i-1], b.stops[i]; to.step == from.step+1 {
			w := b.wire(i, tracks)
			w.dashed = from.skips != to.skips
			b.wires = append(b.wires, w)
			for _, k := range w.knots {
				if k.track != onBadge {
					b.tracks = max(b.tracks, k.track+1)
				}
			}
		}
	}
}

// ranks returns the rank of each stop in an order.
func (b *board) ranks(order func(s, t stop) int) []int {
	sorted := ints.Range(len(b.stops))
	slices.SortFunc(sorted, func(i, j int) int { return order(b.stops[i], b.stops[j]) })
	ranks := make([]int, len(sorted))
	for rank, i := range sorted {
		ranks[i] = rank
	}
	return ranks
}

// wire returns the wire to the i-th stop.
func (b *board) wire(i, tracks int) wire {
	first := wire{}
	for w := range b.ways(i, tracks) {
		if len(b.stops) > maxStops || !slices.ContainsFunc(b.wires, w.touches) {
			return w
		}
		if first.knots == nil {
			first = w
		}
	}
	return first
}

// nextInRow and nextInColumn report whether the i-th stop and the previous one are neighbors in a row, or in a column.
func (b *board) nextInRow(i int) bool {
	return b.stops[i].row == b.stops[i-1].row && distance(b.inRow[i], b.inRow[i-1]) == 1
}

func (b *board) nextInColumn(i int) bool {
	return b.stops[i].left == b.stops[i-1].left && distance(b.inColumn[i], b.inColumn[i-1]) == 1
}

func distance(a, b int) int { return max(a-b, b-a) }

// straight reports whether the vertical way from the previous stop to the gap above the i-th one's row is free of stops. It is false if
// there are more than maxStops stops.
func (b *board) straight(i int) bool {
	if len(b.stops) > maxStops {
		return false
	}
	from := b.stops[i-1]
	first, end := from.row+1, b.stops[i].row // rows on the way
	if end < from.row {
		first, end = end, from.row
	}
	return !slices.ContainsFunc(b.stops, func(s stop) bool {
		return s.left == from.left && first <= s.row && s.row < end
	})
}

// Pixels from a cell's left to where wires run.
const (
	wireIn       = badgeFrom + 3
	wireStraight = badgeFrom + 6
	wireOut      = badgeFrom + 9
)

// gutters are left of a cell, right of its neighbor's label.
var gutters = [2]float64{-6, -8.5}

// wire is horizontal and vertical legs from the badge of one stop to that of another.
type wire struct {
	knots  []knot
	dashed bool
}

// knot is a corner or an end of a wire: on a track above a row, or at the height of the row's badges.
type knot struct {
	x          float64
	row, track int
}

const onBadge = 1000 // below all tracks of the row

// ways yields the possible wires to the i-th stop, simplest first.
func (b *board) ways(i, tracks int) iter.Seq[wire] {
	from, to := b.stops[i-1], b.stops[i]
	near := from.row // row below the gap next to from
	if to.row > from.row {
		near++
	}
	return func(yield func(wire) bool) {
		if b.nextInRow(i) {
			yield(across(from, to))
			return
		}
		if b.nextInColumn(i) && !yield(down(from, to)) {
			return
		}
		oneGap := near == to.row // next to both
		if oneGap || b.straight(i) {
			if more := b.fromAbove(from, to, tracks, yield); oneGap || !more {
				return
			}
		}
		b.inGutter(from, to, near, tracks, yield)
	}
}

// across connects neighbors in a row, at the middle of badges; down connects neighbors in a column, at their left.
func across(from, to stop) wire {
	start, end := knot{from.badgeRight(), from.row, onBadge}, knot{to.badgeLeft(), to.row, onBadge}
	if to.left < from.left {
		start.x = from.badgeLeft()
		end.x = to.badgeRight()
	}
	return wire{knots: []knot{start, end}}
}

func down(from, to stop) wire {
	x := from.left + wireStraight
	return wire{knots: []knot{{x, from.row, onBadge}, {x, to.row, onBadge}}}
}

// fromAbove runs vertically to the gap above the stop, along it, and in.
func (b *board) fromAbove(from, to stop, tracks int, yield func(wire) bool) bool {
	out := from.out()
	in := to.in()
	for t := range tracks {
		if !yield(wire{knots: []knot{out, {out.x, to.row, t}, {in.x, to.row, t}, in}}) {
			return false
		}
	}
	return true
}

// inGutter runs along the gap next to its start to a gutter, through that to the gap above the stop, along it, and in.
func (b *board) inGutter(from, to stop, near, tracks int, yield func(wire) bool) {
	out := from.out()
	in := to.in()
	for _, cell := range []float64{to.left, from.left, from.left + b.cell} {
		for k := range len(gutters) * tracks * tracks {
			x := cell + gutters[k%len(gutters)]
			t := k / len(gutters) % tracks
			u := k / len(gutters) / tracks
			if !yield(wire{knots: []knot{out, {out.x, near, t}, {x, near, t}, {x, to.row, u}, {in.x, to.row, u}, in}}) {
				return
			}
		}
	}
}

func (s stop) out() knot { return knot{s.left + wireOut, s.row, onBadge} }

func (s stop) in() knot { return knot{s.left + wireIn, s.row, onBadge} }

// Two wires touch if they are closer than this, in pixels, along a leg or at an end: a reader could confuse them. They may cross.
const (
	nearWire = 2.5
	nearEnd  = 4.0
)

// touches reports whether a leg of w touches a leg of v.
func (w wire) touches(v wire) bool {
	for i := range w.knots[1:] {
		for k := range v.knots[1:] {
			if touch(newLeg(w.knots[i], w.knots[i+1]), newLeg(v.knots[k], v.knots[k+1])) {
				return true
			}
		}
	}
	return false
}

// leg is a horizontal or vertical part of a wire. Levels count from the top: the tracks of a row, then its badges.
type leg struct {
	left, right float64
	top, bottom int
}

func newLeg(a, b knot) leg {
	return leg{min(a.x, b.x), max(a.x, b.x), min(a.level(), b.level()), max(a.level(), b.level())}
}

func (k knot) level() int { return k.row*(onBadge+1) + k.track }

func (l leg) across() bool { return l.top == l.bottom }

func touch(a, b leg) bool {
	if !a.across() && b.across() {
		return touch(b, a)
	}
	if a.top > b.bottom || b.top > a.bottom {
		return false
	}
	if b.across() || !a.across() {
		near := nearWire
		if a.across() {
			near = nearEnd
		}
		return a.left < b.right+near && b.left < a.right+near
	}
	ends := func(x float64) bool { return x-nearWire < b.left && b.left < x+nearWire }
	if ends(a.left) || ends(a.right) {
		return true
	}
	crosses := a.left < b.left && b.left < a.right
	return crosses && (a.top == b.top || a.top == b.bottom)
}

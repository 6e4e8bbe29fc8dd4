package scene

import (
	"iter"
)

// Pixels from a cell's left to where wires run.
const (
	wireIn       = badgeFrom + 3
	wireStraight = badgeFrom + 6
	wireOut      = badgeFrom + 9
)

// gutters lie before a cell, where the label of its neighbour has ended.
var gutters = [2]float64{-6, -8.5}

// wire leads down, up and across from the badge of one stop to that of another.
type wire struct {
	knots  []knot
	dashed bool
}

// knot is a corner or an end of a wire: on a track of the gap above a row, or at the height of the row's badges.
type knot struct {
	x          float64
	row, track int
}

const onBadge = 1000 // below all tracks above it

// ways are those that a wire may take to the i-th stop, the simplest ones first.
func (b *board) ways(i, tracks int) iter.Seq[wire] {
	from, to := b.stops[i-1], b.stops[i]
	near := from.row // the gap that a wire comes to first
	if to.row > from.row || to.top {
		near++
	}
	return func(yield func(wire) bool) {
		switch {
		case b.beside(i):
			yield(across(from, to))
		case b.below(i) && !yield(down(from, to)):
		case to.top:
			b.fromLeft(from, to, near, tracks, yield)
		case near != to.row && !b.straight(i):
			b.inGutter(from, to, near, tracks, yield)
		case b.fromAbove(from, to, tracks, yield) && near != to.row:
			b.inGutter(from, to, near, tracks, yield)
		}
	}
}

// across leads along badges' middles, down along their left sides.
func across(from, to stop) wire {
	start, end := knot{from.badgeRight(), from.row, onBadge}, knot{to.badgeLeft(), to.row, onBadge}
	if to.left < from.left {
		start.x, end.x = from.badgeLeft(), to.badgeRight()
	}
	return wire{knots: []knot{start, end}}
}

func down(from, to stop) wire {
	x := from.left + wireStraight
	return wire{knots: []knot{{x, from.row, onBadge}, {x, to.row, onBadge}}}
}

// fromAbove leads straight to the gap above the stop, along it, and in.
func (b *board) fromAbove(from, to stop, tracks int, yield func(wire) bool) bool {
	out, in := from.out(), to.in()
	for t := range tracks {
		if !yield(wire{knots: []knot{out, {out.x, to.row, t}, {in.x, to.row, t}, in}}) {
			return false
		}
	}
	return true
}

// inGutter leads to the gap next to its beginning, along it to a gutter, in that to the gap above the stop, along it,
// and in.
func (b *board) inGutter(from, to stop, near, tracks int, yield func(wire) bool) {
	out, in := from.out(), to.in()
	for _, cell := range []float64{to.left, from.left, from.left + b.cell} {
		for k := range len(gutters) * tracks * tracks {
			x, t, u := cell+gutters[k%len(gutters)], k/len(gutters)%tracks, k/len(gutters)/tracks
			if !yield(wire{knots: []knot{out, {out.x, near, t}, {x, near, t}, {x, to.row, u}, {in.x, to.row, u}, in}}) {
				return
			}
		}
	}
}

// fromLeft is the same for a stop that has names above it: it is entered from the gutter.
func (b *board) fromLeft(from, to stop, near, tracks int, yield func(wire) bool) {
	out, in := from.out(), knot{to.badgeLeft(), to.row, onBadge}
	for k := range len(gutters) * tracks {
		x, t := to.left+gutters[k%len(gutters)], k/len(gutters)
		if !yield(wire{knots: []knot{out, {out.x, near, t}, {x, near, t}, {x, to.row, onBadge}, in}}) {
			return
		}
	}
}

func (s stop) out() knot { return knot{s.left + wireOut, s.row, onBadge} }

func (s stop) in() knot { return knot{s.left + wireIn, s.row, onBadge} }

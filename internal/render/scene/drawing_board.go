package scene

import (
	"cmp"
	"slices"
)

// board is a path drawn as on a circuit board: wires lead from one stop's badge to the next one's, and run on tracks in
// the gaps above rows.
//
//	┌─┐      ┌─┐
//	│1├─────►│2│
//	└─┘      └┬┘
//	 ┌────────┘    down to the gap above the next one's row, along it, and down
//	┌▼┐
//	│3│
type board struct {
	cell   float64   // width
	stops  []stop    // by their steps
	tops   []float64 // of rows
	lift   float64   // from a row's top up to the middle of its tracks
	pitch  float64   // between tracks
	tracks int       // in use, of each gap
	wires  []wire

	inRow, inColumn []int // of each stop: which it is, row by row and column by column
}

// Numbers of tracks and stops.
const (
	mostTracks  = 6 // between rows of memory
	planeTracks = 3 // in planes, below labels
	mostStops   = 256
)

// route finds a wire from each stop to the next, if that is drawn. It is the first of its ways that does not touch the
// wires before it, on one of so many tracks; where all do, or there are more stops than anybody could follow, the first.
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

// ranks numbers the stops in an order.
func (b *board) ranks(order func(s, t stop) int) []int {
	sorted := make([]int, len(b.stops))
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortFunc(sorted, func(i, j int) int { return order(b.stops[i], b.stops[j]) })
	ranks := make([]int, len(sorted))
	for rank, i := range sorted {
		ranks[i] = rank
	}
	return ranks
}

// wire is that to the i-th stop.
func (b *board) wire(i, tracks int) wire {
	first := wire{}
	for w := range b.ways(i, tracks) {
		if len(b.stops) > mostStops || !slices.ContainsFunc(b.wires, w.touches) {
			return w
		}
		if first.knots == nil {
			first = w
		}
	}
	return first
}

// beside and below report whether no stop is between the i-th and the one before it, in their row or column.
func (b *board) beside(i int) bool {
	return b.stops[i].row == b.stops[i-1].row && distance(b.inRow[i], b.inRow[i-1]) == 1
}

func (b *board) below(i int) bool {
	return b.stops[i].left == b.stops[i-1].left && distance(b.inColumn[i], b.inColumn[i-1]) == 1
}

func distance(a, b int) int { return max(a-b, b-a) }

// straight reports whether, from the stop before the i-th, no stop of its column is in the way to the gap above the
// i-th one's row. Of many stops it is not looked for.
func (b *board) straight(i int) bool {
	if len(b.stops) > mostStops {
		return false
	}
	from, row := b.stops[i-1], b.stops[i].row
	for _, s := range b.stops {
		between := from.row < s.row && s.row < row || row <= s.row && s.row < from.row
		if between && s.left == from.left {
			return false
		}
	}
	return true
}

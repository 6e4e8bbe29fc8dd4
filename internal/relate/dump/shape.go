// Package dump finds the shape of bytes of which nobody knows it, by how alike the values at a distance are.
//
//	shape.go  Shapes: element type, channels, and what is common to all shapes
//	rows.go   pitch, width, height, planes and frames
//	bytes.go  what bytes say before they are elements: empty bytes of wider numbers, numbers that only grow
//	lens.go   element types as keys in the order of their values
package dump

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tlayout/tlayout/internal/sorting"
)

// Shape is a shape that explains the bytes of a dump: Frames × Planes × Height × Width × Channels elements, rows of Pitch bytes, after Skip bytes.
type Shape struct {
	DType    string
	ItemSize int // bytes
	Skip     int // bytes of a header
	Frames   int
	Planes   int // of a frame, one after the other
	Height   int
	Width    int
	Channels int    // of a pixel, one beside the other
	Pitch    int    // bytes from row to row
	Chroma   string // nv12 or i420: frames of Height rows of luma, then Height/2 rows of chroma; else empty
	// Score is how much more alike neighbors are than elements far apart: 0 as in noise, 1 for equal neighbors.
	Score float64
}

// Bounds of a search, and thresholds of ratios of differences. The latter were tuned on generated pictures and photographs, as in rows.go.
const (
	minHeight    = 8
	minWidth     = 24 // pixels
	minScore     = 0.5
	pairsOfBytes = 1.5     // how much more alike neighbors of two bytes must be, if bytes are alike too
	maxLevels    = 32      // values of a mask
	maxChanges   = 0.95    // across and down; 1 to 1.2 in programs
	maxPitch     = 1 << 16 // elements
	maxHeader    = 2048    // bytes
	maxChannels  = 4
	maxGuesses   = 5
	maxValues    = 1 << 22 // elements whose ranks are kept
	samples      = 8192
	pitchWork    = 1 << 22 // pairs compared in a search for the pitch
	smooth       = 0.7     // largest difference of neighbors
	farAway      = 32      // pixels that are not neighbors

	maxNear       = 0.85 // of the difference of pixels, that of pixels eight apart: in records and weights, it does not grow
	maxReadings   = 3    // types and channels that are completed
	tieDifference = 0.02 // and tieFactor: another type is completed if its difference is at most this, plus
	tieFactor     = 2    // times that of the best one
	costOfOdd     = 0.4  // how much more alike neighbors must be if all values are tiny
	pairsOfShort  = 1.2  // the same of two channels of two bytes: they are rather pixels of four bytes
	alternating   = 3    // times as many differences above the middle one at one place of a pixel as at another: places are channels

	minPitchSamples = 300 // elements that are compared at every pitch, if there are many pitches
	maxPitchAround  = 0.9 // of the difference of rows at a pitch, that of rows at lags around it
	maxPitches      = 8   // that are looked at closely, and
	maxPitchCost    = 5   // times the difference of the best one
	maxOfMultiple   = 1.6 // times the difference at a multiple of a pitch, that at the pitch itself: the multiple is dropped
	maxJump         = 9   // times as large a step from row to row as within rows counts, at most, for a pitch
	wholeRows       = 0.7 // what a pitch costs that divides the size, of another one
)

// costOfChannels is how much more alike neighbors must be in pixels of several channels: two are rarer than three and four.
var costOfChannels = [maxChannels + 1]float64{1: 1, 2: 1.3, 3: 1.05, 4: 1.2}

// Shapes returns the shapes that explain the bytes, best first; none if neighbors are not alike, as in noise, weights and compressed bytes.
//
// Elements are compared by their ranks among samples, so that types are comparable:
//
//	difference(lag) = mean |x[i] - x[i+lag]| / mean |x[i] - x[i + any multiple of lag]|     1 in noise, and in records
//
// The type and the channels are those with the least difference of neighbors, and the pitch is the lag at which rows are least different. Then
// breaks between rows end planes and frames.
func Shapes(data []byte) []Shape {
	type reading struct {
		*view
		Shape
	}
	if Ascending(data) > 0 {
		return nil
	}
	var found []reading
	empty := emptyBytesOf(data)
	for i := range lenses {
		if empty.hollow(lenses[i].size) {
			continue
		}
		v := newView(&lenses[i], data)
		if v == nil {
			continue
		}
		channels, near := v.channels()
		if near <= smooth && v.near(channels) < maxNear*v.near(8*channels) {
			found = append(found, reading{v, Shape{DType: v.name, ItemSize: v.size, Channels: channels, Score: 1 - near*v.cost}})
		}
	}
	bytes := slices.ContainsFunc(found, func(r reading) bool { return r.size == 1 && !r.alternatesBy(2, r.Channels) })
	for i, r := range found {
		if bytes && r.size == 2 { // both bytes of a pair are elements
			found[i].Score = 1 - pairsOfBytes*(1-r.Score)
		}
	}
	sorting.By(found, func(a, b reading) int { return cmp.Compare(b.Score, a.Score) })
	var all []Shape
	for i, r := range found[:min(len(found), maxReadings)] {
		if i == 0 || 1-r.Score < tieDifference+tieFactor*(1-found[0].Score) {
			all = append(all, r.shapes(r.Shape)...)
		}
	}
	sorting.By(all, func(a, b Shape) int { return cmp.Compare(b.Score, a.Score) })
	return all[:min(len(all), maxGuesses)]
}

// view is the bytes of a dump as elements, whose last one ends with the bytes. Values are ranks, 0 to 1, so that types are comparable.
type view struct {
	*lens
	data   []byte
	before int // bytes before the first element
	n      int
	cost   float64   // that of the lens, more if many values are tiny
	rank   []float32 // of each key
	values []float32 // the rank of each element, of a small dump
	rand   *rand.Rand
	at     []int // samples
}

// newView returns nil if the dump is too small, or its bytes are implausible as values of the type.
func newView(l *lens, data []byte) *view {
	v := &view{lens: l, data: data[len(data)%l.size:], before: len(data) % l.size, n: len(data) / l.size, rand: rand.New(rand.NewPCG(1, 2))}
	if v.n < minHeight*minHeight {
		return nil
	}
	count := make([]float32, 1<<16)
	odd := 0
	for range samples {
		i := v.rand.IntN(v.n)
		v.at = append(v.at, i)
		k := v.key(v.data[i*l.size:])
		count[k]++
		if v.odd != nil {
			odd += v.odd(v.data[i*l.size:])
		}
	}
	if odd > samples/2 {
		return nil
	}
	v.cost = l.cost * (1 + costOfOdd*float64(odd)/samples)
	below := float32(0)
	for k, c := range count {
		count[k] = (below + c/2) / samples
		below += c
	}
	v.rank = count
	if v.n <= maxValues {
		values := make([]float32, v.n)
		for i := range values {
			values[i] = v.value(i)
		}
		v.values = values
	}
	return v
}

// value returns the rank of an element.
func (v *view) value(i int) float32 {
	if v.values != nil {
		return v.values[i]
	}
	return v.rank[v.key(v.data[i*v.size:])]
}

// difference returns the difference of two elements.
func (v *view) difference(i, j int) float64 { return math.Abs(float64(v.value(i) - v.value(j))) }

// near returns the mean difference of elements at a distance.
func (v *view) near(lag int) float64 { return v.nearIn(lag, func(int) bool { return true }) }

// nearIn returns it of the elements that are chosen.
func (v *view) nearIn(lag int, chosen func(i int) bool) float64 {
	sum := 0.0
	n := 0
	for _, i := range v.at {
		if i+lag < v.n && chosen(i) {
			sum += v.difference(i, i+lag)
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// far returns the mean difference of elements anywhere whose distance is a multiple of lag: that of neighbors in noise, and in records of that length.
func (v *view) far(lag int) float64 {
	sum := 0.0
	for _, i := range v.at {
		if j := i%lag + v.rand.IntN(v.n/lag)*lag; j < v.n {
			sum += v.difference(i, j)
		}
	}
	return sum/float64(len(v.at)) + 1e-9
}

// changes returns the mean difference of elements at a distance, if they differ, of that of such elements anywhere: 1 in tables and programs, whose
// elements are equal or unlike.
func (v *view) changes(lag int) float64 {
	var sum, n [2]float64
	for _, i := range v.at {
		for k, j := range [...]int{i + lag, i%lag + v.rand.IntN(v.n/lag)*lag} {
			if j < v.n && v.value(i) != v.value(j) {
				sum[k] = sum[k] + v.difference(i, j)
				n[k] = n[k] + 1
			}
		}
	}
	return sum[0] / n[0] * n[1] / sum[1]
}

// channels returns how many channels pixels have, and how different neighbors are in them, 1 as in noise; 0 if that cannot be told.
func (v *view) channels() (channels int, near float64) {
	near = math.Inf(1)
	for c := 1; c <= maxChannels; c++ {
		d := v.near(c) / v.far(c) * costOfChannels[c]
		if c == 2 && v.size == 2 {
			d *= pairsOfShort
		}
		if d < near && !v.alternates(c) {
			channels = c
			near = d
		}
	}
	return channels, near
}

// alternates reports whether the difference at a distance depends on the element's place among others than as many channels: gray pixels of
// three channels are not a row of pixels of one.
func (v *view) alternates(lag int) bool {
	for c := 3; c <= maxChannels; c++ {
		if c != lag && v.alternatesBy(c, lag) {
			return true
		}
	}
	return false
}

// alternatesBy is alternates for one number of channels.
func (v *view) alternatesBy(c, lag int) bool {
	all := make([]float64, 0, len(v.at))
	for _, i := range v.at {
		all = append(all, v.difference(i, min(i+lag, v.n-1)))
	}
	sorted := slices.Sorted(slices.Values(all))
	middle := sorted[len(sorted)/2]
	var count, above [maxChannels]float64
	for k, i := range v.at {
		count[i%c]++
		if all[k] > middle {
			above[i%c]++
		}
	}
	low, high := 1.0, 0.0
	for r := range c {
		low = min(low, above[r]/count[r])
		high = max(high, above[r]/count[r])
	}
	return high > alternating*low
}

// candidate is a distance that rows may have, in elements, and how badly the data speaks for it.
type candidate struct {
	lag  int
	cost float64
}

// pitches returns the candidates for the pitch, best first.
func (v *view) pitches(channels int) []candidate {
	longest := min(maxPitch, v.n/minHeight)
	sum := make([]float64, longest+1)
	for _, i := range v.at[:min(len(v.at), max(minPitchSamples, pitchWork/(longest+1)))] {
		if i+longest >= v.n {
			continue
		}
		x := v.value(i)
		for lag := range sum {
			sum[lag] += math.Abs(float64(x - v.value(i+lag)))
		}
	}
	var all []candidate
	for lag := minWidth * channels; lag < longest-channels; lag++ {
		around := min(farAway*channels, lag/2, longest-lag)
		lowest := slices.Min(sum[lag-3*channels : min(lag+3*channels+1, longest+1)])
		if sum[lag] <= lowest && sum[lag] < maxPitchAround*(sum[lag-around]+sum[lag+around])/2 {
			all = append(all, candidate{lag, sum[lag]})
		}
	}
	sorting.By(all, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	all = slices.DeleteFunc(all[:min(len(all), maxPitches)], func(c candidate) bool { return c.cost > maxPitchCost*all[0].cost })
	step := v.near(channels)
	for i, c := range all {
		all[i] = v.exact(c.lag, channels, step)
	}
	isMultiple := func(c, d candidate) bool {
		rest := (c.lag + channels) % d.lag
		return d.lag+channels < c.lag && rest <= 2*channels
	}
	all = slices.DeleteFunc(all, func(c candidate) bool {
		return slices.ContainsFunc(all, func(d candidate) bool {
			return isMultiple(c, d) && d.cost <= max(maxOfMultiple*c.cost, step)
		})
	})
	sorting.By(all, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	return all
}

// exact returns the best pitch next to lag: rows are alike, they begin and end with jumps, and divide the size.
func (v *view) exact(lag, channels int, step float64) candidate {
	best := candidate{lag, math.Inf(1)}
	for d := lag - 4*channels; d <= lag+4*channels; d++ {
		if d < minWidth*channels {
			continue
		}
		cost := v.near(d) / math.Sqrt(min(max(v.wraps(d, channels)/step, 1), maxJump))
		if v.n%d == 0 {
			cost *= wholeRows
		}
		if cost < best.cost {
			best = candidate{d, cost}
		}
	}
	return best
}

// wraps returns the mean difference of the last pixel of a row to the first one of the next.
func (v *view) wraps(pitch, channels int) float64 { return v.stepBefore(pitch, channels, 0) }

// stepBefore returns the mean difference of the neighbors that are some elements before the end of a row.
func (v *view) stepBefore(pitch, channels, before int) float64 {
	sum := 0.0
	n := 0
	for end := v.n - pitch - before; end >= channels; end -= pitch * (1 + v.n/pitch/500) {
		i := end - channels + n%channels
		sum += v.difference(i, i+channels)
		n++
	}
	return sum / float64(max(n, 1))
}

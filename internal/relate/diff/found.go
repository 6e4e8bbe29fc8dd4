package diff

import (
	"math"
	"slices"
)

// found is the result of one goroutine.
type found struct {
	differing, notFinite int
	first                smallest // elements that differ
	ofDiffering, ofSame  farthest // of those, and of the others
}

// merged returns the result of all goroutines.
func merged(workers []*worker, limit int) (r Result) {
	all := found{first: smallest{limit: limit}}
	for _, w := range workers {
		if w == nil {
			continue
		}
		r.Differing = r.Differing + w.differing
		r.NotFinite = r.NotFinite + w.notFinite
		all.ofDiffering.add(w.ofDiffering.distance, w.ofDiffering.index)
		all.ofSame.add(w.ofSame.distance, w.ofSame.index)
		for _, n := range w.first.numbers {
			all.first.add(n)
		}
	}
	r.First = all.first.settle()
	r.Apart = all.ofDiffering.distance
	r.ApartAt = all.ofDiffering.index
	if r.Differing == 0 {
		r.Apart = all.ofSame.distance
		r.ApartAt = all.ofSame.index
	}
	return r
}

// smallest keeps the limit smallest of many numbers.
type smallest struct {
	limit   int
	numbers []int // up to twice as many, unsorted
	largest int   // bound of numbers to keep, once full
	full    bool
}

// wants reports whether n, or a larger number, may be among the smallest.
func (s *smallest) wants(n int) bool { return s.limit > 0 && !(s.full && n > s.largest) }

func (s *smallest) add(n int) {
	if !s.wants(n) {
		return
	}
	s.numbers = append(s.numbers, n)
	if len(s.numbers) >= 2*s.limit {
		s.settle()
	}
}

// settle returns the kept numbers, in rising order.
func (s *smallest) settle() []int {
	slices.Sort(s.numbers)
	if len(s.numbers) >= s.limit && s.limit > 0 {
		s.numbers = s.numbers[:s.limit]
		s.largest = s.numbers[s.limit-1]
		s.full = true
	}
	return s.numbers
}

// farthest keeps the largest finite distance, with the smallest index if several are equal.
type farthest struct {
	distance float64
	index    int
}

// wants reports whether a distance may be the largest.
func (f *farthest) wants(distance float64) bool {
	return distance > 0 && distance >= f.distance && distance <= math.MaxFloat64
}

func (f *farthest) add(distance float64, index int) {
	if f.wants(distance) && (distance > f.distance || index < f.index) {
		f.distance = distance
		f.index = index
	}
}

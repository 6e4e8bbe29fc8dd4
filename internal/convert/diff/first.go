package diff

import (
	"slices"
)

// smallest keeps the smallest of many numbers, limit of them.
type smallest struct {
	limit   int
	numbers []int // up to twice as many, unsorted
	most    int   // once it is full: larger ones are not kept
	full    bool
}

// wants reports whether n, or what is larger, may be among them.
func (s *smallest) wants(n int) bool { return s.limit > 0 && !(s.full && n > s.most) }

func (s *smallest) add(n int) {
	if !s.wants(n) {
		return
	}
	if s.numbers = append(s.numbers, n); len(s.numbers) >= 2*s.limit {
		s.settle()
	}
}

// settle returns what is kept, rising.
func (s *smallest) settle() []int {
	slices.Sort(s.numbers)
	if len(s.numbers) >= s.limit && s.limit > 0 {
		s.numbers = s.numbers[:s.limit]
		s.most, s.full = s.numbers[s.limit-1], true
	}
	return s.numbers
}

// merged is what all workers found together.
func merged(workers []*worker, limit int) Result {
	var r Result
	first := smallest{limit: limit}
	var apart, within farthest
	for _, w := range workers {
		f := &w.found
		r.Differing += f.Differing
		r.NotFinite += f.NotFinite
		apart.add(w.apart.distance, w.apart.index)
		within.add(w.within.distance, w.within.index)
		for _, n := range w.first.numbers {
			first.add(n)
		}
	}
	r.First = first.settle()
	if r.Differing == 0 {
		apart = within
	}
	r.Apart, r.ApartAt = apart.distance, apart.index
	return r
}

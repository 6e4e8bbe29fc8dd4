package cachesim

import (
	"math/bits"
)

// Sim counts what reading costs. It serves one goroutine.
type Sim struct {
	levels []table
	tlb    table
	shift  int // the logarithm of the size of a line
	line   int // the last one read; −1 before
	page   int // the last one
	bytes  int
	pages  int // missed
	sample sample
}

// Counts are the costs of everything read so far.
type Counts struct {
	Bytes   int
	Touches int     // how often a line was gone to that was not the last one
	Misses  []int   // of each level: of the first among Touches, of each other among the misses of the one before
	Pages   int     // misses of the tlb, which is asked where a page is not the last one
	Error   float64 // of Misses, the others are exact: the greatest relative error to expect at 95 %; 0 for a Sim of New
}

// New returns a model with empty caches. g must be as Parse returns it.
func New(g Geometry) *Sim { return newSim(g, newSample([]int{0}, 1)) }

func newSim(g Geometry, p sample) *Sim {
	s := &Sim{tlb: newTable(g.TLB), line: -1, page: -1, sample: p}
	for _, l := range g.Levels {
		s.levels = append(s.levels, newTable(l))
		s.sample.addLevel()
	}
	s.shift = s.levels[0].shift
	return s
}

// Read reads n bytes in rising order, the first at byte at, which is not negative. It equals
//
//	for b in at … at+n−1:  touch line ⌊b/Line⌋, unless it is the last one that was touched
//
// which already is the most recent one everywhere.
func (s *Sim) Read(at, n int) {
	if n <= 0 {
		return
	}
	s.bytes += n
	for line, end := at>>s.shift, (at+n-1)>>s.shift; line <= end; line++ {
		if line != s.line {
			s.touch(line)
		}
	}
}

func (s *Sim) touch(line int) {
	s.line = line
	if page := line >> (s.tlb.shift - s.shift); page != s.page {
		s.page = page
		if !s.tlb.access(page) {
			s.pages++
		}
	}
	class := line & s.sample.mask
	s.sample.touches[class]++
	place := s.sample.place[class]
	if place < 0 {
		return
	}
	for i := range s.levels {
		if s.levels[i].access(line) {
			return
		}
		s.sample.misses[i][place]++
	}
}

// Counts says what was read so far.
func (s *Sim) Counts() Counts {
	e := s.sample.estimate()
	c := Counts{Bytes: s.bytes, Touches: e.total, Pages: s.pages}
	for _, misses := range s.sample.misses {
		total, relative := e.of(misses)
		c.Misses = append(c.Misses, total)
		c.Error = max(c.Error, relative)
	}
	return c
}

// table is one level. A row has the lines of a set, the most recent first, as their number + 1; 0 is an empty place.
type table struct {
	rows  []uint64
	ways  uint64
	sets  uint64
	mask  uint64 // sets − 1 where that is a power of two
	shift int    // the logarithm of the size of a line
}

func newTable(l Level) table {
	sets := l.Sets()
	t := table{rows: make([]uint64, sets*l.Ways), ways: uint64(l.Ways), sets: uint64(sets)}
	t.shift = bits.TrailingZeros(uint(l.Line))
	if sets&(sets-1) == 0 {
		t.mask = t.sets - 1
	}
	return t
}

// access makes a line the most recent of its set, and reports whether it was there. Those before it move up by one; if
// it was not there, the last one goes.
func (t *table) access(line int) bool {
	number := uint64(line)
	set := number & t.mask
	if t.mask != t.sets-1 {
		set = number % t.sets
	}
	row := t.rows[set*t.ways:][:t.ways]
	front := number + 1
	for i, was := range row {
		row[i] = front
		if was == number+1 {
			return true
		}
		front = was
	}
	return false
}

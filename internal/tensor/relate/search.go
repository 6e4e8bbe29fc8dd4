package relate

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	sampled    = 256     // positions of B that a hypothesis is tried on
	candidates = 24      // numerals that pass, at most, to be counted in full
	maxTried   = 100_000 // hypotheses
)

// search finds a numeral under one lens.
type search struct {
	lens
	a, b      Values
	options   Options
	chance    float64 // that two elements are equal
	positions []int   // of B, to try numerals on; rather not of its most common element
	shared    int     // of the positions, those whose element occurs in A; −1: unknown
	probed    []int   // positions that learn looked up in A
	at        [][]int // their offsets there
	tried     int
	seen      map[string]bool // keys of those that passed
	passed    []numeral
	scales    []*scale // of passed
	ranks     []int    // tried when passed
}

func newSearch(l lens, a, b Values, o Options) *search {
	s := &search{lens: l, a: a, b: b, options: o, seen: map[string]bool{}, shared: -1}
	r := rand.New(rand.NewPCG(1, 2))
	common := uint64(0)
	if s.chance = 1.0 / 4096; !o.Alike {
		common, s.chance = s.common(r), l.chance()
	}
	var dull []int
	for range 64 * sampled {
		j := r.IntN(s.lens.b.n)
		if s.lens.b.at(j) != common {
			s.positions = append(s.positions, j)
		} else {
			dull = append(dull, j)
		}
		if len(s.positions) == sampled {
			break
		}
	}
	if len(s.positions) < sampled {
		s.positions = append(s.positions, dull[:min(len(dull), sampled-len(s.positions))]...)
	}
	return s
}

// chance returns the share of random pairs that are equal: of an element of A and one of B, or of two of B, whichever is more.
func (l *lens) chance() float64 {
	pairs := min(4096, max(512, l.b.n/4))
	r, across, within := rand.New(rand.NewPCG(3, 4)), 0, 0
	for range pairs {
		j := r.IntN(l.b.n)
		if l.same(r.IntN(l.a.n), j) {
			across++
		}
		if l.b.at(r.IntN(l.b.n)) == l.b.at(j) {
			within++
		}
	}
	return float64(max(across, within)) / float64(pairs)
}

// common returns the most common element of a sample of B.
func (s *search) common(r *rand.Rand) (word uint64) {
	counts, most := map[uint64]int{}, 0
	for range 512 {
		w := s.lens.b.at(r.IntN(s.lens.b.n))
		counts[w]++
		if counts[w] > most {
			word, most = w, counts[w]
		}
	}
	return word
}

// try tries a numeral on the sample, giving up early, and reports whether to go on with others.
func (s *search) try(skip, base int, loops []Loop) (more bool) {
	s.tried++
	m, ok := newNumeral(skip, base, loops, s.lens.a.n)
	if !ok {
		return true
	}
	fitted, ok := s.holds(&m)
	if ok && !s.seen[m.key()] {
		s.seen[m.key()] = true
		s.passed, s.scales, s.ranks = append(s.passed, m), append(s.scales, fitted), append(s.ranks, s.tried)
	}
	most := maxTried
	if s.lens.b.n > 1<<24 {
		most /= 20 // each costs cache misses
	}
	return len(s.passed) < candidates && s.tried < most
}

// holds reports whether a numeral explains the sample, but for two fifths; under an affine lens it returns the scale.
func (s *search) holds(m *numeral) (*scale, bool) {
	if s.scale != nil {
		return s.fits(m)
	}
	wrong, known := 0, 0
	for _, j := range s.positions {
		if i, in := m.at(j); in {
			known++
			if !s.same(i, j) {
				wrong++
			}
			if wrong > 5+2*known/5 {
				return nil, false
			}
		}
	}
	return nil, known > 0 && 5*wrong <= 2*known+5
}

// fits is holds under an affine lens.
func (s *search) fits(m *numeral) (*scale, bool) {
	var xs, ys []float64
	for _, j := range s.positions {
		if i, in := m.at(j); in {
			x, y := math.Float64frombits(s.lens.a.at(i)), math.Float64frombits(s.lens.b.at(j))
			if x-x == 0 && y-y == 0 {
				xs, ys = append(xs, x), append(ys, y)
				if len(xs) == 8 && !s.scale.promising(xs, ys) {
					return nil, false
				}
				if len(xs) == 32 {
					if _, ok := s.scale.fit(xs, ys, 0.6); !ok {
						return nil, false
					}
				}
			}
		}
	}
	c, ok := s.scale.fit(xs, ys, 0.67)
	return &c, ok
}

// accepted reports whether a counted numeral is beyond chance: at least 90 % of the elements agree, a chance agreement of so many is
// rarer than one in 2¹² for each numeral that was tried, and they are most of B or of A.
func (c *found) accepted(chance float64, tried int) bool {
	elements := float64(c.elements)
	share := 1 - float64(c.differ)/elements
	chance = max(chance, 1.0/4096)
	if c.elements == 0 || share < 0.9 || share-chance < 0.7*(1-chance) {
		return false
	}
	if !slices.ContainsFunc(c.loops, func(l Loop) bool { return l.Step != 0 }) { // B is constant
		return false
	}
	if 4*c.elements < 3*c.b.n && 10*c.elements < 9*c.a.n {
		return false
	}
	bits := share * math.Log2(share/chance)
	if share < 1 {
		bits += (1 - share) * math.Log2((1-share)/(1-chance))
	}
	return bits*elements >= 12+math.Log2(float64(tried))
}

// agrees reports whether two numerals are one function, by a sample of positions.
func (f *found) agrees(g *found) bool {
	r, n := rand.New(rand.NewPCG(7, 8)), f.lens.b.n
	for k := range 1024 {
		j := r.IntN(n)
		if n <= 1024 {
			j = k % n
		}
		at, in := f.at(j)
		if at2, in2 := g.at(j); at != at2 || in != in2 {
			return false
		}
	}
	return true
}

// padded reports whether what the numeral calls padding, but for that in front, may be: it is mostly one value or, if few values are equal by
// chance, its elements are hardly those of A.
func (s *search) padded(f *found, chance float64) bool {
	if f.elements == f.total {
		return true
	}
	counts, most := map[uint64]int{}, 0
	var positions []int
	step := max(1, f.lens.b.n/4096)
	for j := f.skip + max(0, -f.base); j < f.lens.b.n; j += step {
		if _, in := f.at(j); !in {
			w := f.lens.b.at(j)
			counts[w]++
			positions, most = append(positions, j), max(most, counts[w])
		}
	}
	if dull := 10*most >= 9*len(positions); dull || chance > 0.05 || s.scale != nil {
		return dull || chance <= 0.05
	}
	places, _ := s.find(positions)
	strays := 0
	for _, p := range places {
		strays += min(1, len(p))
	}
	return 4*strays < len(positions)
}

// found is a numeral that was counted in full.
type found struct {
	lens
	numeral
	count
	rivals int  // others that explain as much
	by     bool // counted by Options.Count
}

// countAll counts what a numeral explains of B, by Options.Count if it is a layout of A's dims and worth it.
func (s *search) countAll(f *found) {
	f.count = count{total: f.lens.b.n}
	if s.options.Count != nil && s.raw && f.lens.b.n >= minCounted {
		if digits := digitsOf(f, s.a.Shape); digits != nil {
			if l, ok := layoutOf(f, digits, s.a.Shape, s.a.names()); ok {
				if f.differ, f.by = s.options.Count(l); f.by {
					f.elements = f.lens.a.n
					return
				}
			}
		}
	}
	f.count = f.tally(&f.numeral, s.options.Threads)
}

// minCounted is the number of elements from which on Options.Count is asked.
const minCounted = 1 << 18

// best counts the numerals that passed and returns the one that explains most, the first of equals; nil if chance explains it.
func (s *search) best() (best *found) {
	var all []*found
	defer func() { s.passed, s.scales, s.ranks = nil, nil, nil }()
	for k := range s.passed {
		f := &found{lens: s.lens, numeral: s.passed[k]}
		chance := s.chance
		if f.scale != nil {
			f.scale = s.scales[k]
			chance = f.chance()
		}
		s.countAll(f)
		if !f.accepted(chance, s.ranks[k]) || !s.padded(f, chance) {
			continue
		}
		all = append(all, f)
		if best == nil || f.unexplained() < best.unexplained() {
			best = f
		}
	}
	for _, f := range all {
		if d := best.differ; f != best && !f.agrees(best) && f.unexplained()-best.unexplained() <= min(max(2, d/2), 4*d) {
			best.rivals++
		}
	}
	return best
}

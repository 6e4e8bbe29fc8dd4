package relate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// Bounds of the work of a search. They are no results of measurements: each is far above what the mistakes of random_test.go need.
const (
	sampled       = 256     // positions of B that a hypothesis is tried on
	maxDraws      = 16      // draws for each of them, where most of B is one element
	candidates    = 24      // nests that pass, at most, to be counted in full
	maxTried      = 100_000 // hypotheses
	maxTriedLarge = 5_000   // of a B of more elements than manyElements, which miss the caches
	manyElements  = 1 << 24
	stepsOfNest   = 16      // to make one
	minCounted    = 1 << 18 // elements from which on Options.Count, which reads by tiles, is worth its plan
)

// Thresholds of a relation: what random tensors must not reach (TestUsualUnrelated) and mistakes must (TestUsualRelated).
const (
	// minExplained is the share of the elements that agree, which Find promises: a tensor that was changed afterwards still shows its mistake.
	minExplained = 0.9
	// minBeyond is the share that agrees beyond chance, of what chance leaves: Cohen's κ. It demands more than minExplained where over two thirds
	// agree by chance, as in masks and sorted numbers: 97 % where 90 % do.
	minBeyond = 0.7
	// minOfB, or minOfA, is the share of B, or of A, that the nest covers: the rest of B is padding, at most a quarter of it unless B has nearly
	// all of A. A few elements of both, which a nest with much padding finds in any two tensors, are no relation.
	minOfB = 0.75
	minOfA = 0.9
	// minChance is the chance of two elements to be equal that is supposed of tensors in which no two are: that of 4096 pairs one is.
	minChance = 1.0 / maxPairsOfChance
	// beyondChance is in bits: by chance, one in 4096 pairs of tensors has a relation, for each map that is tried.
	beyondChance = 12

	// maxWrong is the share of the first sample that may differ, plus one element, or wrongBefore of them until it was read. No element is more
	// than half of that sample, so that chance differs in half of it; a map that explains 90 % of B differs in more than a tenth only where
	// frequent elements, which the sample has less of, are those that agree.
	maxWrong    = 0.4
	wrongBefore = 5
	// minNear is the share of the sample near a line, which is counted in full later, and minNearFirst that of the first pairs, of which some more
	// may be off by chance. Clipped values of a quantization are not near.
	minNear      = 0.67
	minNearFirst = 0.6
	// minDifferent is the number of values that show a line: any two are on one.
	minDifferent = 4
	// maxWrongRandom is the share of a random sample that may differ: twice the tenth of minExplained, five standard deviations from it of the
	// minRandom pairs that it takes, at least.
	maxWrongRandom = 0.2
	minRandom      = 256
	// minOneValue is the share of the padding that is one value, such as 0, where a program wrote it.
	minOneValue = 0.9
	// maxOfAInPadding is the share of other padding that may be elements of A, as small integers are by chance. More of them would be elements
	// that the nest fails to explain: 4 of 5,000 random pairs were told wrong.
	maxOfAInPadding = 0.25
	// maxChanceInPadding is the same for lines, which any element of A may be near: padding is not looked up, but chance must be low.
	maxChanceInPadding = 0.05
)

// Sizes of samples. A share of 4096 pairs is known to a standard deviation of 1/128.
const (
	minPairsOfChance = 512
	maxPairsOfChance = 4096
	sampleOfRandom   = 4096
	sampleOfPadding  = 4096
	sampleBeside     = 1024
	sampleOfMaps     = 1024 // positions where two nests are compared
)

// search finds a nest under one lens.
type search struct {
	lens
	options   Options
	positions []int // of B, to try nests on
	skip      int   // elements of B before the first of a nest that is tried
	tried     int
	passed    []*found
}

// found is a nest that passed, and then was counted in full.
type found struct {
	lens
	nest
	count
	rank   int  // nests tried before
	rivals int  // others that explain as much
	by     bool // counted by Options.Count
}

// sampledWords has maps for newSearch, of which comparing many tensors needs thousands.
var sampledWords = sync.Pool{New: func() any { return make(map[uint64]int, sampled) }}

// newSearch samples positions of B, at most half of them of one element.
func newSearch(l lens, o Options) *search {
	s := &search{lens: l, options: o, positions: make([]int, 0, sampled)}
	o.Budget.Take(sampled)
	r := rand.New(rand.NewPCG(1, 2))
	times := sampledWords.Get().(map[uint64]int)
	clear(times)
	defer sampledWords.Put(times)
	for k := 0; k < maxDraws*sampled && len(s.positions) < sampled; k++ {
		j := r.IntN(l.b.n)
		if w := l.b.at(j); 2*times[w] <= len(s.positions)+1 {
			s.positions = append(s.positions, j)
			times[w]++
		}
	}
	return s
}

// chance returns the share of random pairs that are equal: of an element of A and one of B, or of two of B, whichever is more.
func (s *search) chance(l *lens) float64 {
	if s.options.Alike {
		return minChance
	}
	pairs := min(maxPairsOfChance, max(minPairsOfChance, l.b.n/4))
	s.options.Budget.Take(pairs)
	r := rand.New(rand.NewPCG(3, 4))
	across := 0
	within := 0
	for range pairs {
		j := r.IntN(l.b.n)
		if l.same(r.IntN(l.a.n), j) {
			across++
		}
		if l.b.at(r.IntN(l.b.n)) == l.b.at(j) {
			within++
		}
	}
	return max(minChance, float64(max(across, within))/float64(pairs))
}

// agreementBeside returns the share of B's elements with which the next element of A, or the one before, agrees as well; under an affine lens, after
// another factor and offset were fitted to these. Only agreement beyond it shows an order: of sorted numbers, long runs and smooth curves,
// neighbors agree, whatever the tensors, and of two ranges, any element does.
func (s *search) agreementBeside(f *found) (share float64) {
	if s.options.Alike {
		return 0
	}
	s.options.Budget.Take(2 * f.steps(min(f.total, sampleBeside)))
	var inA, inB []int
	for j := 0; j < f.total; j += f.total/sampleBeside | 1 {
		if i, in := f.at(j); in {
			inA = append(inA, i)
			inB = append(inB, j)
		}
	}
	if len(inA) < 2 {
		return 0
	}
	last := len(inA) - 1
	agree := max(f.agreeing(inA[1:], inB[:last]), f.agreeing(inA[:last], inB[1:]))
	return float64(agree) / float64(last)
}

// agreeing counts the elements of A that agree with elements of B, under an affine lens by the line that most are near.
func (l *lens) agreeing(inA, inB []int) (n int) {
	if l.scale == nil {
		for k, i := range inA {
			if l.same(i, inB[k]) {
				n++
			}
		}
		return n
	}
	var xs, ys []float64
	for k, i := range inA {
		x, y := math.Float64frombits(l.a.at(i)), math.Float64frombits(l.b.at(inB[k]))
		if isFinite(x) && isFinite(y) {
			xs = append(xs, x)
			ys = append(ys, y)
		}
	}
	pure, line := l.scale.refined(xs, ys)
	lines := []scale{*l.scale, pure, line}
	for _, share := range []float64{1, 0.9, 0.6} { // whatever share is near a line: all, nearly all, just over half
		c, _ := l.scale.fit(xs, ys, share, 1)
		lines = append(lines, c)
	}
	for _, c := range lines {
		n = max(n, c.agreeing(xs, ys, 1))
	}
	return n
}

// try tries a nest on the sample, and reports whether to go on with others.
func (s *search) try(base int, loops []Loop) (more bool) {
	s.tried++
	if !s.options.Budget.Take(stepsOfNest + len(loops)) {
		return false
	}
	m, ok := newNest(s.skip, base, loops, s.a.n)
	if !ok {
		return true
	}
	f := &found{lens: s.lens, nest: m, rank: s.tried}
	known := func(g *found) bool { return g.skip == s.skip && g.base == base && slices.Equal(g.loops, m.loops) }
	if s.holds(f) && !slices.ContainsFunc(s.passed, known) {
		s.passed = append(s.passed, f)
	}
	limit := maxTried
	if s.b.n > manyElements {
		limit = maxTriedLarge
	}
	return len(s.passed) < candidates && s.tried < limit
}

// holds reports whether a nest explains the sample, but for maxWrong of it, giving up early; under an affine lens it sets the scale.
func (s *search) holds(f *found) bool {
	if s.noisy {
		return s.nears(f)
	}
	if s.scale != nil {
		return s.fits(f)
	}
	wrong := 0
	known := 0
	for n, j := range s.positions {
		if n%16 == 0 && !s.options.Budget.Take(f.steps(16)) {
			return false
		}
		if i, in := f.at(j); in {
			known++
			if !s.same(i, j) {
				wrong++
			}
			if wrong > wrongBefore+int(maxWrong*float64(known)) {
				return false
			}
		}
	}
	return known > 0 && float64(wrong) <= maxWrong*float64(known)+1
}

// steps returns the steps of n positions of a nest.
func (m *nest) steps(n int) int { return n * (4 + len(m.loops)) / 4 }

// pair returns the number b[j] and the number of a that f puts there, and whether both are finite; of a place outside a, neither is.
func (s *search) pair(f *found, j int) (x, y float64, finite bool) {
	i, in := f.at(j)
	if !in {
		return 0, 0, false
	}
	x = math.Float64frombits(s.a.at(i))
	y = math.Float64frombits(s.b.at(j))
	return x, y, isFinite(x) && isFinite(y)
}

// fits is holds under an affine lens: minNear of the pairs are near a line, of at least four values.
func (s *search) fits(f *found) bool {
	var xs, ys []float64
	for _, j := range s.positions {
		x, y, finite := s.pair(f, j)
		if !finite {
			continue
		}
		xs = append(xs, x)
		ys = append(ys, y)
		likely := true
		switch len(xs) {
		case 8:
			_, likely = s.scale.fit(xs, ys, minNearFirst, s.scale.loose)
		case 32:
			_, likely = s.scale.fit(xs, ys, minNearFirst, 1)
		}
		if n := len(xs); n == 8 || n == 32 || n == 128 {
			likely = likely && s.options.Budget.Take(f.steps(n)+n*min(n, maxLines)/4) // fit tries a line for each pair
		}
		if !likely {
			return false
		}
	}
	c, ok := s.scale.fit(xs, ys, minNear, 1)
	f.scale = &c
	return ok && c.levels(xs, ys) >= minDifferent
}

// hopeless reports whether a nest explains so little of a random sample that it cannot explain 90 % of B. Where half of the values are
// equal, as in zeros, most nests pass the first sample.
func (f *found) hopeless(b *Budget) bool {
	if f.b.n < 16*sampleOfRandom { // counted in full as fast
		return false
	}
	b.Take(sampleOfRandom)
	r := rand.New(rand.NewPCG(9, 10))
	known := 0
	wrong := 0
	for range sampleOfRandom {
		j := r.IntN(f.b.n)
		if i, in := f.at(j); in {
			known++
			if !f.same(i, j) {
				wrong++
			}
		}
	}
	return known >= minRandom && float64(wrong) > maxWrongRandom*float64(known)
}

// best counts the nests that passed and returns the one that explains most, the first of equals; nil if chance explains it.
func (s *search) best() (best *found) {
	var all []*found
	slices.SortStableFunc(s.passed, func(f, g *found) int { return cmp.Compare(f.level(), g.level()) })
	for _, f := range s.passed {
		if f.hopeless(s.options.Budget) {
			continue
		}
		s.countAll(f)
		chance := max(s.chance(&f.lens), s.agreementBeside(f))
		if !f.accepted(chance) || !s.padded(f, chance) {
			continue
		}
		all = append(all, f)
		if best == nil || !s.noisy && f.unexplained() < best.unexplained() {
			best = f
		}
	}
	s.passed = nil
	for _, f := range all {
		if f != best && f.rivalsWith(best) {
			best.rivals++
		}
	}
	return best
}

// rivalsWith reports whether another map explains as much as the best one: it leaves half as many elements more, or two where the best one
// leaves few. A map that explains all has no rival but another one that does.
func (f *found) rivalsWith(best *found) bool {
	if f.noisy {
		return f.level() <= maxRivalLevel*best.level() && !f.agrees(best)
	}
	d := best.differ
	return f.unexplained()-best.unexplained() <= min(max(2, d/2), 4*d) && !f.agrees(best)
}

// countAll counts what a nest explains of B, by Options.Count if it is a layout of A's dims and worth it.
func (s *search) countAll(f *found) {
	f.count = count{elements: f.a.n, total: f.b.n}
	s.options.Budget.Take(f.b.n / 8) // faster than other steps: one after the other
	if s.options.Count != nil && s.raw && f.total >= minCounted {
		if l, ok := f.layout(f.dims()); ok {
			f.differ, f.by = s.options.Count(l)
		}
	}
	if !f.by {
		f.count = f.tally(&f.nest, s.options.Threads)
	}
}

// accepted reports whether a counted nest is beyond chance: at least 90 % of the elements agree, a chance agreement of so many is
// rarer than one in 2¹² for each nest and each line that was tried, and they are most of B or of A.
func (f *found) accepted(chance float64) bool {
	elements := float64(f.elements)
	share := 1 - float64(f.differ)/elements
	if f.elements == 0 || !f.moves() || !f.coversMost() {
		return false
	}
	if share < minExplained || share-chance < minBeyond*(1-chance) {
		return false
	}
	bits := share * math.Log2(share/chance)
	if share < 1 {
		bits += (1 - share) * math.Log2((1-share)/(1-chance))
	}
	need := beyondChance + math.Log2(float64(f.rank))
	if f.scale != nil {
		need += beyondChance // the line was chosen, too: of those through two of 64 pairs
	}
	return bits*elements >= need
}

// moves reports whether the elements of B are several ones of A.
func (m *nest) moves() bool {
	return slices.ContainsFunc(m.loops, func(l Loop) bool { return l.Step != 0 })
}

// coversMost reports whether the elements of A that B has are most of B, or nearly all of A.
func (f *found) coversMost() bool {
	elements := float64(f.elements)
	return elements >= minOfB*float64(f.b.n) || elements >= minOfA*float64(f.a.n)
}

// agrees reports whether two nests are one function, by a sample of positions.
func (f *found) agrees(g *found) bool {
	for j := 0; j < f.total; j += f.total/sampleOfMaps | 1 {
		at, in := f.at(j)
		if at2, in2 := g.at(j); in != in2 || in && at != at2 {
			return false
		}
	}
	return true
}

// padded reports whether what the nest calls padding, but for that in front, may be: it is mostly one value, or hardly of A's elements.
func (s *search) padded(f *found, chance float64) bool {
	if f.elements == f.total {
		return true
	}
	times := map[uint64]int{}
	highest := 0
	var positions []int
	for j := f.skip + max(0, -f.base); j < f.total; j += f.total/sampleOfPadding | 1 {
		if _, in := f.at(j); !in {
			w := f.b.at(j)
			times[w]++
			positions = append(positions, j)
			highest = max(highest, times[w])
		}
	}
	if float64(highest) >= minOneValue*float64(len(positions)) {
		return true
	}
	if s.scale != nil {
		return chance <= maxChanceInPadding
	}
	_, known := s.find(positions)
	return float64(known) < maxOfAInPadding*float64(len(positions))
}

package relate

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/tlayout/tlayout/internal/ints"
)

// Where values hardly repeat, the map need not be guessed. Let f(j) be the offset of B's element j in A. A span d is aligned if
// f(c·d + x) − f(c·d) is the same for all c, for any x < d: d is a product of inner N's. The step after it is D(d) = f((c+1)·d) − f(c·d)
// for even c. From the inside out, a loop of step s that began at span p ends at the first aligned d where D(d) ≠ d/p·s.
//
// f is known where an element of B occurs in A, at up to maxPlaces offsets. All differences vote; padding and unmatched elements do not.

const (
	maxSpans = 160 // spans that are probed

	spanDims   = 7         // outermost dims whose products are spans: up to 128
	maxDivisor = 1<<20 - 1 // that is looked for among those of B's elements; larger ones are their quotients

	maxPlaces = 4   // offsets of equal elements in A; of more, none is used
	maxLeaves = 256 // nests that are tried
	maxPairs  = 8   // pairs of c of a span
	maxWithin = 24  // x of a span
	baseVotes = 300 // positions, or up to twice as many, that vote for the base
)

// minAligned are the shares of votes of an aligned span, which are tried in turn: from spans whose votes all agree, but for a
// few elements that were changed, to those where just over half do, because elements that occur twice in A vote for other differences as well.
var minAligned = [...]float64{0.95, 0.85, 0.7, 0.55}

// learner has looked up positions of B in A.
type learner struct {
	*search
	positions []int
	places    [][]int // offsets of each in A
	leaves    int     // nests to be tried yet
}

// probe has the positions c·span + x, from first on: rows of the same x, the first of which is 0, by c.
type probe struct {
	span, first, rows, columns int

	share float64 // of votes for the most frequent difference, of the x with the smallest
	step  int     // D
	votes int     // for step
}

// learn tries the nests that elements which hardly repeat in A show.
func (s *search) learn() {
	l := &learner{search: s}
	var probes []probe
	for _, span := range s.spans() {
		probes = append(probes, l.probe(span))
	}
	if !s.options.Budget.Take(4 * len(l.positions)) {
		return
	}
	l.places, _ = s.find(l.positions)
	for k := range probes {
		l.judge(&probes[k])
	}
	for _, share := range minAligned {
		l.leaves = maxLeaves
		aligned := slices.DeleteFunc(slices.Clone(probes[1:]), func(p probe) bool { return p.share < share })
		l.chains(aligned, nil, 1, probes[0].step)
	}
}

// spans returns the spans to probe, ascending from 1: products of sizes of A's dims, and divisors of the number of elements of B, the small
// ones first.
func (s *search) spans() []int {
	n := s.b.n
	all := []int{1}
	add := func(d int) {
		if d < n && !slices.Contains(all, d) {
			all = append(all, d)
		}
	}
	dims := axesOf(s.a.Shape)
	for _, x := range dims[:min(len(dims), spanDims)] {
		for _, product := range slices.Clone(all) {
			add(product * x.n)
		}
	}
	for d := 2; d <= min(n/d, maxDivisor) && len(all) < maxSpans; d++ {
		if n%d == 0 {
			add(d)
			add(n / d)
		}
	}
	slices.Sort(all)
	return all
}

// probe draws the positions of a span.
func (l *learner) probe(span int) probe {
	r := rand.New(rand.NewPCG(5, uint64(span)))
	var starts []int
	pairs := ints.CeilDiv(l.b.n, span) / 2
	for range min(maxPairs, pairs) {
		start := 2 * r.IntN(pairs) * span
		starts = append(starts, start, start+span)
	}
	p := probe{span: span, first: len(l.positions), rows: min(span, maxWithin), columns: len(starts)}
	for x := range p.rows { // of a short span, all
		if x > 0 && span > maxWithin {
			x = 1 + r.IntN(span-1)
		}
		for _, start := range starts {
			l.positions = append(l.positions, start+x)
		}
	}
	return p
}

// judge sets the share of votes and the step of a span.
func (l *learner) judge(p *probe) {
	p.share = 1
	steps := votes{}
	for x := range p.rows {
		row := l.places[p.first+x*p.columns:][:p.columns]
		inside := votes{}
		known := 0
		for c := range row {
			if inside.add(row[c], l.places[p.first+c]) {
				known++
			}
			if c%2 == 1 {
				steps.add(row[c], row[c-1])
			}
		}
		if _, n := inside.winner(); known > 0 {
			p.share = min(p.share, float64(n)/float64(known))
		}
	}
	p.step, p.votes = steps.winner()
}

// votes counts differences.
type votes map[int]int

// winner returns the difference with the most votes.
func (v votes) winner() (value, n int) {
	for x, k := range v {
		if k > n || k == n && isSmaller(x, value) {
			value = x
			n = k
		}
	}
	return value, n
}

// isSmaller orders differences with as many votes: the smaller one first, and of both directions the forward one.
func isSmaller(x, y int) bool {
	if ints.Abs(x) == ints.Abs(y) {
		return x > y
	}
	return ints.Abs(x) < ints.Abs(y)
}

// add votes for the differences of the places of two positions; false if one has none.
func (v votes) add(to, from []int) bool {
	for _, x := range to {
		for _, y := range from {
			v[x-y]++
		}
	}
	return len(to) > 0 && len(from) > 0
}

// chains tries the loops that the probes show, where the innermost are known and one of a step began at a span. A break may be false, where
// only positions beyond it are known: each is left out as well, up to a number of leaves in all.
func (l *learner) chains(probes []probe, loops []Loop, from, step int) {
	for k, p := range probes {
		isBreak := p.votes > 0 && p.span%from == 0 && p.step != p.span/from*step
		if isBreak && !l.done() {
			l.chains(probes[k+1:], append(slices.Clone(loops), Loop{p.span / from, step}), p.span, p.step)
		}
	}
	if l.done() {
		return
	}
	l.leaves--
	loops = append(slices.Clone(loops), Loop{ints.CeilDiv(l.b.n, from), step})
	l.try(l.base(loops), loops)
}

// done reports whether enough nests were tried.
func (l *learner) done() bool { return l.leaves <= 0 || l.options.Budget.Out() }

// base returns the offset of B's first element under loops, by votes of some positions.
func (l *learner) base(loops []Loop) int {
	m, ok := newNest(0, 0, loops, 0)
	if !ok || !l.options.Budget.Take(m.steps(2*baseVotes)) {
		return 0
	}
	v := votes{}
	for k := 0; k < len(l.positions); k += len(l.positions)/baseVotes | 1 {
		var d counter
		m.digits(l.positions[k], &d)
		offset, _, _ := m.stretch(&d, 1)
		v.add(l.places[k], []int{offset})
	}
	base, _ := v.winner()
	return base
}

// shares reports whether at least a quarter of the different elements of a sample of B occurs in A.
func (s *search) shares() bool {
	if s.options.Alike {
		return true
	}
	var positions []int
	seen := map[uint64]bool{}
	for _, j := range s.positions {
		if w := s.b.at(j); !seen[w] {
			seen[w] = true
			positions = append(positions, j)
		}
	}
	_, known := s.find(positions)
	return 4*known >= len(positions)
}

// index returns the numbers of the positions that each element is at, and a filter of those elements, to which most others do not belong: it
// has a bit for the hash of each, shifted, and at least 32 times as many bits.
func (s *search) index(positions []int) (slots map[uint64][]int, filter []uint64, shift int) {
	shift = 59 - bits.Len(uint(len(positions)))
	filter = make([]uint64, 1<<(64-shift)/64)
	slots = map[uint64][]int{}
	for k, j := range positions {
		if j < s.b.n {
			w := s.b.at(j)
			bit := hash(w) >> shift
			filter[bit/64] |= 1 << (bit % 64)
			slots[w] = append(slots[w], k)
		}
	}
	return slots, filter, shift
}

// find returns the offsets in A of the elements at positions of B; none beyond B, nor of an element that occurs more than maxPlaces times.
// known counts the positions whose element occurs in A at all. It finds nothing once maxRead elements were read.
func (s *search) find(positions []int) (places [][]int, known int) {
	places = make([][]int, len(positions))
	if *s.options.unread -= s.a.n; *s.options.unread < 0 || !s.options.Budget.Take(s.a.n/8+4*len(positions)) {
		return places, 0
	}
	slots, filter, shift := s.index(positions)
	const piece = 1 << 14
	var lock sync.Mutex
	inParallel(s.options.Threads, ints.CeilDiv(s.a.n, piece), func(k int) {
		part := map[uint64][]int{}
		for i := k * piece; i < min((k+1)*piece, s.a.n); i++ {
			w := s.a.at(i)
			if bit := hash(w) >> shift; filter[bit/64]>>(bit%64)&1 == 0 { // it is none of them
				continue
			}
			if _, in := slots[w]; in && len(part[w]) <= maxPlaces {
				part[w] = append(part[w], i)
			}
		}
		lock.Lock()
		defer lock.Unlock()
		for w, at := range part {
			for _, k := range slots[w] {
				if len(places[k]) <= maxPlaces {
					places[k] = append(places[k], at...)
				}
			}
		}
	})
	for k, at := range places {
		known += min(1, len(at))
		if len(at) > maxPlaces {
			places[k] = nil
		}
	}
	return places, known
}

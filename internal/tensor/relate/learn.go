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
	maxSpans  = 160 // spans that are probed
	maxPlaces = 4   // offsets of equal elements in A; of more, none is used
	maxLeaves = 256 // numerals that are tried
	maxPairs  = 8   // pairs of c of a span
)

// probe has positions c·span + x of B: for each x, pairs of c and c+1.
type probe struct {
	span int
	at   [][]int // of each x, the first of which is 0, by c; indices of positions

	share float64 // of votes for the most frequent difference, of the x with the smallest
	step  int     // D
	known bool    // whether anything is known of D
}

// learn tries the numerals that elements which hardly repeat in A show.
func (s *search) learn() {
	var positions []int
	var probes []probe
	r := rand.New(rand.NewPCG(5, 6))
	for _, span := range s.spans() {
		p := probe{span: span}
		last := (s.lens.b.n - 1) / span
		var cs []int
		for range min(maxPairs, (last+1)/2) {
			c := 2 * r.IntN((last+1)/2)
			cs = append(cs, c, c+1)
		}
		for k := range min(span, 24) {
			x := k // of a short span, all
			if k > 0 && span > 24 {
				x = 1 + r.IntN(span-1)
			}
			var row []int
			for _, c := range cs {
				row = append(row, len(positions))
				positions = append(positions, c*span+x)
			}
			p.at = append(p.at, row)
		}
		probes = append(probes, p)
	}
	s.at, _ = s.find(positions)
	s.probed = positions
	for k := range probes {
		probes[k].judge(s.at)
	}
	for _, share := range []float64{0.95, 0.85, 0.7, 0.55} {
		leaves := maxLeaves
		fit := slices.DeleteFunc(slices.Clone(probes[1:]), func(p probe) bool { return p.share < share })
		s.chains(fit, nil, 1, probes[0].step, &leaves)
	}
}

// shares reports whether at least a quarter of a sample of B's elements occurs in A; an affine lens does not know.
func (s *search) shares() bool {
	if s.shared < 0 && s.scale == nil {
		_, s.shared = s.find(s.positions)
	}
	return s.scale != nil || 4*s.shared >= len(s.positions)
}

// base returns the offset of B's first element under loops, by votes of some positions.
func (s *search) base(loops []Loop) int {
	m, voters := numeral{loops: loops}, 0
	v, digits, all := votes{}, make([]int, len(loops)), clip{}
	for k := range min(len(loops), maxLoops) {
		all.loops[k] = true
	}
	for k, j := range s.probed {
		if len(s.at[k]) == 0 || k%7 != 0 || len(loops) > maxLoops || !m.digits(j, digits) {
			continue
		}
		for _, at := range s.at[k] {
			v[at-m.sum(&all, digits)]++
		}
		if voters++; voters == 300 {
			break
		}
	}
	base, _ := v.most()
	return base
}

// votes counts differences.
type votes map[int]int

func (v votes) most() (value, n int) {
	for x, k := range v {
		if k > n || k == n && (ints.Abs(x) < ints.Abs(value) || ints.Abs(x) == ints.Abs(value) && x > value) {
			value, n = x, k
		}
	}
	return value, n
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

// judge sets the share of votes and the step of a span.
func (p *probe) judge(places [][]int) {
	p.share = 1
	for _, row := range p.at[1:] {
		v, known := votes{}, 0
		for c, j := range row {
			if v.add(places[j], places[p.at[0][c]]) {
				known++
			}
		}
		if _, n := v.most(); known > 0 {
			p.share = min(p.share, float64(n)/float64(known))
		}
	}
	v := votes{}
	for _, row := range p.at {
		for c := 0; c+1 < len(row); c += 2 {
			v.add(places[row[c+1]], places[row[c]])
		}
	}
	step, n := v.most()
	p.step, p.known = step, n > 0
}

// chains tries the loops that the probes show, where the innermost are known and one of a step began at a span. A break may be false, where
// only positions beyond it are known: each is left out as well, up to a number of leaves in all.
func (s *search) chains(probes []probe, loops []Loop, begin, step int, leaves *int) {
	for k, p := range probes {
		if *leaves > 0 && p.known && p.span%begin == 0 && p.step != p.span/begin*step {
			s.chains(probes[k+1:], append(slices.Clone(loops), Loop{p.span / begin, step}), p.span, p.step, leaves)
		}
	}
	if *leaves--; *leaves >= 0 {
		loops = append(slices.Clone(loops), Loop{ints.CeilDiv(s.lens.b.n, begin), step})
		s.try(0, s.base(loops), loops)
	}
}

// spans returns the spans to probe, ascending from 1: products of sizes of A's dims, of B's inner dims, and divisors of the number of
// elements of B, the small ones first.
func (s *search) spans() []int {
	n := s.lens.b.n
	set := map[int]bool{1: true}
	add := func(d int) {
		if d < n && d > 0 && len(set) < maxSpans {
			set[d] = true
		}
	}
	inner := 1
	for _, x := range slices.Backward(axesOf(s.b.Shape)) {
		inner *= x.n
		add(inner)
	}
	dims := axesOf(s.a.Shape)
	for subset := range 1 << min(len(dims), 7) {
		product := 1
		for k := range min(len(dims), 7) {
			if subset>>k&1 == 1 {
				product *= dims[k].n
			}
		}
		add(product)
	}
	for d := 2; d <= n/d && d < 1<<20; d++ {
		if n%d == 0 {
			add(d)
			add(n / d)
		}
	}
	all := []int{}
	for d := range set {
		all = append(all, d)
	}
	slices.Sort(all)
	return all
}

// find returns the offsets in A of the elements at positions of B; none beyond B, nor of an element that occurs more than maxPlaces times.
// known counts the positions whose element occurs in A at all. It finds nothing once mostRead elements were read.
func (s *search) find(positions []int) (places [][]int, known int) {
	places = make([][]int, len(positions))
	if *s.options.unread -= s.lens.a.n; *s.options.unread < 0 {
		return places, 0
	}
	t := newTable(len(positions))
	slots := make([]int, len(positions))
	for k, j := range positions {
		slots[k] = -1
		if j < s.lens.b.n {
			slots[k] = t.insert(s.lens.b.at(j))
		}
	}
	const piece = 1 << 14
	var lock sync.Mutex
	found := map[int][]int{}
	inParallel(s.options.Threads, ints.CeilDiv(s.lens.a.n, piece), func(k int) {
		part := map[int][]int{}
		words := make([]uint64, min(piece, s.lens.a.n-k*piece))
		s.lens.a.words(words, k*piece)
		for i, w := range words {
			if p := t.slot(w); p >= 0 && len(part[p]) <= maxPlaces {
				part[p] = append(part[p], k*piece+i)
			}
		}
		lock.Lock()
		defer lock.Unlock()
		for p, at := range part {
			if len(found[p]) <= maxPlaces {
				found[p] = append(found[p], at...)
			}
		}
	})
	for k, p := range slots {
		list := found[p]
		if len(list) > 0 {
			known++
		}
		if len(list) <= maxPlaces {
			places[k] = list
		}
	}
	return places, known
}

// table is a set of words, with a filter of bits in front.
type table struct {
	filter []uint64
	shift  int
	slots  map[uint64]int
}

func newTable(n int) *table {
	size := 5 + bits.Len(uint(n)) // at least 32 bits for each word
	return &table{make([]uint64, 1<<size/64), 64 - size, map[uint64]int{}}
}

// insert adds a word and returns its slot.
func (t *table) insert(w uint64) int {
	bit := hash(w) >> t.shift
	t.filter[bit/64] |= 1 << (bit % 64)
	if _, in := t.slots[w]; !in {
		t.slots[w] = len(t.slots)
	}
	return t.slots[w]
}

// slot returns the slot of a word; −1: it is not in the table.
func (t *table) slot(w uint64) int {
	if bit := hash(w) >> t.shift; t.filter[bit/64]>>(bit%64)&1 == 1 {
		if p, in := t.slots[w]; in {
			return p
		}
	}
	return -1
}

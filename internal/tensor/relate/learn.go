package relate

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tlayout/tlayout/internal/ints"
)

// Where values hardly repeat, the map need not be guessed. Let f(j) be the offset of B's element j in A. A span d is aligned if
// f(c·d + x) − f(c·d) is the same for all c, for any x < d: d is a product of inner N's. The step after it is D(d) = f((c+1)·d) − f(c·d)
// for even c. From the inside out, a loop of step s that began at span p ends at the first aligned d where D(d) ≠ d/p·s.
//
// f is known where an element of B occurs in A, at up to maxPlaces offsets. All differences vote; padding and unmatched elements do not.

const (
	maxSpans  = 256 // spans that are probed
	maxPlaces = 4   // offsets of equal elements in A; of more, none is used
	maxPairs  = 16  // pairs of c of a span
)

// probe has positions c·span + x of B: for each x, pairs of c and c+1.
type probe struct {
	span int
	at   [][]int // of each x, the first of which is 0, by c; indices of positions
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
		for k := range min(span, max(9, 80/len(cs))) {
			x := k // of a short span, all
			if k > 0 && span > 9 {
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
	places := s.find(positions)
	known := 0
	for _, p := range places {
		known += min(1, len(p))
	}
	if 4*known < len(positions) {
		return
	}
	for _, share := range []float64{0.95, 0.85, 0.7, 0.55} {
		if loops := s.chain(probes, places, share); loops != nil {
			s.try(0, base(loops, positions, places), loops)
		}
	}
}

// shares reports whether at least a quarter of a sample of B's elements occurs in A; an affine lens does not know.
func (s *search) shares() bool {
	if s.shared == 0 && s.scale == nil {
		t, n := newTable(len(s.positions)), 0
		for _, j := range s.positions {
			t.insert(s.lens.b.at(j))
		}
		seen := t.seen(&s.lens.a, s.threads)
		for _, j := range s.positions {
			if seen[t.slot(s.lens.b.at(j))].Load() {
				n++
			}
		}
		s.shared = float64(n+1) / float64(len(s.positions))
	}
	return s.scale != nil || s.shared >= 0.25
}

// seen returns the slots of words that occur among the elements of a side.
func (t *table) seen(side *side, threads int) []atomic.Bool {
	const piece = 1 << 16
	seen := make([]atomic.Bool, len(t.words))
	inParallel(threads, ints.CeilDiv(side.n, piece), func(_, k int) {
		for i := k * piece; i < min((k+1)*piece, side.n); i++ {
			if p := t.slot(side.at(i)); p >= 0 && !seen[p].Load() {
				seen[p].Store(true)
			}
		}
	})
	return seen
}

// base returns the offset of B's first element, by votes.
func base(loops []Loop, positions []int, places [][]int) int {
	m := numeral{loops: loops}
	v, digits := votes{}, make([]int, len(loops))
	all := clip{}
	for k := range loops {
		all.loops[k] = true
	}
	for k, j := range positions {
		if !m.digits(j, digits) {
			continue
		}
		for _, at := range places[k] {
			v[at-m.sum(&all, digits)]++
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

// aligned returns the share of votes for a span's most frequent differences, of the x with the smallest.
func (p *probe) aligned(places [][]int) float64 {
	share := 1.0
	for _, row := range p.at[1:] {
		v, known := votes{}, 0
		for c, j := range row {
			if v.add(places[j], places[p.at[0][c]]) {
				known++
			}
		}
		if _, n := v.most(); known > 0 {
			share = min(share, float64(n)/float64(known))
		}
	}
	return share
}

// step returns D of the span; false if nothing is known.
func (p *probe) step(places [][]int) (int, bool) {
	v := votes{}
	for _, row := range p.at {
		for c := 0; c+1 < len(row); c += 2 {
			v.add(places[row[c+1]], places[row[c]])
		}
	}
	d, n := v.most()
	return d, n > 0
}

// chain returns the loops, from the innermost on; nil if a step is unknown.
func (s *search) chain(probes []probe, places [][]int, share float64) []Loop {
	step, known := probes[0].step(places)
	if !known {
		return nil
	}
	var loops []Loop
	begin := 1
	for _, p := range probes[1:] {
		if p.span%begin != 0 || p.span >= s.lens.b.n || p.aligned(places) < share {
			continue
		}
		if d, known := p.step(places); known && d != p.span/begin*step {
			loops = append(loops, Loop{p.span / begin, step})
			begin, step = p.span, d
		}
	}
	return append(loops, Loop{ints.CeilDiv(s.lens.b.n, begin), step})
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
func (s *search) find(positions []int) [][]int {
	t := newTable(len(positions))
	slots := make([]int, len(positions))
	for k, j := range positions {
		slots[k] = -1
		if j < s.lens.b.n {
			slots[k] = t.insert(s.lens.b.at(j))
		}
	}
	const piece = 1 << 16
	var lock sync.Mutex
	found, many := map[int][]int{}, make([]bool, len(t.words))
	inParallel(s.threads, ints.CeilDiv(s.lens.a.n, piece), func(_, k int) {
		var at, slot []int
		counts := map[int]int{}
		for i := k * piece; i < min((k+1)*piece, s.lens.a.n); i++ {
			if p := t.slot(s.lens.a.at(i)); p >= 0 {
				if counts[p]++; counts[p] <= maxPlaces+1 {
					at, slot = append(at, i), append(slot, p)
				}
			}
		}
		lock.Lock()
		defer lock.Unlock()
		for i, p := range slot {
			if len(found[p]) > maxPlaces {
				many[p] = true
				continue
			}
			found[p] = append(found[p], at[i])
		}
	})
	places := make([][]int, len(positions))
	for k, p := range slots {
		if list := found[p]; p >= 0 && !many[p] && len(list) <= maxPlaces {
			places[k] = list
		}
	}
	return places
}

// table is a set of words, with a filter of bits in front.
type table struct {
	filter []uint64
	words  []uint64
	used   []bool
	shift  int
}

func newTable(n int) *table {
	size := bits.Len(uint(2 * n))
	return &table{make([]uint64, 1<<size>>2+1), make([]uint64, 1<<size), make([]bool, 1<<size), 64 - size}
}

// insert adds a word and returns its slot.
func (t *table) insert(w uint64) int {
	h := hash(w)
	bit := h >> (t.shift - 4)
	t.filter[bit>>6] |= 1 << (bit & 63)
	for p := int(h >> t.shift); ; p = (p + 1) & (len(t.words) - 1) {
		if !t.used[p] || t.words[p] == w {
			t.words[p], t.used[p] = w, true
			return p
		}
	}
}

// slot returns the slot of a word; −1: it is not in the table.
func (t *table) slot(w uint64) int {
	h := hash(w)
	if bit := h >> (t.shift - 4); t.filter[bit>>6]>>(bit&63)&1 == 0 {
		return -1
	}
	for p := int(h >> t.shift); t.used[p]; p = (p + 1) & (len(t.words) - 1) {
		if t.words[p] == w {
			return p
		}
	}
	return -1
}

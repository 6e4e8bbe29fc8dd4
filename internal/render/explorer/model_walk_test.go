package explorer

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/tensor"
)

// walkQuestion is a walk through a tensor with Item-byte elements and a cache of Lines lines of Line bytes.
type walkQuestion struct {
	Layout  layout `json:"layout"`
	Pattern string `json:"pattern"`
	Base    int    `json:"base"` // added to every address
	Item    int    `json:"item"`
	Line    int    `json:"line"`
	Lines   int    `json:"lines"`
}

type walkAnswer struct {
	Path     []int // numbers of elements in logical order
	Hits     []bool
	First    []int // the first line of each access
	Counts   cacheCounts
	Resident []int
	Again    int // lines fetched again
	Evicted  int
}

type cacheCounts struct{ Accesses, Fetches, Reuses, BytesFetched, BytesUsed int }

const modelWalk = `(q) => {
	const sizes = q.layout.dims.map((d) => d.size), cache = new model.Cache(q.line, q.lines);
	const a = {path: [], hits: [], first: [], counts: cache.counts, again: 0, evicted: 0};
	for (const coord of model.walk(q.layout, q.pattern)) {
		const r = cache.access((model.at(q.layout, coord) + q.base) * q.item, q.item);
		if (!cache.has(r.lines.at(-1)) || r.lines[0] !== r.line) throw new Error("lines " + r.lines);
		a.path.push(model.index(coord, sizes));
		a.hits.push(r.hit);
		a.first.push(r.line);
		a.again += r.again.length;
		a.evicted += r.evicted.length;
	}
	a.resident = cache.resident();
	return a;
}`

// TestBrowserModelWalk: the walks follow their definitions, and the cache counts like cachesim and a plain list of lines.
func TestBrowserModelWalk(t *testing.T) {
	b := modelTab(t)
	d := rand.New(rand.NewPCG(11, 0))
	var layouts []tensor.Layout
	var questions []walkQuestion
	patterns := []string{"logical", "memory", "channel", "spatial"}
	rare := rareLayouts(t)
	for len(questions) < 400 {
		l := drawLayout(t, d)
		if k := len(questions) / len(patterns); k < len(rare) {
			l = rare[k]
		}
		names := l.Names()
		pattern := patterns[len(questions)%len(patterns)]
		needsDims := pattern == "channel" || pattern == "spatial"
		low, high, _ := l.Span()
		if needsDims && len(questions) < len(patterns) { // the first rare one has no C
			pattern, needsDims = "memory", false
		}
		if l.Numel() > 300 || high >= far || needsDims && (!slices.Contains(names, "C") || !slices.Contains(names, "W")) {
			continue
		}
		layouts = append(layouts, l)
		questions = append(questions, walkQuestion{newLayout(l), pattern, max(0, -low),
			[]int{1, 2, 4, 8, 12, 16}[d.IntN(6)], 32 << d.IntN(3), 1 + d.IntN(9)})
	}
	again := 0
	for i, got := range each[walkAnswer](b, modelWalk, questions) {
		q, l := questions[i], layouts[i]
		want := goWalk(l, q)
		if canonical(t, got) != canonical(t, want) {
			t.Errorf("%s of %s, items of %d B, %d lines of %d B (-want +got):\n%s", q.Pattern, l, q.Item, q.Lines, q.Line,
				cmp.Diff(want, got, cmpopts.EquateEmpty()))
		}
		if fetched := simulated(l, q, want.Path); got.Counts.Fetches != fetched {
			t.Errorf("%s of %s: %d fetches, cachesim has %d", q.Pattern, l, got.Counts.Fetches, fetched)
		}
		again += got.Again
	}
	if again < 100 {
		t.Errorf("only %d lines were fetched again", again)
	}
}

// goWalk sorts all coordinates by the pattern's order of dims, or by address, and keeps lines in a list.
func goWalk(l tensor.Layout, q walkQuestion) walkAnswer {
	path := pathOf(l, q.Pattern)
	a := walkAnswer{Counts: cacheCounts{Accesses: len(path)}}
	var lines []residentLine
	here := map[int]bool{}
	for _, coord := range path {
		from := (l.At(coord...) + q.Base) * q.Item
		a.Path, a.First = append(a.Path, numberOf(l, coord)), append(a.First, from/q.Line)
		before := a.Counts.Fetches
		for at := from; at < from+q.Item; at++ {
			n := at / q.Line
			k := slices.IndexFunc(lines, func(r residentLine) bool { return r.number == n })
			switch {
			case k < 0:
				if lines = slices.Insert(lines, 0, residentLine{n, map[int]bool{}}); len(lines) > q.Lines {
					lines = lines[:q.Lines]
					a.Evicted++
				}
				if here[n] {
					a.Again++
				}
				here[n] = true
				a.Counts.Fetches++
			case at == from || at%q.Line == 0: // another access, or another line of it
				r := lines[k]
				lines = slices.Insert(slices.Delete(lines, k, k+1), 0, r)
				a.Counts.Reuses++
			}
			if !lines[0].used[at] {
				lines[0].used[at] = true
				a.Counts.BytesUsed++
			}
		}
		a.Hits = append(a.Hits, a.Counts.Fetches == before)
	}
	a.Counts.BytesFetched = a.Counts.Fetches * q.Line
	for _, r := range lines {
		a.Resident = append(a.Resident, r.number)
	}
	return a
}

type residentLine struct {
	number int
	used   map[int]bool // its bytes that were read
}

// pathOf sorts coordinates by the indices of N, of the outer dims and of the inner ones; those with one address stay in logical order.
func pathOf(l tensor.Layout, pattern string) [][]int {
	var path [][]int
	for coord := range l.Logical() {
		path = append(path, slices.Clone(coord))
	}
	outer := map[string]int{"N": -2, "C": 1}
	if pattern == "spatial" {
		outer["C"] = -1
	}
	key := func(coord []int) []int {
		switch pattern {
		case "logical":
			return coord
		case "memory":
			return []int{l.At(coord...)}
		}
		var sorted []int
		for turn := -2; turn <= 1; turn++ {
			for i, name := range l.Names() {
				if outer[name] == turn {
					sorted = append(sorted, coord[i])
				}
			}
		}
		return sorted
	}
	slices.SortStableFunc(path, func(a, b []int) int { return slices.Compare(key(a), key(b)) })
	return path
}

func numberOf(l tensor.Layout, coord []int) int {
	n := 0
	for d, i := range coord {
		n = n*l.Dim(d).Size + i
	}
	return n
}

// simulated returns how many lines cachesim fetches on a path, with a fully associative level.
func simulated(l tensor.Layout, q walkQuestion, path []int) int {
	sim := cachesim.New(cachesim.Geometry{
		Levels: []cachesim.Level{{Name: "l1", Size: q.Lines * q.Line, Ways: q.Lines, Line: q.Line}},
		TLB:    cachesim.Reference.TLB,
	})
	coords := map[int][]int{}
	for coord := range l.Logical() {
		coords[numberOf(l, coord)] = slices.Clone(coord)
	}
	for _, n := range path {
		sim.Read((l.At(coords[n]...)+q.Base)*q.Item, q.Item)
	}
	return sim.Counts().Misses[0]
}

// TestBrowserModelPixel: the textbook example, (1,64,5,4) in float32: the 64 channels of a pixel are in 64 cache lines in NCHW, in four in
// NHWC.
func TestBrowserModelPixel(t *testing.T) {
	b := modelTab(t)
	const script = `["0123", "0231"].map((axes) => {
		const order = {names: ["N", "C", "H", "W"], axes: [...axes].map((d) => ({dim: +d, div: 1, extent: 0}))};
		const l = model.bind(order, [1, 64, 5, 4]);
		const cache = new model.Cache(64, 64);
		for (const coord of [...model.walk(l, "channel")].slice(0, 64)) cache.access(model.at(l, coord) * 4, 4);
		return [cache.counts.fetches, cache.counts.bytesFetched, cache.counts.bytesUsed];
	})`
	got := value[[][]int](b, script)
	if want := [][]int{{64, 4096, 256}, {4, 256, 256}}; !slices.EqualFunc(got, want, slices.Equal[[]int]) {
		t.Errorf("fetches, bytes fetched, bytes used: %v, want %v", got, want)
	}
}

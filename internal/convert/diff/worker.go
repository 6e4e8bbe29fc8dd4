package diff

import (
	"bytes"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/convert"
)

// chunkBytes is how much is compared at once if a tile differs somewhere.
const chunkBytes = 1 << 10

// worker compares tiles in one goroutine.
type worker struct {
	tiling tiling
	a, b   *gatherer
	comparison
	rule   Rule
	brief  bool
	done   func(bytes int)
	found  Result    // without First and Apart, which are merged from:
	first  smallest  // of the elements that differ
	apart  farthest  // of those
	within farthest  // of the others
	corner int       // the smallest index in the tile
	x, y   []float64 // of a chunk; nil until they are needed
}

func newWorker(t tiling, a, b Side, c comparison, rule Rule, o Options) *worker {
	done := o.Convert.Done
	if done == nil {
		done = func(int) {}
	}
	return &worker{tiling: t, a: newGatherer(t, a, c.swapA, o.Convert), b: newGatherer(t, b, c.swapB, o.Convert),
		comparison: c, rule: rule, brief: o.Brief, done: done, first: smallest{limit: o.Limit}}
}

// tile compares one tile.
func (w *worker) tile(t tile) error {
	x, err := w.a.pack(t)
	if err != nil {
		return err
	}
	y, err := w.b.pack(t)
	if err != nil {
		return err
	}
	defer func() {
		w.done(len(x) + len(y))
		w.a.release(t)
		w.b.release(t)
	}()
	if w.stored && bytes.Equal(x, y) {
		return nil
	}
	if x, y = w.a.littleEndian(x), w.b.littleEndian(y); w.raw && bytes.Equal(x, y) {
		return nil
	}
	w.corner = w.tiling.index(t, 0)
	n, m := w.a.item, w.b.item
	step := max(1, chunkBytes/max(n, m, 1))
	for from, elems := 0, t.elems(); from < elems; from += step {
		to := min(from+step, elems)
		if xs, ys := x[from*n:to*n], y[from*m:to*m]; !w.raw || !bytes.Equal(xs, ys) {
			w.chunk(t, from, xs, ys)
		}
		if w.brief && w.found.Differing > 0 {
			return convert.ErrStop
		}
	}
	return nil
}

// chunk compares elements one by one; the first is the tile's from-th.
func (w *worker) chunk(t tile, from int, xs, ys []byte) {
	n, m := w.a.item, w.b.item
	if w.readA != nil {
		w.floats(t, from, xs, ys)
		return
	}
	for e := 0; e*n < len(xs); e++ {
		if ok, apart := w.same(xs[e*n:(e+1)*n], ys[e*m:(e+1)*m]); !ok || apart > 0 {
			w.record(t, from+e, ok, apart)
		}
	}
}

// floats is chunk for numbers that float64 holds.
func (w *worker) floats(t tile, from int, xs, ys []byte) {
	if w.x == nil {
		w.x, w.y = make([]float64, chunkBytes), make([]float64, chunkBytes)
	}
	x, y := w.x[:len(xs)/w.a.item], w.y[:len(xs)/w.a.item]
	w.readA(x, xs)
	w.readB(y, ys)
	for e, a := range x {
		if b := y[e]; a != b {
			if ok, apart := w.rule.floats(a, b); !ok || w.within.wants(apart) {
				w.record(t, from+e, ok, apart)
			}
		}
	}
}

// record counts an element that differs, or that is apart.
func (w *worker) record(t tile, e int, ok bool, apart float64) {
	kept := &w.within
	if !ok {
		kept = &w.apart
		w.found.Differing++
		if w.first.wants(w.corner) {
			w.first.add(w.tiling.index(t, e))
		}
	}
	switch {
	case !w.rule.Numeric:
	case kept.wants(apart):
		kept.add(apart, w.tiling.index(t, e))
	case !ok && !(apart <= math.MaxFloat64):
		w.found.NotFinite++
	}
}

// smallest keeps the limit smallest of many numbers.
type smallest struct {
	limit   int
	numbers []int // up to twice as many, unsorted
	largest int   // once it is full: larger ones are not kept
	full    bool
}

// wants reports whether n, or a larger number, may be among them.
func (s *smallest) wants(n int) bool { return s.limit > 0 && !(s.full && n > s.largest) }

func (s *smallest) add(n int) {
	if !s.wants(n) {
		return
	}
	if s.numbers = append(s.numbers, n); len(s.numbers) >= 2*s.limit {
		s.settle()
	}
}

// settle returns what is kept, in rising order.
func (s *smallest) settle() []int {
	slices.Sort(s.numbers)
	if len(s.numbers) >= s.limit && s.limit > 0 {
		s.numbers = s.numbers[:s.limit]
		s.largest, s.full = s.numbers[s.limit-1], true
	}
	return s.numbers
}

// merged combines what all workers found.
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

// farthest keeps the largest finite distance, of equal ones the smallest index.
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
		f.distance, f.index = distance, index
	}
}

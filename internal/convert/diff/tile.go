package diff

import (
	"bytes"
	"math"

	"github.com/tlayout/tlayout/internal/convert"
)

// chunkBytes is how much is compared at once where a tile differs somewhere.
const chunkBytes = 1 << 10

// worker compares tiles in one goroutine.
type worker struct {
	tiling tiling
	a, b   *gatherer
	comparison
	rule   Rule
	brief  bool
	done   func(bytes int)
	found  Result   // without First and Apart, which are merged from:
	first  smallest // of the elements that differ
	apart  farthest // of those
	within farthest // of the others
	corner int      // the smallest index in the tile
	x, y   [chunkBytes]float64
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
	defer w.done(len(x) + len(y))
	if w.stored && bytes.Equal(x, y) {
		return nil
	}
	if x, y = w.a.turned(x), w.b.turned(y); w.raw && bytes.Equal(x, y) {
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

// chunk compares elements one by one, of which the first is the tile's from-th.
func (w *worker) chunk(t tile, from int, xs, ys []byte) {
	n, m := w.a.item, w.b.item
	if w.readA != nil {
		w.floats(t, from, xs, ys)
		return
	}
	for e := 0; e*n < len(xs); e++ {
		if ok, apart := w.same(xs[e*n:(e+1)*n], ys[e*m:(e+1)*m]); !ok || apart > 0 {
			w.take(t, from+e, ok, apart)
		}
	}
}

// floats is chunk for numbers that float64 holds.
func (w *worker) floats(t tile, from int, xs, ys []byte) {
	x, y := w.x[:len(xs)/w.a.item], w.y[:len(xs)/w.a.item]
	w.readA(x, xs)
	w.readB(y, ys)
	for e, a := range x {
		if b := y[e]; a != b {
			if ok, apart := w.rule.floats(a, b); !ok || w.within.wants(apart) {
				w.take(t, from+e, ok, apart)
			}
		}
	}
}

// take takes down an element that is not the same, or that is apart.
func (w *worker) take(t tile, e int, ok bool, apart float64) {
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

package diff

import (
	"bytes"
	"math"

	"github.com/tlayout/tlayout/internal/convert"
)

// chunkBytes is the number of bytes to compare at once in a run that differs somewhere.
const chunkBytes = 1 << 10

// worker compares elements in one goroutine.
type worker struct {
	found
	comparison
	rule  Rule
	order *order
	brief bool
	a, b  scratch
}

// scratch is one side's memory for a chunk.
type scratch struct {
	item    int // bytes per element
	swapped []byte
	numbers []float64
}

// littleEndian returns elements with their numbers in little-endian byte order.
func (s *scratch) littleEndian(items []byte, swap func([]byte)) []byte {
	if swap == nil || len(items) == 0 {
		return items
	}
	s.swapped = append(s.swapped[:0], items...)
	swap(s.swapped)
	return s.swapped
}

// floats returns the values of elements.
func (s *scratch) floats(items []byte, read func(dst []float64, items []byte)) []float64 {
	if s.numbers == nil {
		s.numbers = make([]float64, chunkBytes)
	}
	numbers := s.numbers[:len(items)/s.item]
	read(numbers, items)
	return numbers
}

// run compares n consecutive elements of the order, starting at the at-th.
func (w *worker) run(at, n int, x, y []byte) error {
	if w.stored && bytes.Equal(x, y) {
		return nil
	}
	step := max(1, chunkBytes/max(w.a.item, w.b.item, 1))
	for from := 0; from < n; from += step {
		to := min(from+step, n)
		xs := w.a.littleEndian(x[from*w.a.item:to*w.a.item], w.swapA)
		ys := w.b.littleEndian(y[from*w.b.item:to*w.b.item], w.swapB)
		if w.raw && bytes.Equal(xs, ys) {
			continue
		}
		corner := w.order.atLeast(at+from, at+to-1)
		if w.readA != nil {
			w.floats(at+from, corner, xs, ys)
		} else {
			w.items(at+from, corner, to-from, xs, ys)
		}
		if w.brief && w.differing > 0 {
			return convert.ErrStop
		}
	}
	return nil
}

// items compares n elements one by one, starting at the at-th. No index of theirs is smaller than corner.
func (w *worker) items(at, corner, n int, xs, ys []byte) {
	for e := range n {
		x, y := xs[e*w.a.item:(e+1)*w.a.item], ys[e*w.b.item:(e+1)*w.b.item]
		if ok, distance := w.same(x, y); !ok || distance > 0 {
			w.record(at+e, corner, ok, distance)
		}
	}
}

// floats is items for numbers that float64 represents.
func (w *worker) floats(at, corner int, xs, ys []byte) {
	x, y := w.a.floats(xs, w.readA), w.b.floats(ys, w.readB)
	for e, a := range x {
		if b := y[e]; a != b {
			if ok, distance := w.rule.floats(a, b); !ok || w.ofSame.wants(distance) {
				w.record(at+e, corner, ok, distance)
			}
		}
	}
}

// record counts the at-th element of the order, which differs or has a distance.
func (w *worker) record(at, corner int, ok bool, distance float64) {
	far := &w.ofSame
	if !ok {
		far = &w.ofDiffering
		w.differing++
		if w.first.wants(corner) {
			w.first.add(w.order.atLeast(at, at))
		}
	}
	if !w.rule.Numeric {
		return
	}
	if far.wants(distance) {
		far.add(distance, w.order.atLeast(at, at))
	} else if !ok && !(distance <= math.MaxFloat64) {
		w.notFinite++
	}
}

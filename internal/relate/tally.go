package relate

import (
	"bytes"
	"encoding/binary"
	"math"
	"sync"
	"sync/atomic"

	"github.com/tlayout/tlayout/internal/ints"
)

// count is what a nest explains of B.
type count struct {
	elements int // of B that are elements of A by the nest
	differ   int // of them, those that differ
	total    int // elements of B
	distances
}

// unexplained returns the elements that differ or are padding.
func (c count) unexplained() int { return c.total - c.elements + c.differ }

// tally compares all of B with the elements of A that a nest gives: stretches of 32 positions of the innermost loop, of 32 turns of the
// next one each, so that a cache line of A serves its other elements too.
func (l *lens) tally(m *nest, threads int) count {
	stretch := 32
	turns := 32
	inner := 1 << 11
	if len(m.loops) > 1 && ints.Abs(m.loops[0].Step) != 1 {
		inner = m.loops[0].N
	} else {
		stretch = inner // neighbors are neighbors in A
	}
	rows := max(turns, (1<<16)/inner)
	var elements, differ atomic.Int64
	var lock sync.Mutex
	var all distances
	inParallel(threads, ints.CeilDiv(ints.CeilDiv(max(l.b.n-m.skip, 0), inner), rows), func(k int) {
		n := 0
		wrong := 0
		var apart distances
		for at := 0; at < inner; at += stretch {
			for row := k * rows; row < (k+1)*rows; row++ {
				from := m.skip + row*inner + at
				to := min(from+min(stretch, inner-at), l.b.n)
				if from >= to {
					break
				}
				m.runs(from, to, func(r run) {
					n += r.to - r.from
					if l.noisy {
						wrong += l.measure(r, &apart)
						return
					}
					wrong += l.wrong(r)
				})
			}
		}
		elements.Add(int64(n))
		differ.Add(int64(wrong))
		lock.Lock()
		defer lock.Unlock()
		all.add(apart)
	})
	return count{int(elements.Load()), int(differ.Load()), l.b.n, all}
}

// inParallel does n pieces of work on at most threads threads; a single one on this thread.
func inParallel(threads, n int, work func(k int)) {
	if n == 1 {
		work(0)
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range max(1, min(threads, n)) {
		group.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				work(k)
			}
		})
	}
	group.Wait()
}

// wrong counts the elements of a run that differ.
func (l *lens) wrong(r run) (n int) {
	size := l.b.size
	a := l.a.Bytes
	b := l.b.Bytes
	if l.raw && r.step == 1 && bytes.Equal(b[r.from*size:r.to*size], a[r.offset*size:(r.offset+r.to-r.from)*size]) {
		return 0
	}
	far := max(r.offset, r.offset+(r.to-r.from-1)*r.step)
	wordsInside := size*r.to+8 <= len(b) && size*far+8 <= len(a)
	if l.raw && size <= 8 && wordsInside { // eight bytes at once
		mask := uint64(math.MaxUint64) >> (64 - 8*size)
		i := size * r.offset
		step := size * r.step
		for j := size * r.from; j < size*r.to; j, i = j+size, i+step {
			if (binary.LittleEndian.Uint64(a[i:])^binary.LittleEndian.Uint64(b[j:]))&mask != 0 {
				n++
			}
		}
		return n
	}
	for j, i := r.from, r.offset; j < r.to; j, i = j+1, i+r.step {
		if !l.same(i, j) {
			n++
		}
	}
	return n
}

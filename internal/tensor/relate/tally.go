package relate

import (
	"bytes"
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// count is what a numeral explains of B.
type count struct {
	elements int // of B that are elements of A by the numeral
	differ   int // of them, those that differ
	total    int // elements of B
}

// unexplained returns the elements that differ or are padding.
func (c count) unexplained() int { return c.total - c.elements + c.differ }

// tally compares all of B with the elements of A that a numeral gives.
func (l *lens) tally(m *numeral, threads int) count {
	const piece = 1 << 16
	pieces := (l.b.n + piece - 1) / piece
	var elements, differ atomic.Int64
	inParallel(threads, pieces, func(_, k int) {
		n, wrong := 0, 0
		m.runs(k*piece, min((k+1)*piece, l.b.n), func(r run) {
			n += r.to - r.from
			wrong += l.wrong(r)
		})
		elements.Add(int64(n))
		differ.Add(int64(wrong))
	})
	return count{int(elements.Load()), int(differ.Load()), l.b.n}
}

// inParallel does n pieces of work on at most threads threads.
func inParallel(threads, n int, work func(thread, k int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for t := range max(1, min(threads, n)) {
		group.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				work(t, k)
			}
		})
	}
	group.Wait()
}

// wrong counts the elements of a run that differ.
func (l *lens) wrong(r run) (n int) {
	size := l.b.size
	if l.raw && r.step == 1 && bytes.Equal(l.b.data[r.from*size:r.to*size], l.a.data[r.offset*size:(r.offset+r.to-r.from)*size]) {
		return 0
	}
	if l.raw {
		switch size {
		case 1:
			return l.wrong1(r)
		case 2:
			return l.wrong2(r)
		case 4:
			return l.wrong4(r)
		case 8:
			return l.wrong8(r)
		}
	}
	for j, i := r.from, r.offset; j < r.to; j, i = j+1, i+r.step {
		if !l.same(i, j) {
			n++
		}
	}
	return n
}

func (l *lens) wrong1(r run) (n int) {
	a, b := l.a.data, l.b.data
	for j, i := r.from, r.offset; j < r.to; j, i = j+1, i+r.step {
		if a[i] != b[j] {
			n++
		}
	}
	return n
}

func (l *lens) wrong2(r run) (n int) {
	a, b := l.a.data, l.b.data
	for j, i := r.from, r.offset; j < r.to; j, i = j+1, i+r.step {
		if binary.LittleEndian.Uint16(a[2*i:]) != binary.LittleEndian.Uint16(b[2*j:]) {
			n++
		}
	}
	return n
}

func (l *lens) wrong4(r run) (n int) {
	a, b := l.a.data, l.b.data
	for j, i := r.from, r.offset; j < r.to; j, i = j+1, i+r.step {
		if binary.LittleEndian.Uint32(a[4*i:]) != binary.LittleEndian.Uint32(b[4*j:]) {
			n++
		}
	}
	return n
}

func (l *lens) wrong8(r run) (n int) {
	a, b := l.a.data, l.b.data
	for j, i := r.from, r.offset; j < r.to; j, i = j+1, i+r.step {
		if binary.LittleEndian.Uint64(a[8*i:]) != binary.LittleEndian.Uint64(b[8*j:]) {
			n++
		}
	}
	return n
}

package kernel

import "testing"

// TestHeads: blocks whose destination rows follow each other equal the plain loop wherever the first one begins in a line, and write nothing
// around; and joined tiles and programs stream many of them from a later row on.
func TestHeads(t *testing.T) {
	eachLevel(t, func(t *testing.T, k *Kernels) {
		tiles, programs := 0, 0
		for _, size := range []int{1, 2, 4, 8, 16} {
			for _, rows := range []int{16 / size, 32 / size, 12, 3, 5} {
				for _, bytes := range []int{headFrom - 64, headFrom + 70, 3 * headFrom} {
					for past := range cacheLine {
						cols := bytes/rows/size + past%5
						b, m, whole := packed(k, rows, cols, size, past, past%11/10)
						if p, ok := b.method.(*program); ok && p.cols > 0 && b.heads != nil && b.heads[past] > 0 {
							programs++
						}
						if g, ok := b.method.(*grid); ok && g.shape.joined && g.lines && b.heads[past] > 0 {
							tiles++
						}
						m.check(t, whole, func() {
							b.Run(worker, m.dst, m.src, m.jobs, m.pad)
							k.Fence()
						})
					}
				}
			}
		}
		if k.Level == AVX512 && (tiles < 25 || k.width == cacheLine && programs < 100) {
			t.Errorf("%d blocks by tiles and %d by programs have a head", tiles, programs)
		}
	})
}

// TestHeadsBeforeNoPeriod: so many rows, most of them padding, that fewer columns than a period follow a head: they are written through the
// caches.
func TestHeadsBeforeNoPeriod(t *testing.T) {
	eachLevel(t, func(t *testing.T, k *Kernels) {
		heads := 0
		for _, size := range []int{1, 2} {
			for _, rows := range []int{33, 34, 37, 51, 63} {
				for _, cols := range []int{cacheLine/size + 1, cacheLine/size + 20, 2*cacheLine/size - 1} {
					for past := range cacheLine {
						b, m, whole := packed(k, rows, cols, size, past, rows-2-past%3)
						if p, ok := b.method.(*program); ok && p.cols > 0 && b.heads != nil && b.heads[past] > 0 && (cols-int(b.heads[past]))/p.cols == 0 {
							heads++
						}
						m.check(t, whole, func() {
							b.Run(worker, m.dst, m.src, m.jobs, m.pad)
							k.Fence()
						})
					}
				}
			}
		}
		if k.width == cacheLine && heads < 100 {
			t.Errorf("%d blocks have a head and less than a period", heads)
		}
	})
}

// packed is a block of three jobs, two of which follow each other; the first begins so many bytes past a line. The last rows of the source are
// padding; some share sets of the first cache.
func packed(k *Kernels, rows, cols, size, past, padding int) (b *Block, m move, whole []byte) {
	stride := cols*size + past%2*size
	if past%3 == 2 {
		stride = 1 << 12
	}
	srcRows, srcExtent := spaced(rows, cols*size, stride)
	for i := range padding {
		srcRows[rows-1-i] = NoRow
	}
	dstRows, extent := spaced(cols, rows*size, rows*size)
	m = move{srcRows: srcRows, dstRows: dstRows, size: size, stores: Streaming, pad: []byte("the pad of a test")[:size]}
	m.jobs = []Job{{0, 64}, {extent, 64 + srcExtent}, {2*extent + 64, 64 + 2*srcExtent}, {0, 64}}
	_, m.src = at(3*srcExtent+128, past%3*size)
	whole, m.dst = at(3*extent+64, past)
	return k.NewBlock(srcRows, dstRows, size, Streaming), m, whole
}

// TestHeadsAreTheFirst: a head is as many rows as the loop finds that looks for the first one that begins with a line.
func TestHeadsAreTheFirst(t *testing.T) {
	for row := 1; row < 200; row++ {
		for _, cols := range []int{1, 64, headFrom/row + 1, headFrom/row + 30, 64 * headFrom / row} {
			dstRows, _ := spaced(cols, row, row)
			h := newHeads(&Block{srcRows: make([]int, row), dstRows: dstRows, size: 1, packed: true})
			for past := range h {
				want := -1
				for n := 0; n < cols && want < 0; n++ {
					left := (cols - n) * row
					if (past+n*row)%cacheLine == 0 && (left >= headFrom || n == 0 && left%cacheLine == 0) {
						want = n
					}
				}
				if int(h[past]) != want {
					t.Fatalf("%d columns of %d bytes, %d past a line: a head of %d, want %d", cols, row, past, h[past], want)
				}
			}
		}
	}
}

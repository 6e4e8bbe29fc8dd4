package kernel

import "testing"

// TestGathered: blocks whose source rows share sets of the first cache equal the plain loop, padding, unwanted columns and jobs that
// begin before the source too; and their rows are gathered.
func TestGathered(t *testing.T) {
	eachLevel(t, func(t *testing.T, k *Kernels) {
		gathers, turn := map[bool]int{}, 0 // by whether tiles are joined
		for _, size := range []int{1, 2} {
			for _, rows := range []int{32 / size, 25, 49, 64, 100, 128 / size} {
				for _, bytes := range []int{64, 100, 256, 257, 500, 1025} {
					for _, stride := range []int{1 << 12, 1 << 11} {
						turn++
						b, m, whole := crowded(k, rows, (bytes+size-1)/size, size, stride, turn)
						if g := gridOf(b); g != nil && g.gathered != nil {
							gathers[g.shape.joined]++
						}
						worker.Forget()
						m.check(t, whole, func() {
							b.Run(worker, m.dst, m.src, m.jobs, m.pad)
							k.Fence()
						})
						if from := worker.gathering.src; from != nil && from != &m.src[0] {
							t.Fatalf("%v: the worker keeps a pointer beside the source, which the garbage collector dies of", m)
						}
					}
				}
			}
		}
		if k.Level == AVX512 && (gathers[false] < turn/4 || gathers[true] < 2) {
			t.Errorf("of %d blocks, rows of %v are gathered", turn, gathers)
		}
	})
}

// gridOf is the grid of a block, or that which stages it; nil if there is none.
func gridOf(b *Block) *grid {
	switch m := b.method.(type) {
	case *grid:
		return m
	case *staged:
		return gridOf(m.part)
	}
	return nil
}

// crowded is a block of two jobs whose source rows are a stride apart, the destination rows in one of two arrangements.
func crowded(k *Kernels, rows, cols, size, stride, turn int) (b *Block, m move, whole []byte) {
	srcRows, srcExtent := spaced(rows, cols*size, stride)
	dstRows, dstExtent := spaced(cols, rows*size, rows*size+turn/2%2*turn)
	if turn%5 == 4 {
		srcRows[rows-1], srcRows[rows/2] = NoRow, NoRow
	}
	if turn%7 == 6 {
		dstRows[cols/2], dstRows[1] = NoRow, NoRow
	}
	m = move{srcRows: srcRows, dstRows: dstRows, size: size, stores: Stores(turn / 3 % 2), pad: []byte("the pad of a test")[:size]}
	m.jobs = []Job{{0, 0}, {dstExtent, cols * size}, {}}
	if turn%3 == 1 { // rows that count from before the source
		const above = 5 << 12
		for i := range srcRows {
			if srcRows[i] != NoRow {
				srcRows[i] += above
			}
		}
		for i := range m.jobs {
			m.jobs[i].Src -= above
		}
	}
	_, m.src = at(srcExtent+cols*size, turn%3*size)
	whole, m.dst = at(2*dstExtent, turn%4*16)
	return k.NewBlock(srcRows, dstRows, size, m.stores), m, whole
}

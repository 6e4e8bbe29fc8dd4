package kernel

import "testing"

// TestRuns: blocks whose destination rows continue those of the block before equal the plain loop, wherever rows begin in a line,
// and write nothing around; and kernels that shift move them.
func TestRuns(t *testing.T) {
	eachLevel(t, func(t *testing.T, k *Kernels) {
		shifts, turn := 0, 0
		for _, size := range []int{1, 2, 4, 8, 16} {
			for _, cols := range []int{32 / size, 64 / size, 80/size + 1, 200/size + 3} {
				for _, bytes := range []int{256, 320, 1024, 272} {
					for jobs := 1; jobs < 5; jobs++ {
						turn++
						b, m, whole := runOf(k, bytes/size, cols, size, jobs, turn)
						if _, ok := b.method.(*shifted); ok {
							shifts++
						}
						m.check(t, whole, func() {
							b.Run(worker, m.dst, m.src, m.jobs, m.pad)
							k.Fence()
						})
					}
				}
			}
		}
		if k.Level == AVX512 && k.width == cacheLine && shifts < turn/2 {
			t.Errorf("%d of %d blocks shifted", shifts, turn)
		}
	})
}

// runOf is a block and so many jobs: every third turn they leave a gap between them in the middle, so that they are two runs.
func runOf(k *Kernels, rows, cols, size, jobs, turn int) (b *Block, m move, whole []byte) {
	srcRows, srcExtent := spaced(rows, cols*size, cols*size+turn%4*size)
	gap := 0
	if turn%3 == 0 {
		gap = size
	}
	dstRows, extent := spaced(cols, rows*size, jobs*rows*size+gap+turn%7*size)
	m = move{srcRows: srcRows, dstRows: dstRows, size: size, stores: Streaming, pad: make([]byte, size)}
	for j := range jobs + 1 {
		j = min(j, jobs-1)
		m.jobs = append(m.jobs, Job{j*rows*size + 2*j/jobs*gap, j * srcExtent})
	}
	_, m.src = at(jobs*srcExtent, turn%5*size)
	whole, m.dst = at(extent+(jobs-1)*rows*size+gap, turn)
	return k.NewBlock(srcRows, dstRows, size, Streaming), m, whole
}

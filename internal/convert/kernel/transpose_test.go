package kernel

import (
	"maps"
	"testing"
)

// TestTranspose: every size equals the plain loop, whatever the arrangement, and nothing else is written.
func TestTranspose(t *testing.T) {
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for _, size := range []int{1, 2, 4, 8, 16} {
			n := 16 / size
			for _, rows := range upTo(n, 9) {
				for _, cols := range upTo(n, 2) {
					transposeOnce(t, k, rows, cols, size)
				}
			}
		}
	})
}

// transposeOnce takes the next combination of arrangements, bases and options; there are enough sizes for all.
func transposeOnce(t *testing.T, k *Kernels, rows, cols, size int) {
	t.Helper()
	turn := rows + 5*cols
	names := []string{"dense", "gaps", "lines", "descending", "shuffled"}
	srcArrangement, dstArrangement := arrangements[names[turn%5]], arrangements[names[turn/5%5]]
	if turn%7 == 0 {
		srcArrangement = repeated
	}
	transposeAt(t, k, rows, cols, size, turn, srcArrangement, dstArrangement)
}

type arrangement = func(count, length int) (rows []int, extent int)

func transposeAt(t *testing.T, k *Kernels, rows, cols, size, turn int, srcArrangement, dstArrangement arrangement) {
	t.Helper()
	srcRows, srcExtent := srcArrangement(rows, cols*size)
	dstRows, dstExtent := dstArrangement(cols, rows*size)
	j := job{srcRows: srcRows, dstRows: dstRows, size: size}
	j.o = Options{Staging: staging, Stream: turn%2 == 0}
	_, j.src = at(srcExtent, turn%4*3)
	dstWhole, dst := at(dstExtent, turn%5/3*(turn%17))
	j.dst = dst
	j.check(t, dstWhole, func() {
		k.Transpose(j.dst, j.dstRows, j.src, j.srcRows, size, j.o)
		k.Fence()
	})
}

// TestTransposeRows: all pairs of arrangements, at sizes with remainders on both sides.
func TestTransposeRows(t *testing.T) {
	sources := maps.Clone(arrangements)
	sources["repeated"] = repeated
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for from, srcArrangement := range sources {
			for to, dstArrangement := range arrangements {
				t.Run(from+" to "+to, func(t *testing.T) {
					for _, size := range []int{1, 2, 4, 8, 16} {
						for turn := range 6 {
							transposeAt(t, k, 11*16/size+turn, 5*16/size+turn/2, size, turn, srcArrangement, dstArrangement)
						}
					}
				})
			}
		}
	})
}

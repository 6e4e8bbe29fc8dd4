package kernel

import (
	"maps"
	"testing"
)

// TestTranspose: every size equals the plain loop, wherever the rows lie, and nothing else is written.
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

// transposeOnce takes the next of all combinations of places, bases and options; there are enough sizes for all.
func transposeOnce(t *testing.T, k *Kernels, rows, cols, size int) {
	t.Helper()
	turn := rows + 5*cols
	names := []string{"dense", "gaps", "lines", "descending", "shuffled"}
	srcPlace, dstPlace := places[names[turn%5]], places[names[turn/5%5]]
	if turn%7 == 0 {
		srcPlace = repeated
	}
	transposeAt(t, k, rows, cols, size, turn, srcPlace, dstPlace)
}

type place = func(count, length int) (rows []int, extent int)

func transposeAt(t *testing.T, k *Kernels, rows, cols, size, turn int, srcPlace, dstPlace place) {
	t.Helper()
	srcRows, srcExtent := srcPlace(rows, cols*size)
	dstRows, dstExtent := dstPlace(cols, rows*size)
	j := job{srcRows: srcRows, dstRows: dstRows, size: size}
	j.o = Options{Room: room, Stream: turn%2 == 0}
	_, j.src = at(srcExtent, turn%4*3)
	dstWhole, dst := at(dstExtent, turn%5/3*(turn%17))
	j.dst = dst
	j.check(t, dstWhole, func() {
		k.Transpose(j.dst, j.dstRows, j.src, j.srcRows, size, j.o)
		k.Fence()
	})
}

// TestTransposeRows: all ways in which rows lie, with each other, at sizes with tails on both sides.
func TestTransposeRows(t *testing.T) {
	sources := maps.Clone(places)
	sources["repeated"] = repeated
	eachLevel(t, func(t *testing.T, k *Kernels) {
		for from, srcPlace := range sources {
			for to, dstPlace := range places {
				t.Run(from+" to "+to, func(t *testing.T) {
					for _, size := range []int{1, 2, 4, 8, 16} {
						for turn := range 6 {
							transposeAt(t, k, 11*16/size+turn, 5*16/size+turn/2, size, turn, srcPlace, dstPlace)
						}
					}
				})
			}
		}
	})
}

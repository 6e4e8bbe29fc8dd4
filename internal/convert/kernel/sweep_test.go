package kernel

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

func TestSweep(t *testing.T) {
	if os.Getenv("SWEEP") == "" {
		t.Skip()
	}
	k := Best()
	for _, total := range []int{150000, 26000000} {
		for _, size := range []int{1, 2, 4, 8} {
			for _, count := range []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 24, 32} {
				n := total / count / size
				for _, join := range []bool{true, false} {
					rows, _ := spaced(count, n*size, n*size)
					_, a := at(n*size*count, 0)
					_, b := at(n*size*count, 0)
					_, c := at(n*size*count, 0)
					p := pixels{packed: a, planar: b, rows: rows, n: n, size: size, join: join}
					best := func(f func()) float64 {
						var ts []time.Duration
						for range 7 {
							b := time.Now()
							for range 1000000/total + 1 {
								f()
							}
							ts = append(ts, time.Since(b))
						}
						slices.Sort(ts)
						return float64(2*n*size*count*(1000000/total+1)) / float64(ts[2])
					}
					line := fmt.Sprintf("%9d size %d count %2d join %5v copy %5.1f", total, size, count, join, best(func() { copy(c, a) }))
					if count <= 64/size && count <= maxShuffled {
						line += fmt.Sprintf(" vbmi %5.1f", best(func() { p.shuffle(64, false) }))
						line += fmt.Sprintf(" stream %5.1f", best(func() { p.shuffle(64, p.aligned()) }))
					} else {
						line += "                         "
					}
					if count < 16/size {
line += fmt.Sprintf(" padded %5.1f", best(func() { p.padded(k) }))
						line += fmt.Sprintf(" avx2 %5.1f", best(func() { p.shuffle(16, false) }))
					} else {
						line += fmt.Sprintf(" squares %5.1f", best(func() { p.squares(k, Options{}) }))
						line += fmt.Sprintf(" stream %5.1f", best(func() { p.squares(k, Options{Stream: true}) }))
					}
					fmt.Println(line)
				}
			}
		}
	}
}

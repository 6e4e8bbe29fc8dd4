package kernel

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// against measures run and a copy of the same bytes, turn about, and reports run's rate and the ratio of the medians
// (above 1: slower than the copy). Bytes count as read and written.
func against(b *testing.B, bytes int, run func()) {
	src, dst := make([]byte, bytes), make([]byte, bytes)
	b.SetBytes(2 * int64(bytes))
	times := min(1<<20/bytes+1, 1000)
	measure := func(f func()) time.Duration {
		begin := time.Now()
		for range times {
			f()
		}
		return time.Since(begin)
	}
	var copies, runs []time.Duration
	for b.Loop() {
		copies = append(copies, measure(func() { copy(dst, src) }))
		runs = append(runs, measure(run))
	}
	slices.Sort(copies)
	slices.Sort(runs)
	took, copied := runs[len(runs)/2], copies[len(copies)/2]
	b.ReportMetric(float64(took)/float64(copied), "x-copy")
	b.ReportMetric(float64(2*bytes*times)/float64(took.Nanoseconds()), "GB/s")
	b.ReportMetric(0, "ns/op")
	b.SetBytes(0)
}

// BenchmarkTranspose transposes 64 rows of 3136 columns in the cache, and images of 25 MB in panels of 64 rows.
func BenchmarkTranspose(b *testing.B) {
	for _, k := range Available()[1:] {
		for _, size := range []int{1, 2, 4, 8, 16} {
			for _, images := range []int{1, 32} {
				rows, cols := 64, 3136*4/size
				srcRows, extent := spaced(rows, cols*size, cols*size)
				dstRows, _ := spaced(cols, rows*size, rows*size)
				_, src := at(extent*images, 0)
				_, dst := at(extent*images, 0)
				b.Run(fmt.Sprintf("%s/%dB/%dMB", k.Level, size, images*extent/1e6), func(b *testing.B) {
					against(b, len(src), func() {
						for i := range images {
							k.Transpose(dst[i*extent:], dstRows, src[i*extent:], srcRows, size, Options{})
						}
					})
				})
			}
		}
	}
}

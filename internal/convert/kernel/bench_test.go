package kernel

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// against measures run and a copy of the same bytes in turn, and reports run's rate and the ratio of the medians (above 1:
// slower than the copy). Bytes count twice, as read and as written.
func against(b *testing.B, bytes int, run func()) {
	src, dst := make([]byte, bytes), make([]byte, bytes)
	noise(src) // touches its pages, and so does the first copy those of dst
	copy(dst, src)
	run()
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
}

// BenchmarkTranspose transposes 64 rows of 12544 bytes in tiles of 1 KB of each, one such image in the cache and 32.
func BenchmarkTranspose(b *testing.B) {
	for _, k := range Available()[1:] {
		for _, size := range []int{1, 2, 4, 8, 16} {
			for _, images := range []int{1, 32} {
				rows, cols, tile := 64, 12544/size, 1024/size
				srcRows, extent := spaced(rows, cols*size, cols*size)
				dstRows, _ := spaced(cols, rows*size, rows*size)
				_, src := at(extent*images, 0)
				_, dst := at(extent*images, 0)
				image := func(dst, src []byte) {
					for c := 0; c < cols; c += tile {
						k.Transpose(dst, dstRows[c:min(cols, c+tile)], src[c*size:], srcRows, size, Options{})
					}
				}
				b.Run(fmt.Sprintf("%s/%dB/%dKB", k.Level, size, images*extent/1000), func(b *testing.B) {
					against(b, len(src), func() {
						for i := range images {
							image(dst[i*extent:], src[i*extent:])
						}
					})
				})
			}
		}
	}
}

// BenchmarkPixels joins and splits 2 to 17 rows, in the cache and not.
func BenchmarkPixels(b *testing.B) {
	for _, k := range Available()[1:] {
		for _, size := range []int{1, 2, 4, 8} {
			for _, count := range []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17} {
				for _, total := range []int{150_000, 26_000_000} {
					benchmarkPixels(b, k, size, count, total/count/size)
				}
			}
		}
	}
}

func benchmarkPixels(b *testing.B, k *Kernels, size, count, n int) {
	rows, total := spaced(count, n*size, n*size)
	_, src := at(total, 0)
	_, dst := at(total, 0)
	o := Options{Stream: total > 1<<24}
	b.Run(fmt.Sprintf("%s/%dB/%dx%dKB/join", k.Level, size, count, n*size/1000), func(b *testing.B) {
		against(b, total, func() { k.Interleave(dst, src, rows, n, size, o) })
	})
	b.Run(fmt.Sprintf("%s/%dB/%dx%dKB/split", k.Level, size, count, n*size/1000), func(b *testing.B) {
		against(b, total, func() { k.Deinterleave(dst, rows, src, n, size, o) })
	})
}

package reader

import (
	"fmt"
	"testing"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// BenchmarkAdd reads contiguous memory in rows of every length, and rows of 4 bytes that are 12544 bytes apart: the channels of
// a pixel of 56×56. MB/s count the bytes of the rows.
func BenchmarkAdd(b *testing.B) {
	mem := noise(64 << 20)
	for _, k := range kernel.Available() {
		r := For(k)
		for _, size := range []int{16 << 10, 1 << 20, 64 << 20} {
			for row := 1; row <= 64; row *= 2 {
				g := Grid{N1: 1, N0: size / row, Step0: row, Row: row}
				b.Run(fmt.Sprintf("%s/%dB/%dKiB", k.Level, row, size>>10), func(b *testing.B) { add(b, r, mem, g) })
			}
		}
		for _, pixels := range []int{1, 3136} {
			g := Grid{N1: pixels, Step1: 4, N0: 64, Step0: 12544, Row: 4}
			b.Run(fmt.Sprintf("%s/4B/apart/%d", k.Level, pixels), func(b *testing.B) { add(b, r, mem, g) })
		}
		for _, few := range []int{1, 3, 4} {
			g := Grid{N1: 16 << 10 / few / 4, Step1: 4 * few, N0: few, Step0: 4, Row: 4}
			b.Run(fmt.Sprintf("%s/4B/%d", k.Level, few), func(b *testing.B) { add(b, r, mem, g) })
		}
	}
}

func add(b *testing.B, r Reader, mem []byte, g Grid) {
	var lanes Lanes
	b.SetBytes(int64(g.N1 * g.N0 * g.Row))
	for b.Loop() {
		r.Add(&lanes, mem, g)
	}
}

func BenchmarkLoad(b *testing.B) {
	mem := noise(64 << 20)
	for _, k := range kernel.Available() {
		for _, size := range []int{16 << 10, 1 << 20, 64 << 20} {
			b.Run(fmt.Sprintf("%s/%dKiB", k.Level, size>>10), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					For(k).Load(mem[:size])
				}
			})
		}
	}
}

package cachesim_test

import (
	"testing"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
)

// BenchmarkRead reads as many lines in turn as fit into a level, or into none; page: 12544 bytes apart, each in a page
// of its own.
func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name  string
		lines int
		pitch int
	}{
		{"l1", 512, 64}, {"l2", 16 << 10, 64}, {"l3", 300 << 10, 64}, {"memory", 3 << 20, 64},
		{"l1-page", 512, 12544}, {"l2-page", 16 << 10, 12544}, {"l3-page", 300 << 10, 12544}, {"memory-page", 3 << 20, 12544},
	} {
		for name, s := range map[string]*cachesim.Sim{
			"exact": cachesim.New(cachesim.Reference), "sample": cachesim.NewSample(cachesim.Reference, 8),
		} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				rows(4, c.pitch, c.lines, 1).run(s)
				for left := b.N; left > 0; left -= c.lines {
					rows(4, c.pitch, min(left, c.lines), 1).run(s)
				}
			})
		}
	}
}

package convert

import (
	"slices"
	"testing"
)

// What the parts of a conversion read: whole runs where the axis that is cut is the source's outermost one too, and a run of each
// image where it is not.
func TestReadsOfParts(t *testing.T) {
	for _, c := range []struct {
		from, to string
		extent   int
		parts    int
		cuts     []int
		reads    int64 // of the first part
		bytes    int64
	}{
		{"nchw", "nhwc", 6, 3, []int{0, 160, 320, 480}, 1, 2 * 80 * 4}, // two images side by side
		{"nchw", "nhwc", 6, 4, []int{0, 160, 320, 480}, 1, 2 * 80 * 4}, // 2 of 6 images each: no fourth part
		{"nchw", "chwn", 4, 2, []int{0, 240, 480}, 6, 6 * 2 * 20 * 4},  // two channels of each of 6 images
		{"nhwc", "chwn", 4, 4, []int{0, 120, 240, 360, 480}, 120, 480}, // one channel of each of 120 pixels
		{"nchw", "chwn4", 1, 2, []int{0, 480}, 1, 480 * 4},             // a single block of channels cannot be cut
		{"nchw", "nchw", 6, 2, []int{0, 240, 480}, 1, 240 * 4},         // a copy
		{"nchw", "N//2 C//2 N%2 C%2 H W", 3, 3, []int{0, 160, 320, 480}, 1, 2 * 80 * 4},
	} {
		p := must(NewPlan(bind(t, c.to, 6, 4, 4, 5), bind(t, c.from, 6, 4, 4, 5), 4))
		if got := p.Cuts(c.extent, c.parts); !slices.Equal(got, c.cuts) {
			t.Errorf("%s to %s in %d parts: cut at %d, want %d", c.from, c.to, c.parts, got, c.cuts)
			continue
		}
		if n, bytes := p.Part(c.cuts[0], c.cuts[1]).ReadCost(0); n != c.reads || bytes != c.bytes {
			t.Errorf("%s to %s in %d parts: the first reads %d times, %d bytes; want %d, %d", c.from, c.to, c.parts, n, bytes, c.reads, c.bytes)
		}
	}
}

// A gap that is not larger than near is read, a larger one is not.
func TestReadsOverGaps(t *testing.T) {
	p := must(NewPlan(bind(t, "chwn", 6, 4, 4, 5), bind(t, "nchw", 6, 4, 4, 5), 4))
	part := p.Part(0, 120) // one channel: 80 bytes of each image of 320
	for _, c := range []struct {
		near         int
		reads, bytes int64
	}{{239, 6, 6 * 80}, {240, 1, 5*320 + 80}} {
		if n, bytes := part.ReadCost(c.near); n != c.reads || bytes != c.bytes {
			t.Errorf("near %d: %d reads, %d bytes; want %d, %d", c.near, n, bytes, c.reads, c.bytes)
		}
	}
}

package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/tensor"
)

// TestTrail: the steps are those of plain loops: within an image for every pixel all channels, or for every channel all pixels.
func TestTrail(t *testing.T) {
	const N, C, H, W = 2, 3, 2, 4
	var channel, spatial [][]int
	for n := range N {
		for h := range H {
			for w := range W {
				for c := range C {
					channel = append(channel, []int{n, c, h, w})
				}
			}
		}
		for c := range C {
			for h := range H {
				for w := range W {
					spatial = append(spatial, []int{n, c, h, w})
				}
			}
		}
	}
	l := packed(t, N, C, H, W)
	for path, want := range map[Path][][]int{Channel: channel, Spatial: spatial} {
		for _, steps := range []int{1, 7, 30, 48, 100} {
			got, err := newTrail(l, path, steps)
			if err != nil || fmt.Sprint(got.coords) != fmt.Sprint(want[:min(steps, 48)]) {
				t.Errorf("%s, %d steps: %v, %v", path, steps, got.coords, err)
			}
		}
	}
}

// TestSteps: steps are on the elements of the path in the grid, and on their cells in each memory.
func TestSteps(t *testing.T) {
	l, m := packed(t, 1, 2, 1, 3), strided(t, []int{1, 2, 1, 3}, []int{6, 1, 6, 2}, 0, -1)
	s := mustDraw(t, Subject{Layout: l}, []Memory{{Name: "nchw", Layout: l, Own: true}, {Name: "nhwc", Layout: m}}, Options{Path: Channel, Steps: 4})
	var grid, nchw, nhwc []int
	for i, c := range cells(s.Tensor) {
		grid, nchw = append(grid, c.Step), append(nchw, places(s.Memories[0])[i].Step)
		nhwc = append(nhwc, places(s.Memories[1])[i].Step)
	}
	if fmt.Sprint(grid, nchw, nhwc) != "[1 3 0 2 4 0] [1 3 0 2 4 0] [1 2 3 4 0 0]" {
		t.Errorf("steps %v, in memory %v and %v", grid, nchw, nhwc)
	}
	if s.Lines[1] != "steps: channel-wise access, for every pixel all its channels" {
		t.Errorf("lines %q", s.Lines)
	}
}

// TestSharedStep: an address of several elements has the first step to any of them.
func TestSharedStep(t *testing.T) {
	l := strided(t, []int{1, 3, 1, 2}, []int{2, 0, 2, 1}, 0, 2)
	s := mustDraw(t, Subject{Layout: l, Size: 4}, []Memory{{Name: "own", Layout: l, Own: true}}, Options{Path: Channel})
	got := places(s.Memories[0])
	want := "channel-wise: 6 accesses fetch 1 line of 64 B, each once, and use 8 of 64 bytes"
	if got[0].Step != 1 || got[1].Step != 4 || s.Memories[0].Lines[1] != want {
		t.Errorf("steps %d and %d, %q", got[0].Step, got[1].Step, s.Memories[0].Lines)
	}
}

// TestLinesTouched: touched lines are those of every byte of every element on the path, even if elements straddle them; the sentence counts
// each once, and cells mark the line of their first byte.
func TestLinesTouched(t *testing.T) {
	seen := 0
	property.Check(t, func(t *rapid.T) {
		l := someLayout(t)
		if l.Rank() < 4 || l.Numel() == 0 {
			return
		}
		seen++
		size, line := rapid.IntRange(1, 12).Draw(t, "size"), rapid.IntRange(1, 40).Draw(t, "line")
		steps := rapid.IntRange(1, 20).Draw(t, "steps")
		path := rapid.SampledFrom([]Path{Channel, Spatial}).Draw(t, "path")
		way, err := newTrail(l, path, steps)
		if err != nil {
			t.Fatal(err)
		}
		lines, used := map[int]bool{}, map[int]bool{}
		for _, coord := range way.coords {
			for b := range size {
				at := l.At(coord...)*size + b
				lines[int(math.Floor(float64(at)/float64(line)))], used[at] = true, true
			}
		}
		s, err := New(Subject{Layout: l, Size: size}, []Memory{{Name: "m", Layout: l}}, Options{Path: path, Steps: steps, Line: line})
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(" of %d B, each once, and use %d of %d bytes", line, len(used), len(lines)*line)
		got := strings.Replace(s.Memories[0].Lines[1], "uses", "use", 1)
		if !strings.Contains(got, want) || !strings.Contains(got, fmt.Sprintf(" %d line", len(lines))) {
			t.Fatalf("%q, expected %d lines%s", got, len(lines), want)
		}
		for off, c := range places(s.Memories[0]) {
			if int(c.Line) != off*size/line || c.Hit != lines[int(c.Line)] {
				t.Fatalf("offset %d: %+v, line hit: %v", off, c, lines[int(c.Line)])
			}
		}
	})
	if seen == 0 {
		t.Error("no layout had a channel")
	}
}

// TestPathSentence: one access is singular, and distant channels cost a line each.
func TestPathSentence(t *testing.T) {
	nchw, nhwc := packed(t, 1, 16, 8, 8), strided(t, []int{1, 16, 8, 8}, []int{1024, 1, 128, 16}, 0, -1)
	for _, c := range []struct {
		l     tensor.Layout
		path  Path
		steps int
		want  string
	}{
		{nchw, Channel, 0, "channel-wise: 16 accesses fetch 16 lines of 64 B, each once, and use 64 of 1024 bytes"},
		{nhwc, Channel, 0, "channel-wise: 16 accesses fetch 1 line of 64 B, each once, and use 64 of 64 bytes"},
		{nchw, Spatial, 1, "spatial: 1 access fetches 1 line of 64 B, each once, and uses 4 of 64 bytes"},
	} {
		s := mustDraw(t, Subject{Layout: c.l, Size: 4}, []Memory{{Name: "m", Layout: c.l, Own: true}}, Options{Path: c.path, Steps: c.steps, Limit: 256})
		if got := s.Memories[0].Lines[1]; got != c.want {
			t.Errorf("%q\nexpected %q", got, c.want)
		}
	}
}

// TestCutShowsSteps: a cut picture shows the steps, in the grid and in each memory, as far as the limit allows.
func TestCutShowsSteps(t *testing.T) {
	l := packed(t, 8, 64, 56, 56)
	for _, path := range []Path{Channel, Spatial} {
		s := mustDraw(t, Subject{Layout: l, Size: 4}, []Memory{{Name: "nchw", Layout: l, Own: true}}, Options{Path: path, Limit: 256})
		want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
		var grid, memory []int
		for _, c := range cells(s.Tensor) {
			if c.Step > 0 {
				grid = append(grid, c.Step)
			}
		}
		for _, c := range places(s.Memories[0]) {
			if c.Step > 0 {
				memory = append(memory, c.Step)
			}
		}
		slices.Sort(grid)
		if !slices.Equal(grid, want) || !slices.Equal(memory, want) {
			t.Errorf("%s: steps %v, in memory %v", path, grid, memory)
		}
	}
	s := mustDraw(t, Subject{Layout: l, Size: 4}, []Memory{{Name: "nchw", Layout: l, Own: true}}, Options{Path: Channel, Limit: 64})
	steps := 0
	for _, c := range places(s.Memories[0]) {
		steps = max(steps, c.Step)
	}
	if steps != 4 {
		t.Errorf("%d steps in four lines", steps)
	}
}

// TestLinesBeforeStorage: a line before the storage differs from the first one in it: offsets −7…1 are bytes −28…7.
func TestLinesBeforeStorage(t *testing.T) {
	l := strided(t, []int{1, 2, 1, 8}, []int{0, 1, 0, -1}, 0, 2)
	s := mustDraw(t, Subject{Layout: l, Size: 4}, []Memory{{Name: "m", Layout: l, Own: true}}, Options{Path: Channel})
	want := "channel-wise: 16 accesses fetch 2 lines of 64 B, each once, and use 36 of 128 bytes"
	if got := s.Memories[0].Lines[1]; got != want {
		t.Errorf("%q\nexpected %q", got, want)
	}
}

// TestNoPath: a path needs channels.
func TestNoPath(t *testing.T) {
	for _, l := range []tensor.Layout{packed(t), packed(t, 3, 4), layout(t, []tensor.Dim{digits("C", 3, nil, []int{1})}, 0, -1)} {
		_, err := New(Subject{Layout: l}, nil, Options{Path: Channel})
		wantFault(t, err, fault.Usage, "dims "+strings.Join(l.Names(), ", ")+": a path needs a dim C and a spatial dim")
	}
}

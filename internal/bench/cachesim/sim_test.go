package cachesim_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
)

// tiny has one set of two lines, then two sets of two, and a TLB of one page of four lines.
const tiny = "l1=16,2,8 l2=32,2,8 l3=none tlb=32,1,32"

// Misses of short sequences, computed by hand. A letter is a line: A is 0, B is 1, and so on.
func TestByHand(t *testing.T) {
	for _, c := range []struct {
		lines   string
		touches int
		misses  []int
		pages   int
	}{
		{"A", 1, []int{1, 1}, 1},
		{"AAAA", 1, []int{1, 1}, 1},
		{"ABAB", 4, []int{2, 2}, 1},
		// l1: A and B miss, A hits, C evicts B, A hits, B evicts C.
		// l2 has A and C in one set, B in the other: the second B hits.
		{"ABACAB", 6, []int{4, 3}, 1},
		{"ABCABC", 6, []int{6, 3}, 1}, // cycling through three lines never hits in two ways
		// A, C and E share a set of l2. E is in the next page, which evicts the page of A.
		{"ACEACE", 6, []int{6, 6}, 4},
		{"AIAI", 4, []int{2, 2}, 4},
	} {
		s := cachesim.New(geometry(t, tiny))
		for i := range c.lines {
			s.Read(int(c.lines[i]-'A')*8+i%5, 3)
		}
		want := cachesim.Counts{Bytes: 3 * len(c.lines), Touches: c.touches, Misses: c.misses, Pages: c.pages}
		if got := s.Counts(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", c.lines, got, want)
		}
	}
}

// A stream of n bytes is ⌈n/line⌉ misses of every level and ⌈n/page⌉ pages. A second pass has
// no misses if the stream fits; a stream of twice the size misses again completely, because LRU evicts what is needed next.
func TestStream(t *testing.T) {
	g := geometry(t, "l1=3K,3,64 l2=48K,6,64 l3=none tlb=64K,4,4K") // 16, 128 and 4 sets
	for _, c := range []struct {
		n             int
		first, second []int // misses so far, after each pass
		pages         [2]int
	}{
		{100, []int{2, 2}, []int{2, 2}, [2]int{1, 1}},
		{3 << 10, []int{48, 48}, []int{48, 48}, [2]int{1, 1}},
		{6 << 10, []int{96, 96}, []int{192, 96}, [2]int{2, 2}},
		{48 << 10, []int{768, 768}, []int{1536, 768}, [2]int{12, 12}},
		{96<<10 - 63, []int{1536, 1536}, []int{3072, 3072}, [2]int{24, 48}},
	} {
		s := cachesim.New(g)
		for pass, want := range [][]int{c.first, c.second} {
			for at := 0; at < c.n; at += 4 {
				s.Read(at, min(4, c.n-at))
			}
			if got := s.Counts(); !slices.Equal(got.Misses, want) || got.Pages != c.pages[pass] || got.Bytes != c.n*(pass+1) {
				t.Errorf("%d bytes, pass %d: %+v, want %v and %d", c.n, pass, got, want, c.pages[pass])
			}
		}
	}
}

// One long Read costs as much as its bytes one by one, and Counts is a copy.
func TestReadEqualsBytes(t *testing.T) {
	whole, bytes := cachesim.New(cachesim.Reference), cachesim.New(cachesim.Reference)
	for _, r := range [][2]int{{5, 100000}, {70, 1}, {0, 4096}, {1 << 20, 3 << 16}, {1, 0}, {64, -64}} {
		whole.Read(r[0], r[1])
		for b := range max(0, r[1]) {
			bytes.Read(r[0]+b, 1)
		}
	}
	got, want := whole.Counts(), bytes.Counts()
	if !reflect.DeepEqual(got, want) || got.Misses[0] == 0 || got.Touches == got.Misses[0] {
		t.Errorf("%+v, byte by byte %+v", got, want)
	}
	got.Misses[0] = -1
	if whole.Counts().Misses[0] == -1 {
		t.Error("Counts shares its memory")
	}
}

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

package explorer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// fetched counts the lines that the first steps of a walk fetch into a cache of so many lines, least recently used out
// first; dims are its loops, outermost first.
func fetched(l tensor.Layout, dims []int, size, line, lines, steps int) (n int) {
	var kept []int
	coord := make([]int, l.Rank())
	for range steps {
		at := l.At(coord...) * size / line
		if k := slices.Index(kept, at); k >= 0 {
			kept = slices.Delete(kept, k, k+1)
		} else if n++; len(kept) == lines {
			kept = kept[1:]
		}
		kept = append(kept, at)
		for _, d := range slices.Backward(dims) {
			if coord[d]++; coord[d] < l.Dim(d).Size {
				break
			}
			coord[d] = 0
		}
	}
	return n
}

// The counts after any number of accesses, made one by one, back, by the slider or at once, are those of a plain cache, in
// the layout shown and in those beside it.
func TestBrowserWalk(t *testing.T) {
	s := of(t, "nchw", 1, 64, 5, 4)
	b := show(t, s, "#layout=nchw&cache=8")
	nhwc := of(t, "nhwc", 1, 64, 5, 4).Layout
	channel := []int{0, 2, 3, 1}
	for _, steps := range []int{0, 1, 65, 64, 200, 1280, 10} {
		b.set("step", steps)
		want, other := fetched(s.Layout, channel, 4, 64, 8, steps), fetched(nhwc, channel, 4, 64, 8, steps)
		if got := value[int](b, "tlayout.access.counts.fetches"); got != want {
			t.Errorf("%d accesses fetch %d lines, want %d", steps, got, want)
		}
		said := fmt.Sprintf("channel-wise in NCHW: %d accesses fetch %d lines; in NHWC: %d.", steps, want, other)
		if got := b.text("#verdict"); steps > 1 && got != said {
			t.Errorf("%q, want %q", got, said)
		}
	}
	b.do(key("."), key("."), key("."))
	if n := value[int](b, "tlayout.access.counts.accesses"); n != 13 {
		t.Errorf("%d accesses after 10 and 3", n)
	}
	resident := value[[]int](b, `Array.from(document.querySelectorAll("#memory .line.resident"), n => Number(n.dataset.line))`)
	if want := []int{6, 7, 8, 10, 11, 12, 13, 15}; len(resident) != 8 || !slices.Equal(resident, want) {
		t.Errorf("lines %v are in the cache, want %v", resident, want)
	}
}

// A line that is fetched again says how often; played, a walk comes to its end and says its verdict.
func TestBrowserPlay(t *testing.T) {
	b := show(t, of(t, "nchw", 1, 16, 2, 4), "#layout=nchw&cache=1")
	b.set("speed", 10)
	b.do(key("p"))
	value[int](b, `new Promise(done => {
		const look = () => tlayout.access.step === 128 ? setTimeout(() => done(1), 50) : setTimeout(look, 20);
		look();
	})`)
	if times := b.text("#memory .line .times"); times != "8×" {
		t.Errorf("the first line was fetched %s", times)
	}
	if got := b.text("#verdict"); !strings.HasPrefix(got, "channel-wise in NCHW: 128 accesses fetch 64 lines; in NHWC: 8.") {
		t.Error(got)
	}
	if got := b.text("#play"); got != "▶" {
		t.Errorf("at the end the button says %s", got)
	}
}

package explorer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/tensor"
)

// fetched counts the lines that the first steps of a walk fetch into an LRU cache of this many lines; dims are its loops, outermost first.
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

// TestBrowserWalk: the counts after any number of accesses, made one by one, backwards, by the slider or at once, equal those of a plain
// cache, in the layout shown and in those beside it.
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

// TestBrowserWalkIsFollowed: the current access of a walk stays visible, even while another element is pinned, until the reader scrolls.
func TestBrowserWalkIsFollowed(t *testing.T) {
	b := show(t, of(t, "nchw", 1, 64, 5, 4), "#layout=nchw&path=spatial&at=0,0,0,0")
	b.set("speed", 10)
	const inSight = `["grid", "memory"].every(id => {
		const box = document.getElementById(id).getBoundingClientRect(), cell = document.querySelector("#" + id + " .now").getBoundingClientRect();
		return cell.top >= box.top && cell.bottom <= box.bottom && cell.left >= box.left && cell.right <= box.right;
	})`
	b.set("step", 1000)
	if i, off := b.here(); i != 0 || off != 0 || !value[bool](b, inSight) {
		t.Errorf("access 1000 is out of sight, or element %d at %d is not the one that was pinned", i, off)
	}
	played := value[[]int](b, `new Promise(done => {
		const panel = document.getElementById("memory");
		document.getElementById("play").click();
		panel.dispatchEvent(new WheelEvent("wheel"));
		panel.scrollTop = 0;
		const look = () => tlayout.access.step === 1280 ? done([panel.scrollTop]) : requestAnimationFrame(look);
		look();
	})`)
	if played[0] != 0 {
		t.Errorf("the walk pulls the reader back, to %d", played[0])
	}
	b.do(key(","))
	if !value[bool](b, inSight) {
		t.Error("the page does not show the access")
	}
}

// TestBrowserWalkOfWhatIsLeftOut: in a cut tensor, the pinned line stays while a walk visits omitted lines.
func TestBrowserWalkOfWhatIsLeftOut(t *testing.T) {
	b := show(t, of(t, "nchw", 8, 64, 56, 56), "#layout=nchw&cell=100000")
	const lines = `Array.from(document.querySelectorAll("#memory .line.guest"), n => Number(n.dataset.line))`
	for _, k := range []int{8, 9, 30} {
		b.set("step", k+1)
		got := value[[]int](b, lines)
		slices.Sort(got)
		if want := []int{k * 196, 6250}; k == 30 && !slices.Equal(got, want) || len(got) != 2 {
			t.Errorf("after access %d the lines %v came into the gap, want %v", k, got, want)
		}
	}
	if n := value[int](b, `document.querySelectorAll("#memory .line.guest.resident .cell.now, #memory .cell.here").length`); n != 2 {
		t.Errorf("%d cells are pinned or being read", n)
	}
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#memory .now").click()`))
	b.set("step", 40)
	if _, off := b.here(); off != 30*56*56 {
		t.Errorf("at offset %d is what was pinned", off)
	}
}

// TestBrowserWalksWithoutChannels: walks that a tensor's dims do not allow are listed, with the reason.
func TestBrowserWalksWithoutChannels(t *testing.T) {
	b := show(t, strided(t, "(2,3):(3,1)", "H", "W"), "#path=spatial")
	const options = `Array.from(document.querySelectorAll("#path option"), o => (o.disabled ? "no " : "") + o.textContent)`
	got := strings.Join(value[[]string](b, options), "; ")
	want := "in logical order: the last dim fastest; in memory order: address by address; " +
		"no channel-wise: needs a dim C and a spatial dim; no spatial: needs a dim C and a spatial dim"
	if got != want || value[string](b, "tlayout.access.pattern") != "logical" {
		t.Errorf("walks are %s", got)
	}
}

// TestBrowserPlay: a refetched line shows its count; a played walk reaches its end and shows its verdict.
func TestBrowserPlay(t *testing.T) {
	b := show(t, of(t, "nchw", 1, 16, 2, 4), "#layout=nchw&cache=1")
	b.set("speed", 10)
	b.do(chromedp.Evaluate[chromedp.Void](`window.played = new Promise(done => {
		const play = document.getElementById("play");
		new MutationObserver(() => { if (play.textContent === "▶") done(tlayout.access.step); }).observe(play, {childList: true});
	})`), key("p"))
	if steps := value[int](b, "played"); steps != 128 {
		t.Errorf("it stops after %d accesses", steps)
	}
	if times := b.text("#memory .line .times"); times != "8×" {
		t.Errorf("the first line was fetched %s", times)
	}
	if got := b.text("#verdict"); !strings.HasPrefix(got, "channel-wise in NCHW: 128 accesses fetch 64 lines; in NHWC: 8.") {
		t.Error(got)
	}
}

// TestBrowserOpensOnADifference: initially the cache has at most half as many lines as the storage, so that access orders differ from the
// start, and the counts are those of the whole walk, in the layout shown and in others.
func TestBrowserOpensOnADifference(t *testing.T) {
	b := newTab(t)
	for _, c := range []struct {
		s     Subject
		cache int
	}{{of(t, "nchw", 1, 8, 4, 4), 4}, {of(t, "nchw", 1, 8, 2, 2), 1}, {of(t, "nchw", 1, 64, 5, 4), 8}, {of(t, "nchw", 2, 16, 3, 3), 8}} {
		b.load(written(t, c.s), "")
		if got := value[int](b, `Number(document.getElementById("cache").value)`); got != c.cache {
			t.Errorf("%s: a cache of %d lines, want %d", c.s.Layout, got, c.cache)
		}
		value[bool](b, `new Promise(done => setTimeout(done, 20, true))`) // the comparison is made after the page
		bars := value[[]int](b, `Array.from(document.querySelectorAll("#rivals .number"), n => Number(n.textContent))`)
		n := c.s.Layout.Numel()
		if want := fetched(c.s.Layout, []int{0, 2, 3, 1}, 4, 64, c.cache, n); bars[0] != want || bars[0] < 2*bars[1] {
			t.Errorf("%s: %d lines are fetched in NCHW, want %d, and %d in NHWC", c.s.Layout, bars[0], want, bars[1])
		}
		if got := value[[]int](b, `Array.from(document.querySelectorAll("#counts dd"), n => parseInt(n.textContent.replace(/\s/g, "")))`); got[0] != n || got[1] != bars[0] {
			t.Errorf("%s: before the first access the counts are %v", c.s.Layout, got)
		}
	}
}

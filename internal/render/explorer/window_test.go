package explorer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// TestBrowserSchemes: cells have the colors of all other pictures, in the color scheme of the reader's system.
func TestBrowserSchemes(t *testing.T) {
	b := show(t, of(t, "nchw", 1, 3, 2, 2), "")
	for _, dark := range []bool{false, true} {
		b.do(media("prefers-color-scheme", map[bool]string{false: "light", true: "dark"}[dark]))
		want := []string{rgb(vector.Ground.RGB(dark))}
		for c := range 3 {
			want = append(want, rgb(vector.Tints{Kind: vector.Hues, N: 3}.RGB(c, dark)))
		}
		got := value[[]string](b, `[document.documentElement, ...[0, 4, 8].map(i => document.querySelectorAll("#grid .cell")[i])]
			.map(n => getComputedStyle(n).backgroundColor)`)
		if !slices.Equal(got, want) {
			t.Errorf("dark %v: ground and channels are %v, want %v", dark, got, want)
		}
		b.picture(t, fmt.Sprintf("rgb-dark-%v", dark))
	}
}

func rgb(r, g, b uint8) string { return fmt.Sprintf("rgb(%d, %d, %d)", r, g, b) }

// TestBrowserLarge: a large tensor is cut: the page describes the omitted parts, and pointing at one makes it visible.
func TestBrowserLarge(t *testing.T) {
	b := show(t, of(t, "nchw", 8, 64, 224, 224), "#layout=nhwc&at=7,63,223,223")
	n := value[[]int](b, `["#grid", "#memory"].map(p => document.querySelectorAll(p + " .cell").length)`)
	if n[0] < 1000 || n[0] > 4096 || n[1] < 1000 || n[1] > 4096+16 {
		t.Errorf("%v cells are drawn", n)
	}
	if text := b.text("#grid"); !strings.Contains(text, "… 62 more channels") || !strings.Contains(text, "… 6 more images") {
		t.Errorf("the grid does not describe what is omitted: %.200s", text)
	}
	if i, off := b.here(); i != 8*64*224*224-1 || off != 8*64*224*224-1 {
		t.Errorf("element %d, offset %d", i, off)
	}
	for _, k := range []int{1900, 2000} {
		b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelectorAll("#grid .cell")[%d].click()`, k)))
	}
	i, off := b.here()
	coord := value[[]int](b, "tlayout.state.at")
	if want := layoutIn(b).At(coord...); off != want || i != index(coord, layoutIn(b).Shape()) {
		t.Errorf("%v is at %d, highlighted is %d of element %d", coord, want, off, i)
	}
	if n := value[int](b, `document.querySelectorAll("#memory .line.guest").length`); n != 1 {
		t.Errorf("%d lines came into the gap", n)
	}
	b.picture(t, "large")
	b.load(written(t, of(t, "nchw", 8, 64, 56, 56)), "")
	begins := `JSON.stringify(tlayout.state.at) + document.querySelectorAll("#grid .here, #memory .here").length`
	if got := value[string](b, begins); got != "[0,63,0,1]2" {
		t.Errorf("the page begins with %s cells of it drawn", got)
	}
}

// TestBrowserOddSubjects: scalars, vectors, empty tensors and many dims have a page too.
func TestBrowserOddSubjects(t *testing.T) {
	b := newTab(t)
	for _, s := range []Subject{
		strided(t, "():()"), strided(t, "(5):(-1)@4", "N"), strided(t, "(0,3):(3,1)", "H", "W"),
		strided(t, "(1,0,2,2):(1,1,1,1)", "N", "C", "H", "W"), strided(t, "(0):(1)", "N"),
		strided(t, "(2,1,2,1,2,1,2):(8,8,4,4,2,2,1)", "a", "b", "c", "d", "e", "f", "g"), strided(t, "(1000,1000):(0,0)", "H", "W"),
	} {
		b.load(written(t, s), "")
		cells := value[int](b, `document.querySelectorAll("#grid .cell").length`)
		if n := s.Layout.Numel(); n <= 4096 && cells != n || n > 4096 && (cells < 1000 || cells > 4096) {
			t.Errorf("%s has %d cells for %d elements", s.Layout, cells, n)
		}
		b.do(key("."), key(","))
	}
}

// TestBrowserPictures takes screenshots for people: go test -run BrowserPictures -artifacts -outputdir DIR.
func TestBrowserPictures(t *testing.T) {
	megengine := of(t, "nchw", 2, 64, 3, 3)
	megengine.Layouts = []Named{named(t, megengine, "nchw4")}
	broadcast := strided(t, "(4,6):(0,1)", "H", "W")
	broadcast.Values, broadcast.ShortValues = strings.Fields("A B C D E F A B C D E F A B C D E F A B C D E F"), true
	b := newTab(t)
	b.do(chromedp.EmulateViewport(1280, 800))
	for _, c := range []struct {
		name, fragment string
		subject        Subject
		dark           bool
	}{
		{"dark", "#layout=nchw&cache=4&step=40", of(t, "nchw", 1, 64, 5, 4), true},
		{"padding", "#layout=nchw4c&cell=7&shape=1,6,3,3", of(t, "nchw", 1, 6, 3, 3), false},
		{"megengine", "", megengine, false},
		{"broadcast", "#layout=own&at=2,3", broadcast, true},
	} {
		b.do(media("prefers-color-scheme", map[bool]string{false: "light", true: "dark"}[c.dark]))
		b.load(written(t, c.subject), c.fragment)
		b.picture(t, c.name)
	}
}

// narrow sets a phone's window of this width in pixels, with touch.
func narrow(b *tab, width int) {
	b.do(chromedp.EmulateViewport(int64(width), 812, chromedp.EmulateMobile, chromedp.EmulateTouch))
}

// TestBrowserPhone: on a phone nothing is wider than the window, touch targets are large enough for a finger (WCAG 2.2, 2.5.8: 24 pixels),
// and a tap pins.
func TestBrowserPhone(t *testing.T) {
	b := newTab(t)
	for _, c := range []struct {
		subject  Subject
		fragment string
	}{
		{of(t, "nchw", 1, 64, 5, 4), "#layout=nchw4c&at=0,5,2,1&step=12"},
		{of(t, "nhwc", 2, 3, 30, 40), "#label=coord&item=1&line=128"},
		{strided(t, "(2,3,4,5,6,7):(2520,840,210,42,7,1)", "d0", "d1", "d2", "d3", "d4", "d5"), ""},
	} {
		b.load(written(t, c.subject), c.fragment)
		b.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("more").open = true`))
		for _, width := range []int{320, 375} {
			narrow(b, width)
			if wide := value[int](b, "document.documentElement.scrollWidth"); wide != width {
				t.Errorf("%s: the page is %d wide in a window of %d", c.fragment, wide, width)
			}
		}
		small := value[[]string](b, `Array.from(document.querySelectorAll("button, select, input, summary, #grid .cell"))
			.filter(n => n.offsetParent).filter(n => { const r = n.getBoundingClientRect(); return r.width < 24 || r.height < 24 })
			.map(n => n.id || n.tagName)`)
		if len(small) > 0 {
			t.Errorf("%s: too small for fingers: %v", c.fragment, small)
		}
	}
	b.load(written(t, of(t, "nchw", 1, 64, 5, 4)), "#layout=nhwc")
	x, y := b.center(`#grid [data-i="26"]`)
	b.do(chromedp.TapXY(x, y))
	if i, off := b.here(); i != 26 || off != 385 || value[string](b, "location.hash") != "#layout=nhwc&at=0,1,1,2" {
		t.Errorf("a tap lights %d at %d, %s", i, off, value[string](b, "location.hash"))
	}
	if i := value[int](b, `(document.querySelector("#pin").click(), document.querySelector("#grid .cell").dispatchEvent(
		new PointerEvent("pointerover", {bubbles: true, pointerType: "touch"})), tlayout.scene.indexOf(tlayout.state.at))`); i != 26 {
		t.Errorf("a finger that scrolls past lights %d", i)
	}
	b.picture(t, "phone")
}

// TestBrowserBrief: on a phone the sum of the tapped element is one line at the bottom, with its end visible, and covers nothing that has
// the focus. If the panel fits, the line is hidden.
func TestBrowserBrief(t *testing.T) {
	b := newTab(t)
	narrow(b, 375)
	b.load(written(t, of(t, "nchw4", 2, 64, 4, 4)), "")
	x, y := b.center(`#grid [data-i="26"]`)
	b.do(chromedp.TapXY(x, y))
	const line = `(([r, end]) => [innerHeight - r.bottom, r.height < 50, end.right <= innerWidth].join())(
		["#brief", "#brief > :last-child"].map(n => document.querySelector(n).getBoundingClientRect()))`
	const want = "x[0,1,2,2] is at0·1024 + 0·64 + 1·1 + 2·16 + 2·4=41"
	if got, text := value[string](b, line), b.text("#brief"); got != "0,true,true" || text != want {
		t.Errorf("%q at %s", text, got)
	}
	covered := value[[]string](b, `Array.from(document.querySelectorAll("button, select, input, summary, [tabindex='0']"))
		.filter(n => n.checkVisibility() && !n.closest("dialog")).filter(n => {
			document.activeElement.blur();
			scrollBy(0, n.getBoundingClientRect().bottom - innerHeight); // there the line would cover it
			n.focus();
			return n.getBoundingClientRect().bottom > document.getElementById("brief").getBoundingClientRect().top;
		}).map(n => n.id || n.className)`)
	if len(covered) > 0 {
		t.Errorf("it covers %v", covered)
	}
	if hidden := value[bool](b, `(scrollTo(0, 1e9), document.querySelector("main").getBoundingClientRect().bottom >
		document.getElementById("brief").getBoundingClientRect().top)`); hidden {
		t.Error("it covers the end of the page")
	}
	b.load(written(t, of(t, "nchw4", 1, 6, 3, 3)), "#cell=38")
	if text := b.text("#brief"); text != "Offset 38 is padding" {
		t.Error(text)
	}
	b.do(chromedp.EmulateViewport(1280, 800))
	if value[bool](b, `document.getElementById("brief").checkVisibility()`) {
		t.Error("it is visible in a wide window")
	}
}

// TestBrowserFits: in a window of 1280 x 800 the sum and all of its table are visible without scrolling, as are the grid and the memory.
func TestBrowserFits(t *testing.T) {
	b := newTab(t)
	b.do(chromedp.EmulateViewport(1280, 800))
	for _, s := range []Subject{
		of(t, "nchw", 2, 64, 3, 3), of(t, "nhwc", 8, 64, 56, 56), of(t, "nchw4", 1, 6, 3, 3), of(t, "nchw32", 2, 64, 8, 8),
		of(t, "ncdhw", 2, 3, 4, 5, 6),
	} {
		b.load(written(t, s), "")
		got := value[[]float64](b, `["#strides", "#grid", "#memory"].map(n => document.querySelector(n).getBoundingClientRect())
			.flatMap(r => [r.bottom, r.height])`)
		if got[0] > 800 || got[3] < 200 || got[5] < 200 {
			t.Errorf("%s: the table ends at %.0f; %.0f of the grid and %.0f of the memory are in sight", s.Layout, got[0], got[3], got[5])
		}
	}
}

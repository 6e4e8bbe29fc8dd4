package explorer

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// narrow is a phone's window, so many pixels wide, with fingers.
func narrow(b *tab, width int) {
	b.do(chromedp.EmulateViewport(int64(width), 812, chromedp.EmulateMobile, chromedp.EmulateTouch))
}

// On a phone nothing is wider than the window, what one touches is large enough for a finger (WCAG 2.2, 2.5.8: 24 pixels),
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

// On a phone the sum of what was tapped stands on one line at the bottom, with its end in sight, and covers nothing that
// has the focus. Where there is room for the panel it does not.
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
			scrollBy(0, n.getBoundingClientRect().bottom - innerHeight); // there the line would stand before it
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
		t.Error("it is there in a wide window")
	}
}

// In a window of 1280 x 800 the sum and all of its table are in sight without scrolling, and the grid and the memory too.
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

package web

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/chromium"
)

// TestBrowserDrawing: draw shows its drawing, which answers pointing, and trace one after each step.
func TestBrowserDrawing(t *testing.T) {
	b := open(t, "#"+`draw%20--shape%202%2C3%20--from%20fortran`)
	b.Click("#picture g[data-panel] > rect")
	if got := b.Text("#picture [role=status]"); !strings.HasPrefix(got, "pinned: ") {
		t.Errorf("the drawing says %q", got)
	}
	ask(b, "trace --shape 2,3,4,5 'permute(0,2,3,1)' 'reshape(2,60)'")
	until(b, `document.querySelector("#picture svg") !== null`)
	if got := b.Text("#steps"); got != "start1 permute(0,2,3,1)2 reshape(2,60)" {
		t.Errorf("steps %q", got)
	}
	before := b.Text("#picture")
	b.Click("#steps button")
	until(b, fmt.Sprintf(`document.querySelector("#picture").textContent !== %q`, before))
}

// TestBrowserNumbers: over a copy the cells keep the numbers of the start, which say where the elements went.
func TestBrowserNumbers(t *testing.T) {
	b := open(t, "#trace%20--shape%202%2C3%20T%20'reshape(6)'")
	until(b, `document.querySelector("#picture svg") !== null`)
	const labels = `[...document.querySelectorAll("#picture g[data-panel='1'] text")].map(n => n.textContent).join(" ")`
	if got := chromium.Value[string](b, labels); got != "0 3 1 4 2 5" {
		t.Errorf("memory after the copy has %q", got)
	}
	if got := b.Text("#note"); !strings.HasPrefix(got, "A number is the storage offset") {
		t.Errorf("the numbers are said to be %q", got)
	}
	if got := b.Text("#picture svg"); !strings.Contains(got, "reshape(6): float32 [6]") {
		t.Errorf("the drawing is of %q", got)
	}
}

// TestBrowserThread: a question about a thread has the picture of all threads, where its elements are outlined.
func TestBrowserThread(t *testing.T) {
	b := open(t, "#threads%20SM80_16x8x16_F32F16F16F32_TN%3AA%20--thread%205")
	if got := b.Text("#picture [role=status]"); !strings.HasPrefix(got, "pinned: (1, 2): T5 V0") {
		t.Errorf("pinned %q", got)
	}
	if got := chromium.Value[int](b, `document.querySelectorAll("#picture .here, #picture .same").length`); got != 8 {
		t.Errorf("%d elements are outlined, want 8", got)
	}
}

// TestBrowserOnce: draw shows its picture, and no text of it; the text is one press away.
func TestBrowserOnce(t *testing.T) {
	b := open(t, "#draw%20--shape%202%2C3")
	const visible = `["#picture svg", "#out"].map(s => document.querySelector(s)?.checkVisibility() ?? false)`
	if got := chromium.Value[[]bool](b, visible); !got[0] || got[1] {
		t.Errorf("the picture and the text are visible: %v", got)
	}
	b.Click("#text")
	if got := chromium.Value[[]bool](b, visible); !got[1] {
		t.Error("Text does not show the text")
	}
}

// TestBrowserSentence: what is said of the cell pointed at is in sight, also of a drawing that is larger than the window.
func TestBrowserSentence(t *testing.T) {
	b := open(t, "")
	for _, size := range [][2]int64{{1280, 900}, {390, 812}} {
		b.Do(chromedp.EmulateViewport(size[0], size[1]))
		ask(b, "draw --shape 2,3,16,16")
		for _, cell := range []string{"0", "200"} {
			chromium.Value[chromedp.Void](b, `void scrollTo(0, 0)`)
			selector := fmt.Sprintf(`#picture g[data-panel="0"]:nth-of-type(%s)`, map[string]string{"0": "1", "200": "180"}[cell])
			chromium.Value[chromedp.Void](b, fmt.Sprintf(`void (() => { const cells = document.querySelectorAll('#picture g[data-panel="0"]'), cell = cells[Math.min(%s, cells.length - 1)];
				cell.scrollIntoView({block: "center"}); cell.dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"})); })()`, cell))
			got := chromium.Value[[]float64](b, `(() => { const r = document.querySelector("#picture [role=status]").getBoundingClientRect(); return [r.top, r.bottom, innerHeight]; })()`)
			if got[0] < 0 || got[1] > got[2]+1 {
				t.Errorf("at %v, %s: the sentence is at %.0f to %.0f of %.0f", size, selector, got[0], got[1], got[2])
			}
			if said := b.Text("#picture [role=status]"); !strings.Contains(said, "offset") {
				t.Errorf("it says %q", said)
			}
		}
	}
}

// TestBrowserMemory: a drawing that another one replaces can be forgotten, also if nobody presses a key.
func TestBrowserMemory(t *testing.T) {
	b := open(t, "")
	chromium.Value[chromedp.Void](b, `void (window.drawings = [])`)
	for i := range 6 {
		follow(b, fmt.Sprintf("draw --shape 2,%d", i+2))
		b.Click("#picture g[data-panel] > rect")
		chromium.Value[chromedp.Void](b, `void drawings.push(new WeakRef(document.querySelector("#picture svg")))`)
	}
	follow(b, "formats nhwc")
	b.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, heapprofiler.CollectGarbage, cdp.Empty{})
		return err
	}))
	if got := chromium.Value[int](b, `drawings.filter(drawing => drawing.deref()).length`); got > 1 {
		t.Errorf("%d of 6 drawings are still in memory", got)
	}
}

// TestBrowserSave: the drawing is saved as SVG, without what pointing adds, and as PNG with two pixels for one.
func TestBrowserSave(t *testing.T) {
	b := open(t, "#draw%20--shape%202%2C3")
	b.Click("#picture g[data-panel] > rect")
	chromium.Value[chromedp.Void](b, `void (window.saved = [], URL.createObjectURL = blob => (saved.push(blob), "#" + location.hash.slice(1)), HTMLAnchorElement.prototype.click = function () { saved.push(this.download); })`)
	b.Click("#svg")
	until(b, `saved.length === 2`)
	svg := chromium.Value[string](b, `saved[0].text()`)
	if !strings.HasPrefix(svg, "<svg ") || strings.Contains(svg, "tabindex") || strings.Contains(svg, "pressed") || strings.Contains(svg, `class="here"`) {
		t.Errorf("%s", svg)
	}
	b.Click("#png")
	until(b, `saved.length === 4`)
	got := chromium.Value[[]float64](b, `createImageBitmap(saved[2]).then(image => [image.width, document.querySelector("#picture svg").width.baseVal.value])`)
	if got[0] != 2*got[1] {
		t.Errorf("the PNG is %v wide, the drawing %v", got[0], got[1])
	}
	if names := chromium.Value[string](b, `saved[1] + " " + saved[3]`); names != "draw-shape-2,3.svg draw-shape-2,3.png" {
		t.Errorf("saved as %s", names)
	}
}

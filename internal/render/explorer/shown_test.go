package explorer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/tensor"
)

// show opens the page of a subject in a tab of 1280 x 800, without animations.
func show(t *testing.T, s Subject, fragment string) *tab {
	t.Helper()
	b := newTab(t)
	b.do(chromedp.EmulateViewport(1280, 800), media("prefers-reduced-motion", "reduce"))
	b.load(written(t, s), fragment)
	return b
}

// media sets a preference of the reader's system: "prefers-color-scheme", "dark".
func media(feature, wish string) chromedp.Action[chromedp.Void] {
	features := []*emulation.MediaFeature{{Name: feature, Value: wish}}
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err
	})
}

// center scrolls a selector's node into view and returns its center, in pixels of the window.
func (b *tab) center(selector string) (x, y float64) {
	b.t.Helper()
	at := value[[]float64](b, fmt.Sprintf(`(() => { const n = document.querySelector(%q); n.scrollIntoView({block: "nearest"});
		const r = n.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`, selector))
	return at[0], at[1]
}

// point moves the mouse to a node.
func (b *tab) point(selector string) {
	b.t.Helper()
	x, y := b.center(selector)
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
}

func (b *tab) click(selector string) {
	b.t.Helper()
	x, y := b.center(selector)
	b.do(chromedp.MouseClickXY(x, y))
}

// choose selects an option of a select.
func (b *tab) choose(id, option string) {
	b.t.Helper()
	if got := value[string](b, fmt.Sprintf(`(() => { const n = document.getElementById(%q); n.value = %q;
		n.dispatchEvent(new Event("change")); return n.value })()`, id, option)); got != option {
		b.t.Fatalf("%s has no option %s", id, option)
	}
}

// set moves a slider.
func (b *tab) set(id string, to int) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const n = document.getElementById(%q); n.value = %d;
		n.dispatchEvent(new Event("input")) })()`, id, to)))
}

// text returns the text of a selector's first node.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return value[string](b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

// here returns the highlighted element and offset, as numbers of the cells, -1 for none.
func (b *tab) here() (index, offset int) {
	b.t.Helper()
	at := value[[]int](b, `[Number(document.querySelector("#grid .here")?.dataset.i ?? -1),
		Number(document.querySelector("#memory .here")?.dataset.o ?? -1)]`)
	return at[0], at[1]
}

// layoutIn returns the page's layout.
func layoutIn(b *tab) tensor.Layout {
	b.t.Helper()
	got := value[layout](b, "tlayout.scene.layout")
	dims := make([]tensor.Dim, len(got.Dims))
	for i, d := range got.Dims {
		dims[i] = tensor.Dim{Name: d.Name, Size: d.Size, Digits: d.Digits}
	}
	l, err := tensor.New(dims, got.Offset, got.Alloc)
	if err != nil {
		b.t.Fatal(err)
	}
	return l
}

// index numbers a coordinate in logical order.
func index(coord, sizes []int) int {
	n := 0
	for d, i := range coord {
		n = n*sizes[d] + i
	}
	return n
}

// picture writes a screenshot of the window into the test's artifacts.
func (b *tab) picture(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name+".png"), ask(b, chromedp.CaptureScreenshot()), 0o600); err != nil {
		t.Fatal(err)
	}
}

package chromium

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
	"github.com/chromedp/chromedp/kb"
)

// Media sets a preference of the reader's system: "prefers-color-scheme", "dark".
func Media(feature, wish string) chromedp.Action[chromedp.Void] {
	features := []*emulation.MediaFeature{{Name: feature, Value: wish}}
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err
	})
}

// Key presses a key by name: Escape, Right.
func Key(name string, options ...chromedp.KeyOption) chromedp.Action[chromedp.Void] {
	named := map[string]string{"Escape": kb.Escape, "Enter": kb.Enter, "Right": kb.ArrowRight, "Left": kb.ArrowLeft,
		"Up": kb.ArrowUp, "Down": kb.ArrowDown, "Home": kb.Home, "End": kb.End, "Tab": kb.Tab}
	if text, ok := named[name]; ok {
		name = text
	}
	return chromedp.KeyEvent(name, options...)
}

// Center scrolls a selector's node into view and returns its center, in pixels of the window.
func (b *Tab) Center(selector string) (x, y float64) {
	b.t.Helper()
	at := Value[[]float64](b, fmt.Sprintf(`(() => { const n = document.querySelector(%q); n.scrollIntoView({block: "center"});
		const r = n.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`, selector))
	return at[0], at[1]
}

// Point moves the mouse to a node.
func (b *Tab) Point(selector string) {
	b.t.Helper()
	x, y := b.Center(selector)
	b.Do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
}

// Click clicks at a node.
func (b *Tab) Click(selector string) {
	b.t.Helper()
	x, y := b.Center(selector)
	b.Do(chromedp.MouseClickXY(x, y))
}

// Text returns the text of a selector's first node.
func (b *Tab) Text(selector string) string {
	b.t.Helper()
	return Value[string](b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

// Picture writes a screenshot of the window into the test's artifacts.
func (b *Tab) Picture(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), name+".png"), Ask(b, chromedp.CaptureScreenshot()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Paper shows the page as printed.
func Paper() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		return err
	})
}

package explorer

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// key presses a key by its name.
func key(name string, options ...chromedp.KeyOption) chromedp.Action[chromedp.Void] {
	named := map[string]string{"Escape": kb.Escape, "Enter": kb.Enter, "Right": kb.ArrowRight, "Left": kb.ArrowLeft,
		"Up": kb.ArrowUp, "Down": kb.ArrowDown, "PageDown": kb.PageDown, "PageUp": kb.PageUp, "Home": kb.Home, "End": kb.End, "Tab": kb.Tab}
	if text, ok := named[name]; ok {
		name = text
	}
	return chromedp.KeyEvent(name, options...)
}

// With the keyboard alone one reaches a cell, walks along all dims and along memory, pins, plays, and asks for help.
func TestBrowserKeyboard(t *testing.T) {
	b := show(t, of(t, "nchw", 2, 3, 4, 5), "#layout=nhwc")
	b.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("summary").focus()`))
	for range 3 {
		b.do(key("Tab"))
		if value[bool](b, `document.activeElement.matches("#grid .cell")`) {
			break
		}
	}
	if !value[bool](b, `document.activeElement.matches("#grid .cell")`) {
		t.Fatalf("Tab leads to %s", value[string](b, "document.activeElement.outerHTML"))
	}
	b.do(key("Home", chromedp.KeyModifiers(2)))
	for _, c := range []struct {
		key  string
		want int
	}{
		{"Right", 1}, {"Down", 6}, {"PageDown", 26}, {"End", 29}, {"Right", 29}, {"Left", 28}, {"Up", 23}, {"PageUp", 3}, {"Home", 0},
		{"Up", 0}, {"Left", 0},
	} {
		b.do(key(c.key))
		focused := value[int](b, "Number(document.activeElement.dataset.i ?? -1)")
		if i, _ := b.here(); i != c.want || focused != c.want {
			t.Fatalf("%s leads to element %d, focus %d, want %d", c.key, i, focused, c.want)
		}
	}
	b.do(key("PageDown", chromedp.KeyModifiers(8)), key("Enter"))
	if i, _ := b.here(); i != 60 || value[string](b, "location.hash") != "#layout=nhwc&at=1,0,0,0" {
		t.Errorf("element %d is pinned, %s", i, value[string](b, "location.hash"))
	}
	if n := value[int](b, `document.querySelectorAll("#grid .cell[tabindex='0']").length`); n != 1 {
		t.Errorf("Tab stops at %d cells", n)
	}
	b.do(key("Escape"), key("Tab"))
	if !value[bool](b, `document.activeElement.matches("#memory .cell")`) {
		t.Fatalf("Tab leads to %s", value[string](b, "document.activeElement.outerHTML"))
	}
	b.do(key("Right"))
	if _, off := b.here(); off != 61 {
		t.Errorf("one on from offset 60 is %d", off)
	}
	b.do(key("."), key("."), key("."), key(","))
	if n := value[int](b, "tlayout.access.step"); n != 2 {
		t.Errorf("%d accesses after three on and one back", n)
	}
	b.do(key("Enter"), key("?"))
	if !value[bool](b, `document.getElementById("keys").open`) {
		t.Error("? does not tell the keys")
	}
	b.do(key("Escape"))
	if value[bool](b, `document.getElementById("keys").open`) {
		t.Error("Escape does not close them")
	}
	if !value[bool](b, "tlayout.state.pinned") {
		t.Error("Escape that closes the keys releases what was pinned")
	}
}

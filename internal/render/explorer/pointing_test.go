package explorer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
)

// cases returns layouts of all kinds: plain, partly filled blocks, padded rows, broadcast, with an offset, reversed, and of few dims.
func cases(t *testing.T) []Subject {
	return []Subject{
		of(t, "nchw", 1, 3, 2, 4), of(t, "nhwc", 2, 3, 2, 2), of(t, "nchw4", 1, 6, 2, 3), of(t, "OIHW4i16o4i", 3, 5, 1, 2),
		strided(t, "(2,3):(5,1)", "H", "W"), strided(t, "(2,3):(0,1)", "H", "W"), strided(t, "(2,2,3):(6,3,1)@7", "C", "H", "W"),
		strided(t, "(3,4):(-4,1)@8", "H", "W"), strided(t, "(5):(2)", "N"),
	}
}

// pointAll points at each cell of a panel in turn, and records the sum and the highlighted cells.
const pointAll = `Array.from(document.querySelectorAll("#%s .cell"), cell => {
	cell.dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"}));
	const numbers = (selector, key) => Array.from(document.querySelectorAll(selector), n => Number(n.dataset[key]));
	return {cell: Number(cell.dataset.i ?? cell.dataset.o), sum: document.getElementById("sum").textContent,
		lit: numbers("#grid .on, #grid .here", "i"), offset: numbers("#memory .here", "o")[0],
		line: numbers("#memory .line.on", "line")[0], rest: document.getElementById("address-text").textContent};
})`

type pointed struct {
	Cell, Offset, Line int
	Sum, Rest          string
	Lit                []int
}

// TestBrowserPoints: pointing at an element shows package explain's sum, and highlights its cell and cache line in memory, and all elements
// of that cell. Pointing at a cell of memory highlights its elements, or explains why it has none, in package explain's words.
func TestBrowserPoints(t *testing.T) {
	b, holes := newTab(t), 0
	for _, s := range cases(t) {
		b.load(written(t, s), "#layout=own&line=32")
		pointAtElements(b, s)
		holes += pointAtMemory(b, s.Layout)
	}
	if holes < 20 {
		t.Errorf("only %d cells of padding were looked at", holes)
	}
}

func pointAtElements(b *tab, s Subject) {
	l, seen := s.Layout, value[[]pointed](b, fmt.Sprintf(pointAll, "grid"))
	if len(seen) != l.Numel() {
		b.t.Fatalf("%s: %d cells for %d elements", l, len(seen), l.Numel())
	}
	k := 0
	for coord, off := range l.Logical() {
		got, address := seen[k], explain.NewAddress(l, coord)
		if got.Cell != k || got.Sum != address.String() || got.Offset != off || got.Line != off*s.Size/32 {
			b.t.Fatalf("%s %v: %+v, want %s", l, coord, got, address)
		}
		for _, line := range address.DigitLines() {
			if !strings.Contains(got.Rest, strings.Replace(line, "->", "→", 1)) {
				b.t.Errorf("%s %v: %q does not say %q", l, coord, got.Rest, line)
			}
		}
		if want := owners(l, off); !slices.Equal(got.Lit, want) {
			b.t.Errorf("%s %v: %v are highlighted, want %v", l, coord, got.Lit, want)
		}
		k++
	}
}

// pointAtMemory returns the number of cells without an element.
func pointAtMemory(b *tab, l tensor.Layout) (holes int) {
	seen := value[[]pointed](b, fmt.Sprintf(pointAll, "memory"))
	if len(seen) != l.Alloc() {
		b.t.Fatalf("%s: %d cells for %d offsets", l, len(seen), l.Alloc())
	}
	from, end := picture.Inside(l)
	if n := value[int](b, `document.querySelectorAll("#memory .outside").length`); n != l.Alloc()-(end-from) {
		b.t.Errorf("%s: %d cells are drawn as outside of the tensor, %d are", l, n, l.Alloc()-(end-from))
	}
	for off, got := range seen {
		want := owners(l, off)
		if got.Cell != off || got.Offset != off || !slices.Equal(got.Lit, want) {
			b.t.Errorf("%s at %d: %+v, want %v", l, off, got, want)
		}
		if len(want) == 0 {
			holes++
			why := "padding " + explain.NewPadding(l, off).String()
			if off < from || off >= end {
				why = "outside of the tensor, " + explain.NewPadding(l, off).String()
			}
			if got.Sum != "No element is here: this is "+why+"." {
				b.t.Errorf("%s at %d: %q, want %q", l, off, got.Sum, why)
			}
		}
	}
	return holes
}

// owners returns the elements at an offset, as numbers.
func owners(l tensor.Layout, off int) []int {
	coords, _ := l.Find(off, l.Numel())
	list := []int{}
	for _, c := range coords {
		list = append(list, index(c, l.Shape()))
	}
	slices.Sort(list)
	return list
}

// TestBrowserGivesUp: if the search for the elements at an offset gives up, the page says so, rather than calling it padding.
func TestBrowserGivesUp(t *testing.T) {
	const shape, strides = "(8,8,8,8,8,8,8)", "(2,2,2,2,2,2,2)"
	b := show(t, strided(t, shape+":"+strides, "a", "b", "c", "d", "e", "f", "g"), "#cell=49")
	cells := value[[]string](b, `[1, 49].map(o => document.querySelector("#memory [data-o='" + o + "']"))
		.map(n => n.classList.contains("padding") + n.textContent)`)
	if want := []string{"true", "false?"}; !slices.Equal(cells, want) {
		t.Errorf("the cells are %q, want %q", cells, want)
	}
	if title, why := b.text("#address-title"), b.text("#sum"); title != "Offset 49" || !strings.Contains(why, "was cut short") {
		t.Errorf("%q: %q", title, why)
	}
	b.click(`#memory [data-o="50"]`)
	if text := b.text("#address-text .sharing"); !strings.HasPrefix(text, "At least 4096 elements share this offset: [0, ") {
		t.Errorf("%.80q", text)
	}
}

// TestBrowserMouse: the mouse does the same, and a click pins the element until Escape.
func TestBrowserMouse(t *testing.T) {
	s := of(t, "nchw", 1, 64, 5, 4)
	s.Layouts = []Named{named(t, s, "nhwc")}
	b := show(t, s, "")
	b.point(`#grid [data-i="26"]`)
	if i, off := b.here(); i != 26 || off != 385 {
		t.Errorf("26 is pointed at, element %d and offset %d are lit", i, off)
	}
	if sum := b.text("#sum"); sum != "{0,1,1,2} · {1280,1,256,64} = 0·1280 + 1·1 + 1·256 + 2·64 = 385" {
		t.Error(sum)
	}
	b.click(`#memory [data-o="5"]`)
	b.point(`#grid [data-i="26"]`)
	if i, off := b.here(); i != 100 || off != 5 || value[string](b, "location.hash") != "#layout=nhwc&at=0,5,0,0" {
		t.Errorf("offset 5 is pinned: element %d and offset %d are lit, %s", i, off, value[string](b, "location.hash"))
	}
	b.do(key("Escape"))
	b.point(`#grid [data-i="27"]`)
	if i, _ := b.here(); i != 27 {
		t.Errorf("unpinned, element %d is lit", i)
	}
}

// TestBrowserHoverIsConstant: a hover highlights as many nodes at 4,096 elements as at 24, and queries no other node.
func TestBrowserHoverIsConstant(t *testing.T) {
	b := show(t, of(t, "nhwc", 1, 64, 8, 8), "")
	changed := value[[]int](b, `new Promise(done => {
		const counts = [], cells = document.querySelectorAll("#grid .cell");
		const watch = new MutationObserver(list => counts.push(new Set(list.map(m => m.target)).size));
		watch.observe(document.getElementById("grid"), {subtree: true, childList: true, attributes: true});
		watch.observe(document.getElementById("memory"), {subtree: true, childList: true, attributes: true});
		let k = 0;
		const next = () => {
			if (k === 20) return done([cells.length, ...counts]);
			cells[k++ * 201].dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"}));
			setTimeout(next);
		};
		next();
	})`)
	if changed[0] != 4096 || len(changed) < 15 || slices.Max(changed[1:]) > 6 {
		t.Errorf("of %d cells these changed, hover by hover: %v", changed[0], changed[1:])
	}
	times := value[[]float64](b, `(() => {
		const cells = document.querySelectorAll("#grid .cell"), times = [];
		for (let k = 0; k < 100; k++) {
			const begin = performance.now();
			cells[k * 997 % 4096].dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"}));
			document.body.offsetHeight;
			times.push(performance.now() - begin);
		}
		return times.sort((a, b) => a - b);
	})()`)
	t.Logf("a hover at 4,096 cells with its layout: median %.2f ms, 95%% %.2f ms, longest %.2f ms", times[50], times[95], times[99])
	arranged := value[[]float64](b, `["nchw", "nchw4c", "nhwc"].map(name => {
		const select = document.getElementById("layout"), begin = performance.now();
		select.value = name.toUpperCase().replace("4C", "4c");
		select.dispatchEvent(new Event("change"));
		document.body.offsetHeight;
		return performance.now() - begin;
	})`)
	t.Logf("another layout of 4,096 cells: %.0f ms", arranged)
}

// key presses a key by name.
func key(name string, options ...chromedp.KeyOption) chromedp.Action[chromedp.Void] {
	named := map[string]string{"Escape": kb.Escape, "Enter": kb.Enter, "Right": kb.ArrowRight, "Left": kb.ArrowLeft,
		"Up": kb.ArrowUp, "Down": kb.ArrowDown, "PageDown": kb.PageDown, "PageUp": kb.PageUp, "Home": kb.Home, "End": kb.End, "Tab": kb.Tab}
	if text, ok := named[name]; ok {
		name = text
	}
	return chromedp.KeyEvent(name, options...)
}

// TestBrowserKeyboard: the keyboard alone reaches a cell, moves along all dims and along memory, pins, plays, and opens the help.
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
		t.Error("? does not list the keys")
	}
	b.do(key("Escape"))
	if value[bool](b, `document.getElementById("keys").open`) {
		t.Error("Escape does not close them")
	}
	if !value[bool](b, "tlayout.state.pinned") {
		t.Error("Escape that closes the keys releases what was pinned")
	}
}

package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/chromium"
	"github.com/tlayout/tlayout/internal/gpu/threads"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
)

// show opens the page of a picture in a tab of 1280 x 800.
func show(t *testing.T, s scene.Scene) *chromium.Tab {
	t.Helper()
	b := chromium.NewTab(t)
	b.Do(chromedp.EmulateViewport(1280, 800))
	b.Load(written(t, s.Drawing(), home), "")
	return b
}

// lit lists the cells that are outlined or underlined: a mark has the left and the bottom of its cell.
const lit = `const cells = Array.from(document.querySelectorAll("g[data-panel]:has(> rect)")).map(n => ({element: n, rect: n.querySelector("rect")}));
	const corner = r => [Number(r.getAttribute("x")), Number(r.getAttribute("y")) + Number(r.getAttribute("height"))].join();
	const lit = kind => Array.from(document.querySelectorAll("." + kind), r => cells.findIndex(c => corner(c.rect) === corner(r))).sort((a, b) => a - b);`

// pointAll points at each cell in turn, and records what the status line says, and which cells are outlined and underlined.
const pointAll = `(() => { ` + lit + `
	return cells.map(({element}) => {
		element.dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "mouse"}));
		return {says: document.querySelector("[role=status]").textContent, here: lit("here"), same: lit("same"), line: lit("line")};
	}) })()`

type pointed struct {
	Says             string
	Here, Same, Line []int
}

// cellsOf lists the cells of a picture, of the grid and then of each memory, and the panel of each.
func cellsOf(s scene.Scene) (cells []scene.Cell, panels []int) {
	add := func(panel int, row []scene.Cell) {
		for _, c := range row {
			if c.Kind != scene.Omitted {
				cells, panels = append(cells, c), append(panels, panel)
			}
		}
	}
	for _, band := range s.Tensor.Bands {
		for _, plane := range band.Planes {
			for _, row := range plane.Rows {
				add(0, row.Cells)
			}
		}
	}
	for i, m := range s.Memories {
		for _, row := range m.Rows {
			add(i+1, row.Cells)
		}
	}
	return cells, panels
}

// TestBrowserPoints: pointing at a cell outlines it, the cells of the same elements in all panels, and the elements that share an address
// with those, which package tensor finds; underlines their cache lines; and says what the cell is.
func TestBrowserPoints(t *testing.T) {
	b := chromium.NewTab(t)
	for _, layouts := range [][]string{
		{"(1,3,2,4):(24,8,4,1)", "(1,3,2,4):(24,1,12,3)"}, {"(2,3):(5,1)"}, {"(2,3):(0,1)", "(2,3):(3,1)"}, {"(3,4):(-4,1)@8"}, {"(30,40):(0,1)"},
		{"Sw<2,0,2> o (4,4):(4,1)"}, {"(40,50):(50,1)", "(40,50):(1,40)"}, {"(2,20):(0,0)"}, {"(2,3,5):(1,0,2)@3"},
	} {
		s := drawn(t, picture.Options{Line: 32, Limit: 64}, layouts...)
		b.Load(written(t, s.Drawing(), home), "")
		seen := chromium.Value[[]pointed](b, pointAll)
		cells, panels := cellsOf(s)
		if len(seen) != len(cells) {
			t.Fatalf("%s: %d cells on the page, %d in the picture", layouts, len(seen), len(cells))
		}
		elements := make([][]string, len(cells))
		for i, c := range cells {
			elements[i] = held(t, layouts, c, panels[i])
		}
		for i, got := range seen {
			if want := alike(elements, panels, i); got.Says != cells[i].Detail || !slices.Equal(got.Here, []int{i}) || !slices.Equal(got.Same, want) {
				t.Fatalf("%s: pointing at cell %d, %s: %+v, want %v", layouts, i, cells[i].Detail, got, want)
			}
			if want := lines(cells, panels, append(got.Same, i)); !slices.Equal(got.Line, want) {
				t.Fatalf("%s: pointing at cell %d underlines %v, want %v", layouts, i, got.Line, want)
			}
		}
	}
}

// held returns the elements that a cell shows: one in the grid, in memory all at its offset.
func held(t *testing.T, layouts []string, c scene.Cell, panel int) []string {
	t.Helper()
	if c.Kind != scene.Element {
		return nil
	}
	indices, rest, _ := strings.Cut(c.Detail, ", offset ")
	if panel == 0 {
		return []string{"[" + regexp.MustCompile(`d\d+=`).ReplaceAllString(indices, "") + "]"}
	}
	off, list := 0, []string{}
	l := layout(t, layouts[panel-1])
	if _, err := fmt.Sscan(rest, &off); err != nil {
		t.Fatal(err)
	}
	coords, _ := l.Find(off, l.Numel())
	for _, coord := range coords {
		list = append(list, fmt.Sprint(coord))
	}
	return list
}

// alike lists the other cells that show what the i-th does: those with an element in common, and elements of the grid that are in one of
// those in memory.
func alike(elements [][]string, panels []int, i int) []int {
	common := func(k, m int) bool {
		return slices.ContainsFunc(elements[k], func(e string) bool { return slices.Contains(elements[m], e) })
	}
	list := []int{}
	for k := range elements {
		through := func(m int) bool { return panels[m] > 0 && panels[k] == 0 && common(i, m) && common(m, k) }
		if k != i && (common(i, k) || slices.ContainsFunc(ints.Range(len(elements)), through)) {
			list = append(list, k)
		}
	}
	return list
}

// lines lists the cells in the cache lines of some.
func lines(cells []scene.Cell, panels, of []int) []int {
	list := []int{}
	for k, c := range cells {
		fetched := func(i int) bool { return panels[i] == panels[k] && cells[i].Line == c.Line }
		if c.Line != scene.NoLine && slices.ContainsFunc(of, fetched) {
			list = append(list, k)
		}
	}
	return list
}

// TestBrowserThreads: pointing at an element of a tile outlines the elements of its thread.
func TestBrowserThreads(t *testing.T) {
	l, err := threads.Parse("((4,8),(2,2)):((32,1),(16,8))", []int{16, 8})
	if err != nil {
		t.Fatal(err)
	}
	s, err := picture.Threads(l, "tile", nil, picture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := show(t, s)
	for i, got := range chromium.Value[[]pointed](b, pointAll) {
		coord := []int{i / 8, i % 8}
		want := []int{}
		for k := range 128 {
			if k != i && l.Owners(k/8, k%8)[0].Thread == l.Owners(coord...)[0].Thread {
				want = append(want, k)
			}
		}
		if !slices.Equal(got.Same, want) || len(want) != 3 || !strings.HasPrefix(got.Says, tensor.Tuple(coord)+": T") {
			t.Fatalf("element %d: %+v, want %v", i, got, want)
		}
	}
}

// cell selects the cell of a panel whose label is words.
func cell(b *chromium.Tab, panel int, words string) string {
	return fmt.Sprintf(`g[data-panel="%d"]:nth-child(%d)`, panel, chromium.Value[int](b, fmt.Sprintf(`Array.from(document.querySelector("svg").children)
		.findIndex(n => n.dataset.panel === "%d" && n.querySelector("text")?.textContent === %q) + 1`, panel, words)))
}

// says returns the status line up to the first comma.
func says(b *chromium.Tab) string {
	first, _, _ := strings.Cut(b.Text("[role=status]"), ",")
	return first
}

// TestBrowserMouse: a cell answers while the mouse is on it; a click pins it until Escape, or a click on it.
func TestBrowserMouse(t *testing.T) {
	b := show(t, drawn(t, picture.Options{}, "(4,5):(5,1)", "(4,5):(1,4)"))
	hint := says(b)
	five := cell(b, 0, "5")
	b.Point(five)
	if got := says(b); got != "d0=1 d1=0" {
		t.Errorf("pointing at 5 says %q", got)
	}
	b.Point("footer")
	if got := says(b); got != hint || chromium.Value[int](b, `document.querySelectorAll(".here, .same, .line").length`) != 0 {
		t.Errorf("pointing elsewhere says %q", got)
	}
	b.Click(five)
	b.Point(cell(b, 2, "7"))
	if got := says(b); got != "pinned: d0=1 d1=0" || chromium.Value[int](b, `document.querySelectorAll("[aria-pressed=true]").length`) != 1 {
		t.Errorf("pinned, it says %q", got)
	}
	b.Do(chromium.Key("Tab"))
	b.Point("footer")
	if got := says(b); got != "pinned: d0=1 d1=0" {
		t.Errorf("pinned, and left by the focus and the mouse, it says %q", got)
	}
	b.Do(chromium.Key("Escape"))
	b.Point(cell(b, 2, "6"))
	if got := says(b); got != "d0=1 d1=1" {
		t.Errorf("released, it says %q", got)
	}
	b.Click(five)
	b.Click(five)
	b.Point(cell(b, 1, "7"))
	if got := says(b); got != "d0=1 d1=2" {
		t.Errorf("released by a click, it says %q", got)
	}
}

// TestBrowserReach: the mouse reaches each cell, also an empty one and one below the number of a step.
func TestBrowserReach(t *testing.T) {
	b := chromium.NewTab(t)
	b.Do(chromedp.EmulateViewport(1280, 2000))
	for _, s := range []scene.Scene{orders(t, "nchw", "nhwc"), drawn(t, picture.Options{Color: picture.Plain}, "(2,3):(5,1)@3")} {
		b.Load(written(t, s.Drawing(), home), "")
		hidden := chromium.Value[[]string](b, `Array.from(document.querySelectorAll("g[role=button]")).filter(n => {
			const r = n.querySelector("rect").getBoundingClientRect();
			return ![[8, 8], [r.width / 2, r.height / 2], [r.width - 3, 3]].every(([x, y]) => n.contains(document.elementFromPoint(r.x + x, r.y + y)));
		}).map(n => n.getAttribute("aria-label"))`)
		if len(hidden) > 0 {
			t.Errorf("%s: the mouse does not reach %d cells: %s", s.Title, len(hidden), hidden[0])
		}
	}
}

// TestBrowserKeyboard: Tab enters each panel at one cell; arrows move to the neighbor in the drawing, across planes; Enter pins.
func TestBrowserKeyboard(t *testing.T) {
	b := show(t, drawn(t, picture.Options{Line: 32}, "(2,2,3):(6,3,1)"))
	b.Do(chromium.Key("Tab"))
	for _, c := range []struct{ key, want string }{
		{"", "d0=0 d1=0 d2=0"}, {"Right", "d0=0 d1=0 d2=1"}, {"Down", "d0=0 d1=1 d2=1"}, {"Right", "d0=0 d1=1 d2=2"}, {"Right", "d0=1 d1=1 d2=0"}, {"Up", "d0=1 d1=0 d2=0"},
		{"Up", "d0=1 d1=0 d2=0"}, {"Left", "d0=0 d1=0 d2=2"}, {"End", "d0=1 d1=1 d2=2"}, {"Home", "d0=0 d1=0 d2=0"}, {"Left", "d0=0 d1=0 d2=0"}, {"Enter", "pinned: d0=0 d1=0 d2=0"},
		{"Right", "pinned: d0=0 d1=0 d2=1"}, {"Escape", "d0=0 d1=0 d2=1"}, {" ", "pinned: d0=0 d1=0 d2=1"}, {" ", "d0=0 d1=0 d2=1"}, {"Tab", "d0=0 d1=0 d2=0"},
		{"Down", "d0=1 d1=0 d2=2"}, {"Right", "d0=1 d1=1 d2=0"}, {"End", "d0=1 d1=1 d2=2"}, {"Right", "d0=1 d1=1 d2=2"}, {"Left", "d0=1 d1=1 d2=1"},
	} {
		if c.key != "" {
			b.Do(chromium.Key(c.key))
		}
		focused := chromium.Value[string](b, `document.activeElement.getAttribute("aria-label") ?? "nothing"`)
		if got := says(b); got != c.want || !strings.Contains(focused, strings.TrimPrefix(c.want, "pinned: ")) {
			t.Fatalf("%s leads to %q, focus on %q, want %q", c.key, got, focused, c.want)
		}
	}
	if n := chromium.Value[[]int](b, `[0, 1].map(p => document.querySelectorAll("g[data-panel='" + p + "'][tabindex='0']").length)`); !slices.Equal(n, []int{1, 1}) {
		t.Errorf("Tab stops at %v cells", n)
	}
	b.Do(chromium.Key("Tab"))
	if got := chromium.Value[string](b, "document.activeElement.tagName"); got != "A" {
		t.Errorf("after the last panel Tab leads to %s", got)
	}
}

// TestBrowserReaders: screen readers get each cell as a button with its sentence and what is drawn in it, and the status line as it changes; no tooltip repeats it.
func TestBrowserReaders(t *testing.T) {
	s := drawn(t, picture.Options{}, "(2,3):(5,1)")
	b := show(t, s)
	cells, _ := cellsOf(s)
	for i, label := range chromium.Value[[]string](b, `Array.from(document.querySelectorAll("svg [role=button][tabindex]"), n => n.getAttribute("aria-label"))`) {
		drawn := strings.Join(cells[i].Labels, " ")
		if label != cells[i].Detail && label != drawn+": "+cells[i].Detail {
			t.Errorf("cell %d is %q, want %q", i, label, cells[i].Detail)
		}
		if !regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(drawn) + `(\W|$)`).MatchString(label) {
			t.Errorf("the label %q lacks the drawn %q", label, drawn)
		}
	}
	panels := chromium.Value[[]string](b, `Array.from(new Set(Array.from(document.querySelectorAll("g[role=button]"), n => n.getAttribute("aria-description"))))`)
	if want := []string{"logical view x[d0, d1]", "(2,3):(5,1)"}; !slices.Equal(panels, want) {
		t.Errorf("the panels are %q, want %q", panels, want)
	}
	got := chromium.Value[[]string](b, `[document.querySelector("svg").role, document.querySelector("svg").ariaLabel,
		String(document.querySelectorAll("svg title").length), document.getElementById(document.querySelector("svg").getAttribute("aria-describedby")).tagName,
		document.querySelector("[role=status]").tagName]`)
	if want := []string{"group", "(2,3):(5,1)", "0", "desc", "P"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBrowserScroll: a finger that scrolls past cells does not point at them.
func TestBrowserScroll(t *testing.T) {
	b := show(t, drawn(t, picture.Options{}, "(2,3):(5,1)"))
	hint := says(b)
	chromium.Value[chromedp.Void](b, `document.querySelector("g[data-panel]").dispatchEvent(new PointerEvent("pointerover", {bubbles: true, pointerType: "touch"}))`)
	if got := says(b); got != hint {
		t.Errorf("it says %q", got)
	}
}

// TestBrowserAnotherDrawing: the script is one function, which serves each drawing that is put into a figure; one that is gone does not answer.
func TestBrowserAnotherDrawing(t *testing.T) {
	const globals = `Object.getOwnPropertyNames(window)`
	b := chromium.NewTab(t)
	b.Load("<!doctype html><title>x</title>", "")
	without := chromium.Value[[]string](b, globals)
	page := written(t, drawn(t, picture.Options{}, "(2,3):(5,1)").Drawing(), home)
	b.Load(page, "")
	own := slices.DeleteFunc(chromium.Value[[]string](b, globals), func(name string) bool { return slices.Contains(without, name) })
	if !slices.Equal(own, []string{"point"}) {
		t.Errorf("the script's globals are %q", own)
	}
	b.Click(cell(b, 0, "4"))
	b.Point("footer")
	b.Do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const other = new DOMParser().parseFromString(%q, "text/html"), figure = document.querySelector(".picture");
		figure.querySelector("svg").replaceWith(other.querySelector("svg"));
		figure.querySelector("[role=status]").replaceWith(other.querySelector("[role=status]"));
		point(figure);
	}`, page)))
	if got := says(b); got != "Point at a cell" {
		t.Errorf("the new drawing says %q", got)
	}
	b.Click(cell(b, 1, "2"))
	if got := says(b); got != "pinned: d0=0 d1=2" {
		t.Errorf("in the new drawing a click says %q", got)
	}
	b.Do(chromium.Key("Escape"))
	if got := says(b); got != "d0=0 d1=2" {
		t.Errorf("in the new drawing Escape says %q", got)
	}
}

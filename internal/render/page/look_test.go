package page

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/chromium"
	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// TestBrowserSchemes: the drawing, its outlines and the status line have the colors of the reader's scheme.
func TestBrowserSchemes(t *testing.T) {
	b := show(t, drawn(t, picture.Options{}, "(2,3):(5,1)"))
	for _, dark := range []bool{false, true} {
		b.Do(chromium.Media("prefers-color-scheme", map[bool]string{false: "light", true: "dark"}[dark]))
		b.Point(cell(b, 0, "4"))
		got := chromium.Value[[]string](b, `[getComputedStyle(document.querySelector("svg > rect")).fill, getComputedStyle(document.querySelector(".here")).stroke,
			getComputedStyle(document.querySelector("[role=status]")).backgroundColor]`)
		if want := []string{rgb(vector.Ground, dark), rgb(vector.Accent, dark), rgb(vector.Ground, dark)}; !slices.Equal(got, want) {
			t.Errorf("dark %v: %v, want %v", dark, got, want)
		}
	}
}

func rgb(p vector.Paint, dark bool) string {
	r, g, b := p.RGB(dark)
	return fmt.Sprintf("rgb(%d, %d, %d)", r, g, b)
}

// TestBrowserPhone: on a phone the drawing scrolls within the page, the status line stays in sight, and a tap pins.
func TestBrowserPhone(t *testing.T) {
	b := chromium.NewTab(t)
	b.Load(written(t, drawn(t, picture.Options{}, "(2,64,3,3):(576,9,3,1)").Drawing(), home), "")
	for _, width := range []int64{320, 390} {
		b.Do(chromedp.EmulateViewport(width, 812, chromedp.EmulateMobile, chromedp.EmulateTouch))
		x, y := b.Center(cell(b, 1, "300"))
		b.Do(chromedp.TapXY(x, y))
		got := chromium.Value[[]int64](b, `[document.documentElement.scrollWidth, document.querySelector(".drawing").scrollWidth,
			Math.round(innerHeight - document.querySelector("[role=status]").getBoundingClientRect().bottom)]`)
		if got[0] != width || got[1] <= width || got[2] != 0 {
			t.Errorf("in a window of %d the page is %d wide, the drawing %d; the status line ends %d above its end", width, got[0], got[1], got[2])
		}
		if got := says(b); got != "pinned: d0=0 d1=33 d2=1 d3=0" {
			t.Errorf("a tap says %q", got)
		}
		b.Do(chromedp.TapXY(x, y))
		if got := chromium.Value[int](b, `document.querySelectorAll("[aria-pressed]").length`); got != 0 {
			t.Error("a second tap does not release")
		}
	}
}

// TestBrowserPrint: on paper there is the drawing alone, no wider than the page.
func TestBrowserPrint(t *testing.T) {
	b := show(t, drawn(t, picture.Options{}, "(2,64,3,3):(576,9,3,1)"))
	b.Do(chromedp.EmulateViewport(600, 800), chromium.Paper())
	got := chromium.Value[[]bool](b, `[...["[role=status]", "footer", "svg"].map(n => document.querySelector(n).checkVisibility()),
		document.querySelector("svg").getBoundingClientRect().width <= 600]`)
	if want := []bool{false, false, true, true}; !slices.Equal(got, want) {
		t.Errorf("visible, and narrow: %v", got)
	}
}

// TestBrowserForeignText: foreign text stays text on the page.
func TestBrowserForeignText(t *testing.T) {
	s := drawn(t, picture.Options{}, "(2,3):(5,1)")
	s.Title, s.Tensor.Bands[0].Planes[0].Rows[0].Cells[0].Detail = nasty, nasty
	b := show(t, s)
	b.Point(`g[data-panel="0"]`)
	if got := b.Text("[role=status]"); got != nasty {
		t.Errorf("the status line says %q", got)
	}
	if got := chromium.Value[string](b, "document.title"); got != nasty {
		t.Errorf("the title is %q", got)
	}
	if n := chromium.Value[int](b, `document.querySelectorAll("img, script").length`); n != 1 {
		t.Errorf("there are %d scripts and images", n)
	}
}

// orders returns the picture of a path through a tensor in two memory orders.
func orders(t *testing.T, names ...string) scene.Scene {
	t.Helper()
	var memories []picture.Memory
	for _, name := range names {
		parsed, err := notation.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		l, err := parsed.Format.Bind([]int{1, 4, 3, 3})
		if err != nil {
			t.Fatal(err)
		}
		memories = append(memories, picture.Memory{Name: name, Layout: l})
	}
	s, err := picture.New(picture.Subject{Name: "x", Layout: memories[0].Layout, Size: 4}, memories, picture.Options{Path: picture.Channel})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBrowserPictures takes screenshots for people: make screens.
func TestBrowserPictures(t *testing.T) {
	b := chromium.NewTab(t)
	for name, s := range map[string]scene.Scene{
		"layouts":   drawn(t, picture.Options{}, "(2,3,4,5):(60,20,5,1)", "(2,3,4,5):(60,1,15,3)"),
		"broadcast": drawn(t, picture.Options{}, "(4,6):(0,1)"),
		"padding":   drawn(t, picture.Options{}, "(2,6,3,3):(72,12,4,1)@2"),
		"path":      orders(t, "nchw", "nhwc"),
		"cut":       drawn(t, picture.Options{Limit: 256}, "(8,64,56,56):(200704,3136,56,1)"),
		"swizzle":   drawn(t, picture.Options{Banks: "ldmatrix"}, "Sw<3,3,3> o (8,64):(64,1)"),
	} {
		for _, width := range []int64{390, 800, 1400} {
			for _, scheme := range []string{"light", "dark"} {
				b.Do(chromedp.EmulateViewport(width, 900), chromium.Media("prefers-color-scheme", scheme))
				b.Load(written(t, s.Drawing(), home), "")
				b.Do(chromium.Key("Tab"), chromium.Key("Right"), chromium.Key("Enter"))
				b.Picture(t, fmt.Sprintf("%s-%d-%s", name, width, scheme))
			}
		}
	}
}

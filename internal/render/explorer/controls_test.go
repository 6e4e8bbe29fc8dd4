package explorer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// inMemory are the labels of the memory's cells, by address.
const inMemory = `Array.from(document.querySelectorAll("#memory .cell"), n => n.textContent)`

// most is how many cells of a memory the page shows: limit in scene.js.
const most = 4096

// labelsOf returns the expected labels for a layout: the number of the element at each offset, or "".
func labelsOf(l tensor.Layout) []string {
	labels := make([]string, l.Alloc())
	width, k := len(fmt.Sprint(l.Numel()-1)), 0
	for _, off := range l.Logical() {
		labels[off] = strings.ReplaceAll(fmt.Sprintf("%*d", width, k), " ", "\u00a0")
		k++
	}
	return labels
}

// TestBrowserChoosesLayouts: every selectable order puts each element where package tensor does, in every block size, and the page
// describes the layout as Go does.
func TestBrowserChoosesLayouts(t *testing.T) {
	s := of(t, "nchw", 2, 6, 3, 3)
	b := show(t, s, "")
	tried := 0
	for _, o := range ordersFor(s.Layout.Names(), s.DType).list {
		b.choose("layout", o.Name)
		l, err := notation.Parse(o.Name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := l.Format.Bind(s.Layout.Shape())
		if err != nil {
			t.Fatal(err)
		}
		if got := value[[]string](b, inMemory); !slices.Equal(got, labelsOf(want)) && want.Alloc() <= most {
			t.Errorf("%s: memory holds %v, want %v", o.Name, got, labelsOf(want))
		}
		if text := b.text("#layout-text"); !strings.Contains(text, o.Name) || !strings.Contains(text, want.String()) {
			t.Errorf("%s: %q, want %s", o.Name, text, want)
		}
		tried++
	}
	b.choose("layout", "NCHW4c")
	b.choose("block", "8")
	if text := b.text("#layout-text"); !strings.HasPrefix(text, "NCHW8c (2,(8,1)<6,3,3):(72,(1,72),24,8)") || tried < 12 {
		t.Errorf("NCHW4c in blocks of 8 is %q; %d orders", text, tried)
	}
}

// TestBrowserMoves: a change of layout is animated, unless the reader prefers reduced motion.
func TestBrowserMoves(t *testing.T) {
	b := show(t, of(t, "nchw", 2, 6, 3, 3), "")
	moving := `document.getAnimations().filter(a => a.effect.target.matches("#memory .cell")).length`
	b.do(media("prefers-reduced-motion", "no-preference"))
	b.choose("layout", "NHWC")
	if n := value[int](b, moving); n < 50 {
		t.Errorf("%d cells move", n)
	}
	if n := value[int](b, `document.querySelectorAll("#memory .line.on").length`); n != 1 {
		t.Errorf("%d cache lines are lit", n)
	}
	b.set("number-1", 256)
	if n := value[int](b, `document.querySelectorAll(".moving").length + document.getAnimations().length`); n != 0 {
		t.Error("more cells than move do not put an end to what moves")
	}
	b.set("number-1", 6)
	b.do(media("prefers-reduced-motion", "reduce"))
	b.choose("layout", "NCHW")
	if n := value[int](b, moving); n != 0 {
		t.Errorf("%d cells move with reduced motion", n)
	}
}

// TestBrowserSettings: sizes, item, line, padding, labels and colors take effect.
func TestBrowserSettings(t *testing.T) {
	s := of(t, "nchw", 1, 3, 2, 3)
	s.Values, s.ShortValues = strings.Fields("a b c d e f g h i j k l m n o p q r"), true
	b := show(t, s, "#layout=nchw")
	if got := strings.Join(value[[]string](b, inMemory), ""); got != "abcdefghijklmnopqr" {
		t.Errorf("memory holds %s", got)
	}
	b.choose("layout", "NHWC")
	if got := strings.Join(value[[]string](b, inMemory), ""); got != "agmbhnciodjpekqflr" {
		t.Errorf("memory holds %s", got)
	}
	b.set("size-1", 2)
	b.choose("label", "coord")
	if got := strings.Join(value[[]string](b, inMemory)[:4], " "); got != "0,0,0,0 0,1,0,0 0,0,0,1 0,1,0,1" {
		t.Errorf("with two channels memory holds %s", got)
	}
	b.choose("layout", "NCHW")
	b.choose("pitch", "4")
	b.choose("label", "offset")
	if text := b.text("#layout-text"); text != "NCHW (1,2,2,3):(16,8,4,1) sizes : strides · row-major, W varies fastest; 4 of 16 stored elements are padding; extent 15" {
		t.Errorf("rows padded to 4: %q", text)
	}
	b.choose("item", "8")
	b.choose("line", "32")
	if got := value[int](b, `document.querySelectorAll("#memory .line").length`); got != 4 {
		t.Errorf("16 items of 8 bytes take %d lines of 32", got)
	}
	b.choose("color", "memory")
	if n := value[int](b, `new Set(Array.from(document.querySelectorAll("#grid .cell"),
		n => getComputedStyle(n).backgroundColor)).size`); n != 12 {
		t.Errorf("12 cells have %d colors", n)
	}
	want := "#layout=nchw&shape=1,2,2,3&pitch=4&item=8&line=32&label=offset&color=memory"
	if got := value[string](b, "location.hash"); got != want {
		t.Errorf("the address is %s", got)
	}
}

// TestBrowserTypedStrides: typed strides are used literally: 0 repeats, gaps are padding; invalid ones are reported, and change nothing.
func TestBrowserTypedStrides(t *testing.T) {
	s := strided(t, "(2,3):(3,1)", "H", "W")
	b := show(t, s, "")
	b.choose("layout", "strides")
	for _, c := range []struct{ strides, offset, layout string }{
		{"5, 1", "0", "(2,3):(5,1)"}, {"0 1", "2", "(2,3):(0,1)@2"}, {"-3,1", "3", "(2,3):(-3,1)@3"},
	} {
		b.typed("offset", c.offset)
		b.typed("strides-typed", c.strides)
		if got := layoutIn(b).String(); got != c.layout {
			t.Errorf("%s from %s is %s", c.strides, c.offset, got)
		}
	}
	b.typed("strides-typed", "-9,1")
	if got, note := layoutIn(b).String(), b.text("#note"); got != "(2,3):(-3,1)@3" || !strings.Contains(note, "-6") {
		t.Errorf("an element before the storage is %s, %q", got, note)
	}
}

// TestBrowserStridesOfOneIndex: the stride of a dim of size 1 is that of its innermost block.
func TestBrowserStridesOfOneIndex(t *testing.T) {
	b := show(t, of(t, "OIHW4i16o4i", 3, 1, 2, 2), "")
	b.choose("layout", "strides")
	if got := layoutIn(b).String(); got != "(3,1,2,2):(4,1,512,256)" {
		t.Errorf("typed strides begin with %s", got)
	}
}

// typed types a field's text.
func (b *tab) typed(id, text string) {
	b.t.Helper()
	b.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.getElementById(%q).select()`, id)), chromedp.KeyEvent(text))
}

// TestBrowserNotation: the page explains the numbers of a layout.
func TestBrowserNotation(t *testing.T) {
	b := newTab(t)
	for _, c := range []struct {
		subject     Subject
		short, long string
	}{
		{of(t, "nchw", 2, 64, 3, 3), "sizes : strides", "the size and stride of N, C, H, W, in elements"},
		{strided(t, "(2,3):(3,1)@4", "H", "W"), "sizes : strides @ offset",
			"the size and stride of H, W, in elements; @ the offset of the first element"},
		{of(t, "nchw4", 1, 6, 3, 3), "sizes : strides", "the size and stride of N, C, H, W, in elements; " +
			"nested brackets: the digits of one dim, fastest first; < its size, if they have room for more"},
		{strided(t, "():()"), "sizes : strides", "neither sizes nor strides"},
	} {
		b.load(written(t, c.subject), "")
		got := value[[]string](b, `(([code, small]) => [small.textContent, code.title, small.title])(
			document.querySelectorAll("#layout-text code, #layout-text small"))`)
		if want := []string{c.short, c.long, c.long}; !slices.Equal(got, want) {
			t.Errorf("%s is explained by %q, not %q", c.subject.Layout, got, want)
		}
	}
}

// TestBrowserContiguous: the page names the senses in which the layout is contiguous, and the extent if it differs from the storage.
func TestBrowserContiguous(t *testing.T) {
	b := newTab(t)
	for _, c := range []struct {
		subject Subject
		want    string
	}{
		{of(t, "nchw", 2, 3, 2, 2), "C-contiguous; no padding"}, {of(t, "nhwc", 2, 3, 2, 2), "channels_last contiguous; no padding"},
		{of(t, "nchw", 2, 1, 2, 2), "C- and channels_last contiguous; no padding"},
		{of(t, "ndhwc", 2, 3, 2, 2, 2), "channels_last_3d contiguous; no padding"},
		{of(t, "ncdhw", 2, 1, 2, 2, 2), "C- and channels_last_3d contiguous; no padding"},
		{strided(t, "(4):(1)", "W"), "C- and F-contiguous; no padding"}, {strided(t, "(2,3):(1,2)", "H", "W"), "F-contiguous; no padding"},
		{strided(t, "(2,3):(5,1)", "H", "W"), "2 of 8 stored elements are padding"}, {strided(t, "(0,3):(3,1)", "H", "W"), "no padding"},
		{strided(t, "(2,3):(3,1)@4", "H", "W"), "C-contiguous; 4 of 10 stored elements are outside of the tensor; extent 6"},
		{strided(t, "(1,3):(5,1)@1", "H", "W"), "C- and F-contiguous; 1 of 4 stored elements is outside of the tensor; extent 3"},
		{strided(t, "(2,3):(5,1)@1", "H", "W"), "2 of 9 stored elements are padding, 1 outside of the tensor; extent 8"},
		{of(t, "nchw4", 1, 6, 1, 1), "2 of 8 stored elements are padding; extent 6"},
	} {
		b.load(written(t, c.subject), "#layout=own")
		text := b.text("#layout-text")
		if _, said, _ := strings.Cut(text, " · "); said != c.want && !strings.HasSuffix(said, "; "+c.want) {
			t.Errorf("%s: %q, want %q", c.subject.Layout, said, c.want)
		}
	}
}

// TestBrowserLongerStorage: a layout with a longer storage than its order needs is not named after the order alone.
func TestBrowserLongerStorage(t *testing.T) {
	s := of(t, "hw", 2, 3)
	var err error
	if s.Layout, err = tensor.New([]tensor.Dim{s.Layout.Dim(0), s.Layout.Dim(1)}, 0, 8); err != nil {
		t.Fatal(err)
	}
	b := show(t, s, "#layout=own")
	if name, text := b.text("#layout option"), b.text("#layout-text"); name != "as stored" || !strings.HasPrefix(text, "its own layout ") {
		t.Errorf("%q, %q", name, text)
	}
}

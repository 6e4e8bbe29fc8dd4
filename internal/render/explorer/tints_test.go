package explorer

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tlayout/tlayout/internal/render/picture"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/render/vector"
)

// TestBrowserColorsAreThoseOfPictures: each cell of memory has the same color as in a picture of the same layout, initially and by position
// in memory.
func TestBrowserColorsAreThoseOfPictures(t *testing.T) {
	b := newTab(t)
	for _, s := range []Subject{
		of(t, "nchw", 1, 3, 2, 2), of(t, "nhwc", 1, 12, 2, 2), of(t, "nchw", 2, 13, 2, 1), of(t, "nchw4", 1, 64, 2, 2),
		of(t, "nchw", 2, 1, 3, 4), of(t, "nchw", 1, 1, 1, 1), strided(t, "(20):(2)@5", "N"), strided(t, "(3,14):(0,1)", "H", "W"),
		strided(t, "(3,2):(0,0)", "H", "W"), strided(t, "(2,3,2,2):(4,0,2,1)", "N", "C", "H", "W"),
		strided(t, "(4,5):(-5,1)@15", "O", "I"), strided(t, "(2,3,4):(12,4,1)", "a", "b", "c"),
	} {
		b.load(written(t, s), "#label=none")
		if got, want := tintsIn(b), pictured(t, s, vector.Hues, picture.ByChannel); !slices.Equal(got, want) {
			t.Errorf("%s has the colors %v, in pictures %v", s.Layout, got, want)
		}
		b.choose("color", "memory")
		if got, want := tintsIn(b), pictured(t, s, vector.Ramp, picture.ByMemory); !slices.Equal(got, want) {
			t.Errorf("%s by position has the colors %v, in pictures %v", s.Layout, got, want)
		}
	}
}

// TestBrowserColorsByValue: by value it has the colors of pictures too, from the minimum to the maximum of finite values.
func TestBrowserColorsByValue(t *testing.T) {
	b, huge := newTab(t), math.MaxFloat64
	for _, s := range []Subject{
		withNumbers(of(t, "nhwc", 1, 3, 2, 2), 5, -1, 0.1, 2.5, 4, 3, 2, 1, 0, 9, 8, 7),
		withNumbers(of(t, "nchw4", 1, 6, 2, 2), 0.1, 0.2, 0.3, math.NaN(), 1e-9, math.Inf(1), math.Inf(-1)),
		withNumbers(strided(t, "(5):(2)@1", "N"), 7),
		withNumbers(strided(t, "(6):(1)", "W"), -9.87654321, 0, 1.5, 0.001, -0.001, 4.93),
		withNumbers(strided(t, "(5):(1)", "W"), -3, -2.5, -1, math.Copysign(0, -1), math.NaN()),
		withNumbers(strided(t, "(4,5):(-5,1)@15", "H", "W"), huge, -huge, 0, 1, huge/3),
		withNumbers(strided(t, "(3,70):(70,1)", "H", "W"), 63, 64, 1, 65, 0, 2, 31, 32, 33),
		withNumbers(strided(t, "(3):(1)", "W"), 0, math.Copysign(0, -1)),
	} {
		s.Numeric = true
		b.load(written(t, s), "#color=value")
		if got, want := tintsIn(b), pictured(t, s, kindOf(s), picture.ByValue); !slices.Equal(got, want) {
			t.Errorf("%v has the colors %v, in pictures %v", s.Values, got, want)
		}
		if got, want := b.text("#legend"), legendOf(sceneOf(t, s, picture.Options{Color: picture.ByValue})); got != want {
			t.Errorf("%v: the key says %q, that of pictures %q", s.Values, got, want)
		}
	}
	b.set("size-0", 5)
	if got := tintsIn(b); len(got) != 5 || got[0] == "" || got[3]+got[4] != "" {
		t.Errorf("3 values and 2 more elements have the colors %q", got)
	}
	words := withNumbers(strided(t, "(2):(1)", "W"), math.NaN(), math.Inf(1))
	b.load(written(t, words), "#color=value")
	if note := b.text("#note"); note != "Ignored in the URL: color=value." {
		t.Errorf("without numbers the page says %q", note)
	}
}

// kindOf returns the kind of tints for a subject's values: diverging if they have both signs.
func kindOf(s Subject) vector.TintKind {
	negative, positive := false, false
	for _, x := range s.Numbers {
		negative, positive = negative || x < 0 && !math.IsInf(x, 0), positive || x > 0 && !math.IsInf(x, 0)
	}
	if negative && positive {
		return vector.Diverging
	}
	return vector.Ramp
}

// TestBrowserNouns: an index of a dim has the same noun as in pictures: channel for C, slice for D.
func TestBrowserNouns(t *testing.T) {
	dims := strings.Split("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "")
	s := strided(t, "("+strings.Repeat("2,", 25)+"2):("+strings.Repeat("0,", 25)+"1)", dims...)
	b := show(t, s, "#shape="+strings.Repeat("1,", 25)+"2")
	for _, name := range dims {
		b.choose("color", name)
		got, _, _ := strings.Cut(b.text("#legend"), ":")
		if want := sceneOf(t, s, picture.Options{Color: picture.ByDim, Dim: name, Limit: 2}).Scale.Name; got != want {
			t.Errorf("an index of %s is a %s, in pictures a %s", name, got, want)
		}
	}
}

// legendOf returns the color key of a picture as the page writes it.
func legendOf(drawn scene.Scene) string {
	if s := drawn.Scale; s.N > 1 {
		return s.Name + ":" + s.Low + s.High
	}
	return drawn.Scale.Name + ":" + drawn.Scale.Low
}

// TestBrowserLegend: the legend of colors is visible, and equals that of pictures.
func TestBrowserLegend(t *testing.T) {
	b := newTab(t)
	b.do(chromedp.EmulateViewport(1280, 800))
	for _, s := range []Subject{
		of(t, "nchw", 1, 3, 2, 2), of(t, "nchw", 1, 64, 2, 2), strided(t, "(2,3):(3,1)", "a", "b"),
	} {
		b.load(written(t, s), "")
		if !value[bool](b, `document.getElementById("legend").checkVisibility()`) {
			t.Errorf("%s: the key is hidden", s.Layout)
		}
		for _, by := range []picture.Coloring{picture.ByChannel, picture.ByMemory} { // at first, and chosen
			if by == picture.ByMemory {
				b.choose("color", "memory")
			}
			if got, want := b.text("#legend"), legendOf(sceneOf(t, s, picture.Options{Color: by})); got != want {
				t.Errorf("%s: the key says %q, that of pictures %q", s.Layout, got, want)
			}
		}
	}
}

// tintsIn returns the colors of the memory's cells; "" for padding and untinted elements.
func tintsIn(b *tab) []string {
	b.t.Helper()
	return value[[]string](b, `Array.from(document.querySelectorAll("#memory .cell"),
		n => n.matches(".padding, .outside, .t-1") ? "" : getComputedStyle(n).backgroundColor)`)
}

// sceneOf returns a picture of a subject.
func sceneOf(t *testing.T, s Subject, o picture.Options) scene.Scene {
	t.Helper()
	drawn := picture.Subject{Layout: s.Layout, Size: 4, Numeric: s.Numeric}
	if s.Values != nil {
		at, k := map[int]int{}, 0
		for _, off := range s.Layout.Logical() {
			at[off] = k
			k++
		}
		drawn.Value = func(off int) (string, float64, bool) { return s.Values[at[off]], s.Numbers[at[off]], true }
	}
	drawnd, err := picture.New(drawn, []picture.Memory{{Name: "memory", Layout: s.Layout}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return drawnd
}

// pictured returns the same for a picture. The page picks from the colors of the longest ramp.
func pictured(t *testing.T, s Subject, kind vector.TintKind, by picture.Coloring) []string {
	t.Helper()
	l, scene := s.Layout, sceneOf(t, s, picture.Options{Color: by})
	var list []string
	for _, row := range scene.Memories[0].Rows {
		for _, cell := range row.Cells {
			i, tints := int(cell.Tint), scene.Scale.Tints
			if tints.Kind != kind {
				t.Fatalf("%s has tints of kind %d", l, tints.Kind)
			}
			if kind == vector.Ramp && tints.N > 1 {
				i, tints.N = (2*i*(vector.MaxRamp-1)+tints.N-1)/(2*(tints.N-1)), vector.MaxRamp
			}
			if list = append(list, ""); cell.Tint >= 0 {
				list[len(list)-1] = rgb(tints.RGB(i, false))
			}
		}
	}
	return list
}

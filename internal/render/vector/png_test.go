package vector

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/random/property"

	"github.com/tlayout/tlayout/internal/golden"
)

// decode writes and reads the PNG.
func decode(t failer, d Drawing, o PNGOptions) (*image.RGBA, []byte) {
	t.Helper()
	var out bytes.Buffer
	if err := d.PNG(&out, o); err != nil {
		t.Fatalf("%v", err)
	}
	return read(t, out.Bytes()), out.Bytes()
}

func read(t failer, file []byte) *image.RGBA {
	im, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatalf("%v", err)
	}
	pixels := image.NewRGBA(im.Bounds())
	draw.Draw(pixels, im.Bounds(), im, image.Point{}, draw.Src)
	return pixels
}

// differ returns the mean difference of two pictures of one size, over the pixels' red, green and blue, of 255.
func differ(a, b *image.RGBA) float64 {
	sum := 0
	for i, v := range a.Pix {
		sum += max(int(v), int(b.Pix[i])) - min(int(v), int(b.Pix[i]))
	}
	return float64(sum) / float64(len(a.Pix)/4*3)
}

// TestPNGGolden: the PNG of everything in both schemes. Machines may round the edges of lines differently; a missing letter would make a
// difference of 0.1 or more.
func TestPNGGolden(t *testing.T) {
	for name, dark := range map[string]bool{"light": false, "dark": true} {
		path := "testdata/everything_" + name + ".golden.png"
		got, file := decode(t, everything(), PNGOptions{Dark: dark})
		if *golden.Update {
			if err := os.WriteFile(path, file, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		golden, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := read(t, golden)
		if want.Bounds() != got.Bounds() {
			t.Fatalf("%v is not %v", got.Bounds(), want.Bounds())
		}
		if d := differ(want, got); d > 0.02 {
			t.Errorf("%s differs by %.3f", path, d)
		}
	}
	d := everything()
	d.Marks = d.Marks[:len(d.Marks)-1]
	d.Marks = append(d.Marks, Text{X: 220, Y: 20, Words: "… 61 mor", Anchor: End, Paint: Quiet})
	a, _ := decode(t, everything(), PNGOptions{})
	b, _ := decode(t, d, PNGOptions{})
	if off := differ(a, b); off < 0.1 {
		t.Errorf("a letter less is %.3f only", off)
	}
}

// TestPNGPixels: tints, hatch, lines, border and text are in their places, in both schemes; scale enlarges them.
func TestPNGPixels(t *testing.T) {
	d := everything()
	for _, o := range []PNGOptions{{}, {Scale: 1}, {Scale: 3, Dark: true}} {
		im, _ := decode(t, d, o)
		scale := or(o.Scale, 2)
		if want := image.Rect(0, 0, int(240*scale), int(120*scale)); im.Bounds() != want {
			t.Fatalf("%v, want %v", im.Bounds(), want)
		}
		// any reports whether a paint stands anywhere in a part of the picture
		any := func(p Paint, x, y, w, h float64) bool {
			r, g, b := d.rgb(p, o.Dark)
			for py := int(y * scale); py < int((y+h)*scale); py++ {
				for px := int(x * scale); px < int((x+w)*scale); px++ {
					if im.RGBAAt(px, py) == (color.RGBA{r, g, b, 255}) {
						return true
					}
				}
			}
			return false
		}
		for what, c := range map[string]struct {
			paint      Paint
			x, y, w, h float64
			want       bool
		}{
			"ground": {Ground, 0, 0, 1, 1, true}, "red": {Tint(0), 24, 44, 2, 2, true}, "blue": {Tint(2), 104, 44, 2, 2, true},
			"stripes": {Hatch, 145, 45, 30, 20, true}, "between them": {Grid, 145, 45, 30, 20, true},
			"stripes alone": {Hatch, 142, 78, 36, 16, true}, "and the ground": {Ground, 142, 78, 36, 16, true},
			"no stripes beside": {Hatch, 186, 40, 10, 60, false},
			"frame":             {Frame, 90, 39, 10, 2, true},
			"line":              {Accent, 80, 83, 10, 4, true},
			"dashed line":       {Limit, 198, 20, 4, 12, true}, "with gaps": {Ground, 199.5, 20, 1, 12, true},
			"title": {Ink, 20, 12, 80, 16, true}, "quiet text": {Quiet, 150, 12, 70, 16, true},
			"not so far": {Quiet, 20, 10, 60, 20, false},
		} {
			if any(c.paint, c.x, c.y, c.w, c.h) != c.want {
				t.Errorf("%+v: %s", o, what)
			}
		}
	}
}

// written are the non-ASCII characters that the program writes, and common ones that it may write.
const written = "…·×÷★⌈⌉⌊⌋⋮≥≤→←↑↓−–—±≠≈∞√ΣΠµ²³½°•■□▲▼►◄●○─│┌┐└┘├┤┬┴┼█░▒αβσλπÄÖÜäöüßéèñ«»“”’€"

// TestPNGCharacters: each of them is drawn, in every font, as itself rather than as the replacement character or nothing.
func TestPNGCharacters(t *testing.T) {
	look := func(words string, bold, mono bool) *image.RGBA {
		text := Text{X: 2, Y: 12, Words: words, Size: 16, Paint: Ink, Bold: bold, Mono: mono}
		im, _ := decode(t, Drawing{Width: 24, Height: 24, Marks: []Mark{text}}, PNGOptions{Scale: 1})
		return im
	}
	for _, way := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		nothing, mark := look("", way[0], way[1]), look("\ufffd", way[0], way[1])
		if differ(nothing, mark) < 5 {
			t.Fatalf("the mark of a missing character differs by %.2f from nothing", differ(nothing, mark))
		}
		for _, r := range written {
			im := look(string(r), way[0], way[1])
			if differ(im, nothing) < 0.4 || differ(im, mark) < 2 {
				t.Errorf("%c: %.2f from nothing, %.2f from the mark of a missing character", r, differ(im, nothing), differ(im, mark))
			}
		}
		if differ(look("日", way[0], way[1]), mark) != 0 {
			t.Error("an unknown character is not marked")
		}
	}
}

// TestMeasure: text stays within Measure, and on its anchor's side; adjacent blanks are as wide as digits.
func TestMeasure(t *testing.T) {
	for _, words := range []string{"W", "nchw to nhwc", "⌈C/4⌉ ★ ⋮ … · ×", "0  1", " 12", "iiii", "日本", "e\u0301"} {
		for _, way := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
			text := Text{X: 200, Y: 10, Words: words, Paint: Ink, Bold: way[0], Mono: way[1]}
			im, _ := decode(t, Drawing{Width: 400, Height: 20, Marks: []Mark{text}}, PNGOptions{Scale: 1})
			room, used := Measure(words, 13, way[0], way[1]), 0.0
			for y := range 20 {
				for x := range 400 {
					if im.RGBAAt(x, y).R < 0x80 {
						used = max(used, float64(x-199))
						if x < 199 {
							t.Fatalf("%q begins at %d", words, x)
						}
					}
				}
			}
			if used > room+1 || used < room/2-7 {
				t.Errorf("%q is %v wide, room for %.1f", words, used, room)
			}
		}
	}
	for in, want := range map[string]float64{"": 0, "0000": 24, "…★日": 6*2 + 10, "0  0": 24} {
		if got := Measure(in, 10, false, true); math.Abs(got-want) > 0.02 {
			t.Errorf("%q: %v, want %v", in, got, want)
		}
	}
	if a, b := Measure("1  2", 13, false, false), Measure("1002", 13, false, false); math.Abs(a-b) > 1e-9 {
		t.Errorf("blanks are %v wide, digits %v", a, b)
	}
	line := func(words string) *image.RGBA {
		im, _ := decode(t, Drawing{Width: 90, Height: 20, Marks: []Mark{Text{Y: 10, Words: words, Paint: Ink}}}, PNGOptions{})
		return im
	}
	if differ(line("1  2"), line("1\u2007\u20072")) != 0 {
		t.Error("a PNG's blanks are not those that were measured")
	}
}

// TestPNGLimit: a picture too large for a PNG is refused with a hint, before any memory is allocated for it.
func TestPNGLimit(t *testing.T) {
	for _, d := range []struct {
		width, height, scale float64
		words                string
	}{
		{10000, 10000, 1, "10000 × 10000"}, {5000, 4000, 2, "10000 × 8000"}, {100, 100, 1e9, "100000000 × "},
		{1e300, 1e300, 1, "1000000 × 1000000"},
	} {
		err := Drawing{Width: d.width, Height: d.height}.PNG(io.Discard, PNGOptions{Scale: d.scale})
		var f *fault.Error
		if !errors.As(err, &f) || f.Class != fault.Unsupported || f.Hint == "" || !strings.Contains(f.Text, d.words) {
			t.Errorf("%+v: %+v", d, err)
		}
	}
}

// TestPNGOfAnything: no drawing causes a panic or a broken file, whatever its lengths, paints and texts.
func TestPNGOfAnything(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		d := anyDrawing(t)
		d.Width, d.Height = min(size(d.Width), 300), min(size(d.Height), 300)
		scale := rapid.SampledFrom([]float64{0, 1, 0.01, 2.5, math.NaN(), -1}).Draw(t, "scale")
		decode(t, d, PNGOptions{scale, rapid.Bool().Draw(t, "dark")})
	})
}

// TestPNGFarAway: a mark far larger than the page still covers it, even if its corners overflow a raster's coordinates.
func TestPNGFarAway(t *testing.T) {
	d := Drawing{Width: 3, Height: 3, Marks: []Mark{Rect{X: -5e5, Y: -5e5, W: 1e6, H: 1e6, Fill: Bar}}}
	im, _ := decode(t, d, PNGOptions{Scale: 100})
	r, g, b := Bar.RGB(false)
	for _, at := range []int{0, 150, 299} {
		if im.RGBAAt(at, at) != (color.RGBA{r, g, b, 255}) {
			t.Errorf("%v at %d", im.RGBAAt(at, at), at)
		}
	}
}

// TestPNGPalette: a picture of few paints has a palette, one of many does not.
func TestPNGPalette(t *testing.T) {
	for name, c := range map[string]struct {
		d    Drawing
		want bool
	}{"everything": {everything(), true}, "cells of 64 colors": {cells(300), false}} {
		var out bytes.Buffer
		if err := c.d.PNG(&out, PNGOptions{}); err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(bytes.NewReader(out.Bytes()))
		if palette, is := config.ColorModel.(color.Palette); err != nil || is != c.want || len(palette) > 256 {
			t.Errorf("%s: %T, %v", name, config.ColorModel, err)
		}
	}
}

// TestWidths: text is as wide as the fonts that are drawn, which have the same characters; bold text that is not ASCII, nearly.
func TestWidths(t *testing.T) {
	for r := rune(' '); r < 0x1_0000; r++ {
		for name, c := range map[string]struct {
			measured *typeface
			drawn    *drawnFont
		}{
			"regular": {regular(), drawnRegular()}, "bold": {bold(), drawnBold()}, "mono": {mono(), drawnMono()}, "bold mono": {mono(), drawnMonoBold()},
		} {
			if c.measured.has(r) != c.drawn.has(r) {
				t.Errorf("%s: %q: measured %t, drawn %t", name, r, c.measured.has(r), c.drawn.has(r))
			}
			exact := name != "bold" || r < 127
			if exact && c.drawn.has(r) && c.measured.advance(r) != c.drawn.advance(r) {
				t.Errorf("%s: %q is %v wide, measured %v", name, r, c.drawn.advance(r), c.measured.advance(r))
			}
		}
	}
}

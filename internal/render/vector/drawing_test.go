package vector

import (
	"math"

	"pgregory.net/rapid"
)

// everything is a drawing with all kinds of marks: a row of tinted cells, padding, a frame, a line with corners, a dashed line, and texts
// of each kind, with the characters that the program writes.
func everything() Drawing {
	d := Drawing{Width: 240, Height: 120, Title: "R < G & B", Desc: "three cells and padding", Tints: Tints{Hues, 3}}
	for i, name := range []string{"R", "G", "B"} {
		x := 20 + 40*float64(i)
		d.Marks = append(d.Marks, Group{Title: "c=" + name, Marks: []Mark{
			Rect{X: x, Y: 40, W: 40, H: 30, Fill: Tint(i), Stroke: Grid},
			Text{X: x + 20, Y: 55, Words: name + "  1", Size: 11, Anchor: Middle, Mono: true, Paint: Ink}}})
	}
	return Drawing{d.Width, d.Height, d.Title, d.Desc, []string{"cells"}, d.Tints, append(d.Marks,
		Group{Title: "padding", Marks: []Mark{Rect{X: 140, Y: 40, W: 40, H: 30, Fill: Grid, Stroke: Edge, StrokeWidth: 1.5, Hatch: Hatch}}},
		Rect{X: 140, Y: 76, W: 40, H: 20, Hatch: Hatch},
		Rect{X: 20, Y: 40, W: 160, H: 30, Radius: 3, Stroke: Frame, StrokeWidth: 2},
		Line{Points: []Point{{40, 55}, {60, 85}, {120.456, 85}}, Stroke: Accent, Width: 2},
		Line{Points: []Point{{200, 20}, {200, 110}}, Stroke: Limit, Width: 2, Dashed: true},
		Text{X: 20, Y: 20, Words: "⌈C/4⌉ ★ 3×2", Size: 16, Bold: true, Paint: Ink},
		Text{X: 220, Y: 20, Words: "… 61 more", Anchor: End, Paint: Quiet},
	)}
}

// odd are lengths that no drawing should have.
var odd = []float64{0, -1, -1e9, 1e9, math.MaxFloat64, 5e-324, math.NaN(), math.Inf(1), math.Inf(-1)}

// hostile is text that would end an element, or that XML or a font cannot represent.
var hostile = []string{"", "</text><script>f()", `"&amp;'`, "]]>", "<!--", "\x00\x1b\ufffe", "\xff", "日本", "e\u0301",
	"\u0301", "👩‍👧", "\u202e", "  a  b ", "\t\n", "★⌈⌉⌊⌋⋮"}

// anyDrawing returns a drawing of any lengths, paints and texts.
func anyDrawing(t *rapid.T) Drawing {
	length := rapid.OneOf(rapid.Float64Range(-50, 300), rapid.SampledFrom(odd))
	words := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String())
	paint := rapid.Custom(func(t *rapid.T) Paint { return Paint(rapid.IntRange(-1, 20).Draw(t, "paint")) })
	flags := rapid.Bool()
	number := func(name string) float64 { return length.Draw(t, name) }
	var marks func(depth int) []Mark
	one := func(depth int) Mark {
		switch rapid.IntRange(0, 3).Draw(t, "mark") {
		case 0:
			return Rect{number("x"), number("y"), number("w"), number("h"), number("radius"), paint.Draw(t, "fill"),
				paint.Draw(t, "stroke"), number("width"), paint.Draw(t, "hatch")}
		case 1:
			var points []Point
			for range rapid.IntRange(0, 4).Draw(t, "points") {
				points = append(points, Point{number("x"), number("y")})
			}
			return Line{points, paint.Draw(t, "stroke"), number("width"), flags.Draw(t, "dashed")}
		case 2:
			return Text{number("x"), number("y"), words.Draw(t, "words"), paint.Draw(t, "paint"), number("size"),
				Anchor(rapid.IntRange(0, 3).Draw(t, "anchor")), flags.Draw(t, "bold"), flags.Draw(t, "mono")}
		}
		return Group{words.Draw(t, "title"), Link{depth, len(words.Draw(t, "line")) - 1, rapid.SliceOf(rapid.Int()).Draw(t, "keys")}, marks(depth - 1)}
	}
	marks = func(depth int) []Mark {
		var list []Mark
		for range rapid.IntRange(0, depth*2).Draw(t, "marks") {
			list = append(list, one(depth))
		}
		return list
	}
	tints := Tints{TintKind(rapid.IntRange(0, 2).Draw(t, "kind")), rapid.IntRange(-3, 300).Draw(t, "n")}
	return Drawing{number("width"), number("height"), words.Draw(t, "title"), words.Draw(t, "desc"), []string{words.Draw(t, "panel")}, tints, marks(3)}
}

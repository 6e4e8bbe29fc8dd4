package scene

import (
	"bytes"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/golden"
	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/render/vector"
	"github.com/tlayout/tlayout/internal/text"
)

// anyScene is a scene of arbitrary cells and texts, including hostile ones.
func anyScene(t *rapid.T) Scene {
	text := rapid.OneOf(rapid.SampledFrom(golden.Hostile), rapid.StringMatching(`[a-z]=?[0-9]{0,3}`))
	some := func(n int) int { return rapid.IntRange(0, n).Draw(t, "n") }
	skip := rapid.SampledFrom([]string{"", "", "", "… 5 more channels", strings.Repeat("many words ", 20)})
	cell := anyCell(text)
	s := Scene{Title: text.Draw(t, "title"), Lines: rapid.SliceOfN(text, 0, 2).Draw(t, "lines")}
	s.Scale = Scale{Name: text.Draw(t, "scale"), Tints: vector.Tints{N: some(9)}, Low: text.Draw(t, "low"), High: text.Draw(t, "high")}
	s.Tensor.Name = text.Draw(t, "grid")
	for range some(2) {
		b := Band{Name: text.Draw(t, "band"), Skip: skip.Draw(t, "skip")}
		for range some(3) {
			p := Plane{Name: text.Draw(t, "plane"), Skip: skip.Draw(t, "skip")}
			n := rapid.SampledFrom([]int{0, 1, 2, 3, 30}).Draw(t, "cells")
			p.Columns = rapid.SliceOfN(text, n, n).Draw(t, "columns")[:some(1)*n]
			for range some(2) {
				p.Rows = append(p.Rows, Row{text.Draw(t, "row"), rapid.SliceOfN(cell, n, n).Draw(t, "cells")})
			}
			b.Planes = append(b.Planes, p)
		}
		s.Tensor.Bands = append(s.Tensor.Bands, b)
	}
	for range some(2) {
		m := Memory{Name: text.Draw(t, "memory"), Width: some(40), Line: 64, Column: text.Draw(t, "column")}
		for range some(3) {
			address := rapid.OneOf(rapid.SampledFrom([]int{-1, 0, 40, 1152, 1000000000}), rapid.IntMin(-1)).Draw(t, "address")
			m.Rows = append(m.Rows, MemoryRow{Address(address), rapid.SliceOfN(cell, 0, 20).Draw(t, "cells"), skip.Draw(t, "skip")})
		}
		s.Memories = append(s.Memories, m)
	}
	return s
}

func anyCell(text *rapid.Generator[string]) *rapid.Generator[Cell] {
	return rapid.Custom(func(t *rapid.T) Cell {
		some := func(from, to int) int { return rapid.IntRange(from, to).Draw(t, "n") }
		return Cell{Kind: CellKind(some(0, 3)), Labels: rapid.SliceOfN(text, 0, 3).Draw(t, "labels"), Tint: Tint(some(-1, 9)),
			Edge: some(0, 3), Line: Line(some(0, 3)), Hit: some(0, 3) == 0, Step: max(0, some(-20, 2000)), Shared: some(-3, 3)}
	})
}

// TestSceneTextFits: in any scene, no line is wider than the terminal, ends in untinted blanks or contains a control character. Every label
// of an element is visible, truncated if necessary. Without color only the scale is missing.
func TestSceneTextFits(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s := anyScene(t)
		o := TextOptions{Width: rapid.IntRange(40, 200).Draw(t, "width"), Unicode: rapid.Bool().Draw(t, "unicode"),
			Color: true, TrueColor: rapid.Bool().Draw(t, "24 bits")}
		written := writtenText(t, s, o)
		for line := range strings.SplitSeq(written, "\n") {
			plain := uncolored(line)
			w := displaywidth.String(plain)
			if w > o.Width || strings.HasSuffix(line, " ") || text.Printable(plain) != strings.TrimSpace(plain) {
				t.Fatalf("%d columns of %d: %q", w, o.Width, line)
			}
		}
		showsLabels(t, s, o, written)
		s.Scale.Name = ""
		colored := writtenText(t, s, o)
		o.Color = false
		if plain := writtenText(t, s, o); trimmed(uncolored(colored)) != plain {
			t.Fatalf("colored\n%s\nand not\n%s", colored, plain)
		}
	})
}

func writtenText(t *rapid.T, s Scene, o TextOptions) string {
	var out bytes.Buffer
	if err := s.Text(&out, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// trimmed removes blanks at the ends of lines.
func trimmed(s string) string { return regexp.MustCompile(`(?m) +$`).ReplaceAllString(s, "") }

func showsLabels(t *rapid.T, s Scene, o TextOptions, text string) {
	l := newSceneText(io.Discard, o)
	l.cell = l.measure(s)
	seen := func(c *Cell) {
		for _, label := range c.Labels {
			if label = l.label(label); c.Kind == Element && !strings.Contains(text, label) {
				t.Fatalf("%q is not in\n%s", label, text)
			}
		}
	}
	for _, b := range s.Tensor.Bands {
		if b.Skip != "" {
			continue
		}
		for _, p := range b.Planes {
			for _, row := range p.Rows[:len(p.Rows)*map[bool]int{true: 1}[p.Skip == ""]] {
				for i := range row.Cells {
					seen(&row.Cells[i])
				}
			}
		}
	}
	for _, m := range s.Memories {
		for _, row := range m.Rows {
			for i := range row.Cells[:len(row.Cells)*map[bool]int{true: 1}[row.Skip == ""]] {
				seen(&row.Cells[i])
			}
		}
	}
}

// TestSceneTextGrid: every element of planes of any size is in the grid once, in lines that fit.
func TestSceneTextGrid(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		e := elements{n: 1, c: rapid.IntRange(1, 9).Draw(t, "c"), h: rapid.IntRange(1, 3).Draw(t, "h"), w: rapid.IntRange(1, 70).Draw(t, "w")}
		width := rapid.IntRange(40, 200).Draw(t, "width")
		text := writtenText(t, Scene{Tensor: e.scene().Tensor}, TextOptions{Width: width})
		longest := 0
		for line := range strings.SplitSeq(text, "\n") {
			longest = max(longest, len(line))
		}
		if longest > width {
			t.Fatalf("%d columns of %d:\n%s", longest, width, text)
		}
		labels := regexp.MustCompile(`\|[0-9 ]+\|`).FindAllString(text, -1)
		seen := strings.Fields(strings.ReplaceAll(strings.Join(labels, ""), "|", " "))
		slices.Sort(seen)
		for i, label := range seen {
			if label != e.cell(0, 0, 0, i).Labels[0] {
				t.Fatalf("%s in place of element %d:\n%s", label, i, text)
			}
		}
		if len(seen) != e.c*e.h*e.w {
			t.Fatalf("%d of %d elements:\n%s", len(seen), e.c*e.h*e.w, text)
		}
	})
}

// TestSceneTextMemory: a memory's cells are in address order, for any width of its rows and the terminal, and every line starts with the
// address of its first cell.
func TestSceneTextMemory(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		row, width := rapid.IntRange(1, 70).Draw(t, "row"), rapid.IntRange(40, 200).Draw(t, "width")
		e := elements{n: 1, c: rapid.IntRange(1, 9).Draw(t, "c"), h: rapid.IntRange(1, 9).Draw(t, "h"), w: rapid.IntRange(1, 9).Draw(t, "w")}
		m := e.nchw(row)
		m.Name, m.Lines = "", nil
		text := writtenText(t, Scene{Memories: []Memory{m}}, TextOptions{Width: width})
		next := 0
		for _, line := range strings.Split(text, "\n") {
			fields := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" |#:+*", r) })
			if len(fields) == 0 || strings.ContainsAny(line, "abcdefghijklmnopqrstuvwxyz") {
				continue // the head and the key
			}
			if address, _ := strconv.Atoi(fields[0]); address != next {
				t.Fatalf("address %d of cell %d:\n%s", address, next, text)
			}
			for _, label := range fields[1:] {
				if label != e.cell(0, 0, 0, next).Labels[0] {
					t.Fatalf("%s in place of cell %d:\n%s", label, next, text)
				}
				next++
			}
		}
		if next != e.c*e.h*e.w {
			t.Fatalf("%d of %d cells:\n%s", next, e.c*e.h*e.w, text)
		}
	})
}

// TestSceneTextLines: starts of cache lines are marked, unless a memory has only one.
func TestSceneTextLines(t *testing.T) {
	memory := func(line Line) Memory {
		return Memory{Rows: []MemoryRow{{Address: 0, Cells: []Cell{{Labels: []string{"a"}}, {Labels: []string{"b"}, Line: line}}}}}
	}
	for _, c := range []struct {
		first, second Line
		rows          []string
	}{{1, 0, []string{"0 :a:b", "0  a b"}}, {0, 0, []string{"0  a b", "0  a b"}}} {
		var text strings.Builder
		if err := (Scene{Memories: []Memory{memory(c.first), memory(c.second)}}).Text(&text, TextOptions{Width: 40}); err != nil {
			t.Fatal(err)
		}
		rows := slices.DeleteFunc(strings.Split(text.String(), "\n"), func(line string) bool { return !strings.HasPrefix(line, "0") })
		if !slices.Equal(rows, c.rows) {
			t.Errorf("%q, expected %q", rows, c.rows)
		}
	}
}

// TestStreamMemory: streamed rows look as in a scene.
func TestStreamMemory(t *testing.T) {
	e := elements{n: 2, c: 3, h: 4, w: 5}
	for _, o := range []TextOptions{{Width: 40}, {Width: 80, Unicode: true}} {
		m := e.nhwc(10)
		var whole, rows bytes.Buffer
		if err := (Scene{Memories: []Memory{m}}).Text(&whole, o); err != nil {
			t.Fatal(err)
		}
		c := MemoryColumns{Column: "offset", Address: 3, Cell: 3, Shown: 120, Ticks: true}
		c.Cells = c.Fit(10, o)
		s := StreamMemory(&rows, c, o)
		for _, row := range m.Rows {
			if err := s.Row(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil || !strings.HasSuffix(whole.String(), rows.String()) || rows.Len() < 400 {
			t.Errorf("%v\n%s\ninstead of\n%s", err, rows.String(), whole.String())
		}
	}
}

// TestEqualParts: a row is broken into parts that fit and fill at least half of the terminal: equal ones, or powers of two.
func TestEqualParts(t *testing.T) {
	for n := 1; n < 100; n++ {
		for fit := -1; fit < 120; fit++ {
			got, longest := equalParts(n, fit), 1
			for d := 1; d <= min(fit, n); d++ {
				if n%d == 0 {
					longest = d
				}
			}
			if got < longest || got > max(1, fit) || got > n || n%got != 0 && got&(got-1) != 0 || n > fit && got*2 < fit {
				t.Fatalf("%d of %d cells in a row of %d", got, n, fit)
			}
		}
	}
	for _, c := range [][3]int{{16, 15, 8}, {12, 8, 6}, {7, 5, 4}, {1, 0, 1}, {64, 27, 16}, {44, 8, 4}} {
		if got := equalParts(c[0], c[1]); got != c[2] {
			t.Errorf("%d of %d cells in a row of %d, expected %d", got, c[0], c[1], c[2])
		}
	}
}

// TestTerminalColors: a terminal's own colors map to themselves, a few hues stay distinct, and black is legible on all tints: with a
// contrast of 4.5, as WCAG 2.2 requires.
func TestTerminalColors(t *testing.T) {
	cube := newColorCube()
	if red, orange := cube.nearest(255, 0, 0), cube.nearest(255, 175, 95); red != 5*36 || orange != 5*36+3*6+1 {
		t.Errorf("red is %d, orange %d", red, orange)
	}
	level := [6]float64{0, 95, 135, 175, 215, 255}
	light := func(c float64) float64 { // sRGB; no level but 0 is below 0.04045
		return math.Pow((c/255+0.055)/1.055, 2.4) * min(c, 1)
	}
	for n := 1; n <= 64; n++ {
		for _, kind := range []vector.TintKind{vector.Hues, vector.Ramp, vector.Diverging} {
			paints := TextOptions{}.paints(vector.Tints{Kind: kind, N: n})
			if apart := slices.Compact(slices.Sorted(slices.Values(paints))); kind == vector.Hues && n <= vector.FewHues && len(apart) != n {
				t.Errorf("%d hues are %d colors", n, len(apart))
			}
			for _, p := range paints {
				i, err := strconv.Atoi(strings.TrimSuffix(p[strings.LastIndex(p, ";")+1:], "m"))
				if i -= 16; err != nil || i < 0 || i >= 216 {
					t.Fatalf("%q", p)
				}
				l := 0.2126*light(level[i/36]) + 0.7152*light(level[i/6%6]) + 0.0722*light(level[i%6])
				if contrast := (l + 0.05) / 0.05; contrast < 4.5 || math.IsNaN(contrast) {
					t.Errorf("black on tint of %d: %q has contrast %.2f", n, p, contrast)
				}
			}
		}
	}
}

// TestCutNumber: a truncated number keeps its exponent, in text, on cells, and in labels; other texts and whole numbers lose their ends.
func TestCutNumber(t *testing.T) {
	for _, c := range []struct {
		label   string
		columns int
		want    string
	}{
		{"1.23456789012e-07", 11, "1.2345…e-07"}, {"-1.5e+300", 9, "-1.5e+300"}, {"-1.5625e+300", 10, "-1.5…e+300"},
		{"1.2345e-07", 7, "1.2345…"}, {"1.23456789", 7, "1.2345…"}, {"some-e-07", 5, "some…"}, {"1e5", 8, "1e5"},
	} {
		if got := text.TruncateNumber(c.label, c.columns, "…"); got != c.want {
			t.Errorf("%s in %d columns: %s, want %s", c.label, c.columns, got, c.want)
		}
	}
	if got := fitMono("1.23456789012e-07", measureMono("1.2345…e-07", labelSize), labelSize); got != "1.2345…e-07" {
		t.Errorf("on a cell: %s", got)
	}
	text := newSceneText(io.Discard, TextOptions{})
	if text.cell.label = 12; text.label("1.23456789012e-07") != "1.2345..e-07" {
		t.Errorf("in text: %s", text.label("1.23456789012e-07"))
	}
}

// TestSceneTextKey: the key explains the sign before the first cell only if it occurs again; cells outside of the tensor have their own
// sign.
func TestSceneTextKey(t *testing.T) {
	for _, c := range []struct {
		edges   []int
		outside int
		want    string
	}{
		{[]int{1, 0, 0}, -1, ""},
		{[]int{2, 0, 1}, -1, "| the innermost axis wraps   # outer axes too"},
		{[]int{3, 0, 2}, -1, "# several axes wrap"},
		{[]int{1, 0, 0}, 2, ". outside of the tensor"},
	} {
		r := MemoryRow{Address: 0}
		for i, edge := range c.edges {
			cell := Cell{Labels: []string{"0"}, Edge: edge, Tint: -1}
			if i == c.outside {
				cell.Kind = Outside
			}
			r.Cells = append(r.Cells, cell)
		}
		var b strings.Builder
		if err := (Scene{Memories: []Memory{{Rows: []MemoryRow{r}}}}).Text(&b, TextOptions{Width: 80}); err != nil {
			t.Fatal(err)
		}
		if _, key, _ := strings.Cut(b.String(), "\n\n"); strings.TrimSpace(key) != c.want {
			t.Errorf("%v: key %q, want %q", c.edges, key, c.want)
		}
	}
}

// TestSceneTextFails: a scene that cannot be written is an error.
func TestSceneTextFails(t *testing.T) {
	e := elements{n: 1, c: 3, h: 2, w: 2}
	s := StreamMemory(golden.Full{}, MemoryColumns{Cell: 2, Cells: 2, Shown: 8}, TextOptions{Width: 80})
	for _, row := range e.nchw(2).Rows {
		s.Row(row)
	}
	if s.Close() == nil || e.scene().Text(golden.Full{}, TextOptions{Width: 80}) == nil {
		t.Error("a scene is written without error to a full disk")
	}
}

func BenchmarkSceneText(b *testing.B) {
	e := elements{n: 1, c: 16, h: 25, w: 25}
	s := e.scene(e.nhwc(16))
	for b.Loop() {
		if err := s.Text(io.Discard, TextOptions{Width: 200, Unicode: true, Color: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSceneTextWideCells: a row of one cell is called a cache line if it is one, but not if the cell is several.
func TestSceneTextWideCells(t *testing.T) {
	for item, want := range map[int]bool{0: true, 64: true, 96: false, 160: false} {
		m := Memory{Width: 1, Line: 64, Item: item, Column: "offset"}
		for i := range 3 {
			c := Cell{Labels: []string{"0"}, Tint: -1, Line: Line(i * max(item, 64) / 64)}
			m.Rows = append(m.Rows, MemoryRow{Address: Address(i), Cells: []Cell{c}})
		}
		var b bytes.Buffer
		if err := (Scene{Memories: []Memory{m}}).Text(&b, TextOptions{Width: 80, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "cache line"); got != want {
			t.Errorf("cells of %d B: said to be lines: %v\n%s", item, got, b.String())
		}
	}
}

package scene

import (
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tlayout/tlayout/internal/random/property"
	"github.com/tlayout/tlayout/internal/render/vector"
)

// anyDrawnScene is a scene of arbitrary parts, with names and labels that are long, empty, or not drawable.
func anyDrawnScene(t *rapid.T) Scene {
	words := rapid.SampledFrom([]string{"", "a", "0000", "c=63", "… 59 more channels", "1.2345678901234567e-300",
		"größer ★ 日本語", "a\x00b\x1b[1m", strings.Repeat("long ", 40), strings.Repeat("w", 150)})
	n := rapid.IntRange(0, 70).Draw(t, "tints")
	s := Scene{Title: words.Draw(t, "title"), Lines: rapid.SliceOfN(words, 0, 2).Draw(t, "lines")}
	s.Scale = Scale{Tints: vector.Tints{Kind: vector.TintKind(rapid.IntRange(0, 2).Draw(t, "kind")), N: n},
		Name: words.Draw(t, "scale"), Low: words.Draw(t, "low"), High: words.Draw(t, "high")}
	cell := rapid.Custom(func(t *rapid.T) Cell {
		return Cell{Kind: CellKind(rapid.IntRange(0, 3).Draw(t, "kind")), Labels: rapid.SliceOfN(words, 0, 3).Draw(t, "labels"),
			Detail: words.Draw(t, "detail"), Tint: Tint(rapid.IntRange(-1, 70).Draw(t, "tint")), Edge: rapid.IntRange(0, 5).Draw(t, "edge"),
			Line: Line(rapid.IntRange(-1, 3).Draw(t, "line")), Hit: rapid.Bool().Draw(t, "hit"), Step: rapid.IntRange(0, 20).Draw(t, "step"),
			Shared: rapid.SampledFrom([]int{0, 0, 2, 1 << 30}).Draw(t, "shared")}
	})
	cells := rapid.SliceOfN(cell, 0, 5)
	s.Tensor.Name = words.Draw(t, "grid")
	for range rapid.IntRange(0, 2).Draw(t, "bands") {
		b := Band{Name: words.Draw(t, "band")}
		if rapid.IntRange(0, 3).Draw(t, "left out") == 0 {
			b = Band{Skip: "… 3 more images"}
		}
		for range rapid.IntRange(0, 3).Draw(t, "planes") {
			if b.Skip == "" {
				b.Planes = append(b.Planes, anyDrawnPlane(t, words, cell))
			}
		}
		s.Tensor.Bands = append(s.Tensor.Bands, b)
	}
	for range rapid.IntRange(0, 3).Draw(t, "memories") {
		m := Memory{Name: words.Draw(t, "name"), Lines: rapid.SliceOfN(words, 0, 2).Draw(t, "lines"), Column: words.Draw(t, "column"),
			Gloss: words.Draw(t, "gloss"), Open: rapid.Bool().Draw(t, "open"),
			Line: rapid.SampledFrom([]int{0, 64}).Draw(t, "line")}
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			r := MemoryRow{Address: Address(rapid.IntRange(-1, math.MaxInt).Draw(t, "address")), Cells: cells.Draw(t, "cells")}
			if rapid.IntRange(0, 4).Draw(t, "left out") == 0 {
				r = MemoryRow{Address: NoAddress, Skip: "… 9 more rows of 16"}
			}
			m.Rows = append(m.Rows, r)
		}
		s.Memories = append(s.Memories, m)
	}
	return s
}

func anyDrawnPlane(t *rapid.T, words *rapid.Generator[string], cell *rapid.Generator[Cell]) Plane {
	if rapid.IntRange(0, 3).Draw(t, "left out") == 0 {
		return Plane{Skip: "… 59 more channels"}
	}
	columns := rapid.IntRange(0, 3).Draw(t, "columns")
	p := Plane{Name: words.Draw(t, "name"), Columns: rapid.SliceOfN(words, columns, columns).Draw(t, "columns")}
	for range rapid.IntRange(0, 3).Draw(t, "rows") {
		cells := rapid.SliceOfN(cell, columns, columns).Draw(t, "cells")
		p.Rows = append(p.Rows, Row{Name: words.Draw(t, "row"), Cells: cells})
	}
	return p
}

// box is the bounding box of a mark.
type box struct{ x, y, right, bottom float64 }

func boxOf(m vector.Mark) box {
	switch m := m.(type) {
	case vector.Rect:
		return box{m.X, m.Y, m.X + m.W, m.Y + m.H}
	case vector.Text:
		w := vector.Measure(m.Words, m.Size, m.Bold, m.Mono)
		x := m.X - w*float64(m.Anchor)/2
		return box{x, m.Y - m.Size/2, x + w, m.Y + m.Size/2}
	case vector.Line:
		b := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
		for _, p := range m.Points {
			b = box{min(b.x, p.X), min(b.y, p.Y), max(b.right, p.X), max(b.bottom, p.Y)}
		}
		return b
	}
	return box{}
}

func (b box) within(o box) bool {
	const rounding = 0.01
	return b.x >= o.x-rounding && b.y >= o.y-rounding && b.right <= o.right+rounding && b.bottom <= o.bottom+rounding
}

func (b box) overlaps(o box) bool {
	return b.x < o.right && o.x < b.right && b.y < o.bottom && o.y < b.bottom
}

// flat lists the marks of a drawing without its groups.
func flat(marks []vector.Mark) []vector.Mark {
	var all []vector.Mark
	for _, m := range marks {
		if g, ok := m.(vector.Group); ok {
			all = append(all, flat(g.Marks)...)
		} else {
			all = append(all, m)
		}
	}
	return all
}

// drawnCells returns the groups of a scene's cells, in the scene's order: the first groups of a drawing, before the legend's.
func drawnCells(t *rapid.T, s Scene, d vector.Drawing) ([]Cell, []vector.Group) {
	var cells []Cell
	for c := range s.cells() {
		cells = append(cells, *c)
	}
	var groups []vector.Group
	for _, m := range d.Marks {
		if g, ok := m.(vector.Group); ok {
			groups = append(groups, g)
		}
	}
	if len(groups) < len(cells) {
		t.Fatalf("%d groups for %d cells", len(groups), len(cells))
	}
	return cells, groups[:len(cells)]
}

// TestDrawing: in any scene, all marks are on the drawing, each cell is drawn once with its labels inside, and every word is drawn.
func TestDrawing(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		s := anyDrawnScene(t)
		d := s.Drawing()
		drawsInside(t, d)
		drawsCells(t, s, d)
		drawsWords(t, s, d)
	})
}

func drawsInside(t *rapid.T, d vector.Drawing) {
	for _, m := range flat(d.Marks) {
		if !boxOf(m).within(box{0, 0, d.Width, d.Height}) {
			t.Fatalf("%+v on a drawing of %v × %v", m, d.Width, d.Height)
		}
	}
}

// drawsCells checks that each cell except omitted ones has one rectangle, tinted or hatched, that no two overlap, and that labels stay
// inside.
func drawsCells(t *rapid.T, s Scene, d vector.Drawing) {
	cells, groups := drawnCells(t, s, d)
	var places []box
	for i, g := range groups {
		if g.Title != clean(cells[i].Detail) {
			t.Fatalf("cell %d is titled %q, not %q", i, g.Title, cells[i].Detail)
		}
		place, ok := placeOf(t, s, cells[i], g)
		if !ok {
			continue
		}
		for _, m := range g.Marks[1:] {
			if !boxOf(m).within(place) {
				t.Fatalf("%+v goes beyond its cell %+v", m, place)
			}
		}
		drawsStep(t, cells[i], g.Marks[1:])
		for _, other := range places {
			if place.overlaps(other) {
				t.Fatalf("%v lies over %v", place, other)
			}
		}
		places = append(places, place)
	}
}

// drawsStep checks that a cell's badge has the number of its step, and that no other mark in the cell overlaps the badge.
func drawsStep(t *rapid.T, c Cell, marks []vector.Mark) {
	badge := slices.IndexFunc(marks, func(m vector.Mark) bool {
		r, ok := m.(vector.Rect)
		return ok && r.Fill == vector.Accent
	})
	if badge < 0 {
		if c.Step > 0 {
			t.Fatalf("no badge in %+v", c)
		}
		return
	}
	if number := marks[badge+1].(vector.Text); number.Words != strconv.Itoa(c.Step) || !boxOf(number).within(boxOf(marks[badge])) {
		t.Fatalf("the badge of step %d has %+v", c.Step, number)
	}
	for _, m := range slices.Delete(slices.Clone(marks), badge, badge+2) {
		if boxOf(m).overlaps(boxOf(marks[badge])) {
			t.Fatalf("%+v is over the badge of step %d", m, c.Step)
		}
	}
}

func placeOf(t *rapid.T, s Scene, c Cell, g vector.Group) (box, bool) {
	r, ok := vector.Rect{}, false
	if len(g.Marks) > 0 {
		r, ok = g.Marks[0].(vector.Rect)
	}
	if ok == (c.Kind == Omitted) || ok && (r.Hatch != vector.None) != (c.Kind == Padding) {
		t.Fatalf("%+v is drawn as %+v", c, g)
	}
	if ok && c.Tint >= 0 && int(c.Tint) < s.Scale.N && r.Fill != vector.Tint(int(c.Tint)) {
		t.Fatalf("tint %d is drawn as %v", c.Tint, r.Fill)
	}
	return boxOf(r), ok
}

// drawsWords checks that every word of the scene is drawn, in full or truncated before its "…".
func drawsWords(t *rapid.T, s Scene, d vector.Drawing) {
	texts := []string{}
	for _, m := range flat(d.Marks) {
		if text, ok := m.(vector.Text); ok {
			texts = append(texts, text.Words)
		}
	}
	for _, words := range s.words() {
		if !drawn(words, texts) {
			t.Fatalf("%q is not among %q", words, texts)
		}
	}
}

// drawn reports whether words are among texts, truncated, or wrapped into several.
func drawn(words string, texts []string) bool {
	words = strings.Join(strings.Fields(clean(words)), " ")
	for i, text := range texts {
		head, tail := text, ""
		if k := strings.LastIndex(text, "…"); k >= 0 {
			head, tail = text[:k], text[k+len("…"):]
		}
		if text == words || len(head) < len(text) && strings.HasPrefix(words, head) && strings.HasSuffix(words, tail) {
			return true
		}
		for k := i + 1; k <= len(texts) && strings.HasPrefix(words, text); k++ {
			if strings.Join(texts[i:k], " ") == words {
				return true
			}
		}
	}
	return strings.TrimSpace(words) == ""
}

// words returns all texts of a scene, except the dots of omissions, which have their own test.
func (s Scene) words() []string {
	all := append([]string{s.Title, s.Tensor.Name}, s.Lines...)
	if s.Scale.Name != "" && s.Scale.N > 0 {
		all = append(all, s.Scale.Name, s.Scale.Low)
	}
	for _, b := range s.Tensor.Bands {
		all = append(all, b.Skip)
		if b.Skip != "" {
			continue
		}
		all = append(all, b.Name)
		for _, p := range b.Planes {
			all = append(append(all, p.Name, p.Skip), p.Columns...)
			for _, r := range p.Rows {
				all = append(all, r.Name)
			}
		}
	}
	for _, m := range s.Memories {
		all = append(append(all, m.Name), m.Lines...)
		if m.Gloss != "" {
			all = append(all, "— "+m.Gloss)
		}
		for i, r := range m.Rows {
			if all = append(all, r.Skip); r.Skip == "" {
				all = append(all, m.address(i))
			}
		}
	}
	for c := range s.cells() {
		all = append(all, c.Labels...)
	}
	return all
}

// TestDrawingDots: the dots of omitted rows are vertical, those of columns horizontal.
func TestDrawingDots(t *testing.T) {
	count := map[string]int{}
	for _, m := range flat(cutPlane().Drawing().Marks) {
		if text, ok := m.(vector.Text); ok {
			count[text.Words]++
		}
	}
	if count["⋮"] != 5 || count["…"] != 4 {
		t.Errorf("%d ⋮, %d …", count["⋮"], count["…"])
	}
}

// TestDrawingPlanes: planes that do not fit side by side are in lines of equal length: 8 as 4 and 4, not as 7 and 1.
func TestDrawingPlanes(t *testing.T) {
	wide := Row{Cells: []Cell{{Labels: []string{strings.Repeat("w", 15)}}}}
	b := Band{Planes: make([]Plane, 8)}
	for i := range b.Planes {
		b.Planes[i].Rows = []Row{wide}
	}
	lines := map[float64]int{}
	for _, m := range flat((Scene{Tensor: Grid{Bands: []Band{b}}}).Drawing().Marks) {
		if text, ok := m.(vector.Text); ok {
			lines[text.Y]++
		}
	}
	if got := slices.Collect(maps.Values(lines)); !slices.Equal(got, []int{4, 4}) {
		t.Errorf("lines of %d planes", got)
	}
}

// TestDrawingGapKeys: the legend has a sign for the innermost axis, and one for the others.
func TestDrawingGapKeys(t *testing.T) {
	for _, c := range []struct {
		edges []int
		want  string
	}{
		{[]int{2, 0, 0}, ""},
		{[]int{0, 1, 0}, "the innermost axis wraps"},
		{[]int{0, 1, 2}, "the innermost axis wraps, outer axes too"},
		{[]int{0, 3, 0}, "several axes wrap"},
	} {
		r := MemoryRow{}
		for _, edge := range c.edges {
			r.Cells = append(r.Cells, Cell{Edge: edge})
		}
		var got []string
		for _, k := range (&drawing{Scene: Scene{Memories: []Memory{{Rows: []MemoryRow{r}}}}}).keys() {
			got = append(got, k.words)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%v: %q, want %q", c.edges, got, c.want)
		}
	}
}

// TestDrawingNotch: a row that starts where an axis wraps has a notch before it, a wider one if several do.
func TestDrawingNotch(t *testing.T) {
	for edge, want := range map[int]float64{0: 0, 1: 1, 2: 2.5, 3: 2.5} {
		s, width := Scene{Memories: []Memory{{Rows: []MemoryRow{{Cells: []Cell{{Edge: 3}}}, {Cells: []Cell{{Edge: edge}, {}}}}}}}, 0.0
		for _, m := range s.Drawing().Marks {
			if line, ok := m.(vector.Line); ok {
				width = line.Width
			}
		}
		if width != want {
			t.Errorf("%d axes wrap: a notch of %v, want %v", edge, width, want)
		}
	}
}

// TestDrawingOutside: cells outside of the tensor are neither hatched nor tinted, and have their own key.
func TestDrawingOutside(t *testing.T) {
	r := MemoryRow{Cells: []Cell{{Kind: Outside, Labels: []string{"7"}, Tint: -1}, {Labels: []string{"8"}, Tint: 0}}}
	s := Scene{Memories: []Memory{{Rows: []MemoryRow{r}}}, Scale: Scale{Tints: vector.Tints{N: 1}}}
	d := &drawing{Scene: s}
	if keys := d.keys(); len(keys) != 1 || keys[0].words != "outside of the tensor" {
		t.Errorf("%d keys", len(keys))
	}
	if got := d.square(r.Cells[0], 0, 0, 10); got.Hatch != vector.None || got.Fill != vector.None {
		t.Errorf("drawn as %+v", got)
	}
}

func BenchmarkDrawing(b *testing.B) {
	s := tenThousand()
	for b.Loop() {
		s.Drawing()
	}
}

func BenchmarkDrawingSVG(b *testing.B) {
	s := tenThousand()
	for b.Loop() {
		if err := s.Drawing().SVG(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

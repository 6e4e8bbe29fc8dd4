package scene

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/golden"
	"github.com/tlayout/tlayout/internal/render/vector"
)

// TestDrawingGolden: a scene with padding and shared offsets as SVG; all are strict XML, with a description of the drawing.
func TestDrawingGolden(t *testing.T) {
	for name, s := range drawnScenes() {
		var got bytes.Buffer
		if err := s.Drawing().SVG(&got); err != nil {
			t.Fatal(err)
		}
		if name == "padded" {
			golden.Compare(t, filepath.Join("testdata", "scene_padded.svg"), got.Bytes())
		}
		if texts := textsOf(t, got.Bytes()); !strings.Contains(texts, s.Memories[0].Name+"\n") {
			t.Errorf("%s: no memory %q among\n%s", name, s.Memories[0].Name, texts)
		}
	}
}

// textsOf parses a file as XML and returns its elements' texts, one line each.
func textsOf(t *testing.T, svg []byte) string {
	t.Helper()
	var texts strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if words, ok := token.(xml.CharData); ok {
			texts.WriteString(string(words) + "\n")
		}
	}
}

// drawnScenes are scenes with all features of a drawing: several memories, padding, shared offsets, omitted planes and rows, lines of 64
// bytes that end within a row, paths.
func drawnScenes() map[string]Scene {
	small := pixels{shape: [4]int{1, 3, 2, 2}, item: 4, row: 16, memories: []string{"nchw", "nhwc", "nchw4"}}
	blocks := pixels{shape: [4]int{2, 64, 3, 3}, item: 4, row: 16, planes: 4, rows: 2, memories: []string{"nchw", "nhwc", "nchw4"}}
	path := pixels{shape: [4]int{1, 8, 3, 4}, item: 4, row: 16, memories: []string{"nchw", "nhwc"}}
	channel, spatial, twelve := path, path, small
	channel.step = func(c, h, w int) int { return (h*4+w)*8 + c + 1 }
	spatial.step = func(c, h, w int) int { return (c*3+h)*4 + w + 1 }
	spatial.rows = 2
	twelve.shape[1], twelve.item, twelve.row = 5, 12, 8
	return map[string]Scene{
		"letters": letters("row-major", "column-major"), "padded": letters("padded", "broadcast"), "cut": cutPlane(),
		"small": small.scene(), "blocks": blocks.scene(), "channel": channel.scene(), "spatial": spatial.scene(), "twelve": twelve.scene(),
	}
}

// letters returns 2×3 elements A to F, with memories of them; a cell without an element holds x.
func letters(memories ...string) Scene {
	s := Scene{Title: "a tensor of 2 rows and 3 columns",
		Scale: Scale{Tints: vector.Tints{Kind: vector.Hues, N: 2}, Name: "row", Low: "row 0", High: "row 1"}}
	at := func(i, j int) Cell {
		return Cell{Labels: []string{string(rune('A' + 3*i + j))}, Detail: fmt.Sprintf("row %d, column %d", i, j), Tint: Tint(i)}
	}
	plane := Plane{Columns: []string{"0", "1", "2"}}
	for i := range 2 {
		plane.Rows = append(plane.Rows, Row{strconv.Itoa(i), []Cell{at(i, 0), at(i, 1), at(i, 2)}})
	}
	s.Tensor = Grid{"as it is indexed: rows, columns", []Band{{Planes: []Plane{plane}}}}
	for _, name := range memories {
		strides := map[string][2]int{"row-major": {3, 1}, "column-major": {1, 2}, "padded": {5, 1}, "broadcast": {0, 1}}[name]
		s.Memories = append(s.Memories, stored(name, strides, at))
	}
	return s
}

// stored puts 2×3 elements at their strides.
func stored(name string, strides [2]int, at func(i, j int) Cell) Memory {
	cells := slices.Repeat([]Cell{{Kind: Padding, Detail: "padding", Tint: -1}}, 1+strides[0]+2*strides[1])
	for i := range 2 {
		for j := range 3 {
			if c := &cells[i*strides[0]+j*strides[1]]; c.Kind == Element {
				c.Shared = max(c.Shared, 1) + 1
			} else {
				*c = at(i, j)
			}
		}
	}
	if strides[0] > strides[1] {
		cells[strides[0]].Edge = 1
	}
	return Memory{Name: name, Lines: []string{fmt.Sprintf("strides (%d,%d)", strides[0], strides[1])}, Width: len(cells), Line: 64,
		Rows: []MemoryRow{{Address: 0, Cells: cells}}, Column: "offset"}
}

// pixels is a tensor of images with elements numbered in logical order.
type pixels struct {
	shape        [4]int // n, c, h, w
	item         int    // bytes
	row          int    // cells of a row of memory
	planes, rows int    // how many to draw before the last one; all if 0
	step         func(c, h, w int) int
	steps        int      // 16 if 0
	memories     []string // of order nchw, nhwc, nchw4
}

func (p pixels) cell(at [4]int) Cell {
	n := ((at[0]*p.shape[1]+at[1])*p.shape[2]+at[2])*p.shape[3] + at[3]
	last := strconv.Itoa(p.shape[0]*p.shape[1]*p.shape[2]*p.shape[3] - 1)
	c := Cell{Labels: []string{fmt.Sprintf("%0*d", len(last), n)}, Tint: Tint(at[1]),
		Detail: fmt.Sprintf("n=%d c=%d h=%d w=%d", at[0], at[1], at[2], at[3])}
	if p.step != nil {
		if step := p.step(at[1], at[2], at[3]); step <= cmp.Or(p.steps, 16) {
			c.Step = step
		}
	}
	return c
}

func (p pixels) scene() Scene {
	last := strconv.Itoa(p.shape[1] - 1)
	s := Scene{Title: "x.npy: shape (" + strings.Trim(strings.ReplaceAll(fmt.Sprint(p.shape), " ", ", "), "[]") + "), NCHW",
		Lines: []string{"cell = logical index"},
		Scale: Scale{Tints: vector.Tints{Kind: vector.Hues, N: p.shape[1]}, Name: "channel", Low: "c=0", High: "c=" + last}}
	s.Tensor.Name = "logical view x[n, c, h, w]"
	for n := range p.shape[0] {
		s.Tensor.Bands = append(s.Tensor.Bands, p.band(n))
	}
	for _, name := range p.memories {
		s.Memories = append(s.Memories, p.memory(name))
	}
	return s
}

func (p pixels) band(n int) Band {
	b := Band{}
	if p.shape[0] > 1 {
		b.Name = "n=" + strconv.Itoa(n)
	}
	for c := range p.shape[1] {
		last := p.shape[1] - 1
		if p.planes == 0 || c < p.planes || c == last {
			b.Planes = append(b.Planes, p.plane(n, c))
		} else if c == p.planes {
			b.Planes = append(b.Planes, Plane{Skip: fmt.Sprintf("… %d more channels", last-c)})
		}
	}
	return b
}

func (p pixels) plane(n, c int) Plane {
	plane := Plane{Name: "c=" + strconv.Itoa(c)}
	for w := range p.shape[3] {
		plane.Columns = append(plane.Columns, indexed("w", w))
	}
	for h := range p.shape[2] {
		r := Row{Name: indexed("h", h)}
		for w := range p.shape[3] {
			r.Cells = append(r.Cells, p.cell([4]int{n, c, h, w}))
		}
		plane.Rows = append(plane.Rows, r)
	}
	return plane
}

// indexed returns the name of a row or a column: h=0, 1, 2.
func indexed(dim string, i int) string {
	if i == 0 {
		return dim + "=0"
	}
	return strconv.Itoa(i)
}

// memory stores the elements in the order of axes: those of nchw4 are N, C//4, H, W, C%4.
func (p pixels) memory(name string) Memory {
	var cells []Cell
	s := p.shape
	axes := map[string][][3]int{ // dim, count, step of its index
		"nchw":  {{0, s[0], 1}, {1, s[1], 1}, {2, s[2], 1}, {3, s[3], 1}},
		"nhwc":  {{0, s[0], 1}, {2, s[2], 1}, {3, s[3], 1}, {1, s[1], 1}},
		"nchw4": {{0, s[0], 1}, {1, (s[1] + 3) / 4, 4}, {2, s[2], 1}, {3, s[3], 1}, {1, 4, 1}},
	}[name]
	var fill func(at [4]int, axis, edge int)
	fill = func(at [4]int, axis, edge int) {
		if axis == len(axes) {
			cells = append(cells, p.place(at, edge))
			return
		}
		a := axes[axis]
		for i := range a[1] {
			inner := at
			inner[a[0]] += i * a[2]
			if i > 0 {
				edge = len(axes) - 1 - axis
			}
			fill(inner, axis+1, edge)
		}
	}
	fill([4]int{}, 0, len(axes))
	return p.lines(name, cells)
}

func (p pixels) place(at [4]int, edge int) Cell {
	c := Cell{Kind: Padding, Detail: "padding of C", Tint: -1}
	if at[1] < p.shape[1] {
		c = p.cell(at)
	}
	c.Edge = edge
	return c
}

// lines breaks memory into rows, and marks the cache lines that the path fetches.
func (p pixels) lines(name string, cells []Cell) Memory {
	fetched := map[Line]bool{}
	for i := range cells {
		cells[i].Line = Line(i * p.item / 64)
		fetched[cells[i].Line] = fetched[cells[i].Line] || cells[i].Step > 0
	}
	for i := range cells {
		cells[i].Hit = fetched[cells[i].Line]
	}
	m := Memory{Name: strings.ToUpper(name), Gloss: "in lines", Lines: []string{fmt.Sprintf("%d elements", len(cells))}, Width: p.row, Line: 64, Column: "offset"}
	n := (len(cells) + p.row - 1) / p.row
	for i := range n {
		if p.rows == 0 || i < p.rows || i == n-1 {
			m.Rows = append(m.Rows, MemoryRow{Address: Address(i * p.row), Cells: cells[i*p.row : min((i+1)*p.row, len(cells))]})
		} else if i == p.rows {
			m.Rows = append(m.Rows, MemoryRow{Address: NoAddress, Skip: fmt.Sprintf("… %d more lines of 64 B", n-1-i)})
		}
	}
	return m
}

// cutPlane returns the corners of a larger plane, with coordinates and values, colored by value.
func cutPlane() Scene {
	s := Scene{Title: "y.npy: float64 (224, 224)", Lines: []string{"labels: coordinates, and below them values"},
		Scale: Scale{Tints: vector.Tints{Kind: vector.Ramp, N: 64}, Name: "value", Low: "-1.5", High: "22.25"}}
	p := Plane{Columns: []string{"0", "1", "2", "", "223"}}
	for i, row := range []string{"0", "1", "2", "", "223"} {
		r := Row{Name: row}
		for j, column := range p.Columns {
			c := Cell{Labels: []string{row + "," + column, fmt.Sprintf("%d.%d5", i*j, i)}, Detail: "a value", Tint: Tint(i*12 + j*3)}
			if row == "" || column == "" {
				c = Cell{Kind: Omitted, Labels: []string{"…"}, Tint: -1}
			}
			r.Cells = append(r.Cells, c)
		}
		p.Rows = append(p.Rows, r)
	}
	s.Tensor = Grid{Name: "as it is indexed: 224 rows, 224 columns", Bands: []Band{{Planes: []Plane{p}}}}
	s.Memories = []Memory{{Name: "row-major", Lines: []string{"strides (224,1)"}, Width: 3, Line: 64, Column: "offset",
		Rows: []MemoryRow{{Address: 0, Cells: p.Rows[0].Cells[:3]}, {Address: NoAddress, Skip: "… 6271 more lines of 64 B"},
			{Address: 50173, Cells: p.Rows[1].Cells[:3]}}}}
	return s
}

// tenThousand returns 10,000 elements beside their memory.
func tenThousand() Scene {
	return pixels{shape: [4]int{1, 100, 10, 10}, item: 4, row: 16, memories: []string{"nhwc"}}.scene()
}

package draw

import (
	"strconv"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/render/vector"
)

// The scene, as JSON has it.

// scale is what colours mean: tint 0 stands for low, tint tints−1 for high.
type scale struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"` // "hues": to be told apart; "ramp": from little to much
	Tints int    `json:"tints"`
	Low   string `json:"low"`
	High  string `json:"high"`
}

type drawBand struct {
	Name   string      `json:"name,omitempty"`
	Planes []drawPlane `json:"planes,omitempty"`
	Skip   string      `json:"skip,omitempty"` // stands for bands that are left out
}

type drawPlane struct {
	Name    string   `json:"name,omitempty"`
	Columns []string `json:"columns,omitempty"`
	Rows    []row    `json:"rows,omitempty"`
	Skip    string   `json:"skip,omitempty"`
}

// row is a row of a plane, which has a name, or of memory, which has an address.
type row struct {
	Name    string     `json:"name,omitempty"`
	Address string     `json:"address,omitempty"`
	Cells   []drawCell `json:"cells,omitempty"`
	Skip    string     `json:"skip,omitempty"`
}

// drawCell is a cell. Edge, line and hit are of memory alone.
type drawCell struct {
	Kind   string   `json:"kind"` // "element", "padding", "outside" of the tensor, or "omitted" for cells that are left out
	Labels []string `json:"labels"`
	Tint   *int     `json:"tint"` // null for none
	Edge   int      `json:"edge,omitempty"`
	Line   *int     `json:"line,omitempty"`
	Hit    bool     `json:"hit,omitempty"`
	Step   int      `json:"step,omitempty"`
	Shared int      `json:"shared,omitempty"`
	Detail string   `json:"detail,omitempty"`
}

var cellKinds = map[scene.CellKind]string{scene.Element: "element", scene.Padding: "padding", scene.Outside: "outside",
	scene.Omitted: "omitted"}

func newDrawScale(s scene.Scale) *scale {
	if s.Name == "" {
		return nil
	}
	kind := "hues"
	if s.Kind == vector.Ramp {
		kind = "ramp"
	}
	return &scale{s.Name, kind, s.N, s.Low, s.High}
}

func bands(g scene.Grid) []drawBand {
	bands := []drawBand{}
	for _, b := range g.Bands {
		band := drawBand{Name: b.Name, Skip: b.Skip}
		for _, p := range b.Planes {
			plane := drawPlane{Name: p.Name, Columns: p.Columns, Skip: p.Skip}
			for _, r := range p.Rows {
				plane.Rows = append(plane.Rows, row{Name: r.Name, Cells: cells(r.Cells, false)})
			}
			band.Planes = append(band.Planes, plane)
		}
		bands = append(bands, band)
	}
	return bands
}

func rows(m scene.Memory) []row {
	rows := []row{}
	for _, r := range m.Rows {
		rows = append(rows, row{Address: r.Address, Cells: cells(r.Cells, true), Skip: r.Skip})
	}
	return rows
}

func cells(cells []scene.Cell, inMemory bool) []drawCell {
	var out []drawCell
	for _, c := range cells {
		cell := drawCell{Kind: cellKinds[c.Kind], Labels: c.Labels, Edge: c.Edge, Hit: c.Hit, Step: c.Step, Shared: c.Shared, Detail: c.Detail}
		if c.Tint >= 0 {
			cell.Tint = &c.Tint
		}
		if inMemory {
			cell.Line = &c.Line
		}
		out = append(out, cell)
	}
	return out
}

// cells is the table of the memories' cells, those that are left out left out.
func (r *drawReport) cells() render.Table {
	t := render.Table{Header: []string{"memory", "offset", "byte"}, Numbers: []int{1, 2}}
	t.Header = append(append(t.Header, r.Labels...), "kind", "tint", "step")
	for _, m := range r.Memories {
		for _, row := range m.Rows {
			first, _ := strconv.Atoi(row.Address)
			for i, c := range row.Cells {
				t.Add(r.cellRow(m.Name, first+i, c)...)
			}
		}
	}
	return t
}

func (r *drawReport) cellRow(memory string, offset int, c drawCell) []string {
	row := []string{memory, strconv.Itoa(offset), strconv.Itoa(offset * max(1, r.ItemSize))}
	for i := range r.Labels {
		label := "x"
		if i < len(c.Labels) {
			label = c.Labels[i]
		}
		row = append(row, label)
	}
	tint, step := "", ""
	if c.Tint != nil {
		tint = strconv.Itoa(*c.Tint)
	}
	if c.Step > 0 {
		step = strconv.Itoa(c.Step)
	}
	return append(row, c.Kind, tint, step)
}

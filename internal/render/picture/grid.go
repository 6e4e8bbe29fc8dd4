package picture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/text"
)

// grid draws the tensor as it is indexed: the last two dims as rows and columns, the third from last as planes, all others
// as bands.
func (d *sketch) grid() scene.Grid {
	g := scene.Grid{Name: "logical view x[" + strings.Join(d.names, ", ") + "]"}
	if len(d.names) == 0 {
		g.Name = "a scalar, without an index"
	}
	if d.Layout.Numel() == 0 {
		return g
	}
	g.Bands = d.bands(make([]int, len(d.names)), 0)
	if len(g.Bands) == 1 {
		g.Bands[0].Name = ""
	}
	return g
}

// bands draws the bands whose coordinate begins with coord[:dim].
func (d *sketch) bands(coord []int, dim int) []scene.Band {
	if dim >= len(coord)-3 {
		return []scene.Band{{Name: d.indices(coord[:dim]), Planes: d.planes(coord)}}
	}
	var bands []scene.Band
	for _, p := range d.picks(dim) {
		if p.skipped > 0 {
			skip := d.leftOut(dim, p.skipped)
			if dim > 0 {
				skip = d.indices(coord[:dim]) + ": " + skip
			}
			bands = append(bands, scene.Band{Skip: skip})
			continue
		}
		coord[dim] = p.index
		bands = append(bands, d.bands(coord, dim+1)...)
	}
	return bands
}

func (d *sketch) planes(coord []int) []scene.Plane {
	dim := len(coord) - 3
	var planes []scene.Plane
	for _, p := range d.picks(dim) {
		if p.skipped > 0 {
			planes = append(planes, scene.Plane{Skip: d.leftOut(dim, p.skipped)})
			continue
		}
		put(coord, dim, p.index)
		planes = append(planes, d.plane(coord, d.header(dim, p, true)))
	}
	if len(planes) == 1 {
		planes[0].Name = ""
	}
	return planes
}

func (d *sketch) plane(coord []int, name string) scene.Plane {
	dim := len(coord) - 1
	p := scene.Plane{Name: name}
	columns := d.picks(dim)
	for i, c := range columns {
		p.Columns = append(p.Columns, d.header(dim, c, i == 0))
	}
	for i, r := range d.picks(dim - 1) {
		put(coord, dim-1, r.index)
		row := scene.Row{Name: d.header(dim-1, r, i == 0), Cells: make([]scene.Cell, len(columns))}
		for k, c := range columns {
			if r.skipped > 0 {
				row.Cells[k] = omitted(d.leftOut(dim-1, r.skipped))
				continue
			}
			if c.skipped > 0 {
				row.Cells[k] = omitted(d.leftOut(dim, c.skipped))
				continue
			}
			put(coord, dim, c.index)
			d.gridCell(&row.Cells[k], coord)
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// gridCell draws an element of the grid, with its offset in the source: the one at the coordinate, or what the reader finds there.
func (d *sketch) gridCell(c *scene.Cell, coord []int) {
	if d.cell != nil {
		d.cell(c, coord)
		return
	}
	if d.Reader != nil {
		d.memoryCell(c, Memory{Name: d.Name, Layout: d.Layout, Own: true}, d.source, d.Reader.At(coord...))
		c.Line = scene.NoLine
		return
	}
	off := d.Layout.At(coord...)
	d.drawn = append(d.drawn, slices.Clone(coord))
	d.element(c, coord, d.source, off)
	if n := d.source.sharing(off); n > 1 {
		c.Shared = n
	}
	c.Line = scene.NoLine
	c.Step = d.trail.at[number(d.Layout, coord)]
}

func omitted(detail string) scene.Cell {
	return scene.Cell{Kind: scene.Omitted, Labels: []string{"…"}, Detail: detail, Tint: scene.NoTint, Line: scene.NoLine}
}

// picks returns the shown indices of a dim; one index for a dim beyond the tensor's rank.
func (d *sketch) picks(dim int) []pick {
	if dim < 0 {
		return []pick{{}}
	}
	return picks(d.Layout.Dim(dim).Size, d.counts[dim])
}

// put sets an index, unless the dim is beyond the tensor's rank.
func put(coord []int, dim, index int) {
	if dim >= 0 {
		coord[dim] = index
	}
}

// header names an index: w=0, or just 1.
func (d *sketch) header(dim int, p pick, named bool) string {
	if dim < 0 {
		return ""
	}
	if p.skipped > 0 {
		return "…"
	}
	if named {
		return d.names[dim] + "=" + strconv.Itoa(p.index)
	}
	return strconv.Itoa(p.index)
}

// indices formats the start of a coordinate: n=0 d=1.
func (d *sketch) indices(coord []int) string { return string(d.appendIndices(nil, coord)) }

func (d *sketch) appendIndices(b []byte, coord []int) []byte {
	for k, i := range coord {
		if k > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(append(append(b, d.names[k]...), '='), int64(i), 10)
	}
	return b
}

// leftOut counts the omitted indices of a dim.
func (d *sketch) leftOut(dim, n int) string {
	if noun, ok := d.noun(dim); ok {
		return "… " + text.Count(n, "more "+noun)
	}
	return fmt.Sprintf("… %d more of %s", n, d.Layout.Dim(dim).Name)
}

package picture

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor/explain"
	"github.com/tlayout/tlayout/internal/words"
)

// memory draws a storage in the order of its addresses.
func (d *sketch) memory(m Memory) scene.Memory {
	p, v := newPlace(m.Layout, d.Size), d.trail.visit(m.Layout, d.Size, d.Line)
	width := d.width(m.Layout.Alloc())
	out := scene.Memory{Name: m.Name, Lines: d.memoryLines(m, v), Width: width, Line: d.Line, Item: d.Size, Column: "offset",
		Open: m.Layout.Alloc()*d.Size%d.Line != 0}
	edges, next := Edges(m.Layout), 0
	for _, r := range d.rows(m.Layout.Alloc(), width, v.offsets) {
		if r > next {
			out.Rows = append(out.Rows, d.skippedRows(r-next, width))
		}
		next = r + 1
		row := scene.MemoryRow{Address: scene.Address(r * width)}
		row.Cells = make([]scene.Cell, min(width, m.Layout.Alloc()-r*width))
		for i := range row.Cells {
			if d.lost != nil {
				return out
			}
			off, c := r*width+i, &row.Cells[i]
			d.memoryCell(c, m, p, off)
			c.Edge, c.Line, c.Step = edges(off), scene.Line(off*d.Size/d.Line), v.steps[off]
			c.Hit = v.lines[int(c.Line)]
		}
		out.Rows = append(out.Rows, row)
	}
	if rest := ints.CeilDiv(m.Layout.Alloc(), width) - next; rest > 0 {
		out.Rows = append(out.Rows, d.skippedRows(rest, width))
	}
	return out
}

// memoryCell draws what lies at an offset: the first element of several, of the first hundred that are found where
// there are more; or padding. Where strides give no order to search in, there may be an element that is not found: it
// is no padding.
func (d *sketch) memoryCell(c *scene.Cell, m Memory, p place, off int) {
	coords, n, all := p.elements(off)
	switch {
	case n == 0 && all:
		d.padding(c, m, p, off)
		return
	case n == 0:
		d.lost = fault.New(fault.Unsupported, "%s: what lies at offset %d would take too long to find", words.Quote(m.Name), off).
			WithHint("a smaller --limit draws the beginning and the end of each memory")
		return
	}
	d.element(c, coords[0], p, off)
	if n > 1 {
		c.Shared = n
		c.Detail += "; " + together(coords, n, all)
	}
}

func (d *sketch) padding(c *scene.Cell, m Memory, p place, off int) {
	c.Kind, c.Tint = scene.Padding, scene.NoTint
	is := ", is padding "
	if off < p.from || off >= p.end {
		c.Kind, is = scene.Outside, ", is outside of the tensor, "
	}
	c.Detail = d.at(off) + is + explain.NewPadding(m.Layout, off).String()
	value := ""
	if m.Own {
		value, _, _ = d.value(off)
	}
	if value != "" {
		c.Detail += "; it holds " + value
	}
	c.Labels = d.paddingLabels(value)
}

// width is how many cells a row of a memory has.
func (d *sketch) width(alloc int) int {
	w := d.Wrap
	if w == 0 {
		w = max(1, d.Line/d.Size)
	}
	if d.Limit > 0 {
		w = min(w, d.Limit)
	}
	return max(1, min(w, alloc))
}

// rows are the numbers of those that are shown: the first ones and the last, after those that a path comes to.
func (d *sketch) rows(alloc, width int, path []int) []int {
	all := ints.CeilDiv(alloc, width)
	count, most := all, all
	if d.Limit > 0 && alloc > d.Limit {
		most = min(all, d.Limit/width)
		count = min(most, max(2, d.Limit/32))
	}
	shown := map[int]bool{}
	for _, off := range path {
		if r := off / width; off >= 0 && r < all && len(shown) < most {
			shown[r] = true
		}
	}
	for i := 0; i < all && len(shown) < count; i++ {
		shown[i] = true
		if i == 0 && count > 1 {
			shown[all-1] = true
		}
	}
	return slices.Sorted(maps.Keys(shown))
}

func (d *sketch) skippedRows(n, width int) scene.MemoryRow {
	if width*d.Size == d.Line {
		return scene.MemoryRow{Address: scene.NoAddress, Skip: fmt.Sprintf("… %s of %d B", words.Count(n, "more line"), d.Line)}
	}
	return scene.MemoryRow{Address: scene.NoAddress, Skip: fmt.Sprintf("… %s of %d", words.Count(n, "more row"), width)}
}

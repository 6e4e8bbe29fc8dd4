package render

import (
	"strconv"

	"github.com/clipperhouse/displaywidth"
)

// widestCell is how many columns a label may take; longer ones are cut.
const widestCell = 24

// cellText is what all cells of a scene share, and those of a grid or a memory.
type cellText struct {
	label  int      // columns of the widest label
	shared bool     // a column for the mark of several elements
	hits   bool     // a path has fetched lines
	paint  []string // of each tint
}

// width is the columns of a cell.
func (c cellText) width() int {
	if c.shared {
		return c.label + 1
	}
	return c.label
}

// measure looks at all cells, and at the names of columns, of which the first may be longer.
func (t *sceneText) measure(s Scene) cellText {
	c := cellText{label: 1}
	for _, b := range s.Tensor.Bands {
		for _, p := range b.Planes {
			for _, name := range p.Columns[min(1, len(p.Columns)):] {
				c.label = max(c.label, t.columns(name))
			}
		}
	}
	for cell := range s.cells() {
		c.label = max(c.label, t.cellColumns(cell))
		c.hits = c.hits || cell.Hit
	}
	c.label = min(c.label, widestCell, t.Width/2-2)
	if t.Color {
		c.paint = t.paints(s.Scale.Tints)
	}
	return c
}

// cellColumns is what a cell needs; the hatch of padding lies beside its first label.
func (t *sceneText) cellColumns(c *Cell) int {
	columns := 0
	for k, label := range c.Labels {
		n := t.columns(label)
		if c.Kind == Padding && k == 0 && label != "x" {
			n += 2
		}
		columns = max(columns, n)
	}
	if c.Step > 0 {
		columns = max(columns, 1+len(strconv.Itoa(c.Step)))
	}
	return columns
}

func (t *sceneText) columns(s string) int { return displaywidth.String(t.clean(s)) }

package scene

import (
	"strconv"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/words"
)

// widestCell is how many columns a label may take; longer ones are cut.
const widestCell = 24

// cellText is what all cells of a scene share.
type cellText struct {
	label  int      // columns of the widest label
	inGrid bool     // the grid's have a column for the mark of several elements
	hits   bool     // a path has fetched lines
	paint  []string // of each tint
}

// width is the columns of a cell, with or without the mark of several elements.
func (c cellText) width(shared bool) int {
	if shared {
		return c.label + 1
	}
	return c.label
}

// measure looks at all cells, and at the names of columns, of which the first may be longer.
func (t *sceneText) measure(s Scene) cellText {
	c := cellText{label: 1, inGrid: s.Tensor.any(isShared)}
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

// cellColumns is what a cell needs; a hatch lies beside its first label.
func (t *sceneText) cellColumns(c *Cell) int {
	columns := 0
	for k, label := range c.Labels {
		n := t.columns(label)
		if (c.Kind == Padding || c.Kind == Outside) && k == 0 && label != "x" {
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

// CutLabel cuts what is to stand on a cell to as many columns as a cell has at most.
func CutLabel(s string) string { return words.TruncateNumber(s, widestCell, "…") }

package scene

import (
	"strconv"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/text"
)

// maxCell is the maximum width of a label, in columns; longer ones are truncated.
const maxCell = 24

// cellText has the dimensions and paints of all cells of a scene.
type cellText struct {
	label  int      // columns of the widest label
	inGrid bool     // the grid has a column for the mark of shared offsets
	hits   bool     // a path fetches lines
	paint  []string // of each tint
}

// width returns the columns of a cell, with or without the mark of shared offsets.
func (c cellText) width(shared bool) int {
	if shared {
		return c.label + 1
	}
	return c.label
}

// measure measures all cells and names of columns; the first name may be longer than a cell.
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
	c.label = min(c.label, maxCell, t.Width/2-2)
	if t.Color {
		c.paint = t.paints(s.Scale.Tints)
	}
	return c
}

// cellColumns returns the width of a cell; a hatch is beside its first label.
func (t *sceneText) cellColumns(c *Cell) int {
	columns := 0
	for k, label := range c.Labels {
		n := t.columns(label)
		if (c.Kind == Padding || c.Kind == Outside) && k == 0 {
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

// CutLabel truncates a label to the maximum width of a cell.
func CutLabel(s string) string { return text.TruncateNumber(s, maxCell, "…") }

// labelLines returns how many lines the cells of a row need.
func labelLines(cells []Cell) int {
	n := 1
	for i := range cells {
		n = max(n, len(cells[i].Labels))
	}
	return n
}

// cellLine appends the k-th label of a cell, in its tint.
func (t *sceneText) cellLine(dst []byte, c *Cell, k int, shared bool) []byte {
	label := ""
	if k < len(c.Labels) {
		label = t.label(c.Labels[k])
	}
	switch c.Kind {
	case Padding:
		t.seen.padding = true
		return mark(t.hatched(dst, label, k, t.hatch), "", shared)
	case Outside:
		t.seen.outside = true
		return mark(t.hatched(dst, label, k, t.outside), "", shared)
	}
	paint := t.paint(c)
	dst = append(dst, paint...)
	dst = append(pad(dst, t.cell.label-displaywidth.String(label)), label...)
	if c.Shared > 1 && k == 0 {
		t.seen.shared = true
		dst = mark(dst, t.shared, shared)
	} else {
		dst = mark(dst, "", shared)
	}
	if paint != "" {
		dst = append(dst, "\x1b[0m"...)
	}
	return dst
}

// paint returns the escapes of a cell: its tint, and bold if the path fetches its line.
func (t *sceneText) paint(c *Cell) string {
	paint := ""
	if c.Kind == Element && c.Tint >= 0 && int(c.Tint) < len(t.cell.paint) {
		t.seen.tints = true
		paint = t.cell.paint[c.Tint]
	}
	if t.Color && c.Hit {
		paint += "\x1b[1m"
	}
	return paint
}

// label returns a label truncated to the cell.
func (t *sceneText) label(s string) string {
	return text.TruncateNumber(t.clean(s), t.cell.label, t.tail)
}

// mark appends the sign after a label, if cells have a column for it.
func mark(dst []byte, sign string, shared bool) []byte {
	if !shared {
		return dst
	}
	if sign == "" {
		return append(dst, ' ')
	}
	return append(dst, sign...)
}

// hatched appends a cell without an element. Its value stays visible; the hatch is beside its first line, if it fits.
func (t *sceneText) hatched(dst []byte, label string, k int, hatch string) []byte {
	free := t.cell.label - displaywidth.String(label)
	if label == "" {
		return t.hatchedEmpty(dst, k, hatch)
	}
	if free > 1 && t.Unicode {
		return append(append(repeat(dst, hatch, free-1), ' '), label...)
	}
	if free > 1 && k == 0 {
		return append(pad(append(dst, hatch...), free-1), label...)
	}
	return append(pad(dst, free), label...)
}

// hatchedEmpty is hatched without a value. A sign of ASCII is a single one.
func (t *sceneText) hatchedEmpty(dst []byte, k int, hatch string) []byte {
	free := t.cell.label
	if t.Unicode {
		return repeat(dst, hatch, free)
	}
	if k == 0 {
		return append(pad(dst, free-1), hatch...)
	}
	return pad(dst, free)
}

// stepLine appends the step of a cell, or the mark of a fetched cell if the row is partly fetched.
func (t *sceneText) stepLine(dst []byte, c *Cell, partlyHit, shared bool) []byte {
	if c.Step > 0 {
		t.seen.steps = true
		step := text.Truncate(t.step+strconv.Itoa(c.Step), t.cell.label, t.tail)
		return mark(append(pad(dst, t.cell.label-displaywidth.String(step)), step...), "", shared)
	}
	if partlyHit && c.Hit {
		t.seen.underline = true
		return mark(repeat(dst, t.underline, t.cell.label), "", shared)
	}
	return mark(pad(dst, t.cell.label), "", shared)
}

func pad(dst []byte, n int) []byte { return repeat(dst, " ", n) }

func repeat(dst []byte, s string, n int) []byte {
	for range n {
		dst = append(dst, s...)
	}
	return dst
}

package scene

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/words"
)

// block is lines of text of the same width in columns.
type block struct {
	lines []string
	width int
}

// planeText is a plane and how it is laid out. The name of the first column may reach over the margin: it is mostly the
// only long one.
//
//	    w=0    1    2
//	    ┌ c=1 ─────────┐
//	h=0 │0009 0010 0011│
type planeText struct {
	*sceneText
	Plane
	named  bool // the names of rows stand before them
	margin int  // columns before the frame
	inner  int  // columns within the frame
}

func (t *sceneText) plane(p part, named bool) planeText {
	l := planeText{sceneText: t, Plane: p.Plane, named: named, margin: p.margin}
	for _, row := range p.Rows {
		if named && row.Name != "" {
			l.margin = max(l.margin, min(t.columns(row.Name), t.Width/4)+1)
		}
	}
	if len(p.Columns) > 0 {
		l.margin = max(l.margin, t.overhang(p.Columns[0]))
	}
	l.inner = l.cells(p.widest(), t.cell.inGrid)
	if p.Name != "" {
		l.inner = max(l.inner, min(t.columns(p.Name), t.Width/2)+2)
	}
	return l
}

// overhang is the columns before the frame that the first column's name takes.
func (t *sceneText) overhang(name string) int {
	return max(0, min(t.columns(name), t.Width/4)-t.cell.label-1)
}

// cells is the columns of n cells side by side, with or without the mark of several elements.
func (t *sceneText) cells(n int, shared bool) int { return max(n*(t.cell.width(shared)+1)-1, 0) }

func (l planeText) block() block {
	b := block{width: l.margin + l.inner + 2}
	if slices.ContainsFunc(l.Columns, func(s string) bool { return s != "" }) {
		b.lines = append(b.lines, leftAligned(l.header(), b.width))
	}
	b.lines = append(b.lines, l.side(l.top, l.Name))
	for i, row := range l.Rows {
		b.lines = append(b.lines, l.row(row, l.stepped[i])...)
	}
	b.lines = append(b.lines, l.side(l.bottom, ""))
	return b
}

// header is the names of the columns.
func (l planeText) header() string {
	var line strings.Builder
	room := l.margin + 1 + l.cell.label
	for _, name := range l.Columns {
		line.WriteString(rightAligned(l.short(name, room), room))
		line.WriteString(words.Blanks(l.cell.width(l.cell.inGrid) - l.cell.label + 1))
		room = l.cell.label
	}
	return strings.TrimRight(line.String(), " ")
}

// side is the upper or the lower side of the frame.
func (l planeText) side(corners [2]string, name string) string {
	line := strings.Repeat(l.across, l.inner)
	if name = l.short(name, l.inner-2); name != "" {
		rest := l.inner - displaywidth.String(name) - 2
		line = " " + l.bold(name) + " " + strings.Repeat(l.across, rest)
	}
	return words.Blanks(l.margin) + corners[0] + line + corners[1]
}

// row is a line for each label, and one for the path's steps.
func (l planeText) row(row Row, stepped bool) []string {
	name := ""
	if l.named {
		name = row.Name
	}
	var lines []string
	for k := range labelLines(row.Cells) {
		lines = append(lines, l.rowLine(name, row.Cells, func(dst []byte, c *Cell) []byte { return l.cellLine(dst, c, k, l.cell.inGrid) }))
		name = ""
	}
	if stepped {
		lines = append(lines, l.rowLine("", row.Cells, func(dst []byte, c *Cell) []byte { return l.stepLine(dst, c, false, l.cell.inGrid) }))
	}
	return lines
}

func (l planeText) rowLine(name string, cells []Cell, add func(dst []byte, c *Cell) []byte) string {
	line := append([]byte(rightAligned(l.short(name, l.margin-1), l.margin-1)), words.Blanks(min(1, l.margin))...)
	line = append(line, l.down...)
	for i := range cells {
		if i > 0 {
			line = append(line, ' ')
		}
		line = add(line, &cells[i])
	}
	return string(append(pad(line, l.inner-l.cells(len(cells), l.cell.inGrid)), l.down...))
}

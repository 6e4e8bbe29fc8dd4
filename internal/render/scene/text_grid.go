package scene

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/text"
)

// part is a plane, or some columns of one that is wider than the terminal; margin is the minimum space before its frame.
type part struct {
	Plane
	margin int
}

// parts breaks planes that are wider than the terminal.
func (t *sceneText) parts(planes []Plane) []part {
	var all []part
	for _, p := range planes {
		margin := t.plane(part{Plane: p}, true).margin
		for _, name := range p.Columns { // any may be the first of a part
			margin = max(margin, t.overhang(name))
		}
		columns := p.widest()
		fit := equalParts(columns, (t.Width-margin-1)/(t.cell.width(t.cell.inGrid)+1))
		if fit >= columns {
			all = append(all, part{Plane: p})
			continue
		}
		for i := 0; i < columns; i += fit {
			all = append(all, part{p.columns(i, i+fit), margin})
		}
	}
	return all
}

// columns returns the plane with columns from ≤ i < to.
func (p Plane) columns(from, to int) Plane {
	part := Plane{Name: p.Name, Columns: within(p.Columns, from, to)}
	if from > 0 {
		part.Name = ""
	}
	for _, row := range p.Rows {
		part.Rows = append(part.Rows, Row{row.Name, within(row.Cells, from, to)})
	}
	return part
}

// besideGap is the columns between planes.
const besideGap = 2

// band draws as many planes side by side as fit. Rows are named before the first plane, and before planes with other names.
func (t *sceneText) band(b Band) {
	if b.Skip != "" {
		t.sentences([]string{b.Skip})
		return
	}
	t.heading(b.Name)
	t.stepped = b.stepped()
	var line []block
	var left []Row
	width := 0
	for _, p := range t.parts(b.Planes) {
		next := t.beside(left, p, b)
		if width > 0 && width+next.width > t.Width {
			t.sideBySide(line)
			line = nil
			width = 0
			left = nil
			next = t.beside(nil, p, b)
		}
		line = append(line, next)
		width = width + next.width + besideGap
		if p.Skip == "" {
			left = p.Rows
		}
	}
	t.sideBySide(line)
}

// stepped returns the rows with steps in any plane: a row has the same height in all.
func (b Band) stepped() map[int]bool {
	rows := map[int]bool{}
	for _, p := range b.Planes {
		for i, row := range p.Rows {
			if slices.ContainsFunc(row.Cells, isStep) {
				rows[i] = true
			}
		}
	}
	return rows
}

// beside returns a plane, or its Skip, to the right of a plane with rows left, or of nothing if nil.
func (t *sceneText) beside(left []Row, p part, b Band) block {
	if p.Skip != "" {
		return t.skip(p.Skip, b)
	}
	same := func(a, b Row) bool { return a.Name == b.Name }
	return t.plane(p, left == nil || !slices.EqualFunc(left, p.Rows, same)).block()
}

// skip wraps a sentence into a block no higher than the planes beside it, centered vertically.
func (t *sceneText) skip(sentence string, b Band) block {
	rows := 1
	above := 1
	for _, p := range b.Planes {
		if p.Skip == "" {
			rows = max(rows, len(p.Rows))
			above = max(above, 1+min(1, len(p.Columns)))
		}
	}
	var lines []string
	for width := 9; width == 9 || len(lines) > rows && width <= t.Width; width++ {
		lines = text.Lines(t.clean(sentence), width, t.tail)
	}
	lines = append(make([]string, above+max(0, rows-len(lines))/2), lines...)
	out := block{}
	for _, l := range lines {
		out.width = max(out.width, displaywidth.String(l))
	}
	for _, l := range lines {
		out.lines = append(out.lines, leftAligned(l, out.width))
	}
	return out
}

// sideBySide writes blocks beside each other.
func (t *sceneText) sideBySide(blocks []block) {
	height := 0
	for _, b := range blocks {
		height = max(height, len(b.lines))
	}
	for i := range height {
		var line strings.Builder
		for _, b := range blocks {
			if i < len(b.lines) {
				line.WriteString(b.lines[i])
			} else {
				line.WriteString(text.Blanks(b.width))
			}
			line.WriteString(text.Blanks(besideGap))
		}
		t.line(line.String())
	}
}

// block is lines of text of equal width, in columns.
type block struct {
	lines []string
	width int
}

// planeText is a plane with its dimensions. The name of the first column, often the only long one, may extend into the margin.
//
//	    w=0    1    2
//	    ┌ c=1 ─────────┐
//	h=0 │0009 0010 0011│
type planeText struct {
	*sceneText
	Plane
	named  bool // rows have names
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

// overhang returns how far the first column's name extends to the left of the frame.
func (t *sceneText) overhang(name string) int {
	return max(0, min(t.columns(name), t.Width/4)-t.cell.label-1)
}

// cells returns the width of n cells side by side, with or without the mark of shared offsets.
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

// header returns the names of the columns.
func (l planeText) header() string {
	var line strings.Builder
	room := l.margin + 1 + l.cell.label
	for _, name := range l.Columns {
		line.WriteString(rightAligned(l.short(name, room), room))
		line.WriteString(text.Blanks(l.cell.width(l.cell.inGrid) - l.cell.label + 1))
		room = l.cell.label
	}
	return strings.TrimRight(line.String(), " ")
}

// side returns the upper or lower side of the frame.
func (l planeText) side(corners [2]string, name string) string {
	line := strings.Repeat(l.across, l.inner)
	name = l.short(name, l.inner-2)
	if name != "" {
		rest := l.inner - displaywidth.String(name) - 2
		line = " " + l.bold(name) + " " + strings.Repeat(l.across, rest)
	}
	return text.Blanks(l.margin) + corners[0] + line + corners[1]
}

// row returns a line per label, and one for steps.
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
	line := append([]byte(rightAligned(l.short(name, l.margin-1), l.margin-1)), text.Blanks(min(1, l.margin))...)
	line = append(line, l.down...)
	for i := range cells {
		if i > 0 {
			line = append(line, ' ')
		}
		line = add(line, &cells[i])
	}
	return string(append(pad(line, l.inner-l.cells(len(cells), l.cell.inGrid)), l.down...))
}

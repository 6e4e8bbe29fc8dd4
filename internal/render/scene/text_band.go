package scene

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/words"
)

// besideGap is the columns between planes.
const besideGap = 2

// band draws planes side by side, as many as fit. The names of rows stand before the first of them, and before those
// that have others.
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
			line, width, left = nil, 0, nil
			next = t.beside(nil, p, b)
		}
		line, width = append(line, next), width+next.width+besideGap
		if p.Skip == "" {
			left = p.Rows
		}
	}
	t.sideBySide(line)
}

// stepped lists the rows in which the path comes by, in any plane: they are as high in all.
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

// beside is a plane, or what is said in its place, to the right of one with some rows; of none where they are nil.
func (t *sceneText) beside(left []Row, p part, b Band) block {
	if p.Skip != "" {
		return t.skip(p.Skip, b)
	}
	same := func(a, b Row) bool { return a.Name == b.Name }
	return t.plane(p, left == nil || !slices.EqualFunc(left, p.Rows, same)).block()
}

// skip folds a sentence so that it is no higher than the planes beside it, and puts it at half their height.
func (t *sceneText) skip(text string, b Band) block {
	rows, above := 1, 1
	for _, p := range b.Planes {
		if p.Skip == "" {
			rows, above = max(rows, len(p.Rows)), max(above, 1+min(1, len(p.Columns)))
		}
	}
	var lines []string
	for width := 9; width == 9 || len(lines) > rows && width <= t.Width; width++ {
		lines = words.Lines(t.clean(text), width, t.tail)
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
				line.WriteString(words.Blanks(b.width))
			}
			line.WriteString(words.Blanks(besideGap))
		}
		t.line(line.String())
	}
}

package scene

import (
	"math"

	"github.com/tlayout/tlayout/internal/render/vector"
)

// Pixels of a scene's drawing.
const (
	margin = 28
	page   = 1000 // width at which planes and memories continue below, if no row is wider
	fold   = 720  // width of sentences
	gap    = 36   // between memories
)

// drawing is a scene during layout, from top to bottom: the next part starts at y. All marks go through put, which tracks the drawing's
// width.
type drawing struct {
	Scene
	cell  cellShape
	marks []vector.Mark
	y     float64
	right float64
	page  float64 // width at which planes continue below
	panel int     // being drawn: 0 is the grid, 1 the first memory
}

// Drawing lays the scene out: title, sentences, the grid with its planes side by side, the memories, and a legend. All cells have the same
// size, in the grid and in every memory, so that columns line up; gaps between blocks of memory narrow the cells on both sides.
func (s Scene) Drawing() vector.Drawing {
	d := &drawing{Scene: s, cell: s.cellShape(false), y: margin, page: page}
	if d.crowded() {
		d.cell = s.cellShape(true)
	}
	d.Memories = make([]Memory, len(s.Memories))
	for i, m := range s.Memories {
		d.Memories[i] = d.wrapped(m)
		d.page = max(d.page, margin+d.memoryWidth(d.Memories[i]))
	}
	d.head()
	d.grid()
	d.memories()
	d.legend()
	return vector.Drawing{
		Width: math.Ceil(d.right + margin), Height: math.Ceil(d.y + margin),
		Title: clean(s.Title), Desc: s.inWords(), Tints: s.Scale.Tints, Marks: d.marks,
		Panels: s.panels(),
	}
}

// panels names the grid and the memories.
func (s Scene) panels() []string {
	names := []string{clean(s.Tensor.Name)}
	for _, m := range s.Memories {
		names = append(names, clean(m.Name))
	}
	return names
}

func (d *drawing) put(m vector.Mark) {
	d.marks = append(d.marks, m)
	if r, ok := m.(vector.Rect); ok {
		d.right = max(d.right, r.X+r.W)
	}
}

// write draws a text, and returns its right end.
func (d *drawing) write(t vector.Text) float64 {
	if t.Words == "" {
		return t.X
	}
	d.put(t)
	end := t.X
	if t.Anchor == vector.Start {
		end += whole(vector.Measure(t.Words, t.Size, t.Bold, t.Mono))
	}
	d.right = max(d.right, end)
	return end
}

// paragraph writes sentences, each wrapped into its own lines.
func (d *drawing) paragraph(x float64, lines []string) {
	for _, words := range foldTo(lines, fold, quietSize) {
		d.write(vector.Text{X: x, Y: d.y + 9, Words: words, Paint: vector.Quiet, Size: quietSize})
		d.y += 18
	}
}

// heading writes a heading, followed by its meaning.
func (d *drawing) heading(x float64, name, gloss string) {
	end := x
	for _, words := range foldTo([]string{name}, fold, headingSize) {
		end = d.write(vector.Text{X: x, Y: d.y + 10, Words: words, Paint: vector.Ink, Size: headingSize, Bold: true})
		d.y += 22
	}
	if gloss != "" {
		d.write(vector.Text{X: end + 6, Y: d.y - 12, Words: fitTo("— "+gloss, fold, headingSize), Paint: vector.Quiet, Size: headingSize})
	}
}

func (d *drawing) head() {
	for _, words := range foldTo([]string{d.Title}, fold, titleSize) {
		d.write(vector.Text{X: margin, Y: d.y + 11, Words: words, Paint: vector.Ink, Size: titleSize, Bold: true})
		d.y += 25
	}
	d.paragraph(margin, d.Lines)
}

// memories are drawn one below the other, so that rows can be compared; tall ones side by side, if they fit.
func (d *drawing) memories() {
	for rest := d.Memories; len(rest) > 0; {
		n := d.sideBySide(rest)
		d.y += 26
		x := float64(margin)
		top := d.y
		bottom := d.y
		for _, m := range rest[:n] {
			d.y = top
			d.panel++
			d.memory(x, m)
			x += d.memoryWidth(m) + gap
			bottom = max(bottom, d.y)
		}
		d.y = bottom
		rest = rest[n:]
	}
}

// sideBySide returns how many of the memories, from the first, to draw side by side.
func (d *drawing) sideBySide(memories []Memory) int {
	const tall = 3 // rows
	if len(memories[0].Rows) < tall {
		return 1
	}
	width := 0.0
	for i, m := range memories {
		width += d.memoryWidth(m)
		fits := margin+width <= d.page && len(m.Rows) >= tall
		if i > 0 && !fits {
			return i
		}
		width += gap
	}
	return len(memories)
}

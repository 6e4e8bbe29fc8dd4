package scene

import (
	"bufio"
	"io"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/text"
)

// TextOptions describe the terminal.
type TextOptions struct {
	Width   int  // columns; at least 40
	Unicode bool // lines and blocks; ASCII otherwise
	Color   bool // cells in their tints, headings in bold

	TrueColor bool // 24 bits of color; 256 colors otherwise
}

// sceneText writes a scene, or just a memory, for a terminal.
type sceneText struct {
	TextOptions
	glyphs
	out     *bufio.Writer // holds the first error
	begun   bool
	cell    cellText
	seen    seen
	stepped map[int]bool // rows of the band's planes that have steps
}

func newSceneText(w io.Writer, o TextOptions) *sceneText {
	o.Width = max(o.Width, text.MinColumns)
	t := &sceneText{TextOptions: o, glyphs: asciiScene, out: bufio.NewWriter(w)}
	if o.Unicode {
		t.glyphs = unicodeScene
	}
	return t
}

// Text draws the scene for a terminal: title and sentences, the logical view, each memory, and a key of the signs in use. No line is wider
// than the terminal: planes that do not fit side by side continue below, wider planes and rows of memory are broken into equal parts,
// longer words are truncated. Without color, only the tints are missing.
func (s Scene) Text(w io.Writer, o TextOptions) error {
	t := newSceneText(w, o)
	t.cell = t.measure(s)
	t.heading(s.Title)
	t.sentences(s.Lines)
	t.grid(s.Tensor)
	t.memories(s.Memories)
	t.key(s.Scale)
	return t.out.Flush()
}

// grid draws all bands under the grid's name.
func (t *sceneText) grid(g Grid) {
	if g.Name == "" && len(g.Bands) == 0 {
		return
	}
	t.gap()
	t.heading(g.Name)
	for i, b := range g.Bands {
		if i > 0 && b.Name != "" {
			t.line("")
		}
		t.band(b)
	}
}

// memories draws each memory under its name and sentences. Starts of cache lines are marked unless every row is a cache line.
func (t *sceneText) memories(all []Memory) {
	texts := make([]*memoryText, len(all))
	ticks := false
	for i, m := range all {
		texts[i] = t.layOut(m)
		ticks = ticks || texts[i].ticks
	}
	for i, m := range all {
		t.gap()
		t.headingOf(m)
		t.sentences(m.Lines)
		r := texts[i]
		r.ticks = ticks && r.severalLines
		if r.severalLines && !ticks {
			t.seen.rowIsLine = m.Line
		}
		r.head(m.Column, r.width)
		for _, row := range m.Rows {
			r.row(row)
		}
	}
}

func (t *sceneText) heading(s string) {
	for _, l := range t.fold(s) {
		t.line(t.bold(l))
	}
}

// headingOf writes a memory's name and its meaning.
func (t *sceneText) headingOf(m Memory) {
	if m.Gloss == "" {
		t.heading(m.Name)
		return
	}
	name := t.short(m.Name, t.Width)
	t.line(t.bold(name) + " " + t.short("— "+m.Gloss, t.Width-t.columns(name)-1))
}

func (t *sceneText) sentences(lines []string) {
	for _, s := range lines {
		for _, l := range t.fold(s) {
			t.line(l)
		}
	}
}

func (t *sceneText) fold(s string) []string { return text.Lines(t.clean(s), t.Width, t.tail) }

// clean returns printable text, in ASCII for terminals without Unicode.
func (t *sceneText) clean(s string) string {
	s = text.Printable(s)
	if t.Unicode {
		return s
	}
	return text.ASCII(strings.ReplaceAll(s, "…", t.tail))
}

// short returns clean text, truncated.
func (t *sceneText) short(s string, columns int) string {
	return text.Truncate(t.clean(s), columns, t.tail)
}

func (t *sceneText) bold(s string) string { return text.Bold(s, t.Color) }

// gap writes an empty line, except at the top.
func (t *sceneText) gap() {
	if t.begun {
		t.line("")
	}
}

func (t *sceneText) line(s string) {
	t.begun = true
	t.out.WriteString(strings.TrimRight(s, " "))
	t.out.WriteByte('\n')
}

// leftAligned pads text on the right.
func leftAligned(s string, columns int) string {
	return s + text.Blanks(columns-displaywidth.String(s))
}

// rightAligned pads text on the left.
func rightAligned(s string, columns int) string {
	return text.Blanks(columns-displaywidth.String(s)) + s
}

// glyphs are the characters of a scene.
type glyphs struct {
	top, bottom [2]string // corners of a plane
	across      string    // its upper and lower side
	down        string    // its left and right side
	edges       [3]string // between cells of memory: 0, 1, more axes wrap
	lines       [3]string // the same at the start of a cache line
	hatch       string    // padding
	outside     string    // outside of the tensor
	shared      string    // after a label
	hit         string    // before a row of memory
	underline   string    // below cells of a fetched line, unless that is the whole row
	step        string    // before a step's number
	tail        string    // of truncated text
}

var (
	unicodeScene = glyphs{
		top: [2]string{"┌", "┐"}, bottom: [2]string{"└", "┘"}, across: "─", down: "│",
		edges: [3]string{" ", "│", "┃"}, lines: [3]string{"╎", "┼", "╂"},
		hatch: "░", outside: "·", shared: "'", hit: "►", underline: "▔", step: "#", tail: "…",
	}
	asciiScene = glyphs{
		top: [2]string{"+", "+"}, bottom: [2]string{"+", "+"}, across: "-", down: "|",
		edges: [3]string{" ", "|", "#"}, lines: [3]string{":", "+", "*"},
		hatch: "x", outside: ".", shared: "'", hit: ">", underline: "^", step: "@", tail: "..",
	}
)

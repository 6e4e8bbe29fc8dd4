package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/words"
)

// Page lays an answer out for a terminal, or as Markdown in which every line stays a line of its own. It holds the first
// error of a table or drawing; that of standard output is held by its buffer, which Run flushes.
type Page struct {
	app *App
	out io.Writer
	gap bool // nothing was written yet, or the last line is blank
	err error
}

// Markdown reports whether the page is laid out by whoever reads it later.
func (p *Page) Markdown() bool { return p.app.Format == Markdown }

// All reports whether the page shows everything, or only what is news.
func (p *Page) All() bool { return p.app.All }

// Quiet reports whether the page is of an answer "no" that is to be said in one line.
func (p *Page) Quiet() bool { return p.app.Quiet }

// More names the flags that show what the page leaves out, in its last line; nothing with --all, or in Markdown.
func (p *Page) More(ways ...string) {
	if p.All() || p.Markdown() || len(ways) == 0 {
		return
	}
	p.Blank()
	p.line(p.fold("more: "+strings.Join(ways, ", "), 6))
}

// Columns is the width that a page is laid out for; unlimited in Markdown and off a terminal.
func (p *Page) Columns() int {
	if p.Markdown() || p.app.Streams.Width == 0 {
		return math.MaxInt
	}
	return p.app.Streams.Columns()
}

// Height is how many lines the terminal has; 24 where that is not known.
func (p *Page) Height() int { return cmp.Or(p.app.Streams.Height, 24) }

// Ellipsis marks where text was cut.
func (p *Page) Ellipsis() string { return p.app.Streams.spell("…") }

// Answer writes the first line, which answers the question.
func (p *Page) Answer(line string) {
	if !p.Markdown() {
		line = p.app.Streams.Fold(line, 2)
	}
	p.line(p.strong(line))
}

// Items writes lines, a list in Markdown. A line that begins with two spaces belongs to the one before it.
func (p *Page) Items(lines ...string) {
	for _, line := range lines {
		indented := strings.HasPrefix(line, "  ")
		switch {
		case p.Markdown() && indented:
			p.line("  - " + render.MarkdownLine(strings.TrimPrefix(line, "  ")))
		case p.Markdown():
			p.line("- " + render.MarkdownLine(line))
		case indented:
			p.line(p.fold(line, 4))
		default:
			p.line(p.fold(line, 2))
		}
	}
}

// Bullets writes a list that has its bullets on a terminal too.
func (p *Page) Bullets(lines ...string) {
	for _, line := range lines {
		if p.Markdown() {
			p.line("- " + render.MarkdownLine(line))
		} else {
			p.line(p.fold("- "+line, 2))
		}
	}
}

// Fact is a text with a label; Code says that Markdown sets the text as code.
type Fact struct {
	Label, Text string
	Code        bool
}

// FactIndent is the column in which Facts writes texts that have these labels.
func FactIndent(labels []string) int {
	longest := 8
	for _, label := range labels {
		longest = max(longest, displaywidth.String(label))
	}
	return longest + 2
}

// Facts writes facts after a blank line: on a terminal in two columns, where a label is not repeated.
func (p *Page) Facts(facts ...Fact) {
	labels := make([]string, len(facts))
	for i, f := range facts {
		labels[i] = f.Label
	}
	indent, label := FactIndent(labels), ""
	for i, f := range facts {
		if i == 0 {
			p.Blank()
		}
		switch {
		case p.Markdown() && f.Code:
			p.line("- " + f.Label + ": " + render.CodeSpan(f.Text))
		case p.Markdown():
			p.line("- " + f.Label + ": " + render.Markdown(f.Text))
		case f.Label == label:
			p.line(p.fold(fmt.Sprintf("%-*s%s", indent, "", f.Text), indent))
		default:
			p.line(p.fold(fmt.Sprintf("%-*s%s", indent, f.Label, f.Text), indent))
		}
		label = f.Label
	}
}

// Steps writes what belongs to a heading: lines indented by two, a list in Markdown.
func (p *Page) Steps(lines ...string) {
	for _, line := range lines {
		if p.Markdown() {
			p.line("- " + render.MarkdownLine(line))
		} else {
			p.line(p.fold("  "+line, 4))
		}
	}
}

// Remarks writes Items after a blank line; nothing where there are none.
func (p *Page) Remarks(lines ...string) {
	if len(lines) > 0 {
		p.Blank()
		p.Items(lines...)
	}
}

// Notes writes what is worth knowing as Remarks.
func (p *Page) Notes(notes []string) { p.Remarks(NoteLines(notes)...) }

// NoteLines are notes as Remarks writes them.
func NoteLines(notes []string) []string {
	lines := make([]string, len(notes))
	for i, note := range notes {
		lines[i] = "note: " + note
	}
	return lines
}

// Paragraph writes a sentence or several after a blank line.
func (p *Page) Paragraph(text string) {
	p.Blank()
	p.line(p.fold(text, 0))
}

// Heading writes a section's title after a blank line.
func (p *Page) Heading(title string) {
	p.Blank()
	if !p.Markdown() {
		title = p.app.Streams.Fold(title, 2)
	}
	p.line(p.strong(title))
	if p.Markdown() {
		p.Blank()
	}
}

// Section writes a table under its title, if it has one; nothing where it has no rows.
func (p *Page) Section(t render.Table) {
	switch {
	case len(t.Rows) == 0:
		return
	case t.Title == "":
		p.Blank()
	default:
		p.Heading(t.Title)
	}
	p.gap = false
	if p.Markdown() {
		p.Fail(t.Markdown(p.out))
		return
	}
	p.Fail(t.Text(p.out, p.Columns(), p.app.Streams.Unicode))
}

// Step writes the text of an operation, as a heading of what follows.
func (p *Page) Step(op string) {
	if p.Markdown() {
		p.Blank()
		p.line(render.CodeSpan(op))
		p.Blank()
		return
	}
	p.line(p.fold(op, 2))
}

// Block writes lines that are not to be broken, indented by two; those that the terminal has no room for are cut.
func (p *Page) Block(lines []string) {
	for _, line := range lines {
		switch width := p.Columns() - 2; {
		case p.Markdown():
			line = "  " + line
		default:
			if line = p.app.Streams.spell(line); displaywidth.String(line) > width {
				line = words.Truncate(line, width, p.Ellipsis())
			}
		}
		p.line("  " + line)
	}
}

// Code writes statements under a title. They are not broken, for they are to be copied.
func (p *Page) Code(title, language string, lines []string) {
	p.Heading(title)
	if p.Markdown() {
		p.line(render.CodeBlock(language, lines))
		return
	}
	p.line(strings.Join(lines, "\n"))
}

// Draw lets a chart or a scene write itself.
func (p *Page) Draw(draw func(w io.Writer, o scene.TextOptions) error) {
	p.gap = false
	p.Fail(draw(p.out, p.app.TextOptions()))
}

// Rows begins a table that is written row by row as it comes, under its title if it has one.
func (p *Page) Rows(title string, c render.Columns) render.RowWriter {
	if title != "" {
		p.Heading(title)
	}
	p.gap = false
	if p.Markdown() {
		return render.StreamMarkdown(p.out, c)
	}
	return render.StreamText(p.out, c)
}

// Hint writes a line about the page, which is not part of it, to standard error.
func (p *Page) Hint(line string) { p.app.Hint(line) }

// Blank writes an empty line, unless the page begins here or the last line is empty.
func (p *Page) Blank() {
	if !p.gap {
		p.line("")
	}
	p.gap = true
}

func (p *Page) line(s string) {
	fmt.Fprintln(p.out, s)
	p.gap = false
}

// Fail makes Write return the first error that is not nil.
func (p *Page) Fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// strong is a heading in bold.
func (p *Page) strong(s string) string {
	if p.Markdown() {
		return "**" + render.Markdown(s) + "**"
	}
	return words.Bold(s, p.app.Bolds())
}

// fold breaks a line between words where it is wider than the terminal; what follows is indented. In Markdown it is escaped.
func (p *Page) fold(line string, indent int) string {
	if p.Markdown() {
		return render.MarkdownLine(line)
	}
	return p.app.Streams.Fold(line, indent)
}

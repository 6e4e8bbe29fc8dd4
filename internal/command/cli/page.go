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
	"github.com/tlayout/tlayout/internal/text"
)

// Page lays out an answer for a terminal or as Markdown, where every line stays a line. It holds the first error of a table or drawing; Run reports
// errors of standard output.
type Page struct {
	app *App
	out io.Writer
	gap bool // at the start, or after a blank line
	err error
}

// Markdown reports whether the page is Markdown, which its reader lays out.
func (p *Page) Markdown() bool { return p.app.Format == Markdown }

// All reports whether the page shows everything, not only highlights.
func (p *Page) All() bool { return p.app.All }

// Quiet reports whether a negative answer should be one line.
func (p *Page) Quiet() bool { return p.app.Quiet }

// More ends the page with the flags that show what it omits; nothing with --all or in Markdown.
func (p *Page) More(ways ...string) {
	if p.All() || p.Markdown() || len(ways) == 0 {
		return
	}
	p.Blank()
	p.line(p.fold("more: "+strings.Join(ways, ", "), 6))
}

// Columns returns the page width; unlimited in Markdown and off a terminal.
func (p *Page) Columns() int {
	if p.Markdown() || p.app.Streams.Width == 0 {
		return math.MaxInt
	}
	return p.app.Streams.Columns()
}

// Height returns the number of lines of the terminal; 24 if unknown.
func (p *Page) Height() int { return cmp.Or(p.app.Streams.Height, 24) }

// Ellipsis returns the mark of cut text.
func (p *Page) Ellipsis() string { return p.app.Streams.spell("…") }

// Answer writes the first line, which answers the question.
func (p *Page) Answer(line string) {
	if !p.Markdown() {
		line = p.app.Streams.Fold(line, 2)
	}
	p.line(p.strong(line))
}

// Items writes lines, as a list in Markdown. A line that begins with two spaces belongs to the line before.
func (p *Page) Items(lines ...string) {
	for _, line := range lines {
		item, nested := strings.CutPrefix(line, "  ")
		indent := 0
		if nested {
			indent = 2
		}
		if p.Markdown() {
			p.line(strings.Repeat(" ", indent) + "- " + render.MarkdownLine(item))
			continue
		}
		p.line(p.fold(line, indent+2))
	}
}

// markdown returns the fact as an item of a list.
func (f Fact) markdown() string {
	if f.Code {
		return "- " + f.Label + ": " + render.CodeSpan(f.Text)
	}
	return "- " + f.Label + ": " + render.Markdown(f.Text)
}

// Bullets writes a list with bullets, also on a terminal.
func (p *Page) Bullets(lines ...string) {
	for _, line := range lines {
		if p.Markdown() {
			p.line("- " + render.MarkdownLine(line))
		} else {
			p.line(p.fold("- "+line, 2))
		}
	}
}

// Fact is a text with a label; Code formats the text as code in Markdown.
type Fact struct {
	Label, Text string
	Code        bool
}

// FactIndent returns the column of the texts in Facts with these labels.
func FactIndent(labels []string) int {
	longest := 8
	for _, label := range labels {
		longest = max(longest, displaywidth.String(label))
	}
	return longest + 2
}

// Facts writes facts after a blank line: on a terminal in two columns, without repeated labels.
func (p *Page) Facts(facts ...Fact) {
	if len(facts) == 0 {
		return
	}
	p.Blank()
	labels := make([]string, len(facts))
	for i, f := range facts {
		labels[i] = f.Label
	}
	indent := FactIndent(labels)
	for i, f := range facts {
		if p.Markdown() {
			p.line(f.markdown())
			continue
		}
		label := f.Label
		if i > 0 && label == labels[i-1] {
			label = ""
		}
		p.line(p.fold(fmt.Sprintf("%-*s%s", indent, label, f.Text), indent))
	}
}

// Steps writes the lines below a heading: indented by two, or a list in Markdown.
func (p *Page) Steps(lines ...string) {
	for _, line := range lines {
		if p.Markdown() {
			p.line("- " + render.MarkdownLine(line))
		} else {
			p.line(p.fold("  "+line, 4))
		}
	}
}

// Remarks writes Items after a blank line; nothing if there are none.
func (p *Page) Remarks(lines ...string) {
	if len(lines) > 0 {
		p.Blank()
		p.Items(lines...)
	}
}

// Notes writes notes as Remarks.
func (p *Page) Notes(notes []string) { p.Remarks(NoteLines(notes)...) }

// NoteLines prefixes notes with "note: ".
func NoteLines(notes []string) []string {
	lines := make([]string, len(notes))
	for i, note := range notes {
		lines[i] = "note: " + note
	}
	return lines
}

// Paragraph writes sentences after a blank line.
func (p *Page) Paragraph(text string) {
	p.Blank()
	p.line(p.fold(text, 0))
}

// Heading writes a section title after a blank line.
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

// Section writes a table under its title, if it has one; nothing if it has no rows.
func (p *Page) Section(t render.Table) {
	if len(t.Rows) == 0 {
		return
	}
	if t.Title == "" {
		p.Blank()
	} else {
		p.Heading(t.Title)
	}
	p.gap = false
	if p.Markdown() {
		p.Fail(t.Markdown(p.out))
		return
	}
	p.Fail(t.Text(p.out, p.Columns(), p.app.Streams.Unicode))
}

// Step writes an operation as the heading of its results.
func (p *Page) Step(op string) {
	if p.Markdown() {
		p.Blank()
		p.line(render.CodeSpan(op))
		p.Blank()
		return
	}
	p.line(p.fold(op, 2))
}

// Block writes lines that must not be wrapped, indented by two; lines wider than the terminal are cut.
func (p *Page) Block(lines []string) {
	width := p.Columns() - 2
	for _, line := range lines {
		if p.Markdown() {
			p.line("    " + line)
			continue
		}
		line = p.app.Streams.spell(line)
		if displaywidth.String(line) > width {
			line = text.Truncate(line, width, p.Ellipsis())
		}
		p.line("  " + line)
	}
}

// codeColumns is the width of command lines; wider ones are continued.
const codeColumns = 80

// Code writes statements under a title, to be copied. Command lines are continued on the next line, as a shell reads them.
func (p *Page) Code(title, language string, lines []string) {
	p.Heading(title)
	if language == "sh" {
		continued := make([]string, len(lines))
		for i, line := range lines {
			continued[i] = text.Continued(line, codeColumns)
		}
		lines = continued
	}
	if p.Markdown() {
		p.line(render.CodeBlock(language, lines))
		return
	}
	p.line(strings.Join(lines, "\n"))
}

// Draw writes a chart or a scene.
func (p *Page) Draw(draw func(w io.Writer, o scene.TextOptions) error) {
	p.gap = false
	p.Fail(draw(p.out, p.app.TextOptions()))
}

// Rows begins a table that is written row by row, under a title unless that is empty.
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

// Hint writes a line about the page to standard error.
func (p *Page) Hint(line string) { p.app.Hint(line) }

// Blank writes an empty line, except at the start or after another one.
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

// Fail makes Write return err, unless it is nil or another error came first.
func (p *Page) Fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// strong returns a heading in bold.
func (p *Page) strong(s string) string {
	if p.Markdown() {
		return "**" + render.Markdown(s) + "**"
	}
	return text.Bold(s, p.app.Bolds())
}

// fold wraps a line to the terminal and indents continuation lines. In Markdown it escapes the line.
func (p *Page) fold(line string, indent int) string {
	if p.Markdown() {
		return render.MarkdownLine(line)
	}
	return p.app.Streams.Fold(line, indent)
}

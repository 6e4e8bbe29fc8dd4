package trace

import (
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/render"
)

// page is what a chain shows, by whatever rules: the verdict, the steps, and what is news. --all derives every step.
type page struct {
	answer  string
	refusal []string // of a chain that ends in one: the numbers, and what works instead
	table   render.Table
	lines   []string // the table's rows, for a terminal that is too narrow for it
	news    []string
	why     []part // one of each step
	values  []part // one of each tensor; nil unless they were asked for
	title   string // of the values
	notes   []string
}

// part is lines about one step.
type part struct {
	of    string
	lines []string
}

func (g *page) write(p *cli.Page) {
	p.Answer(g.answer)
	if p.Quiet() {
		return
	}
	p.Steps(g.refusal...)
	if g.table.Width() <= p.Columns() {
		p.Section(g.table)
	} else {
		p.Heading(g.table.Title)
		p.Items(g.lines...)
	}
	if p.All() {
		writeParts(p, "Why", g.why, func(lines []string) { p.Bullets(lines...) })
	} else {
		p.Remarks(g.news...)
	}
	writeParts(p, g.title, g.values, p.Block)
	p.Notes(g.notes)
	if g.values == nil {
		p.More("--all", "--values")
	} else {
		p.More("--all")
	}
}

// writeParts writes those that have lines under a title.
func writeParts(p *cli.Page, title string, parts []part, write func(lines []string)) {
	for i, part := range parts {
		if i == 0 {
			p.Heading(title)
		}
		p.Step(part.of)
		write(part.lines)
	}
}

// refusedAfter names the last of n steps, which is refused, and the one before it: "view(12) is refused after T".
func refusedAfter(n int, op func(i int) string) string {
	if n == 1 {
		return op(0) + " is refused"
	}
	return op(n-1) + " is refused after " + op(n-2)
}

// refusalLines are the reason of a refusal and its hint, without those that are empty.
func refusalLines(why, hint string) []string {
	var lines []string
	if why != "" {
		lines = append(lines, why)
	}
	if hint != "" {
		lines = append(lines, "hint: "+hint)
	}
	return lines
}

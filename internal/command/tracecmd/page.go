package tracecmd

import (
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/render"
)

// page is the page of a chain, whatever the rules: the answer, the steps and highlights; with --all, the derivation of every step.
type page struct {
	answer     string
	refusal    []string // numbers of the refused step, and what works instead
	table      render.Table
	lines      []string // rows of the table, for a terminal that is too narrow for it
	highlights []string
	why        []part // per step
	values     []part // per tensor; nil without --values
	title      string // of values
	notes      []string
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
		p.Remarks(g.highlights...)
	}
	writeParts(p, g.title, g.values, p.Block)
	p.Notes(g.notes)
	if g.values == nil {
		p.More("--all", "--values")
	} else {
		p.More("--all")
	}
}

// writeParts writes the parts under a title.
func writeParts(p *cli.Page, title string, parts []part, write func(lines []string)) {
	for i, part := range parts {
		if i == 0 {
			p.Heading(title)
		}
		p.Step(part.of)
		write(part.lines)
	}
}

// refusedAfter names a refused step and the one whose result it is of, if any: "view(12) is refused after T".
func refusedAfter(op, before string) string {
	if before == "" {
		return op + " is refused"
	}
	return op + " is refused after " + before
}

// refusalLines returns the non-empty ones of a refusal's reason and hint.
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

package inspectcmd

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/text"
)

// The first screen fits a terminal of 80 columns and 24 lines, prompts and warnings included.
const (
	screenLines   = 20
	screenColumns = 80
)

// Page writes the answer in one line, the dims and the highlights; with --all, all facts; with --explain, the derivation.
func (r report) Page(p *cli.Page) { r.page(p, nil) }

// page is Page with remarks about the tensor's container.
func (r report) page(p *cli.Page, remarks []string) {
	p.Answer(r.Headline())
	if r.Explain != nil {
		r.view(p)
		for _, e := range r.Explain {
			p.Heading(e.Title)
			p.Steps(e.Lines...)
		}
		p.Remarks(remarks...)
		return
	}
	if p.All() {
		p.Section(r.dimTable())
		p.Facts(r.allFacts()...)
		p.Remarks(remarks...)
		return
	}
	r.screen(p, remarks)
}

// view writes the tensor of a file below the headline, which shows the array as stored.
func (r report) view(p *cli.Page) {
	if text := r.ViewText(); text != "" {
		p.Items(text)
	}
}

// screen writes the first screen, which is the same at every width, and with the warnings takes at most screenLines of screenColumns.
func (r report) screen(p *cli.Page, remarks []string) {
	facts := r.Highlights()
	hidden := 0
	grid := r.grid(indent(facts), min(screenColumns, p.Columns()))
	left := screenLines - lines(r.Headline(), 2) - 3 // blank lines above the facts and the last line, and the last line
	for _, warning := range r.Warnings {
		left -= lines("tlayout: warning: "+warning, 2)
	}
	for _, remark := range remarks {
		left -= lines(remark, 2)
	}
	if len(remarks) > 0 {
		left-- // a blank line
	}
	if len(grid) > 0 {
		p.Blank()
		left -= 1 + len(grid)
	}
	if p.Markdown() { // a document has room for all
		p.Section(r.dimTable())
	} else {
		p.Items(grid...)
		facts, hidden = fit(facts, left)
	}
	var shown []cli.Fact
	for _, f := range facts {
		shown = append(shown, cli.Fact{Label: f.Label, Text: f.Text})
	}
	p.Facts(shown...)
	p.Remarks(remarks...)
	all := "--all"
	if hidden > 0 {
		all += " (" + text.Count(hidden, "more fact") + ")"
	}
	explain := "--explain"
	if text := r.AssumedDims(); text != "" {
		explain += "; " + text
	}
	p.More(all, explain)
}

// allFacts returns all facts about the tensor.
func (r report) allFacts() (all []cli.Fact) {
	for _, f := range r.Facts() {
		if f.Full == nil {
			f.Full = []string{f.Text}
		}
		for _, line := range f.Full {
			all = append(all, cli.Fact{Label: f.Label, Text: line})
		}
	}
	return all
}

// fit shortens facts to limit lines of screenColumns: it drops the lowest priority first (from the last fact on), then the reasons why frameworks
// accept or refuse the tensor, then other facts except vital ones, and finally cuts texts and drops whole facts. hidden counts the useful and vital
// facts dropped.
func fit(facts []inspect.Fact, limit int) (shown []inspect.Fact, hidden int) {
	facts = slices.Clone(facts)
	drop := func(w inspect.Priority) {
		for i, f := range slices.Backward(facts) {
			if f.Priority == w && total(facts) > limit {
				facts = slices.Delete(facts, i, i+1)
				if w >= inspect.Useful {
					hidden++
				}
			}
		}
	}
	drop(inspect.Spelling)
	drop(inspect.Detail)
	for total(facts) > limit && merge(&facts, limit) {
	}
	drop(inspect.Useful)
	for i := range slices.Backward(facts) {
		if total(facts) > limit {
			facts[i].Text = text.Truncate(facts[i].Text, screenColumns-indent(facts), "…")
		}
	}
	drop(inspect.Vital)
	return facts, hidden
}

// merge joins the facts under the first repeated label into one, if they name frameworks: with their reasons if limit lines suffice then, and
// without them otherwise. It returns false if there is none.
func merge(facts *[]inspect.Fact, limit int) bool {
	all := *facts
	for first, f := range all {
		end := first + 1
		for f.Who != "" && end < len(all) && all[end].Label == f.Label {
			end++
		}
		if end == first+1 {
			continue
		}
		var frameworks, reasons []string
		for _, f := range all[first:end] {
			reasons = append(reasons, f.Text)
			for name := range strings.SplitSeq(f.Who, ", ") {
				if !slices.Contains(frameworks, name) {
					frameworks = append(frameworks, name)
				}
			}
		}
		*facts = slices.Delete(all, first+1, end)
		all[first].Text = strings.Join(reasons, "; ")
		if total(*facts) > limit {
			all[first].Text = strings.Join(frameworks, ", ") + "; details: --all"
		}
		return true
	}
	return false
}

// total returns the number of lines of facts.
func total(facts []inspect.Fact) int {
	n := 0
	for _, f := range facts {
		n += lines(text.Blanks(indent(facts))+f.Text, indent(facts))
	}
	return n
}

// indent returns the column where the texts of facts begin.
func indent(facts []inspect.Fact) int {
	labels := make([]string, len(facts))
	for i, f := range facts {
		labels[i] = f.Label
	}
	return cli.FactIndent(labels)
}

// lines returns the number of screenColumns lines of a text.
func lines(s string, indent int) int {
	return 1 + strings.Count(text.Fold(s, screenColumns, indent), "\n")
}

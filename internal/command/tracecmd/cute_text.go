package tracecmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/gpu/cute"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/text"
)

// Page writes the answer, the steps, and why the last one is refused.
func (r *cuteReport) Page(p *cli.Page) {
	g := &page{answer: r.headline(), table: r.table().Fit(p.Columns(), render.Cut(0, 16)), lines: r.lines(), why: r.derivations(),
		values: r.valueParts(), title: "Values: mode 0 down, other modes across", notes: r.Notes}
	if e := r.Steps[len(r.Steps)-1].Error; e != nil {
		g.refusal = refusalLines(e.Why, e.Hint)
	}
	g.write(p)
}

// headline returns the answer: the last layout or number, or the refused step and why.
func (r *cuteReport) headline() string {
	last := &r.Steps[len(r.Steps)-1]
	if last.Error != nil {
		before := ""
		if len(r.Steps) > 1 {
			before = r.Steps[len(r.Steps)-2].Op
		}
		return refusedAfter(last.Op, before) + ": " + last.Error.Text
	}
	source := text.Shorten(*r.Start.Layout)
	if last.Value != nil {
		return fmt.Sprintf("%s: %s is %d", source, last.Op, *last.Value)
	}
	if len(r.Steps) == 1 {
		return fmt.Sprintf("%s: %s is %s", source, last.Op, *last.Layout)
	}
	return fmt.Sprintf("%s: %d steps; %s", source, len(r.Steps), *last.Layout)
}

// lines returns the rows of the table as sentences.
func (r *cuteReport) lines() []string {
	lines := []string{"start: " + *r.Start.Layout}
	for i := range r.Steps {
		lines = append(lines, r.Steps[i].Op+": "+r.Steps[i].result())
	}
	return lines
}

func (r *cuteReport) table() render.Table {
	t := render.Table{Title: "Layouts, leftmost mode fastest", Header: []string{"step", "layout", "size", "cosize"}, Numbers: []int{2, 3}}
	valued := slices.ContainsFunc(r.Steps, func(s cuteStep) bool { return s.Value != nil })
	if valued {
		t.Header = append(t.Header, "value")
		t.Numbers = append(t.Numbers, 4)
	}
	add := func(value string, cells ...string) {
		if valued {
			cells = append(cells, value)
		}
		t.Add(cells...)
	}
	add("", "start", *r.Start.Layout, strconv.Itoa(*r.Start.Size), strconv.Itoa(*r.Start.Cosize))
	for _, s := range r.Steps {
		if s.Error != nil {
			add("", s.Op, "refused", "", "")
		} else {
			add(number(s.Value), s.Op, *s.Layout, strconv.Itoa(*s.Size), strconv.Itoa(*s.Cosize))
		}
	}
	return t
}

// result returns a line on the result of a step.
func (s *cuteStep) result() string {
	if s.Error != nil {
		return "refused"
	}
	if s.Value != nil {
		return strconv.Itoa(*s.Value)
	}
	return fmt.Sprintf("%s, size %d, cosize %d", *s.Layout, *s.Size, *s.Cosize)
}

// derivations returns each step's layout before and after it, and the reasons.
func (r *cuteReport) derivations() []part {
	var parts []part
	before := *r.Start.Layout
	for _, s := range r.Steps {
		if s.Error != nil {
			break
		}
		lines := s.reasons
		if s.Value == nil {
			lines = append([]string{before + " → " + *s.Layout}, lines...)
			before = *s.Layout
		}
		parts = append(parts, part{s.Op, lines})
	}
	return parts
}

// valueParts returns the indices of the start and of each step that returns another layout, mode 0 down, the others across, as
// CuTe's print_layout does; nil without --values.
func (r *cuteReport) valueParts() []part {
	if r.Start.Values == nil {
		return nil
	}
	show := func(op string, s *cuteState) part { return part{op + " " + *s.Layout, grid(s.layout, s.Values)} }
	parts := []part{show("start", &r.Start)}
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Error == nil && s.Value == nil {
			parts = append(parts, show(s.Op, &s.cuteState))
		}
	}
	return parts
}

// grid writes indices in rows of mode 0; a layout of rank 1, or a truncated one, in one row.
func grid(l cute.Layout, values []int) []string {
	rows := 1
	if l.Rank() > 1 && len(values) == l.Size() {
		rows = l.Mode(0).Size()
	}
	width := 0
	for _, v := range values {
		width = max(width, text.Digits(v))
	}
	lines := make([]string, rows)
	for row := range lines {
		var cells []string
		for i := row; i < len(values); i += rows {
			cells = append(cells, fmt.Sprintf("%*d", width, values[i]))
		}
		lines[row] = strings.Join(cells, " ")
	}
	if len(values) < l.Size() {
		lines[0] += " …"
	}
	return lines
}

// cuteNames lists the names of the operations for the help text.
func cuteNames() string {
	var names []string
	for _, u := range cute.Operations() {
		names = append(names, u.Name)
	}
	return text.Fold("  "+strings.Join(names, ", "), 76, 2)
}

// cuteUsages lists the operations and their results for the help text.
func cuteUsages() string {
	var lines []string
	for _, u := range cute.Operations() {
		form := u.Name
		if u.Args != "" {
			form += "(" + u.Args + ")"
		}
		lines = append(lines, fmt.Sprintf("  %-20s %s", form, u.What))
	}
	return strings.Join(lines, "\n")
}

package graphcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/text"
)

// How many lines a page has without --all.
const (
	maxRows  = 9
	maxCures = 5
	maxCode  = 48 // columns of a call
	minPlace = 10 // columns of places that are cut
)

// answer returns the first line: how many changes, of how many bytes, and how long they take.
func (r *report) answer() string {
	line := r.Shown() + ": " + r.Engine
	if r.Seconds != nil {
		line += fmt.Sprintf(", %s in %s; ", text.Seconds(*r.Seconds), text.Count(r.Operators, "operator"))
	} else {
		line += ", " + text.Count(r.Operators, "operator") + "; "
	}
	if r.Moved.Times == 0 {
		return line + "none changes the layout" + r.doubt()
	}
	if r.Seconds != nil && *r.Moved.Seconds > 0 {
		return line + fmt.Sprintf("%s of it, %s, %s layouts (%s, %s)", text.Seconds(*r.Moved.Seconds), percent(*r.Moved.Share),
			text.Plural(r.Moved.Times, "changes", "change"), r.Moved.count(), text.Bytes(r.Moved.Bytes)) + r.doubt()
	}
	return line + r.moved() + r.doubt()
}

// moved returns what the changes of a file without times move: "2 change the layout of 2 MiB each, and undo each other".
func (r *report) moved() string {
	moving := r.moving(false)
	line := fmt.Sprintf("%d %s the layout of ", r.Moved.Times, text.Plural(r.Moved.Times, "changes", "change"))
	each := moving[0].Bytes / int64(moving[0].Times)
	same := !slices.ContainsFunc(moving, func(c *change) bool { return c.Bytes/int64(c.Times) != each })
	if r.Moved.Times == 1 {
		return line + text.Bytes(each)
	}
	if same {
		line += text.Bytes(each) + " each"
	} else {
		line += text.Bytes(r.Moved.Bytes) + " in all"
	}
	if len(moving) == 2 && slices.Contains(moving[0].Cancels, moving[1].Number) {
		line += ", and undo each other"
	}
	return line
}

// doubt says how many operators no rule covers.
func (r *report) doubt() string {
	if len(r.Unknown) == 0 {
		return ""
	}
	return fmt.Sprintf("; %s unknown", text.Count(int(r.figures()["unknown"]), "operator"))
}

// moving returns the changes of weights, or all others, in the order of the program.
func (r *report) moving(weights bool) (all []*change) {
	for i := range r.Changes {
		if r.Changes[i].Weight == weights {
			all = append(all, &r.Changes[i])
		}
	}
	return all
}

// Page writes failed gates, the changes, what cancels and cures; with --all every change, and the operators that no rule covers.
func (r *report) Page(p *cli.Page) {
	r.writeGates(p)
	p.Answer(r.Answer)
	if p.Quiet() {
		return
	}
	moving := r.moving(false)
	listed := listed(moving, p.All())
	t := r.table(listed, true)
	fits := t.Width() <= p.Columns()
	if !fits {
		t = r.table(listed, false)
	}
	p.Section(t.Fit(p.Columns(), render.Cut(len(t.Header)-1, minPlace)))
	if left := len(moving) - len(listed); left > 0 {
		p.Items(fmt.Sprintf("the largest %d of %d; --all lists %d more", len(listed), len(moving), left))
	}
	p.Remarks(r.cures(listed, p.All(), !fits)...)
	r.writeRest(p)
	p.Notes(r.Notes)
	if r.Picture != nil {
		p.Remarks("drawn into " + *r.Picture)
	}
	p.More("--all", "--require 'changes == 0'", "-o x.svg")
}

// writeGates writes the gates that failed.
func (r *report) writeGates(p *cli.Page) {
	for _, g := range r.Gates {
		if !g.Holds {
			p.Answer("failed: " + g.Why)
		}
	}
}

// listed returns the changes that a page has rows for, in the order of the program: all, or those that take most.
func listed(all []*change, whole bool) []*change {
	if whole || len(all) <= maxRows {
		return all
	}
	most := slices.Clone(all)
	slices.SortStableFunc(most, func(a, b *change) int { return cmp.Compare(b.cost(), a.cost()) })
	most = most[:maxRows]
	slices.SortFunc(most, func(a, b *change) int { return a.Number - b.Number })
	return most
}

// cost returns the time of a change; its bytes if the file has no times.
func (c *change) cost() float64 {
	if c.Seconds != nil {
		return *c.Seconds
	}
	return float64(c.Bytes)
}

// table returns a row for each change, with what asks for it if the table has the reasons.
func (r *report) table(changes []*change, reasons bool) render.Table {
	timed := r.Seconds != nil
	repeated := slices.ContainsFunc(changes, func(c *change) bool { return c.Times > 1 })
	t := render.Table{Header: []string{"#", "operator", "shape", "layout", "bytes"}, Numbers: []int{0, 4}}
	if timed {
		t.Numbers = append(t.Numbers, 5, 6)
		t.Header = append(t.Header, "time", "share")
	}
	if repeated {
		t.Numbers = append(t.Numbers, len(t.Header))
		t.Header = append(t.Header, "times")
	}
	t.Header = append(t.Header, "where")
	for _, c := range changes {
		cells := []string{strconv.Itoa(c.Number), text.Quote(c.operator()), text.Quote(c.sizes), c.From + " → " + c.To, text.Bytes(c.Bytes)}
		if timed {
			cells = append(cells, secondsOr(c.Seconds), shareOr(c.Share))
		}
		if repeated {
			cells = append(cells, strconv.Itoa(c.Times))
		}
		place := c.place()
		if reasons {
			place = strings.TrimPrefix(place+c.reason(), ", ")
		}
		t.Add(append(cells, place)...)
	}
	return t
}

// operator returns the operator, with the operand that it changes for itself.
func (c *change) operator() string {
	if c.Operand == nil {
		return c.Operator
	}
	return c.Operator + " " + *c.Operand
}

// reason returns what asks for the order, behind a comma; empty if it is unknown.
func (c *change) reason() string {
	if c.Forced == "" {
		return ""
	}
	return ", " + text.Quote(c.Forced)
}

// place returns where the operator is, and its call or its module.
func (c *change) place() string {
	if !c.Implied {
		return strings.TrimSpace(text.Quote(c.Where) + " " + text.Truncate(text.Quote(c.Call), maxCode, "…"))
	}
	if c.Module == c.Where {
		return text.Quote(c.Where)
	}
	return strings.TrimSpace(text.Quote(c.Where) + " " + text.Quote(c.Module))
}

// cures returns lines on what the changes cancel, and what to write instead, and on what asks for them if the table has no reasons. Changes with
// the same line share one.
func (r *report) cures(changes []*change, whole, reasons bool) []string {
	var lines []string
	numbers := map[string][]string{}
	var order []string
	for _, c := range changes {
		said := c.Cure
		if reasons && c.Forced != "" && len(c.Cancels) == 0 {
			said = strings.TrimSuffix(c.Forced+"; "+c.Cure, "; ")
		}
		if said == "" {
			continue
		}
		if numbers[said] == nil {
			order = append(order, said)
		}
		numbers[said] = append(numbers[said], r.named(c))
	}
	for _, cure := range order {
		line := text.And(numbers[cure]) + ": " + text.Quote(cure)
		if len(numbers[cure]) == 1 {
			line = numbers[cure][0] + ": " + text.Quote(cure)
		}
		lines = append(lines, line)
	}
	if !whole && len(lines) > maxCures {
		left := len(lines) - maxCures
		lines = append(lines[:maxCures], fmt.Sprintf("--all has %d more", left))
	}
	return lines
}

// named returns the number of a change, with those that it cancels or repeats: "1 and 2 cancel".
func (r *report) named(c *change) string {
	number := strconv.Itoa(c.Number)
	if len(c.Cancels) > 0 {
		return number + " and " + text.Ints(c.Cancels, ", ") + " cancel"
	}
	if len(c.Repeats) > 0 {
		return number + " repeats " + text.Ints(c.Repeats, ", ")
	}
	return number
}

// writeRest writes what is not a change of an activation: weights, copies that keep the order, operators that no rule covers.
func (r *report) writeRest(p *cli.Page) {
	var lines []string
	if w := r.Weights; w.Times > 0 {
		line := fmt.Sprintf("weights apart: %s of %s", w.count(), text.Bytes(w.Bytes))
		if w.Seconds != nil && *w.Seconds > 0 {
			line += ", " + text.Seconds(*w.Seconds)
		}
		lines = append(lines, line)
	}
	if r.Same > 0 {
		lines = append(lines, fmt.Sprintf("%d %s the order, or only %s dims of size 1: no change", r.Same, text.Plural(r.Same, "copy keeps", "copies keep"), text.Plural(r.Same, "moves", "move")))
	}
	if len(r.Unknown) > 0 {
		var names []string
		for _, u := range r.Unknown {
			names = append(names, fmt.Sprintf("%s (%d)", text.Quote(u.Operator), u.Times))
		}
		if !p.All() && len(names) > 3 {
			names = append(names[:3], "…")
		}
		lines = append(lines, "unknown operators, whose layouts are not followed: "+strings.Join(names, ", "))
	}
	p.Remarks(lines...)
	if p.All() && r.Weights.Times > 0 {
		t := r.table(r.moving(true), true)
		t.Title = "Weights"
		p.Section(t.Fit(p.Columns(), render.Cut(len(t.Header)-1, minPlace)))
		p.Remarks(r.cures(r.moving(true), true, false)...)
	}
}

// percent returns a fraction in percent, with two digits below 10 %.
func percent(share float64) string {
	if share >= 0.1 {
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}

func secondsOr(s *float64) string {
	if s == nil {
		return ""
	}
	return text.Seconds(*s)
}

func shareOr(s *float64) string {
	if s == nil {
		return ""
	}
	return percent(*s)
}

package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/trace"
	"github.com/tlayout/tlayout/internal/words"
)

// Page writes the answer, the steps, their equations, and the values if they were asked for.
func (r *report) Page(p *cli.Page) {
	p.Answer(r.headline())
	r.pageSteps(p)
	r.pageWhy(p)
	r.pageValues(p)
	p.Notes(r.Notes)
}

// pageSteps writes the table of steps, or a line for each on a terminal that is too narrow for a table.
func (r *report) pageSteps(p *cli.Page) {
	if t, fits := r.fit(p.Columns()); fits {
		p.Section(t)
		return
	}
	p.Heading(r.title(r.hasOffsets()))
	p.Items("start: " + r.Start.String())
	for i := range r.Steps {
		s := &r.Steps[i]
		line := s.Op + ": " + s.result(roomy)
		if s.Error == nil {
			line += ", " + s.String()
		}
		p.Items(line)
	}
}

// pageWhy writes the equations of each step.
func (r *report) pageWhy(p *cli.Page) {
	first := true
	for _, s := range r.Steps {
		lines := s.why()
		if len(lines) == 0 {
			continue
		}
		if first {
			p.Heading("Why")
			first = false
		}
		p.Step(s.Op)
		p.Bullets(lines...)
	}
}

// why is the equations of a step; for a refused one the framework's message, if the headline does not quote it. Its numbers
// are in the error.
func (s *step) why() []string {
	switch {
	case s.Error == nil:
		return s.equations
	case s.Error.Dims == nil:
		return nil
	}
	return []string{`PyTorch says: "` + s.Error.Text + `"`} // NumPy copies if dims cannot be merged
}

// pageValues writes the values of the start and of each step that returns another tensor.
func (r *report) pageValues(p *cli.Page) {
	if r.Start.Values == nil {
		return
	}
	title := "Values"
	if r.Source == "" {
		title = "Values, each the offset of its element"
	}
	p.Heading(title)
	show := func(op string, s *state) {
		p.Step(op + " " + tensor.Tuple(s.Shape))
		p.Block(nested(s.Shape, s.Values))
	}
	show("start", &r.Start)
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Error == nil && *s.Kind != trace.Self {
			show(s.Op, &s.state)
		}
	}
}

// nested writes elements in brackets as Python nests them, a line for each run of the last dim, in columns. If there are more
// elements than values, "…" stands for the rest.
func nested(shape []int, values []string) []string {
	rank, width := len(shape), 0
	for _, v := range values {
		width = max(width, displaywidth.String(v))
	}
	if len(values) == 0 {
		return []string{"[]"}
	}
	var lines []string
	var line strings.Builder
	for k, v := range values {
		opened := edges(shape, k)
		if opened > 0 {
			line.WriteString(words.Blanks(rank-opened) + strings.Repeat("[", opened))
		}
		line.WriteString(words.Blanks(width-displaywidth.String(v)) + v)
		closed := edges(shape, k+1)
		line.WriteString(strings.Repeat("]", closed))
		if closed < rank {
			line.WriteByte(',')
		}
		switch {
		case k == len(values)-1 && closed < rank:
			line.WriteString(" …")
			lines = append(lines, line.String())
		case closed > 0 || rank == 0:
			lines = append(lines, line.String())
			line.Reset()
		default:
			line.WriteByte(' ')
		}
	}
	return lines
}

// edges counts the innermost dims that begin at element k in logical order, and end before it.
func edges(shape []int, k int) int {
	n := 0
	for d := len(shape) - 1; d >= 0; d-- {
		if k%shape[d] != 0 {
			break
		}
		k /= shape[d]
		n++
	}
	return n
}

// headline is the answer: what the steps return and copy, and the last tensor; or which step is refused.
func (r *report) headline() string {
	if s := r.refused(); s != nil {
		return r.refusedAfter() + ": " + s.Error.short()
	}
	name := cmp.Or(words.Quote(r.Source), "tensor")
	last := r.Steps[len(r.Steps)-1]
	return fmt.Sprintf("%s: %s; %s", name, r.countViewsAndCopies(), last.String())
}

// refusedAfter names the refused step and the one before it.
func (r *report) refusedAfter() string {
	n := len(r.Steps)
	if n == 1 {
		return r.Steps[0].Op + " is refused"
	}
	return r.Steps[n-1].Op + " is refused after " + r.Steps[n-2].Op
}

// short says in a few words why a step is refused.
func (e *refusal) short() string {
	if e.Dims != nil {
		short, _, _ := strings.Cut(e.Why, ":")
		return short
	}
	return strings.TrimSuffix(e.Text, ".")
}

// countViewsAndCopies counts what the steps return: "3 steps: 2 views and 1 copy of 480 bytes".
func (r *report) countViewsAndCopies() string {
	if len(r.Steps) == 1 {
		s := r.Steps[0]
		return s.Op + " " + map[trace.Kind]string{trace.View: "is a view", trace.Self: "returns the tensor itself",
			trace.Copy: "copies " + words.Bytes(int64(s.Copied))}[*s.Kind]
	}
	count := map[trace.Kind]int{}
	for _, s := range r.Steps {
		count[*s.Kind]++
	}
	var parts []string
	if n := count[trace.View]; n > 0 {
		parts = append(parts, words.Count(n, "view"))
	}
	if n := count[trace.Self]; n > 0 {
		parts = append(parts, words.Count(n, "no-op"))
	}
	if n := count[trace.Copy]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s of %s%s", n, words.Plural(n, "copy", "copies"), r.copied(), words.Plural(n, "", " in total")))
	}
	return fmt.Sprintf("%d steps: %s", len(r.Steps), words.And(parts))
}

// copied is the number of bytes that all copies write.
func (r *report) copied() string {
	bytes := int64(0)
	for _, s := range r.Steps {
		if int64(s.Copied) > math.MaxInt64-bytes {
			return "more than 8 EiB"
		}
		bytes += int64(s.Copied)
	}
	return words.Bytes(bytes)
}

// String describes a state: "(6, 20) with strides (20, 1), C-contiguous", with NumPy's strides in bytes too.
func (s *state) String() string {
	text := fmt.Sprintf("%s with strides %s", tensor.Tuple(s.Shape), tensor.Tuple(s.Strides))
	if s.StridesBytes != nil {
		text += ", in bytes " + tensor.Tuple(s.StridesBytes)
	}
	if *s.Offset != 0 {
		text += fmt.Sprintf(", offset %d", *s.Offset)
	}
	return text + ", " + s.character()
}

func (s *state) character() string {
	c := s.Contiguous
	if slices.Contains(s.Shape, 0) {
		return "empty"
	}
	return cmp.Or(inspect.Senses(c.C, c.F, c.ChannelsLast, c.ChannelsLast3D), "not contiguous")
}

// unbroken is a blank at which no line is broken.
const unbroken = "\u00a0"

// usages lists the steps of a framework for the help text, with aliases after a slash.
func usages(r trace.Rules) string {
	var forms []string
	for _, u := range trace.Steps(r) {
		form := strings.Join(append([]string{u.Name}, u.Also...), "/")
		if u.Name == trace.Index {
			form = u.Example
		} else if u.Args != "" {
			form += "(" + u.Args + ")"
		}
		forms = append(forms, strings.ReplaceAll(form, " ", unbroken)+",")
	}
	text := words.Fold("  "+strings.Join(forms, " "), 76, 2)
	return strings.TrimSuffix(strings.ReplaceAll(text, unbroken, " "), ",")
}

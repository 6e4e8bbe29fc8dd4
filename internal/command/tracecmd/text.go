package tracecmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/framework/trace"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Page writes the answer, the steps, and why steps copy or the last one is refused.
func (r *report) Page(p *cli.Page) {
	g := &page{answer: r.headline(), table: r.table(dense), lines: r.lines(), highlights: r.copies(), why: r.derivations(),
		values: r.valueParts(), title: r.valueTitle(), notes: r.Notes}
	if s := r.refused(); s != nil {
		g.refusal = refusalLines(s.Error.numbers(), s.Error.Hint)
	}
	if s := r.unknown(); s != nil {
		g.refusal = []string{fmt.Sprintf("not known from %s on: %s", s.Op, s.Why)}
	}
	if t, fits := r.fit(p.Columns()); fits {
		g.table = t
	}
	g.write(p)
}

// lines returns the rows of the table as sentences.
func (r *report) lines() []string {
	lines := []string{r.first() + ": " + r.Start.String()}
	changes := r.changesDType()
	for i := range r.Steps {
		s := &r.Steps[i]
		line := s.Op + ": " + s.result()
		if s.Kind != nil {
			line += ", " + s.String()
			if changes {
				line += ", " + *s.DType
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// copies returns a line for each copy: its size, and why the step cannot return a view.
func (r *report) copies() []string {
	var lines []string
	for _, s := range r.known() {
		if *s.Kind != trace.Copy {
			continue
		}
		line := s.Op + " copies " + text.Bytes(int64(s.Copied))
		if s.reason != "" {
			line += "; " + s.reason
		}
		lines = append(lines, line)
	}
	return lines
}

// derivations returns the equations of each step, and the framework's message if the headline does not quote it.
func (r *report) derivations() []part {
	var parts []part
	for _, s := range r.Steps {
		if lines := s.derivation(); len(lines) > 0 {
			parts = append(parts, part{s.Op, lines})
		}
	}
	return parts
}

// derivation returns the equations of a step, or PyTorch's message on dims that it cannot merge, which NumPy would copy.
func (s *step) derivation() []string {
	if s.Error == nil {
		return s.equations
	}
	if s.Error.Dims == nil {
		return nil
	}
	return []string{`PyTorch says: "` + s.Error.Text + `"`}
}

// valueTitle returns the title of the values.
func (r *report) valueTitle() string {
	if r.Source == "" {
		return "Values: storage offsets"
	}
	return "Values"
}

// valueParts returns the values of the start and of each step that returns another tensor; nil without --values.
func (r *report) valueParts() []part {
	if r.Start.Values == nil {
		return nil
	}
	show := func(op string, s *state) part {
		return part{op + " " + tensor.Tuple(s.Shape), nested(s.Shape, s.Values)}
	}
	parts := []part{show(r.first(), &r.Start)}
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Kind != nil && *s.Kind != trace.Self && s.Values != nil {
			parts = append(parts, show(s.Op, &s.state))
		}
	}
	return parts
}

// headline returns the answer: counts of views and copies, and the last tensor; or the refused step.
func (r *report) headline() string {
	if s := r.refused(); s != nil {
		before := ""
		if len(r.Steps) > 1 && !r.other {
			before = r.Steps[len(r.Steps)-2].Op
		}
		return refusedAfter(s.Op, before) + ": " + s.Error.short(s.Op)
	}
	name := cmp.Or(text.Quote(r.Source), "tensor")
	if r.Value != "" {
		return r.asked + " is " + r.Value
	}
	known := r.known()
	if len(known) == 0 {
		return name + ": " + r.Start.String()
	}
	last := known[len(known)-1]
	before := known
	answer := last.String()
	if last.of > 0 {
		before = known[:len(known)-last.of]
		answer = returned(known[len(before):])
	}
	if len(before) == 0 {
		return name + ": " + answer
	}
	return fmt.Sprintf("%s: %s; %s", name, countViewsAndCopies(before), answer)
}

// maxReturned limits the shapes in a headline.
const maxReturned = 4

// returned describes the tensors that one call returns: "chunk(2) returns 2 views, each (2, 3)".
func returned(parts []step) string {
	call := strings.TrimSuffix(parts[0].Op, "[0]")
	n := len(parts)
	what := "tensors"
	if *parts[0].Kind == trace.View {
		what = "views"
	}
	if n == 1 {
		return fmt.Sprintf("%s returns 1 %s, %s", call, strings.TrimSuffix(what, "s"), parts[0].String())
	}
	shapes := make([]string, n)
	for i := range parts {
		shapes[i] = tensor.Tuple(parts[i].Shape)
	}
	if len(slices.Compact(slices.Clone(shapes))) == 1 {
		return fmt.Sprintf("%s returns %d %s, each %s with strides %s", call, n, what, shapes[0], tensor.Tuple(parts[0].Strides))
	}
	if n > maxReturned {
		shapes = append(shapes[:maxReturned], "others")
	}
	return fmt.Sprintf("%s returns %d %s, %s", call, n, what, text.And(shapes))
}

// short returns in a few words why a step is refused, without the name of the operation.
func (e *refusal) short(op string) string {
	if e.Dims != nil {
		return e.brief
	}
	name, _, _ := strings.Cut(op, "(")
	text := strings.TrimPrefix(strings.TrimPrefix(e.Text, name+"(): "), name+": ")
	return strings.TrimSuffix(text, ".")
}

// numbers returns the details that short omits.
func (e *refusal) numbers() string {
	if e.Dims == nil {
		return e.Why
	}
	return e.rest
}

// countViewsAndCopies counts the results of the steps: "3 steps: 2 views and 1 copy of 480 bytes".
func countViewsAndCopies(steps []step) string {
	if len(steps) == 1 {
		s := steps[0]
		return s.Op + " " + map[trace.Kind]string{trace.View: "is a view", trace.Self: "returns the tensor itself",
			trace.Copy: "copies " + text.Bytes(int64(s.Copied)), trace.New: "computes new values"}[*s.Kind]
	}
	count := map[trace.Kind]int{}
	for _, s := range steps {
		count[*s.Kind]++
	}
	var parts []string
	if n := count[trace.View]; n > 0 {
		parts = append(parts, text.Count(n, "view"))
	}
	if n := count[trace.Self]; n > 0 {
		parts = append(parts, text.Count(n, "no-op"))
	}
	if n := count[trace.Copy]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s of %s%s", n, text.Plural(n, "copy", "copies"), copied(steps), text.Plural(n, "", " in total")))
	}
	if n := count[trace.New]; n > 0 {
		parts = append(parts, text.Count(n, "new tensor"))
	}
	return fmt.Sprintf("%d steps: %s", len(steps), text.And(parts))
}

// copied returns the size of all copies.
func copied(steps []step) string {
	bytes := int64(0)
	for _, s := range steps {
		if int64(s.Copied) > math.MaxInt64-bytes {
			return "more than 8 EiB"
		}
		bytes += int64(s.Copied)
	}
	return text.Bytes(bytes)
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
	senses := cmp.Or(inspect.Senses(c.C, c.F, c.ChannelsLast, c.ChannelsLast3D), "not contiguous")
	if slices.Contains(s.Shape, 0) {
		return "empty, hence " + senses
	}
	return senses
}

// unbroken is a non-breaking space.
const unbroken = "\u00a0"

// names lists the names of a framework's steps for the help text.
func names(r trace.Rules) string {
	var all []string
	for _, u := range trace.Steps(r) {
		if u.Values {
			continue
		}
		if u.Name == trace.Index {
			all = append(all, strings.ReplaceAll(u.Example, " ", unbroken))
			continue
		}
		all = append(all, u.Name)
		all = append(all, u.Also...)
	}
	return strings.ReplaceAll(text.Fold("  "+strings.Join(all, ", "), 76, 2), unbroken, " ")
}

// usages lists the steps of a framework for the help text, with aliases after a slash.
func usages(r trace.Rules) string {
	var forms []string
	for _, u := range trace.Steps(r) {
		form := strings.ReplaceAll(usage(u), " ", unbroken) + ","
		forms = append(forms, strings.ReplaceAll(form, unbroken+"/"+unbroken, " / "))
	}
	text := text.Fold("  "+strings.Join(forms, " "), 76, 2)
	return strings.TrimSuffix(strings.ReplaceAll(text, unbroken, " "), ",")
}

// usage returns a step's names with its arguments: "transpose / swapaxes(dim0, dim1)"; of indices, an example.
func usage(u trace.Usage) string {
	if u.Name == trace.Index {
		return u.Example
	}
	names := strings.Join(append([]string{u.Name}, u.Also...), " / ")
	if u.Args == "" {
		return names
	}
	return names + "(" + u.Args + ")"
}

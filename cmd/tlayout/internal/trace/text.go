package trace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/trace"
	"github.com/tlayout/tlayout/internal/words"
)

func (r *report) write(a *cli.App) error {
	if a.Format == cli.JSON {
		return cli.WriteJSON(a.Stdout, r, true)
	}
	a.Warn(r.Warnings)
	if a.Format == cli.CSV {
		return r.csv().CSV(a.Stdout)
	}
	if err := cli.WriteAnswer(a, r.headline()); err != nil {
		return err
	}
	if err := r.writeSteps(a); err != nil {
		return err
	}
	if err := r.writeWhy(a); err != nil {
		return err
	}
	if err := r.writeValues(a); err != nil {
		return err
	}
	for _, n := range r.Notes {
		if _, err := fmt.Fprintf(a.Stdout, "\n%s\n", a.Streams.Fold("note: "+n, 2)); err != nil {
			return err
		}
	}
	return nil
}

// writeSteps writes the table of steps, or, where the terminal has no room for it, a paragraph for each.
func (r *report) writeSteps(a *cli.App) error {
	t, fits := r.fit(a.Streams.Columns())
	if a.Format == cli.Markdown {
		t, fits = r.table(roomy), true
	}
	if fits {
		return cli.WriteSection(a, t)
	}
	_, err := fmt.Fprintf(a.Stdout, "\n%s\n%s\n", a.Bold(r.title(r.hasOffsets())), a.Streams.Fold("start: "+r.Start.words(), 2))
	for i := range r.Steps {
		s := &r.Steps[i]
		line := s.Op + ": " + s.result(roomy)
		if s.Error == nil {
			line += ", " + s.words()
		}
		_, err = fmt.Fprintln(a.Stdout, a.Streams.Fold(line, 2))
	}
	return err
}

// writeWhy says how each step has come about.
func (r *report) writeWhy(a *cli.App) error {
	title := "\n" + a.Heading("Why") + "\n"
	for _, s := range r.Steps {
		reasons := s.reasons()
		if len(reasons) == 0 {
			continue
		}
		fmt.Fprintf(a.Stdout, "%s%s\n", title, a.Code(s.Op))
		title = ""
		for _, line := range reasons {
			if _, err := fmt.Fprintln(a.Stdout, a.Streams.Fold("- "+line, 2)); err != nil {
				return err
			}
		}
	}
	return nil
}

// reasons are the equations of a step; of a refused one the framework's words where the first line does not have them.
// Its numbers stand in the error.
func (s *traceStep) reasons() []string {
	switch {
	case s.Error == nil:
		return s.why
	case s.Error.Dims == nil:
		return nil
	}
	return []string{`PyTorch says: "` + s.Error.Text + `"`} // NumPy copies where two dims are in the way
}

// steps lists the steps of a framework for the help text, with other names for the same behind a slash.
func steps(r trace.Rules) string {
	var forms []string
	for _, u := range trace.Steps(r) {
		form := strings.Join(append([]string{u.Name}, u.Also...), "/")
		if u.Name == trace.Index {
			form = u.Example
		} else if u.Args != "" {
			form += "(" + u.Args + ")"
		}
		forms = append(forms, form+",")
	}
	return strings.TrimSuffix(words.Wrap(forms, 76), ",")
}

// headline is the answer: how many steps, what they copy, and where they lead; or which step is refused.
func (r *report) headline() string {
	if s := r.refused(); s != nil {
		return r.refusedWhere() + ": " + s.Error.short()
	}
	name := cmp.Or(words.Quote(r.Source), "tensor")
	last := r.Steps[len(r.Steps)-1]
	return fmt.Sprintf("%s: %s; %s", name, r.deeds(), last.words())
}

// refusedWhere names the refused step and the one before it.
func (r *report) refusedWhere() string {
	n := len(r.Steps)
	if n == 1 {
		return r.Steps[0].Op + " is refused"
	}
	return r.Steps[n-1].Op + " is refused after " + r.Steps[n-2].Op
}

// short says in a few words why a step is refused.
func (e *traceError) short() string {
	if e.Dims != nil {
		short, _, _ := strings.Cut(e.Why, ":")
		return short
	}
	return strings.TrimSuffix(e.Text, ".")
}

// deeds counts what the steps return: 3 steps, 2 views and 1 copy of 480 bytes.
func (r *report) deeds() string {
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
		parts = append(parts, fmt.Sprintf("%d %s", n, words.Plural(n, "view", "views")))
	}
	if n := count[trace.Self]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d that %s nothing", n, words.Plural(n, "changes", "change")))
	}
	if n := count[trace.Copy]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s of %s%s", n, words.Plural(n, "copy", "copies"), r.copied(), words.Plural(n, "", " in all")))
	}
	return fmt.Sprintf("%d steps, %s", len(r.Steps), words.And(parts))
}

// copied adds up what the copies write.
func (r *report) copied() string {
	bytes := int64(0)
	for _, s := range r.Steps {
		if int64(s.Copied) > math.MaxInt64-bytes {
			return "more bytes than can be counted"
		}
		bytes += int64(s.Copied)
	}
	return words.Bytes(bytes)
}

// words describe a state: (6, 20) with strides (20, 1), C-contiguous. NumPy's strides are in bytes too.
func (s *state) words() string {
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

package main

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/trace"
)

func (r *traceReport) write(a *app) error {
	if a.format == formatJSON {
		return writeJSON(a.stdout, r, true)
	}
	a.warn(r.Warnings)
	if a.format == formatCSV {
		return r.csv().CSV(a.stdout)
	}
	if err := writeAnswer(a, r.headline()); err != nil {
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
		if _, err := fmt.Fprintf(a.stdout, "\n%s\n", a.streams.fold("note: "+n, 2)); err != nil {
			return err
		}
	}
	return nil
}

// writeSteps writes the table of steps, or, where the terminal has no room for it, a paragraph for each.
func (r *traceReport) writeSteps(a *app) error {
	t, fits := r.fit(a.streams.columns())
	if a.format == formatMarkdown {
		t, fits = r.table(roomy), true
	}
	if fits {
		return writeSection(a, t)
	}
	_, err := fmt.Fprintf(a.stdout, "\n%s\n%s\n", a.bold(r.title(r.hasOffsets())), a.streams.fold("start: "+r.Start.words(), 2))
	for i := range r.Steps {
		s := &r.Steps[i]
		line := s.Op + ": " + s.result(roomy)
		if s.Error == nil {
			line += ", " + s.words()
		}
		_, err = fmt.Fprintln(a.stdout, a.streams.fold(line, 2))
	}
	return err
}

// writeWhy says how each step has come about.
func (r *traceReport) writeWhy(a *app) error {
	title := "\n" + a.heading("Why") + "\n"
	for _, s := range r.Steps {
		reasons := s.reasons()
		if len(reasons) == 0 {
			continue
		}
		fmt.Fprintf(a.stdout, "%s%s\n", title, a.code(s.Op))
		title = ""
		for _, line := range reasons {
			if _, err := fmt.Fprintln(a.stdout, a.streams.fold("- "+line, 2)); err != nil {
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

// code is a step's text above what belongs to it; Markdown would take it for the end of the list before it.
func (a *app) code(op string) string {
	if a.format == formatMarkdown {
		return "\n`" + op + "`\n"
	}
	return a.streams.fold(op, 2)
}

// heading is a section's title.
func (a *app) heading(title string) string {
	if a.format == formatMarkdown {
		return "**" + title + "**"
	}
	return a.bold(title)
}

// traceSteps lists the steps of a framework for the help text, with other names for the same behind a slash.
func traceSteps(r trace.Rules) string {
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
	return strings.TrimSuffix(wrap(forms, 76), ",")
}

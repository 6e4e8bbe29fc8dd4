package main

import "fmt"

func (r *offsetReport) write(a *app) error {
	if a.format == formatJSON {
		return writeJSON(a.stdout, r, true)
	}
	a.warn(r.Warnings)
	if a.format == formatCSV {
		return r.csv().CSV(a.stdout)
	}
	for i := range r.Results {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if err := r.writeResult(a, &r.Results[i]); err != nil {
			return err
		}
	}
	for i, note := range r.remarks() {
		if i == 0 {
			fmt.Fprintln(a.stdout)
		}
		if _, err := fmt.Fprintln(a.stdout, a.item(note)); err != nil {
			return err
		}
	}
	return nil
}

// item is one of several lines: folded on a terminal, an item of a list in Markdown.
func (a *app) item(line string) string {
	if a.format == formatMarkdown {
		return "- " + line
	}
	return a.streams.fold(line, 2)
}

// writeResult writes the answer, how it comes about, and the line.
func (r *offsetReport) writeResult(a *app, result *offsetResult) error {
	if err := writeAnswer(a, r.headline(result)); err != nil {
		return err
	}
	label := ""
	for i, w := range r.work(result) {
		if i == 0 {
			fmt.Fprintln(a.stdout)
		}
		if _, err := fmt.Fprintln(a.stdout, workText(a, w, w.label != label)); err != nil {
			return err
		}
		label = w.label
	}
	if result.Line == nil {
		return nil
	}
	return r.writeLine(a, result.Line)
}

// workText is a line of the calculation. Lines of one label stand below each other.
func workText(a *app, w workLine, labelled bool) string {
	switch {
	case a.format == formatMarkdown && w.sum:
		return fmt.Sprintf("- %s: `%s`", w.label, w.text)
	case a.format == formatMarkdown:
		return fmt.Sprintf("- %s: %s", w.label, w.text)
	case !labelled:
		w.label = ""
	}
	return a.streams.fold(fmt.Sprintf("%-8s  %s", w.label, w.text), 10)
}

// remarks say which shape the coordinates are of, and what else is worth knowing.
func (r *offsetReport) remarks() []string {
	var lines []string
	if len(r.Shape) > 0 {
		s := "coordinates are logical: " + dimSizes(r.tensor.Layout)
		if r.Layout != "" {
			s += ", in memory order " + r.Layout
		}
		if r.LayoutAssumed {
			s += " (assumed; --layout names another)"
		}
		lines = append(lines, s)
	}
	return append(lines, noteLines(r.Notes)...)
}

package cli

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/render"
)

// WriteAnswer writes the first line, which answers the question.
func WriteAnswer(a *App, line string) error {
	_, err := fmt.Fprintln(a.Stdout, a.Bold(a.Streams.Fold(line, 2)))
	return err
}

// WriteRemarks writes sentences, one a line, behind an empty one; nothing where there are none.
func WriteRemarks(a *App, lines []string) error {
	for i, line := range lines {
		if i == 0 {
			fmt.Fprintln(a.Stdout)
		}
		if _, err := fmt.Fprintln(a.Stdout, a.Streams.Fold(line, 2)); err != nil {
			return err
		}
	}
	return nil
}

// WriteSection writes a table under its title; nothing where it has no rows.
func WriteSection(a *App, t render.Table) error {
	if len(t.Rows) == 0 {
		return nil
	}
	if a.Format == Markdown {
		fmt.Fprintf(a.Stdout, "\n**%s**\n\n", t.Title)
		return t.Markdown(a.Stdout)
	}
	fmt.Fprintf(a.Stdout, "\n%s\n", a.Bold(t.Title))
	return t.Text(a.Stdout, a.Streams.Columns(), a.Streams.Unicode)
}

// FoldIndented breaks a line between words as fold does; two spaces before the first stay.
func (a *App) FoldIndented(line string) string {
	rest, indented := strings.CutPrefix(line, "  ")
	if !indented {
		return a.Streams.Fold(line, 4)
	}
	return "  " + strings.TrimPrefix(a.Streams.Fold("--"+rest, 4), "--")
}

// Item is one of several lines: folded on a terminal, an item of a list in Markdown.
func (a *App) Item(line string) string {
	if a.Format == Markdown {
		return "- " + line
	}
	return a.Streams.Fold(line, 2)
}

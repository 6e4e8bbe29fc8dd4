package main

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// block sets lines in, as Markdown has code, or cuts off what the terminal has no room for.
func (a *app) block(lines []string) string {
	width := a.streams.columns() - 2
	for i, line := range lines {
		switch {
		case a.format == formatMarkdown:
			line = "  " + line
		case displaywidth.String(line) > width:
			line = displaywidth.TruncateString(line, width, "…")
		}
		lines[i] = "  " + line
	}
	return strings.Join(lines, "\n")
}

// nested prints elements in brackets as Python nests them, those of the last dim in a line, in columns. Of more elements
// than there are values the rest is "…".
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
			line.WriteString(strings.Repeat(" ", rank-opened) + strings.Repeat("[", opened))
		}
		line.WriteString(strings.Repeat(" ", width-displaywidth.String(v)) + v)
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

// edges counts the innermost dims that begin at element k in logical order, which end before it.
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

package main

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/explain"
)

// workLine is a line of the calculation under its label: a sum, or words.
type workLine struct {
	label, text string
	sum         bool
}

// work is how an answer comes about.
func (r *offsetReport) work(result *offsetResult) []workLine {
	var lines []workLine
	add := func(label string, sum bool, texts ...string) {
		for _, text := range texts {
			lines = append(lines, workLine{label, text, sum})
		}
	}
	l := r.tensor.Layout
	switch {
	case result.Coord != nil:
		add("digits", true, explain.NewAddress(l, result.Coord).DigitLines()...)
		add("offset", true, result.Formula)
		if r.ItemSize != 1 {
			add("byte", true, result.ByteFormula)
		}
		if result.FileByte != nil {
			begin := *r.DataOffset
			add("in file", false, fmt.Sprintf("%d + %d = %d: the data begin at byte %d", begin, result.Byte, *result.FileByte, begin))
		}
	case result.Division != nil:
		add("division", true, result.Division.lines(l.Offset())...)
	default:
		for _, coord := range result.Coords[:min(len(result.Coords), shownCoords)] {
			add("offset", true, explain.NewAddress(l, coord).String())
		}
	}
	if result.Padding != nil {
		add("byte", false, result.bytes())
		if result.Value != nil {
			add("value", false, shorten(*result.Value))
		}
	}
	if result.Within > 0 {
		add("byte", false, fmt.Sprintf("%s is byte %d of the item, which begins at byte %d", result.Query, result.Within, result.Byte))
	}
	add("shared", false, r.sharers(result)...)
	return lines
}

// sharers say which elements lie at the same offset, and why.
func (r *offsetReport) sharers(result *offsetResult) []string {
	switch {
	case result.Elems == 0 || result.Elems == 1 && result.Complete:
		return nil
	case result.Elems == 1:
		return []string{"whether other elements lie there would take too long to find out"}
	}
	l, all, n, text := r.tensor.Layout, result.Coords, result.Elems, "holds "
	if result.Coord != nil {
		all, n, text = result.Aliases, result.Elems-1, "also at this offset: "
	}
	shown := all[:min(len(all), shownCoords)]
	parts := make([]string, len(shown))
	for i, c := range shown {
		parts[i] = brackets(c)
	}
	text += strings.Join(parts, ", ")
	if n > len(shown) {
		text += fmt.Sprintf(" and %s more", result.count(n-len(shown)))
	}
	lines := []string{text}
	still := 1 // elements that differ in nothing but indices that do not move the address
	for _, i := range l.BroadcastDims() {
		d := l.Dim(i)
		for k, g := range d.Digits {
			if g.Stride == 0 && g.Extent > 1 && d.Size > g.Div {
				lines = append(lines, explain.DigitName(d, k)+" has stride 0, a broadcast: it does not move the address")
				still *= g.Extent
			}
		}
	}
	if still < result.Elems {
		lines = append(lines, "the strides overlap: different sums of steps lead to the same offset")
	}
	return lines
}

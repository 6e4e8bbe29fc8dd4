package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/trace"
)

// stackedTable is the table of steps for many dims: below the shape the strides, and NumPy's in bytes below those, each
// number under its dim's size.
func (r *traceReport) stackedTable(q squeeze) render.Table {
	t := render.Table{Title: r.title(r.hasOffsets()), Header: []string{"step", "shape, strides", "contiguous", "result"}}
	if r.Rules == trace.NumPy {
		t.Header[1] += ", bytes"
	}
	if r.hasOffsets() {
		t.Header, t.Numbers = append(t.Header[:2], "offset", "contiguous", "result"), []int{2}
	}
	add := func(op, result string, s *traceState) {
		first := make([]string, len(t.Header))
		first[0], first[len(first)-1] = op, result
		if s.Contiguous == nil {
			t.Add(first...)
			return
		}
		if r.hasOffsets() {
			first[2] = strconv.Itoa(*s.Offset)
		}
		first[len(first)-2] = s.Contiguous.words()
		for i, line := range inColumns(s.Shape, s.Strides, s.StridesBytes) {
			row := first
			if i > 0 {
				row = make([]string, len(t.Header))
			}
			row[1] = line
			t.Add(row...)
		}
	}
	add("start", "", &r.Start)
	for i := range r.Steps {
		s := &r.Steps[i]
		add(s.Op, s.result(q), &s.traceState)
	}
	return t
}

// inColumns writes lists of one length in brackets, with the k-th numbers of all of them as wide as the widest. A list
// that is nil is left out.
func inColumns(lists ...[]int) []string {
	widest := make([]int, len(lists[0]))
	for _, xs := range lists {
		for k, x := range xs {
			widest[k] = max(widest[k], len(strconv.Itoa(x)))
		}
	}
	var lines []string
	for _, xs := range lists {
		if xs == nil {
			continue
		}
		cells := make([]string, len(xs))
		for k, x := range xs {
			cells[k] = fmt.Sprintf("%*d", widest[k], x)
		}
		lines = append(lines, "("+strings.Join(cells, ",")+")")
	}
	return lines
}

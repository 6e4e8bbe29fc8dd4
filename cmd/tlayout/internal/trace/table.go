package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/trace"
	"github.com/tlayout/tlayout/internal/words"
)

// squeeze is what is given up so that the table fits the terminal; each level includes those before it.
type squeeze int

const (
	roomy    squeeze = iota
	noZeros          // the column of offsets, if all are 0
	noBlanks         // blanks in shapes and strides
	noBytes          // how much a copy copies, which stands below
	stacked          // strides under the shape, in place of beside it; bytes come back
	bare             // those bytes
	levels
)

// shortestStep is how much of a step's text is left at least, in columns. It stands below in full.
const shortestStep = 16

// shortest is shortestStep, or, where nothing else is left to be given up, half of that.
func (q squeeze) shortest() int {
	if q == bare {
		return shortestStep / 2
	}
	return shortestStep
}

// fit returns the table with as much as fits into a width; false where it cannot.
func (r *report) fit(width int) (render.Table, bool) {
	for q := range levels {
		t := r.tableAt(q)
		over := tableWidth(t) - width
		if over <= 0 {
			return t, true
		}
		if left := columnWidth(t, 0) - over; q >= noBlanks && left >= q.shortest() {
			for i := range t.Rows {
				t.Rows[i][0] = displaywidth.TruncateString(t.Rows[i][0], left, "…")
			}
			return t, true
		}
	}
	return render.Table{}, false
}

func (r *report) tableAt(q squeeze) render.Table {
	if q >= stacked {
		return r.stackedTable(q)
	}
	return r.table(q)
}

// table has a row for the start and for each step.
func (r *report) table(q squeeze) render.Table {
	t := render.Table{Header: []string{"step", "shape", "strides"}}
	numpy := r.Rules == trace.NumPy
	if numpy {
		t.Header = append(t.Header, "in bytes")
	}
	offsets := q < noZeros || r.hasOffsets()
	t.Title = r.title(offsets)
	if offsets {
		t.Header, t.Numbers = append(t.Header, "offset"), []int{len(t.Header)}
	}
	t.Header = append(t.Header, "contiguous", "result")
	add := func(op, result string, s *state) {
		if s.Contiguous == nil {
			cells := make([]string, len(t.Header))
			cells[0], cells[len(cells)-1] = op, result
			t.Add(cells...)
			return
		}
		cells := []string{op, q.tuple(s.Shape), q.tuple(s.Strides)}
		if numpy {
			cells = append(cells, q.bytes(s.StridesBytes))
		}
		if offsets {
			cells = append(cells, strconv.Itoa(*s.Offset))
		}
		t.Add(append(cells, s.Contiguous.words(), result)...)
	}
	add("start", "", &r.Start)
	for i := range r.Steps {
		s := &r.Steps[i]
		add(s.Op, s.result(q), &s.state)
	}
	return t
}

// title says in what the columns count; offsets whether theirs is among them.
func (r *report) title(offsets bool) string {
	switch numpy := r.Rules == trace.NumPy; {
	case numpy && offsets:
		return r.DType + ", strides in elements and bytes, offset in elements"
	case numpy:
		return r.DType + ", strides in elements and bytes"
	case offsets:
		return r.DType + ", strides and offset in elements"
	}
	return r.DType + ", strides in elements"
}

func (r *report) hasOffsets() bool {
	return slices.ContainsFunc(r.states, func(s trace.State) bool { return s.Offset != 0 })
}

func (q squeeze) tuple(xs []int) string {
	if q < noBlanks {
		return tensor.Tuple(xs)
	}
	return strings.ReplaceAll(tensor.Tuple(xs), ", ", ",")
}

// bytes is empty for strides that no number of bytes can say.
func (q squeeze) bytes(strides []int) string {
	if strides == nil {
		return ""
	}
	return q.tuple(strides)
}

func (s *traceStep) result(q squeeze) string {
	switch {
	case s.Error != nil:
		return "refused"
	case *s.Kind == trace.Self:
		return "itself"
	case *s.Kind == trace.Copy && (q == noBytes || q == bare):
		return "copy"
	case *s.Kind == trace.Copy:
		return "copy of " + words.Bytes(int64(s.Copied))
	}
	return "view"
}

// words lists the senses in which a tensor is contiguous.
func (c *contiguity) words() string {
	var words []string
	for _, sense := range []struct {
		holds bool
		word  string
	}{{c.C, "C"}, {c.F, "F"}, {c.ChannelsLast, "channels_last"}, {c.ChannelsLast3D, "channels_last_3d"}} {
		if sense.holds {
			words = append(words, sense.word)
		}
	}
	if words == nil {
		return "no"
	}
	return strings.Join(words, ", ")
}

// tableWidth is how many columns the table takes as render draws it: a blank at each side of a cell.
func tableWidth(t render.Table) int {
	total := 0
	for i := range t.Header {
		total += columnWidth(t, i) + 2
	}
	return total
}

func columnWidth(t render.Table, column int) int {
	widest := displaywidth.String(t.Header[column])
	for _, row := range t.Rows {
		widest = max(widest, displaywidth.String(row[column]))
	}
	return widest
}

// stackedTable is the table of steps for many dims: below the shape the strides, and NumPy's in bytes below those, each
// number under its dim's size.
func (r *report) stackedTable(q squeeze) render.Table {
	t := render.Table{Title: r.title(r.hasOffsets()), Header: []string{"step", "shape, strides", "contiguous", "result"}}
	if r.Rules == trace.NumPy {
		t.Header[1] += ", bytes"
	}
	if r.hasOffsets() {
		t.Header, t.Numbers = append(t.Header[:2], "offset", "contiguous", "result"), []int{2}
	}
	add := func(op, result string, s *state) {
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
		add(s.Op, s.result(q), &s.state)
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

package tracecmd

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/framework/trace"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// fit returns the table that fits a width in columns: the strides beside the shape, or below it in a narrower one. It cuts steps to 16
// columns, or 8, if necessary; it returns false if the table is still too wide.
func (r *report) fit(width int) (render.Table, bool) {
	for d, cut := range []int{dense: 16, stacked: 8} {
		if t := r.table(density(d)).Fit(width, render.Cut(0, cut)); t.Width() <= width {
			return t, true
		}
	}
	return render.Table{}, false
}

// density is the width of the table of steps.
type density int

const (
	dense   density = iota // without blanks in shapes and strides
	stacked                // with the strides below the shape
)

// table returns a row for the start and for each step, or several if stacked. It omits offsets if all are 0, and dtypes if
// none differs.
func (r *report) table(d density) render.Table {
	offsets := r.hasOffsets()
	dtypes := r.changesDType()
	t := render.Table{Title: r.title(offsets), Header: append([]string{"step"}, d.header(r.Rules)...)}
	if offsets {
		t.Numbers = []int{len(t.Header)}
		t.Header = append(t.Header, "offset")
	}
	if dtypes {
		t.Title = strings.Replace(t.Title, ",", " at the start,", 1)
		t.Header = append(t.Header, "dtype")
	}
	t.Header = append(t.Header, "contiguous", "result")
	add := func(op, result string, s *state) {
		last := len(t.Header) - 1
		for i, cells := range d.cells(s) {
			row := make([]string, len(t.Header))
			copy(row[1:], cells)
			if i > 0 { // the rest of a stacked shape
				t.Add(row...)
				continue
			}
			row[0] = op
			row[last] = result
			if s.Contiguous != nil {
				row[last-1] = s.Contiguous.String()
			}
			if s.Offset != nil && offsets {
				row[1+len(cells)] = strconv.Itoa(*s.Offset)
			}
			if s.DType != nil && dtypes {
				row[last-2] = *s.DType
			}
			t.Add(row...)
		}
	}
	add(r.first(), "", &r.Start)
	for i := range r.Steps {
		s := &r.Steps[i]
		add(s.Op, s.result(), &s.state)
	}
	return t
}

// title returns the title with the units of the columns: NumPy has strides in bytes too, and offsets have a column if there are any.
func (r *report) title(offsets bool) string {
	if r.Rules == trace.NumPy {
		title := r.DType + ", strides in elements and bytes"
		if offsets {
			title += ", offset in elements"
		}
		return title
	}
	if offsets {
		return r.DType + ", strides and offset in elements"
	}
	return r.DType + ", strides in elements"
}

// header returns the names of the columns of cells.
func (d density) header(rules trace.Rules) []string {
	if rules == trace.NumPy {
		if d == stacked {
			return []string{"shape, strides, bytes"}
		}
		return []string{"shape", "strides", "in bytes"}
	}
	if d == stacked {
		return []string{"shape, strides"}
	}
	return []string{"shape", "strides"}
}

// cells returns the shape and strides of a state, line by line; after a refused step one line without cells.
func (d density) cells(s *state) [][]string {
	if s.Shape == nil {
		return [][]string{nil}
	}
	if d == stacked {
		var lines [][]string
		for _, line := range inColumns(s.Shape, s.Strides, s.StridesBytes) {
			lines = append(lines, []string{line})
		}
		return lines
	}
	cells := []string{tensor.Tuple(s.Shape), tensor.Tuple(s.Strides)}
	if s.StridesBytes != nil {
		cells = append(cells, tensor.Tuple(s.StridesBytes))
	}
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], ", ", ",")
	}
	return [][]string{cells}
}

// inColumns writes lists of one length in brackets, with the k-th numbers of all lists aligned. It skips nil lists.
func inColumns(lists ...[]int) []string {
	widest := make([]int, len(lists[0]))
	for _, xs := range lists {
		for k, x := range xs {
			widest[k] = max(widest[k], text.Digits(x))
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

// result returns what the step does: view, copy, itself or refused.
func (s *step) result() string {
	if s.Error != nil {
		return "refused"
	}
	if s.Unknown {
		return "unknown"
	}
	if *s.Kind == trace.Self {
		return "itself"
	}
	return string(*s.Kind)
}

// String lists the senses in which a tensor is contiguous, "C, channels_last", or is "no".
func (c *contiguity) String() string {
	var senses []string
	for _, sense := range []struct {
		holds bool
		name  string
	}{{c.C, "C"}, {c.F, "F"}, {c.ChannelsLast, "channels_last"}, {c.ChannelsLast3D, "channels_last_3d"}} {
		if sense.holds {
			senses = append(senses, sense.name)
		}
	}
	if senses == nil {
		return "no"
	}
	return strings.Join(senses, ", ")
}

package benchcmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// tables returns the tables of the page in order; some are empty.
func (r *report) tables() []render.Table {
	first := r.slowdownTable
	if r.Machine.Torch != nil {
		first = r.operatorTable
	}
	return []render.Table{
		first(), r.accessTable(), r.modelTable(), r.ratioTable(), r.conversionTable(), r.breakEvenTable(), r.gateTable(),
	}
}

// accessTable returns a row for each pattern over each layout.
func (r *report) accessTable() render.Table {
	t := render.Table{Title: r.measured() + "; * fastest, or statistically tied", Numbers: []int{2, 3, 4, 5},
		Header: []string{"pattern", "layout", "time", "interval", "GB/s", "of roofline"}}
	for _, row := range r.Report.Rows {
		if row.Suite != bench.Access {
			continue
		}
		layout := row.Layout
		if r.isBest(row) {
			layout += "*"
		}
		t.Add(append([]string{string(row.Pattern), layout}, timeCells(row)...)...)
	}
	return t
}

// measured returns what the patterns are.
func (r *report) measured() string {
	if r.Machine.Torch != nil {
		return "Operators"
	}
	return "Walks"
}

// timeCells returns time, interval, GB/s and the fraction of the roofline.
func timeCells(row bench.Row) []string {
	return []string{text.Seconds(row.MedianNS / 1e9), intervalText(row.Timing), text.ThreeDigits(row.GBps), fmt.Sprintf("%.2f", row.OfRoof)}
}

// modelTable returns the cost of walks in the simulated caches.
func (r *report) modelTable() render.Table {
	t := render.Table{Title: "Model: cache lines touched and fetched per element, misses per element, and utilization"}
	columns := r.modelColumns()
	t.Header = []string{"pattern", "layout"}
	for i, c := range columns {
		t.Header = append(t.Header, c.name)
		t.Numbers = append(t.Numbers, i+2)
	}
	for _, row := range r.Report.Rows {
		if row.Model == nil {
			continue
		}
		cells := []string{string(row.Pattern), row.Layout}
		for _, c := range columns {
			cells = append(cells, c.cell(row.Model))
		}
		t.Add(cells...)
	}
	return t
}

// modelColumn is a metric of the model.
type modelColumn struct {
	name string
	cell func(*bench.Model) string
}

// modelColumns returns the columns of the model's caches, and the error if there is one.
func (r *report) modelColumns() []modelColumn {
	columns := []modelColumn{
		{"touched", func(m *bench.Model) string { return fourDecimals(m.TouchesPerElem) }},
		{"fetched", func(m *bench.Model) string { return fourDecimals(m.LinesPerElem) }},
	}
	has := func(test func(*bench.Model) bool) bool {
		return slices.ContainsFunc(r.Report.Rows, func(row bench.Row) bool { return row.Model != nil && test(row.Model) })
	}
	for _, level := range []string{"l2", "l3"} {
		if has(func(m *bench.Model) bool { _, ok := m.MissPerElem[level]; return ok }) {
			columns = append(columns, modelColumn{strings.ToUpper(level) + " misses", func(m *bench.Model) string { return fourDecimals(m.MissPerElem[level]) }})
		}
	}
	columns = append(columns,
		modelColumn{"TLB misses", func(m *bench.Model) string { return fourDecimals(m.PagesPerElem) }},
		modelColumn{"utilized", func(m *bench.Model) string { return fmt.Sprintf("%.0f %%", m.BytesUsed*100) }})
	if has(func(m *bench.Model) bool { return m.Error > 0 }) {
		columns = append(columns, modelColumn{"error", func(m *bench.Model) string { return fmt.Sprintf("%.1f %%", m.Error*100) }})
	}
	return columns
}

// slowdownTable returns a row for each layout and a column for each pattern.
func (r *report) slowdownTable() render.Table {
	t := render.Table{Title: fmt.Sprintf("Slowdown, %s %s: 1.00 fastest, ~ statistically tied with it", r.DType, tensor.Tuple(r.Shape)),
		Header: []string{"layout"}}
	at := map[string]string{}
	for _, x := range r.Verdict.Slowdowns {
		if name := string(x.Pattern); !slices.Contains(t.Header, name) {
			t.Numbers = append(t.Numbers, len(t.Header))
			t.Header = append(t.Header, name)
		}
		cell := text.ThreeDigits(x.Ratio)
		if x.Tied && cell != "1.00" {
			cell = "~" + cell
		}
		at[x.Layout+" "+string(x.Pattern)] = cell
	}
	if layouts := r.layouts(); len(layouts) > 1 {
		for _, layout := range layouts {
			cells := []string{layout}
			for _, pattern := range t.Header[1:] {
				cells = append(cells, at[layout+" "+pattern])
			}
			t.Add(cells...)
		}
	}
	return t
}

func (r *report) ratioTable() render.Table {
	t := render.Table{Title: "Channel-wise over spatial walk: slowdown", Numbers: []int{1, 2}, Header: []string{"layout", "slowdown", "interval"}}
	for _, x := range r.Verdict.Ratios {
		t.Add(x.Layout, fmt.Sprintf("%.2f", x.Ratio), fmt.Sprintf("%.2f to %.2f", x.CI[0], x.CI[1]))
	}
	return t
}

func (r *report) conversionTable() render.Table {
	t := render.Table{Title: "Conversions", Numbers: []int{2, 3, 4, 5}, Header: []string{"from", "to", "time", "interval", "GB/s", "of roofline"}}
	for _, row := range r.Report.Rows {
		if row.Suite == bench.Convert {
			t.Add(append([]string{row.From, row.To}, timeCells(row)...)...)
		}
	}
	return t
}

// breakEvenTable lists the conversions that break even.
func (r *report) breakEvenTable() render.Table {
	t := render.Table{Title: "Break-even passes (conversions not listed never break even)", Numbers: []int{3},
		Header: []string{"from", "to", "pattern", "passes", "interval"}}
	for _, e := range r.Verdict.BreakEven {
		if e.Passes != nil {
			t.Add(e.From, e.To, string(e.Pattern), passCount(*e.Passes), passInterval(e))
		}
	}
	return t
}

func (r *report) gateTable() render.Table {
	t := render.Table{Title: "Gates", Header: []string{"holds", "gate"}}
	for _, g := range r.Gates {
		t.Add(text.YesNo(g.Holds), g.Why)
	}
	return t
}

// isBest reports whether the row is among the fastest of its pattern.
func (r *report) isBest(row bench.Row) bool {
	return slices.ContainsFunc(r.Verdict.Best, func(b bench.Best) bool {
		return b.Pattern == row.Pattern && slices.Contains(b.Layouts, row.Layout)
	})
}

// intervalText returns the confidence interval relative to its median: -1.2 +0.8 %.
func intervalText(t bench.Timing) string {
	return fmt.Sprintf("-%.1f +%.1f %%", (1-t.CINS[0]/t.MedianNS)*100, (t.CINS[1]/t.MedianNS-1)*100)
}

// fourDecimals formats counts per element.
func fourDecimals(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// Rows returns a row for each measurement.
func (r *report) Rows() render.Table {
	type row struct {
		bench.Row
		*bench.Model
		Sizes   string  `json:"shape"`
		Lo      float64 `json:"ci_ns_lo"`
		Hi      float64 `json:"ci_ns_hi"`
		Samples int     `json:"samples"`
	}
	var rows []row
	for _, x := range r.Report.Rows {
		rows = append(rows, row{Row: x, Model: x.Model, Sizes: x.Sizes(), Lo: x.CINS[0], Hi: x.CINS[1], Samples: len(x.SamplesNS)})
	}
	return cli.TableOf("suite,layout,pattern,from,to,shape,dtype,bytes,median_ns,ci_ns_lo,ci_ns_hi,samples,outliers,gbps,of_roof,"+
		"touches_per_elem,lines_per_elem,bytes_used_per_byte_fetched,pages_per_elem,miss_per_elem_l1,miss_per_elem_l2,miss_per_elem_l3,"+
		"sampling_error", rows...)
}

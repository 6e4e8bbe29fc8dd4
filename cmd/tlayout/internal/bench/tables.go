package bench

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/render"
)

func tables(r *bench.Report) []render.Table {
	tables := []render.Table{
		accessTable(r, true), modelTable(r), ratioTable(r), accessTable(r, false), conversionTable(r), breakEvenTable(r),
	}
	if r.Baseline != nil {
		tables = append(tables, changeTable(r.Baseline))
	}
	return append(tables, gateTable(r))
}

// accessTable has a row for each walk, or for each operation.
func accessTable(r *bench.Report, walks bool) render.Table {
	t := render.Table{Title: "Walks; * fastest, or not to be told from it", Numbers: []int{2, 3, 4, 5},
		Header: []string{"pattern", "layout", "time", "interval", "GB/s", "of roof"}}
	if !walks {
		t.Title = "Operations; bound by memory if the bare walk takes half of their time or more"
		t.Header = append(t.Header, "bound by")
	}
	for _, row := range r.Rows {
		if row.Suite != bench.Access || row.Pattern.Walk() != walks {
			continue
		}
		layout := row.Layout
		if isBest(r, row) {
			layout += "*"
		}
		cells := append([]string{string(row.Pattern), layout}, timeCells(row)...)
		if !walks {
			cells = append(cells, string(row.Bound))
		}
		t.Add(cells...)
	}
	return t
}

// timeCells are time, interval, GB/s and of roof.
func timeCells(row bench.Row) []string {
	return []string{formatNS(row.MedianNS), interval(row.Timing), figure(row.GBps), fmt.Sprintf("%.2f", row.OfRoof)}
}

// modelTable says what walks cost in the simulated caches.
func modelTable(r *bench.Report) render.Table {
	t := render.Table{Title: "Model: lines gone to and fetched for each element, and how much of them is used"}
	columns := modelColumns(r)
	t.Header = []string{"pattern", "layout"}
	for i, c := range columns {
		t.Header, t.Numbers = append(t.Header, c.name), append(t.Numbers, i+2)
	}
	for _, row := range r.Rows {
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

// modelColumn is a figure of the model.
type modelColumn struct {
	name string
	cell func(*bench.Model) string
}

// modelColumns are those that say something: of the caches that there are, and the error where there is one.
func modelColumns(r *bench.Report) []modelColumn {
	columns := []modelColumn{
		{"gone to", func(m *bench.Model) string { return each(m.TouchesPerElem) }},
		{"fetched", func(m *bench.Model) string { return each(m.LinesPerElem) }},
	}
	has := func(say func(*bench.Model) bool) bool {
		return slices.ContainsFunc(r.Rows, func(row bench.Row) bool { return row.Model != nil && say(row.Model) })
	}
	for _, level := range []string{"l2", "l3"} {
		if has(func(m *bench.Model) bool { _, ok := m.MissPerElem[level]; return ok }) {
			columns = append(columns, modelColumn{"past " + level, func(m *bench.Model) string { return each(m.MissPerElem[level]) }})
		}
	}
	columns = append(columns,
		modelColumn{"pages", func(m *bench.Model) string { return each(m.PagesPerElem) }},
		modelColumn{"used", func(m *bench.Model) string { return fmt.Sprintf("%.0f %%", m.BytesUsed*100) }})
	if has(func(m *bench.Model) bool { return m.Error > 0 }) {
		columns = append(columns, modelColumn{"error", func(m *bench.Model) string { return fmt.Sprintf("%.1f %%", m.Error*100) }})
	}
	return columns
}

func ratioTable(r *bench.Report) render.Table {
	t := render.Table{Title: "Channel-wise over spatial walk: how many times as long", Numbers: []int{1, 2}, Header: []string{"layout", "ratio", "interval"}}
	for _, x := range r.Verdict.Ratios {
		t.Add(x.Layout, fmt.Sprintf("%.2f", x.Ratio), fmt.Sprintf("%.2f to %.2f", x.CI[0], x.CI[1]))
	}
	return t
}

func conversionTable(r *bench.Report) render.Table {
	t := render.Table{Title: "Conversions", Numbers: []int{2, 3, 4, 5}, Header: []string{"from", "to", "time", "interval", "GB/s", "of roof"}}
	for _, row := range r.Rows {
		if row.Suite == bench.Convert {
			t.Add(append([]string{row.From, row.To}, timeCells(row)...)...)
		}
	}
	return t
}

// breakEvenTable says after how many passes a conversion has paid for itself, where it ever does.
func breakEvenTable(r *bench.Report) render.Table {
	t := render.Table{Title: "Passes after which a conversion has paid for itself; others never do", Numbers: []int{3},
		Header: []string{"from", "to", "pattern", "passes", "interval"}}
	for _, e := range r.Verdict.BreakEven {
		if e.Passes != nil {
			t.Add(e.From, e.To, string(e.Pattern), passes(*e.Passes), passInterval(e))
		}
	}
	return t
}

func changeTable(c *bench.Comparison) render.Table {
	title := fmt.Sprintf("Since the baseline; ~: chance, or no more than the machine's own %.1f %%", c.Floor*100)
	t := render.Table{Title: title, Numbers: []int{1, 2, 3, 4}, Header: []string{"row", "before", "now", "change", "p"}}
	for _, x := range c.Rows {
		t.Add(x.Key, formatNS(x.BeforeNS), formatNS(x.AfterNS), x.Delta, fmt.Sprintf("%.3f", x.P))
	}
	return t
}

func gateTable(r *bench.Report) render.Table {
	t := render.Table{Title: "Gates", Header: []string{"holds", "gate"}}
	for _, g := range r.Gates {
		holds := "no"
		if g.Holds {
			holds = "yes"
		}
		t.Add(holds, g.Why)
	}
	return t
}

// isBest reports whether the row is among the fastest of its pattern.
func isBest(r *bench.Report, row bench.Row) bool {
	return slices.ContainsFunc(r.Verdict.Best, func(b bench.Best) bool {
		return b.Pattern == row.Pattern && slices.Contains(b.Layouts, row.Layout)
	})
}

// formatNS prints a time with three digits, so that a column of them lines up.
func formatNS(ns float64) string {
	for _, unit := range []string{"ns", "µs", "ms"} {
		if ns < 999.5 {
			return figure(ns) + " " + unit
		}
		ns /= 1000
	}
	return figure(ns) + " s"
}

// interval is how far the ends of the median's interval are from it: -1.2 +0.8 %.
func interval(t bench.Timing) string {
	return fmt.Sprintf("-%.1f +%.1f %%", (1-t.CINS[0]/t.MedianNS)*100, (t.CINS[1]/t.MedianNS-1)*100)
}

func figure(x float64) string { return strconv.FormatFloat(x, 'f', decimals(x), 64) }

// decimals are those that give a number three digits.
func decimals(x float64) int {
	switch {
	case x >= 99.95:
		return 0
	case x >= 9.995:
		return 1
	}
	return 2
}

func each(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// cSV has a row for each measurement.
func cSV(r *bench.Report) render.Table {
	header := "suite,layout,pattern,from,to,shape,dtype,bytes,median_ns,lo_ns,hi_ns,samples,outliers,gbps,of_roof,bound,walk_share," +
		"touches_per_elem,lines_per_elem,bytes_used_per_byte_fetched,pages_per_elem,miss_l1,miss_l2,miss_l3,model_error,baseline_ns,change,p"
	t := render.Table{Header: strings.Split(header, ",")}
	for _, row := range r.Rows {
		cells := []string{string(row.Suite), row.Layout, string(row.Pattern), row.From, row.To, row.Sizes(), row.DType,
			strconv.Itoa(row.Bytes), number(row.MedianNS), number(row.CINS[0]), number(row.CINS[1]), strconv.Itoa(len(row.SamplesNS)),
			strconv.Itoa(row.Outliers), number(row.GBps), number(row.OfRoof), string(row.Bound), ""}
		if row.Bound != "" {
			cells[len(cells)-1] = number(row.WalkShare)
		}
		t.Add(append(append(cells, modelCSV(row.Model)...), changeCSV(r.Baseline, row)...)...)
	}
	return t
}

// modelCSV are the model's cells, empty where there is none.
func modelCSV(m *bench.Model) []string {
	cells := make([]string, 8)
	if m == nil {
		return cells
	}
	for i, x := range []float64{m.TouchesPerElem, m.LinesPerElem, m.BytesUsed, m.PagesPerElem} {
		cells[i] = number(x)
	}
	for i, level := range []string{"l1", "l2", "l3"} {
		if x, ok := m.MissPerElem[level]; ok {
			cells[4+i] = number(x)
		}
	}
	cells[7] = number(m.Error)
	return cells
}

// changeCSV are the baseline's median and what changed since, empty where there is none.
func changeCSV(c *bench.Comparison, row bench.Row) []string {
	if c != nil {
		for _, x := range c.Rows {
			if x.Key == row.Key() {
				return []string{number(x.BeforeNS), x.Delta, number(x.P)}
			}
		}
	}
	return make([]string, 3)
}

// number has all digits.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

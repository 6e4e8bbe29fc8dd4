package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/render"
)

func benchTables(r *bench.Report) []render.Table {
	tables := []render.Table{walkTable(r), operationTable(r), modelTable(r), ratioTable(r), conversionTable(r)}
	if r.Baseline != nil {
		tables = append(tables, changeTable(r.Baseline))
	}
	return append(tables, gateTable(r))
}

// walkTable has a row for each walk.
func walkTable(r *bench.Report) render.Table {
	t := render.Table{Title: "Walks; * fastest, or not to be told from it", Numbers: []int{2, 3, 4, 5},
		Header: []string{"pattern", "layout", "time", "interval", "GB/s", "of roof"}}
	for _, row := range r.Rows {
		if row.Suite == bench.Access && row.Pattern.Walk() {
			t.Add(string(row.Pattern), row.Layout+star(r, row), formatNS(row.MedianNS), interval(row.Timing), figure(row.GBps), fmt.Sprintf("%.2f", row.OfRoof))
		}
	}
	return t
}

// operationTable has a row for each layout and a column for each operation.
func operationTable(r *bench.Report) render.Table {
	t := render.Table{Title: "Operations, ms; a: bound by arithmetic, their bare walk takes less than half", Header: []string{"layout"}}
	cells := map[string][]string{}
	var layouts []string
	for _, row := range r.Rows {
		if row.Suite != bench.Access || row.Pattern.Walk() {
			continue
		}
		if !slices.Contains(t.Header, string(row.Pattern)) {
			t.Numbers = append(t.Numbers, len(t.Header))
			t.Header = append(t.Header, string(row.Pattern))
		}
		if cells[row.Layout] == nil {
			layouts = append(layouts, row.Layout)
		}
		cell := figure(row.MedianNS/1e6) + star(r, row)
		if row.Bound == bench.Arithmetic {
			cell += " a"
		} else {
			cell += "  "
		}
		cells[row.Layout] = append(cells[row.Layout], cell)
	}
	for _, l := range layouts {
		t.Add(append([]string{l}, cells[l]...)...)
	}
	return t
}

// modelTable says what walks cost in the simulated caches.
func modelTable(r *bench.Report) render.Table {
	t := render.Table{Title: "Model: lines gone to and fetched for each element, and how much of them is used",
		Header: []string{"pattern", "layout", "gone to", "fetched"}}
	var levels []string
	for _, row := range r.Rows {
		if row.Model == nil {
			continue
		}
		if levels == nil {
			for _, level := range []string{"l2", "l3"} {
				if _, ok := row.Model.MissPerElem[level]; ok {
					levels = append(levels, level)
					t.Header = append(t.Header, "past "+level)
				}
			}
			t.Header = append(t.Header, "pages", "used")
		}
		m := row.Model
		cells := []string{string(row.Pattern), row.Layout, each(m.TouchesPerElem), each(m.LinesPerElem)}
		for _, level := range levels {
			cells = append(cells, each(m.MissPerElem[level]))
		}
		t.Add(append(cells, each(m.PagesPerElem), fmt.Sprintf("%.0f %%", m.BytesUsed*100))...)
	}
	for i := 2; i < len(t.Header); i++ {
		t.Numbers = append(t.Numbers, i)
	}
	return t
}

func ratioTable(r *bench.Report) render.Table {
	t := render.Table{Title: "Channel-wise over spatial walk: how many times as long", Numbers: []int{1, 2}, Header: []string{"layout", "ratio", "interval"}}
	for _, x := range r.Verdict.Ratios {
		t.Add(x.Layout, fmt.Sprintf("%.2f", x.Ratio), fmt.Sprintf("%.2f to %.2f", x.CI[0], x.CI[1]))
	}
	return t
}

// conversionTable says what each conversion takes, and after how many passes of each walk it has paid for itself.
func conversionTable(r *bench.Report) render.Table {
	t := render.Table{Title: "Conversions; passes after which they have paid for themselves", Numbers: []int{2, 3, 4, 5},
		Header: []string{"from", "to", "time", "interval", "GB/s", "of roof", "channel", "spatial"}}
	for _, row := range r.Rows {
		if row.Suite == bench.Convert {
			t.Add(row.From, row.To, formatNS(row.MedianNS), interval(row.Timing), figure(row.GBps), fmt.Sprintf("%.2f", row.OfRoof),
				paysCell(r, row, bench.Channel), paysCell(r, row, bench.Spatial))
		}
	}
	return t
}

func paysCell(r *bench.Report, row bench.Row, p bench.Pattern) string {
	for _, e := range r.Verdict.BreakEven {
		switch {
		case e.From != row.From || e.To != row.To || e.Pattern != p:
		case e.Passes == nil:
			return "never"
		case e.Hi == nil:
			return passes(*e.Passes) + "?"
		default:
			return passes(*e.Passes)
		}
	}
	return "-"
}

func changeTable(c *bench.Comparison) render.Table {
	t := render.Table{Title: "Since the baseline; ~: no difference that can be told", Numbers: []int{1, 2, 3, 4}, Header: []string{"row", "before", "now", "change", "p"}}
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

// star marks the rows that are best for their pattern.
func star(r *bench.Report, row bench.Row) string {
	for _, b := range r.Verdict.Best {
		if b.Pattern == row.Pattern && slices.Contains(b.Layouts, row.Layout) {
			return "*"
		}
	}
	return ""
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

// crossed is 8x64x56x56.
func crossed(shape []int) string {
	sizes := make([]string, len(shape))
	for i, n := range shape {
		sizes[i] = strconv.Itoa(n)
	}
	return strings.Join(sizes, "x")
}

// benchCSV has a row for each measurement.
func benchCSV(r *bench.Report) render.Table {
	t := render.Table{Header: strings.Split("suite,layout,pattern,from,to,shape,dtype,bytes,median_ns,lo_ns,hi_ns,samples,outliers,gbps,of_roof,bound,"+
		"touches_per_elem,lines_per_elem,bytes_used_per_byte_fetched,pages_per_elem,miss_l1,miss_l2,miss_l3", ",")}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	for _, row := range r.Rows {
		cells := []string{string(row.Suite), row.Layout, string(row.Pattern), row.From, row.To, crossed(row.Shape), row.DType,
			strconv.Itoa(row.Bytes), number(row.MedianNS), number(row.CINS[0]), number(row.CINS[1]), strconv.Itoa(len(row.SamplesNS)),
			strconv.Itoa(row.Outliers), number(row.GBps), number(row.OfRoof), string(row.Bound)}
		model := make([]string, 7)
		if m := row.Model; m != nil {
			for i, x := range []float64{m.TouchesPerElem, m.LinesPerElem, m.BytesUsed, m.PagesPerElem} {
				model[i] = number(x)
			}
			for i, level := range []string{"l1", "l2", "l3"} {
				if x, ok := m.MissPerElem[level]; ok {
					model[4+i] = number(x)
				}
			}
		}
		t.Add(append(cells, model...)...)
	}
	return t
}

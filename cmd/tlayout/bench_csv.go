package main

import (
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/render"
)

// benchCSV has a row for each measurement.
func benchCSV(r *bench.Report) render.Table {
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

package bench

import (
	"maps"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
)

const overSpatial = "channel_over_spatial" // per layout; all other figures are per row

// GateExample is a gate on a report.
const GateExample = "nhwc.channel.gbps >= 2 * nchw.channel.gbps"

// FigureHint says which figures a gate may name.
const FigureHint = "use LAYOUT.PATTERN.METRIC, FROM.to.TO.METRIC or LAYOUT." + overSpatial + " of a measured row: tlayout help gates"

// Figures returns the numbers that gates compare, by name: ROW.METRIC and LAYOUT.channel_over_spatial.
func (r *Report) Figures() map[string]float64 {
	all := map[string]float64{}
	for _, row := range r.Rows {
		for _, m := range metrics {
			if v := m.value(row, r.Elems); !math.IsNaN(v) {
				all[row.Key()+"."+m.name] = v
			}
		}
	}
	for _, x := range r.Verdict.Ratios {
		all[x.Layout+"."+overSpatial] = x.Ratio
	}
	return all
}

// Figures returns the names of the figures of the report to come, with these caches of the model.
func (s Subject) Figures(g cachesim.Geometry) []string {
	model := &Model{MissPerElem: map[string]float64{}}
	for _, level := range g.Levels {
		model.MissPerElem[level.Name] = 0
	}
	r := Report{Rows: s.rows(), Elems: 1}
	for i := range r.Rows {
		if r.Rows[i].Pattern.Walk() {
			r.Rows[i].Model = model
		}
	}
	names := slices.Collect(maps.Keys(r.Figures()))
	if slices.Contains(s.Patterns, Channel) && slices.Contains(s.Patterns, Spatial) {
		for _, l := range s.Layouts {
			names = append(names, l.Name+"."+overSpatial)
		}
	}
	return names
}

// metric is a number per row; NaN if the row lacks it.
type metric struct {
	name  string
	value func(row Row, elems int) float64
	// unit is the unit in the Go benchmark format, for metrics written there; better is higher or lower.
	unit, better string
}

// metrics lists those of every row, followed by those of the model, which only walks have.
//
// To add a figure: a field of Row or Model, and a row here, from which gates and the Go benchmark format have it.
var metrics = []metric{
	{name: "gbps", value: func(r Row, _ int) float64 { return r.GBps }},
	{name: "of_roof", value: func(r Row, _ int) float64 { return r.OfRoof }},
	{name: "median_ns", value: func(r Row, _ int) float64 { return r.MedianNS }},
	{name: "lo_ns", value: func(r Row, _ int) float64 { return r.CINS[0] }},
	{name: "hi_ns", value: func(r Row, _ int) float64 { return r.CINS[1] }},
	{name: "ns_per_elem", value: func(r Row, elems int) float64 { return r.MedianNS / float64(elems) }},
	{name: "bytes", value: func(r Row, _ int) float64 { return float64(r.Bytes) }},
	{name: "outliers", value: func(r Row, _ int) float64 { return float64(r.Outliers) }},
	modelMetric("lines_per_elem", "lines/elem", "lower", func(m *Model) float64 { return m.LinesPerElem }),
	modelMetric("touches_per_elem", "touches/elem", "lower", func(m *Model) float64 { return m.TouchesPerElem }),
	modelMetric("bytes_used_per_byte_fetched", "used/fetched-B", "higher", func(m *Model) float64 { return m.BytesUsed }),
	modelMetric("pages_per_elem", "pages/elem", "lower", func(m *Model) float64 { return m.PagesPerElem }),
	modelMetric("miss_per_elem.l1", "l1-miss/elem", "lower", misses("l1")),
	modelMetric("miss_per_elem.l2", "l2-miss/elem", "lower", misses("l2")),
	modelMetric("miss_per_elem.l3", "l3-miss/elem", "lower", misses("l3")),
	modelMetric("sampling_error", "", "", func(m *Model) float64 { return m.Error }),
}

func modelMetric(name, unit, better string, value func(*Model) float64) metric {
	return metric{name: "model." + name, unit: unit, better: better, value: func(r Row, _ int) float64 {
		if r.Model == nil {
			return math.NaN()
		}
		return value(r.Model)
	}}
}

func misses(level string) func(*Model) float64 {
	return func(m *Model) float64 {
		if miss, ok := m.MissPerElem[level]; ok {
			return miss
		}
		return math.NaN()
	}
}

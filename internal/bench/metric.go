package bench

import (
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// metric is a number of a row. It is NaN where the row does not have it.
type metric struct {
	name string
	of   func(row Row, elems int) float64
	// unit is that of the Go benchmark format, of metrics that stand there, and better, higher or lower, which way is better.
	unit, better string
}

// metrics are those of every row, and behind them those of the model, which only walks have.
var metrics = []metric{
	{name: "gbps", of: func(r Row, _ int) float64 { return r.GBps }},
	{name: "of_roof", of: func(r Row, _ int) float64 { return r.OfRoof }},
	{name: "median_ns", of: func(r Row, _ int) float64 { return r.MedianNS }},
	{name: "lo_ns", of: func(r Row, _ int) float64 { return r.CINS[0] }},
	{name: "hi_ns", of: func(r Row, _ int) float64 { return r.CINS[1] }},
	{name: "ns_per_elem", of: func(r Row, elems int) float64 { return r.MedianNS / float64(elems) }},
	{name: "bytes", of: func(r Row, _ int) float64 { return float64(r.Bytes) }},
	{name: "outliers", of: func(r Row, _ int) float64 { return float64(r.Outliers) }},
	modelled("lines_per_elem", "lines/elem", "lower", func(m *Model) float64 { return m.LinesPerElem }),
	modelled("touches_per_elem", "touches/elem", "lower", func(m *Model) float64 { return m.TouchesPerElem }),
	modelled("bytes_used_per_byte_fetched", "used/fetched-B", "higher", func(m *Model) float64 { return m.BytesUsed }),
	modelled("pages_per_elem", "pages/elem", "lower", func(m *Model) float64 { return m.PagesPerElem }),
	modelled("miss_per_elem.l1", "l1-miss/elem", "lower", missing("l1")),
	modelled("miss_per_elem.l2", "l2-miss/elem", "lower", missing("l2")),
	modelled("miss_per_elem.l3", "l3-miss/elem", "lower", missing("l3")),
	modelled("error", "", "", func(m *Model) float64 { return m.Error }),
}

const modelPrefix = "model."

func modelled(name, unit, better string, of func(*Model) float64) metric {
	return metric{name: modelPrefix + name, unit: unit, better: better, of: func(r Row, _ int) float64 {
		if r.Model == nil {
			return math.NaN()
		}
		return of(r.Model)
	}}
}

func missing(level string) func(*Model) float64 {
	return func(m *Model) float64 {
		if miss, ok := m.MissPerElem[level]; ok {
			return miss
		}
		return math.NaN()
	}
}

// metricOf returns the metric of that name, which there must be; elems are those of the tensor.
func metricOf(row Row, name string, elems int) float64 {
	i := slices.IndexFunc(metrics, func(m metric) bool { return m.name == name })
	return metrics[i].of(row, elems)
}

// checkMetric fails with Usage where rows of the kind have no such metric.
func checkMetric(name string, walk bool) error {
	var good []string
	for _, m := range metrics {
		if walk || !strings.HasPrefix(m.name, modelPrefix) {
			good = append(good, m.name)
		}
	}
	if slices.Contains(good, name) {
		return nil
	}
	err := fault.New(fault.Usage, "unknown metric %s", words.Quote(name))
	if strings.HasPrefix(name, modelPrefix) && !walk {
		err.Text = words.Quote(name) + " is a figure of the model, which only walks have"
		return err.WithHint("walks are %s and %s", Channel, Spatial)
	}
	if near := words.Nearest(name, good); near != "" {
		return err.WithHint("did you mean %s?", near)
	}
	return err.WithHint("metrics are %s", strings.Join(good, ", "))
}

package bench

import (
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
)

// metric is a number of a row. It is NaN where the row does not have it.
type metric struct {
	name string
	of   func(row Row, elems int) float64
}

// metrics are those of every row, and behind them those of the model, which only walks have.
var metrics = []metric{
	{"gbps", func(r Row, _ int) float64 { return r.GBps }},
	{"of_roof", func(r Row, _ int) float64 { return r.OfRoof }},
	{"median_ns", func(r Row, _ int) float64 { return r.MedianNS }},
	{"lo_ns", func(r Row, _ int) float64 { return r.CINS[0] }},
	{"hi_ns", func(r Row, _ int) float64 { return r.CINS[1] }},
	{"ns_per_elem", func(r Row, elems int) float64 { return r.MedianNS / float64(elems) }},
	{"bytes", func(r Row, _ int) float64 { return float64(r.Bytes) }},
	{"outliers", func(r Row, _ int) float64 { return float64(r.Outliers) }},
	modelled("lines_per_elem", func(m *Model) float64 { return m.LinesPerElem }),
	modelled("touches_per_elem", func(m *Model) float64 { return m.TouchesPerElem }),
	modelled("bytes_used_per_byte_fetched", func(m *Model) float64 { return m.BytesUsed }),
	modelled("pages_per_elem", func(m *Model) float64 { return m.PagesPerElem }),
	modelled("miss_per_elem.l1", missing("l1")),
	modelled("miss_per_elem.l2", missing("l2")),
	modelled("miss_per_elem.l3", missing("l3")),
	modelled("error", func(m *Model) float64 { return m.Error }),
}

const modelPrefix = "model."

func modelled(name string, of func(*Model) float64) metric {
	return metric{modelPrefix + name, func(r Row, _ int) float64 {
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
	err := fault.New(fault.Usage, "unknown metric %s", fault.Quote(name))
	if strings.HasPrefix(name, modelPrefix) && !walk {
		err.Text = fault.Quote(name) + " is a figure of the model, which only walks have"
		return err.WithHint("walks are %s and %s", Channel, Spatial)
	}
	if near := fault.Nearest(name, good); near != "" {
		return err.WithHint("did you mean %s?", near)
	}
	return err.WithHint("metrics are %s", strings.Join(good, ", "))
}

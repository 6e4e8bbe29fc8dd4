package bench

import (
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/bench/cachesim"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// Names returns the name of a layout in rows, for any spelling; text that is not a layout is returned as is.
type Names func(layout string) string

// overSpatial is a metric of a layout; all others are of a row.
const overSpatial = "channel_over_spatial"

const figureForms = "figures are LAYOUT.PATTERN.METRIC, FROM.to.TO.METRIC and LAYOUT." + overSpatial +
	"; the prefix baseline. takes them from the baseline"

// figure is a number of a report that a gate names.
type figure struct {
	baseline bool
	key      string // of the row; the layout if metric is overSpatial
	metric   string
}

func (f figure) String() string {
	s := f.key + "." + f.metric
	if f.baseline {
		s = "baseline." + s
	}
	return s
}

// newFigure parses a figure's name, split at its dots.
func newFigure(path []string, names Names) (figure, error) {
	var f figure
	whole := words.Quote(strings.Join(path, "."))
	if f.baseline = path[0] == "baseline"; f.baseline {
		path = path[1:]
	}
	conversion := len(path) > 1 && path[1] == "to"
	switch {
	case len(path) == 2 && path[1] == overSpatial:
		f.key, f.metric = names(path[0]), overSpatial
		return f, nil
	case conversion && len(path) > 3:
		f.key, f.metric = names(path[0])+".to."+names(path[2]), strings.Join(path[3:], ".")
		return f, checkMetric(f.metric, false)
	case !conversion && len(path) > 2:
		p, err := ParsePattern(path[1])
		if err != nil {
			return f, err
		}
		f.key, f.metric = names(path[0])+"."+path[1], strings.Join(path[2:], ".")
		return f, checkMetric(f.metric, p.Walk())
	}
	return f, fault.New(fault.Usage, "%s is not the name of a figure", whole).WithHint("%s", figureForms)
}

// rows are the keys of the rows that the figure is computed from.
func (f figure) rows() []string {
	if f.metric == overSpatial {
		return []string{accessKey(f.key, Channel), accessKey(f.key, Spatial)}
	}
	return []string{f.key}
}

// check fails with Usage if a row or its metric is missing.
func (f figure) check(keys []string, caches cachesim.Geometry, before *Report) error {
	level, isMiss := strings.CutPrefix(f.metric, modelPrefix+"miss_per_elem.")
	known := func(l cachesim.Level) bool { return l.Name == level }
	if !f.baseline && isMiss && !slices.ContainsFunc(caches.Levels, known) {
		return fault.New(fault.Usage, "%s: the model has no %s", words.Quote(f.String()), level).WithHint("add it with --cache")
	}
	where := ""
	if f.baseline {
		if before == nil {
			return fault.New(fault.Usage, "%s needs a baseline", words.Quote(f.String())).
				WithHint("name an earlier report with --baseline")
		}
		where, keys = " in the baseline", before.keys()
	}
	for _, key := range f.rows() {
		if slices.Contains(keys, key) {
			continue
		}
		err := fault.New(fault.Usage, "no row %s%s", words.Quote(key), where)
		if near := words.Nearest(key, keys); near != "" {
			return err.WithHint("did you mean %s?", words.Quote(near))
		}
		return err.WithHint("rows are %s", words.Quote(strings.Join(keys, ", ")))
	}
	if f.baseline && math.IsNaN(f.in(before)) {
		return fault.New(fault.Usage, "the baseline has no %s", words.Quote(f.String()))
	}
	return nil
}

// in is the figure's value in a report; NaN if the report lacks it.
func (f figure) in(r *Report) float64 {
	if r == nil {
		return math.NaN()
	}
	at := byKey(r.Rows)
	for _, key := range f.rows() {
		if _, ok := at[key]; !ok {
			return math.NaN()
		}
	}
	if f.metric == overSpatial {
		v, _ := at[f.rows()[0]].Over(at[f.rows()[1]].Timing)
		return v
	}
	return metricOf(at[f.key], f.metric, r.Elems)
}

// metric is a number of a row; NaN if the row lacks it.
type metric struct {
	name string
	of   func(row Row, elems int) float64
	// unit is the unit in the Go benchmark format, for metrics written there; better is higher or lower.
	unit, better string
}

// metrics are those of every row, followed by those of the model, which only walks have.
var metrics = []metric{
	{name: "gbps", of: func(r Row, _ int) float64 { return r.GBps }},
	{name: "of_roof", of: func(r Row, _ int) float64 { return r.OfRoof }},
	{name: "median_ns", of: func(r Row, _ int) float64 { return r.MedianNS }},
	{name: "lo_ns", of: func(r Row, _ int) float64 { return r.CINS[0] }},
	{name: "hi_ns", of: func(r Row, _ int) float64 { return r.CINS[1] }},
	{name: "ns_per_elem", of: func(r Row, elems int) float64 { return r.MedianNS / float64(elems) }},
	{name: "bytes", of: func(r Row, _ int) float64 { return float64(r.Bytes) }},
	{name: "outliers", of: func(r Row, _ int) float64 { return float64(r.Outliers) }},
	modelMetric("lines_per_elem", "lines/elem", "lower", func(m *Model) float64 { return m.LinesPerElem }),
	modelMetric("touches_per_elem", "touches/elem", "lower", func(m *Model) float64 { return m.TouchesPerElem }),
	modelMetric("bytes_used_per_byte_fetched", "used/fetched-B", "higher", func(m *Model) float64 { return m.BytesUsed }),
	modelMetric("pages_per_elem", "pages/elem", "lower", func(m *Model) float64 { return m.PagesPerElem }),
	modelMetric("miss_per_elem.l1", "l1-miss/elem", "lower", misses("l1")),
	modelMetric("miss_per_elem.l2", "l2-miss/elem", "lower", misses("l2")),
	modelMetric("miss_per_elem.l3", "l3-miss/elem", "lower", misses("l3")),
	modelMetric("sampling_error", "", "", func(m *Model) float64 { return m.Error }),
}

const modelPrefix = "model."

func modelMetric(name, unit, better string, of func(*Model) float64) metric {
	return metric{name: modelPrefix + name, unit: unit, better: better, of: func(r Row, _ int) float64 {
		if r.Model == nil {
			return math.NaN()
		}
		return of(r.Model)
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

// metricOf returns the value of a metric that exists; elems is the number of elements of the tensor.
func metricOf(row Row, name string, elems int) float64 {
	i := slices.IndexFunc(metrics, func(m metric) bool { return m.name == name })
	return metrics[i].of(row, elems)
}

// checkMetric fails with Usage if rows of walks, or of others, have no such metric.
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
		err.Text = words.Quote(name) + " is a metric of the model, which only walks have"
		return err.WithHint("walks are %s and %s", Channel, Spatial)
	}
	if near := words.Nearest(name, good); near != "" {
		return err.WithHint("did you mean %s?", near)
	}
	return err.WithHint("metrics are %s", strings.Join(good, ", "))
}

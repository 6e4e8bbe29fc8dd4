package bench

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"github.com/tlayout/tlayout/internal/words"
)

// WriteGoBench writes a report in the Go benchmark format, one line per sample, for benchstat and tools like it. Every line
// of a walk has the figures of the model, which are declared exact. Versions are not among the settings, because benchstat
// compares only files with equal settings. See https://go.dev/design/14313-benchmark-format and, for units,
// golang.org/x/perf/benchunit.
func WriteGoBench(w io.Writer, r *Report) error {
	out := benchfmt.NewWriter(w)
	for _, record := range append(units(), results(r)...) {
		if err := out.Write(record); err != nil {
			return err
		}
	}
	return nil
}

func results(r *Report) []benchfmt.Record {
	var all []benchfmt.Record
	config := settings(r)
	for _, row := range r.Rows {
		name, model := benchmarkName(row), modelValues(row, r.Elems)
		for _, ns := range row.SamplesNS {
			values := append(timed(row, ns), model...)
			all = append(all, &benchfmt.Result{Config: config, Name: benchfmt.Name(name), Iters: 1, Values: values})
		}
	}
	return all
}

// units declare the model's figures exact, and which direction is better.
func units() []benchfmt.Record {
	var all []benchfmt.Record
	for _, m := range metrics {
		if m.unit == "" {
			continue
		}
		for _, meta := range [][2]string{{"assume", "exact"}, {"better", m.better}} {
			key := benchfmt.UnitMetadataKey{Unit: m.unit, Key: meta[0]}
			all = append(all, &benchfmt.UnitMetadata{UnitMetadataKey: key, OrigUnit: m.unit, Value: meta[1]})
		}
	}
	return all
}

// settings are the lines at the top, without unknown ones.
func settings(r *Report) []benchfmt.Config {
	m := r.Machine
	var all []benchfmt.Config
	for _, s := range []struct{ key, value string }{
		{"goos", m.OS}, {"goarch", m.Arch}, {"cpu", m.CPU}, {"cores", known(m.Cores)},
		{"l1", known(m.L1)}, {"l2", known(m.L2)}, {"l3", known(m.L3)},
		{"kernels", m.Kernels}, {"cache", m.Cache},
	} {
		if s.value != "" {
			all = append(all, benchfmt.Config{Key: s.key, Value: []byte(words.Quote(s.value)), File: true})
		}
	}
	return all
}

func known(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// benchmarkName is Access/layout=nhwc/pattern=channel/shape=32x64x56x56/dtype=float32 or Convert/from=nchw/to=nhwc/….
func benchmarkName(row Row) string {
	name := fmt.Sprintf("Access/layout=%s/pattern=%s", plain(row.Layout), row.Pattern)
	if row.Suite == Convert {
		name = fmt.Sprintf("Convert/from=%s/to=%s", plain(row.From), plain(row.To))
	}
	return name + "/shape=" + row.Sizes() + "/dtype=" + plain(row.DType)
}

// plain replaces characters that would end a part of a benchmark's name.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '/' {
			return '_'
		}
		return r
	}, s)
}

// timed is one sample: ns/op, which readers convert to seconds, and B/s.
func timed(row Row, ns float64) []benchfmt.Value {
	return []benchfmt.Value{
		{Value: ns / 1e9, Unit: "sec/op", OrigValue: ns, OrigUnit: "ns/op"},
		{Value: math.Round(float64(row.Bytes) / ns * 1e9), Unit: "B/s"},
	}
}

// modelValues are a walk's figures of the model.
func modelValues(row Row, elems int) []benchfmt.Value {
	var all []benchfmt.Value
	for _, m := range metrics {
		if v := m.of(row, elems); m.unit != "" && !math.IsNaN(v) {
			all = append(all, benchfmt.Value{Value: v, Unit: m.unit})
		}
	}
	return all
}

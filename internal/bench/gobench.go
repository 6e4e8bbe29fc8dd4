package bench

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/tlayout/tlayout/internal/text"
)

// WriteGoBench writes a report in the Go benchmark format, one line per sample, for tools like benchstat. Every line of a walk has the
// model's figures, declared exact. Versions are omitted from the settings, because benchstat compares only files with equal settings. See
// https://go.dev/design/14313-benchmark-format and, for units, golang.org/x/perf/benchunit.
func WriteGoBench(w io.Writer, r *Report) error {
	var b bytes.Buffer
	for _, m := range metrics {
		if m.unit != "" {
			fmt.Fprintf(&b, "Unit %s assume=exact\nUnit %s better=%s\n", m.unit, m.unit, m.better)
		}
	}
	writeSettings(&b, r.Machine)
	for _, row := range r.Rows {
		name := benchmarkName(row)
		model := modelValues(row, r.Elems)
		for _, ns := range row.SamplesNS {
			fmt.Fprintf(&b, "Benchmark%s 1 %v ns/op %v B/s%s\n", name, ns, math.Round(float64(row.Bytes)/ns*1e9), model)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeSettings writes the lines at the top, omitting unknown ones.
func writeSettings(b *bytes.Buffer, m Machine) {
	type setting struct{ key, value string }
	all := []setting{
		{"goos", m.OS}, {"goarch", m.Arch}, {"cpu", m.CPU}, {"cores", known(m.Cores)},
		{"l1", known(m.L1)}, {"l2", known(m.L2)}, {"l3", known(m.L3)},
		{"kernels", m.Kernels}, {"cache", m.Cache},
	}
	if t := m.Torch; t != nil {
		all = append(all, setting{"device", t.on()}, setting{"out-channels", known(t.OutChannels)},
			setting{"kernel-size", known(t.Kernel)})
	}
	for _, s := range all {
		if s.value != "" {
			fmt.Fprintf(b, "%s: %s\n", s.key, text.Quote(s.value))
		}
	}
	b.WriteByte('\n')
}

func known(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// benchmarkName returns Access/layout=nhwc/pattern=channel/shape=32x64x56x56/dtype=float32 or Convert/from=nchw/to=nhwc/….
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

// modelValues returns a walk's figures of the model.
func modelValues(row Row, elems int) string {
	var b strings.Builder
	for _, m := range metrics {
		if v := m.value(row, elems); m.unit != "" && !math.IsNaN(v) {
			fmt.Fprintf(&b, " %v %s", v, m.unit)
		}
	}
	return b.String()
}

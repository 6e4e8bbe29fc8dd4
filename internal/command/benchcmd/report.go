package benchcmd

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/render/scene"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Documents lists the JSON documents of the command.
var Documents = []cli.Document{{Schema: bench.Schema, Prints: "bench", Type: reflect.TypeFor[report]()}}

// report is the measurements, and warnings about the source.
type report struct {
	*bench.Report
	Warnings []string `json:"warnings"`
}

// newReport adds the job's notes, warnings and gates to the measurements.
func newReport(j *job, measured *bench.Report) *report {
	r := &report{Report: measured, Warnings: append([]string{}, j.warnings...)}
	if r.Machine.Torch != nil {
		r.Notes = append(r.Notes, torchNotes(measured)...)
	}
	r.Notes = text.OrEmpty(slices.Concat(j.notes, r.Notes))
	for _, c := range j.gates {
		r.Gates = append(r.Gates, c.Eval(measured.Figures()))
	}
	return r
}

// Warned returns the warnings about the source.
func (r *report) Warned() []string { return r.Warnings }

// WriteGoBench writes the rows in the format of Go's benchmarks.
func (r *report) WriteGoBench(w io.Writer) error { return bench.WriteGoBench(w, r.Report) }

// Failed reports whether a gate failed.
func (r *report) Failed() bool { return len(r.failedGates()) > 0 }

// failedGates returns a line for each failed gate, with its numbers.
func (r *report) failedGates() (lines []string) {
	for _, g := range r.Gates {
		if !g.Holds {
			lines = append(lines, g.Why)
		}
	}
	return lines
}

// Page writes failed gates, the fastest layouts and the slowdown of the others; with --all the setup, a chart and every table.
func (r *report) Page(p *cli.Page) {
	if failed := r.failedGates(); failed != nil {
		p.Answer(fmt.Sprintf("%d of %s failed", len(failed), text.Count(len(r.Gates), "gate")))
		p.Steps(failed...)
		if p.Quiet() {
			return
		}
		p.Blank()
	}
	lines := r.answer()
	ways := []string{"--all", "-o walks.svg"}
	if r.Machine.Torch != nil {
		lines = r.torchAnswer()
		ways = []string{"--all", "--json"}
	}
	p.Answer(lines[0])
	if p.All() {
		r.pageAll(p, lines[1:])
		return
	}
	p.Steps(lines[1:]...)
	p.Section(r.mainTable())
	p.Remarks(r.highlights()...)
	p.More(ways...)
}

// mainTable returns the table of the first screen: the operators, the slowdown of the layouts, or, of a single layout, its accesses.
func (r *report) mainTable() render.Table {
	if r.Machine.Torch != nil {
		return r.operatorTable()
	}
	if len(r.layouts()) > 1 {
		return r.slowdownTable()
	}
	return r.accessTable()
}

// pageAll writes all measurements.
func (r *report) pageAll(p *cli.Page, breakEven []string) {
	if p.Markdown() {
		p.Blank()
	}
	p.Items(append(breakEven, r.facts()...)...)
	if !p.Markdown() && r.Machine.Torch == nil {
		p.Blank()
		p.Draw(func(w io.Writer, o scene.TextOptions) error { return r.chart().Text(w, o.Width, o.Unicode, o.Color) })
	}
	for _, t := range r.tables() {
		p.Section(t)
	}
}

// highlights returns lines on gates that hold, noise, and notes.
func (r *report) highlights() []string {
	var lines []string
	if n := len(r.Gates); n > 0 && !r.Failed() {
		lines = append(lines, fmt.Sprintf("%s %s", text.Count(n, "gate"), text.Plural(n, "holds", "hold")))
	}
	if r.Noise.Advice != "" {
		lines = append(lines, fmt.Sprintf("noise: the same %s varied by %.1f %%; --all has advice", r.constant(), r.Noise.Spread*100))
	}
	return append(lines, cli.NoteLines(r.Notes)...)
}

// answer returns a line that names the fastest layouts, and lines on when converting to them breaks even.
func (r *report) answer() []string {
	name := cmp.Or(text.Quote(r.Source), "tensor")
	var best, breakEven []string
	for _, b := range r.Verdict.Best {
		if b.Pattern.Walk() && len(r.Verdict.Ratios) > 1 {
			is := "is fastest "
			if len(best) > 0 {
				is = ""
			}
			best = append(best, fmt.Sprintf("%s access %sin %s", accessName(b.Pattern), is, text.Or(b.Layouts)))
			breakEven = append(breakEven, r.breakEven(b)...)
		}
	}
	if len(best) == 0 {
		return []string{fmt.Sprintf("%s: %s %s in %s", name, r.DType, tensor.Tuple(r.Shape), strings.Join(r.layouts(), ", "))}
	}
	return append([]string{name + ": " + strings.Join(best, ", ")}, breakEven...)
}

// layouts returns the measured layouts.
func (r *report) layouts() (names []string) {
	for _, row := range r.Report.Rows {
		if row.Suite == bench.Access && !slices.Contains(names, row.Layout) {
			names = append(names, row.Layout)
		}
	}
	return names
}

func accessName(p bench.Pattern) string {
	if p == bench.Channel {
		return "channel-wise"
	}
	return string(p)
}

// breakEven returns a line on the break-even passes of converting to the best layout of a pattern.
func (r *report) breakEven(best bench.Best) (lines []string) {
	from := r.convertedFrom()
	if slices.Contains(best.Layouts, from) {
		return nil
	}
	for _, e := range r.Verdict.BreakEven {
		if e.From != from || e.To != best.Layouts[0] || e.Pattern != best.Pattern {
			continue
		}
		when := "never breaks even for " + accessName(e.Pattern) + " access"
		if e.Passes != nil {
			when = fmt.Sprintf("breaks even after %s %s passes (%s)", passCount(*e.Passes), accessName(e.Pattern), passInterval(e))
		}
		lines = append(lines, fmt.Sprintf("converting %s to %s %s", e.From, e.To, when))
	}
	return lines
}

// convertedFrom returns the source layout of conversions; "" without conversions.
func (r *report) convertedFrom() string {
	at := slices.IndexFunc(r.Report.Rows, func(row bench.Row) bool { return row.Suite == bench.Convert })
	if at < 0 {
		return ""
	}
	return r.Report.Rows[at].From
}

// passInterval returns 2.9 to 3.4, or 2.9 to never for a conversion that may never break even.
func passInterval(e bench.BreakEven) string {
	if e.Hi == nil {
		return passCount(*e.Lo) + " to never"
	}
	return passCount(*e.Lo) + " to " + passCount(*e.Hi)
}

// passCount returns a number of passes with at least two digits.
func passCount(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}

// constant returns the work whose variation is the noise.
func (r *report) constant() string {
	if r.Machine.Torch != nil {
		return "copy"
	}
	return "read"
}

// facts returns lines on the machine, its rooflines and its noise, and the notes.
func (r *report) facts() []string {
	noise := fmt.Sprintf("noise: the same %s varied by %.1f %%; %d of %d samples are outliers", r.constant(), r.Noise.Spread*100, r.Noise.Outliers,
		r.Noise.Samples)
	if r.Noise.Advice != "" {
		noise += ": " + r.Noise.Advice
	}
	return slices.Concat(r.where(), []string{noise}, cli.NoteLines(r.Notes))
}

// where returns lines on the processor and its rooflines; PyTorch's device is in the notes.
func (r *report) where() []string {
	m := r.Machine
	samples := fmt.Sprintf("%d samples per row", len(r.Report.Rows[0].SamplesNS))
	if m.Torch != nil {
		return []string{fmt.Sprintf("roofline: a copy of the tensor reads and writes %.3g GB/s; %s", m.Roofs[0].CopyGBps, samples)}
	}
	var rooflines []string
	for _, roof := range m.Roofs {
		rooflines = append(rooflines, fmt.Sprintf("%s %.3g by %s and %.3g by %s (%s)", roof.Level, roof.ReadGBps, roof.ReadBy,
			roof.CopyGBps, roof.CopyBy, text.Bytes(int64(roof.Bytes))))
	}
	return []string{fmt.Sprintf("one thread on %s, %s kernels; %s", m.CPU, m.Kernels, samples), "rooflines, GB/s read and copied: " + strings.Join(rooflines, ", ")}
}

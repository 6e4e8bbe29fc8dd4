package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

func writeBench(a *cli.App, r *bench.Report) error {
	switch a.Format {
	case cli.JSON:
		return cli.WriteJSON(a.Stdout, r, true)
	case cli.CSV:
		return cSV(r).CSV(a.Stdout)
	case cli.GoBench:
		return bench.WriteGoBench(a.Stdout, r)
	}
	if err := cli.WriteLines(a, append(answer(r), facts(r)...)); err != nil {
		return err
	}
	if a.Format == cli.Table {
		fmt.Fprintln(a.Stdout)
		if err := chart(r).Text(a.Stdout, a.Streams.Columns(), a.Streams.Unicode, a.Bolds()); err != nil {
			return err
		}
	}
	for _, t := range tables(r) {
		if err := cli.WriteSection(a, t); err != nil {
			return err
		}
	}
	return nil
}

// answer says which layout is best for what, and whether converting pays.
func answer(r *bench.Report) []string {
	name := words.Quote(r.Source)
	if name == "" {
		name = "tensor"
	}
	head := fmt.Sprintf("%s: %s %s", name, r.DType, tensor.Tuple(r.Shape))
	var best, pays []string
	for _, b := range r.Verdict.Best {
		if b.Pattern.Walk() && len(r.Verdict.Ratios) > 1 {
			best = append(best, fmt.Sprintf("%s access is fastest in %s", accessName(b.Pattern), words.Or(b.Layouts)))
			pays = append(pays, paysFor(r, b)...)
		}
	}
	if len(best) == 0 {
		return []string{head + " in " + strings.Join(layoutsOf(r), ", ")}
	}
	return append([]string{head + ": " + strings.Join(best, ", ")}, pays...)
}

// layoutsOf are the layouts that were measured.
func layoutsOf(r *bench.Report) (names []string) {
	for _, row := range r.Rows {
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

// paysFor says after how many passes converting into the best layout of a pattern has paid for itself.
func paysFor(r *bench.Report, best bench.Best) (lines []string) {
	from := homeOf(r)
	for _, e := range r.Verdict.BreakEven {
		if e.From == from && e.To == best.Layouts[0] && e.Pattern == best.Pattern {
			lines = append(lines, fmt.Sprintf("converting %s to %s pays for %s access %s", e.From, e.To, accessName(e.Pattern), breakEvenWords(e)))
		}
	}
	return lines
}

// homeOf is the layout that the tensor is converted from; "" where nothing is.
func homeOf(r *bench.Report) string {
	at := slices.IndexFunc(r.Rows, func(row bench.Row) bool { return row.Suite == bench.Convert })
	if at < 0 {
		return ""
	}
	return r.Rows[at].From
}

// breakEvenWords: after 3.1 passes (2.9 to 3.4), never.
func breakEvenWords(e bench.BreakEven) string {
	if e.Passes == nil {
		return "never"
	}
	return fmt.Sprintf("after %s passes (%s)", passes(*e.Passes), passInterval(e))
}

// passInterval: 2.9 to 3.4, or, where a conversion may never pay, 2.9 or more, perhaps never.
func passInterval(e bench.BreakEven) string {
	if e.Hi == nil {
		return passes(*e.Lo) + " or more, perhaps never"
	}
	return passes(*e.Lo) + " to " + passes(*e.Hi)
}

// passes prints a number of passes with two digits or more.
func passes(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}

// facts say where it was measured, against what, and how steady it was.
func facts(r *bench.Report) []string {
	m := r.Machine
	lines := []string{fmt.Sprintf("one thread of %s, %s kernels; %d samples a row", m.CPU, m.Kernels, len(r.Rows[0].SamplesNS))}
	var roofs []string
	for _, roof := range m.Roofs {
		roofs = append(roofs, fmt.Sprintf("%s %.3g and %.3g (%s)", roof.Level, roof.ReadGBps, roof.CopyGBps, words.Bytes(int64(roof.Bytes))))
	}
	lines = append(lines, "roofs, GB/s read and copied: "+strings.Join(roofs, ", "))
	steady := fmt.Sprintf("noise: the same read varied by %.1f %%; %d of %d samples are outliers", r.Noise.Spread*100, r.Noise.Outliers, r.Noise.Samples)
	if r.Noise.Advice != "" {
		steady += ": " + r.Noise.Advice
	}
	lines = append(lines, steady)
	lines = append(lines, cli.NoteLines(r.Notes)...)
	if b := r.Baseline; b != nil && len(b.Missing)+len(b.Gone) > 0 {
		lines = append(lines, "note: only now or only in the baseline: "+strings.Join(append(slices.Clone(b.Missing), b.Gone...), ", "))
	}
	return lines
}

// changedMachine says where a baseline was not measured on this machine, or not by this program.
func changedMachine(r *bench.Report) (lines []string) {
	if r.Baseline != nil {
		for _, d := range r.Baseline.Differences {
			lines = append(lines, "the baseline was measured elsewhere or otherwise: "+d)
		}
	}
	return lines
}

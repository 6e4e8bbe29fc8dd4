package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// report is everything that one run prints.
type report struct {
	Date      string        `json:"date"`
	Machine   bench.Machine `json:"machine"`
	HugePages string        `json:"huge_pages"`
	Peers     []string      `json:"peers,omitempty"` // versions
	Rows      []result      `json:"rows"`
	Summary   summary       `json:"summary"`
	Marks     []mark        `json:"marks"`
}

// measureRows measures all rows and prints each when it is done.
func measureRows(out, progress io.Writer, rows []row, o options) error {
	peers, err := startPeers(o.peers)
	if err != nil {
		return err
	}
	defer peers.stop()
	table := out
	if o.json {
		table = progress
	}
	pages, _ := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	rep := report{Date: o.date, Machine: bench.ThisMachine(kernel.Best(), ""), HugePages: bracketed(string(pages)),
		Peers: peers.each(func(p *peer) string { return p.Version })}
	names := peers.each(func(p *peer) string { return p.name })
	rep.printHead(table, names)
	var b buffers
	for _, r := range rows {
		got, err := b.measure(r, peers, o.samples, !o.odd)
		if err != nil {
			return fmt.Errorf("%s: %w", r, err)
		}
		rep.Rows = append(rep.Rows, got)
		if got.OfRoof < o.under {
			got.print(table, names)
		}
	}
	rep.Summary, rep.Marks = summarize(rep.Rows), o.standard().judge(rep.Rows)
	if o.json {
		return writeJSON(out, rep)
	}
	rep.Summary.print(out)
	return printMarks(out, rep.Marks)
}

func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(value)
}

// bracketed is the word in brackets of "always [madvise] never".
func bracketed(setting string) string {
	_, rest, _ := strings.Cut(setting, "[")
	word, _, ok := strings.Cut(rest, "]")
	if !ok {
		return "unknown"
	}
	return word
}

// printHead describes the machine and the columns, and starts the table.
func (r report) printHead(w io.Writer, peers []string) {
	m := r.Machine
	fmt.Fprintf(w, "%s\n%s, %d cores, L2 %d KiB, L3 %d KiB, huge pages %s, %s kernels, %s\n",
		r.Date, m.CPU, m.Cores, m.L2>>10, m.L3>>10, r.HugePages, m.Kernels, m.Go)
	columns, others := []string{"row", "roof GB/s", "by", "tlayout", "threads", "copy threads"}, ""
	if len(peers) > 0 {
		fmt.Fprintf(w, "%s, one thread each\n", strings.Join(r.Peers, ", "))
		columns, others = append(append(columns, peers...), "behind oneDNN"), "; "+cMemcpy+", of C"
	}
	fmt.Fprintf(w, "\nRatios are to the roof: the fastest copy of the same bytes read and written, by: go, Go's copy; pieces, of 256 KiB;\n"+
		"vectors; stream, past the caches; pages, past the caches, four in turn; movsb, REP MOVSB%s.\n"+
		"threads: speedup of two threads over one. copy threads: that of the fastest copy, half of it on each.\n\n", others)
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
}

func (r result) print(w io.Writer, peers []string) {
	fmt.Fprintf(w, "| %s | %.1f | %s | %.2f | %s | %s |", r.Name, r.RoofGBps, r.Roof, r.OfRoof, cell(r.Threads, r.Threads > 0),
		cell(r.CopyThreads, r.CopyThreads > 0))
	for _, name := range peers {
		ratio, ok := r.Peers[name]
		fmt.Fprintf(w, " %s |", cell(ratio, ok))
	}
	if len(peers) > 0 {
		fmt.Fprintf(w, " %s |", r.behindCell())
	}
	fmt.Fprintln(w)
}

// cell is a ratio, or - if there is none.
func cell(ratio float64, ok bool) string {
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.2f", ratio)
}

func (r result) behindCell() string {
	if _, ok := r.Peers[oneDNN]; !ok {
		return "-"
	}
	if r.behind() == 0 {
		return "no"
	}
	return fmt.Sprintf("by %.0f %%", r.behind()*100)
}

// summary counts the rows that miss a mark.
type summary struct {
	Rows       int     `json:"rows"`
	Median     float64 `json:"median"`
	Least      float64 `json:"least"`
	LeastRow   string  `json:"least_row"`
	Under090   int     `json:"under_0.90"`
	Under070   int     `json:"under_0.70"`
	Under050   int     `json:"under_0.50"`
	WithOneDNN int     `json:"with_onednn"`
	Behind     int     `json:"behind_onednn"`
	BehindBy5  int     `json:"behind_onednn_by_5_percent"`
	Threads    float64 `json:"two_threads,omitempty"` // median of the rows under 0.90; 0 if none was measured
	Busy       int     `json:"busy,omitempty"`        // rows of which two threads copy more slowly than one
}

func summarize(rows []result) summary {
	s := summary{Rows: len(rows)}
	count := func(n *int, yes bool) {
		if yes {
			*n++
		}
	}
	var ratios, threads []float64
	for _, r := range rows {
		if ratios = append(ratios, r.OfRoof); s.LeastRow == "" || r.OfRoof < s.Least {
			s.Least, s.LeastRow = r.OfRoof, r.Name
		}
		if r.OfRoof < 0.9 && r.Threads > 0 {
			threads = append(threads, r.Threads)
		}
		_, known := r.Peers[oneDNN]
		count(&s.Under090, r.OfRoof < 0.9)
		count(&s.Under070, r.OfRoof < 0.7)
		count(&s.Under050, r.OfRoof < 0.5)
		count(&s.WithOneDNN, known)
		count(&s.Behind, r.behind() > 0)
		count(&s.BehindBy5, r.behind() > behindMax)
		count(&s.Busy, r.busy())
	}
	s.Median, _ = bench.Median(ratios)
	if len(threads) > 0 {
		s.Threads, _ = bench.Median(threads)
	}
	return s
}

func (s summary) print(w io.Writer) {
	fmt.Fprintf(w, "\n%d rows: median %.2f of the roof; %d rows under 0.90, %d under 0.70, %d under 0.50; minimum %.2f, %s\n",
		s.Rows, s.Median, s.Under090, s.Under070, s.Under050, s.Least, s.LeastRow)
	if s.WithOneDNN > 0 {
		fmt.Fprintf(w, "behind oneDNN in %d of the %d rows that it supports, by more than 5 %% in %d\n", s.Behind, s.WithOneDNN, s.BehindBy5)
	}
	if s.Threads > 0 {
		fmt.Fprintf(w, "two threads: %.2f times one, median of the %d rows under 0.90\n", s.Threads, s.Under090)
	}
	if s.Busy > 0 {
		fmt.Fprintf(w, "two threads copy more slowly than one in %d rows: the machine is not idle, or has one core\n", s.Busy)
	}
}

var growthLayouts = [][2]string{{"nchw", "nhwc"}, {"nhwc", "nchw"}, {"nchw", "nchw16"}, {"nchw16", "nchw"}, {"nchw", "chwn"}, {"chwn", "nchw"}}

// growthRow is a conversion of about mib MiB.
func growthRow(mib int, layouts [2]string) row {
	const image = 64 * 56 * 56 * 4 // bytes
	return row{shape: [4]int{max(1, (mib<<20+image/2)/image), 64, 56, 56}, size: 4, from: layouts[0], to: layouts[1]}
}

// measureGrowth prints the time per byte of conversions and of their roofs, over that of the smallest size.
func measureGrowth(w io.Writer, samples int) error {
	fmt.Fprintf(w, "Time per byte, as a multiple of that at 1 MiB: the conversion's / the roof's for as many bytes.\n\n| MiB |")
	for _, l := range growthLayouts {
		fmt.Fprintf(w, " %s to %s |", l[0], l[1])
	}
	fmt.Fprint(w, "\n|---|---|---|---|---|---|---|\n")
	var b buffers
	first := make([]result, len(growthLayouts))
	for mib := 1; mib <= 1024; mib *= 4 {
		fmt.Fprintf(w, "| %d |", mib)
		for i, l := range growthLayouts {
			got, err := b.measure(growthRow(mib, l), nil, samples, false)
			if err != nil {
				return err
			}
			if mib == 1 {
				first[i] = got
			}
			fmt.Fprintf(w, " %.2f / %.2f |", first[i].GBps/got.GBps, first[i].RoofGBps/got.RoofGBps)
		}
		fmt.Fprintln(w)
	}
	return nil
}

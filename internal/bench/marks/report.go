package marks

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// report is everything that one run prints.
type report struct {
	Machine machine  `json:"machine"`
	Peers   []string `json:"peers,omitempty"` // versions
	Rows    []result `json:"rows"`
	Summary summary  `json:"summary"`
}

func (m machine) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n%s, %d cores, L2 %s, L3 %s, huge pages %s, %s kernels, %s\n",
		m.Date, m.CPU, m.Cores, m.L2, m.L3, m.HugePages, m.Kernels, m.Go)
}

// printHead says where this was measured and what the columns mean, and begins the table.
func (r report) printHead(w io.Writer, peers []string) {
	r.Machine.print(w)
	if len(r.Peers) > 0 {
		fmt.Fprintf(w, "%s, one thread each\n", strings.Join(r.Peers, ", "))
	}
	fmt.Fprintf(w, "\nRatios are to the roof, the faster of %s (above %d MiB: %s)%s,\nfor the same bytes read and written. "+
		"threads: how many times as fast two threads are as one.\n\n", goCopy, streamFrom>>20, streamCopy, andMemcpy(peers))
	columns := append([]string{"row", "roof GB/s", "tlayout", "threads"}, peers...)
	if len(peers) > 0 {
		columns = append(columns, "behind oneDNN")
	}
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
}

func andMemcpy(peers []string) string {
	if len(peers) > 0 {
		return " and " + cMemcpy
	}
	return ""
}

func printRow(w io.Writer, r result, peers []string) {
	threads := "-"
	if r.Threads > 0 {
		threads = fmt.Sprintf("%.2f", r.Threads)
	}
	fmt.Fprintf(w, "| %s | %.1f | %.2f | %s |", r.Name, r.RoofGBPerS, r.Tlayout, threads)
	for _, name := range peers {
		fmt.Fprintf(w, " %s |", ratioCell(r.Peers, name))
	}
	if len(peers) > 0 {
		fmt.Fprintf(w, " %s |", behindCell(r))
	}
	fmt.Fprintln(w)
}

// ratioCell is a peer's ratio, or - where it cannot do the row.
func ratioCell(ratios map[string]float64, name string) string {
	ratio, ok := ratios[name]
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.2f", ratio)
}

// behindCell says how much longer than oneDNN tlayout takes.
func behindCell(r result) string {
	if _, ok := r.Peers[oneDNN]; !ok {
		return "-"
	}
	if r.behind() == 0 {
		return "no"
	}
	return fmt.Sprintf("by %.0f %%", r.behind()*100)
}

func (r report) printJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r)
}

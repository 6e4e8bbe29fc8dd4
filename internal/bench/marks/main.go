// Marks measures conversions in memory against memcpy in the same run, and against other people's programs.
//
//	go run ./internal/bench/marks -all         tlayout alone, every row (make bench)
//	go run ./internal/bench/marks -odd         sizes that fit no vector
//	go run ./internal/bench/marks -growth      from 1 MiB to 1 GiB
//	go run ./internal/bench/marks -peers DIR   beside oneDNN, NumPy and torch (make peers)
//	go run ./internal/bench/marks -anon -- …   the time and memory of a command (files.sh)
//
// Each row is one conversion of one shape. Samples of all programs are taken in turn, and a ratio is the median time of
// memcpy, for as many bytes read and written, over the conversion's, so that 1.00 is the speed of memory.
package marks

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"
)

// options are what the command line says.
type options struct {
	samples                      int
	under                        float64
	only, peers, date            string
	all, odd, growth, anon, json bool
}

func main() {
	var o options
	flag.IntVar(&o.samples, "samples", 5, "how often each program of a row is measured")
	flag.StringVar(&o.only, "rows", "", "measure only rows whose name contains this")
	flag.Float64Var(&o.under, "under", math.Inf(1), "print only rows with a lower ratio, and the summary of all")
	flag.StringVar(&o.peers, "peers", "", "`folder` of the peers' programs, onednn and arrays.py")
	flag.StringVar(&o.date, "date", time.Now().Format(time.DateOnly), "the date to print")
	flag.BoolVar(&o.all, "all", false, "every layout and item size, not only the rows that peers are known for")
	flag.BoolVar(&o.odd, "odd", false, "sizes that are prime, one, or one more than a power of two, and strides of 4096 bytes")
	flag.BoolVar(&o.growth, "growth", false, "a few conversions from 1 MiB to 1 GiB")
	flag.BoolVar(&o.anon, "anon", false, "run a command and print its seconds and the most anonymous memory it had")
	flag.BoolVar(&o.json, "json", false, "print JSON at the end instead of a table")
	flag.Parse()
	if err := run(os.Stdout, os.Stderr, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "marks:", err)
		os.Exit(1)
	}
}

func run(out, progress io.Writer, o options, command []string) error {
	switch {
	case o.samples < 1:
		return fmt.Errorf("-samples %d is less than one", o.samples)
	case o.anon:
		return runAnon(out, progress, command)
	case o.growth:
		return measureGrowth(out, o.samples)
	}
	rows := o.rows()
	if len(rows) == 0 {
		return fmt.Errorf("no row contains %q", o.only)
	}
	return measureRows(out, progress, rows, o)
}

func (o options) rows() []row {
	rows := peerRows()
	switch {
	case o.odd:
		rows = oddRows()
	case o.all:
		rows = markRows()
	}
	var kept []row
	for _, r := range rows {
		if strings.Contains(r.String(), o.only) {
			kept = append(kept, r)
		}
	}
	return kept
}

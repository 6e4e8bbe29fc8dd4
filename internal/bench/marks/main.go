// Marks measures conversions in memory against the fastest copy of as many bytes in the same run, and against other
// programs.
//
//	go run ./internal/bench/marks              tlayout alone, the rows that peers are known for (make bench)
//	go run ./internal/bench/marks -all         every row
//	go run ./internal/bench/marks -odd         sizes that are no multiple of a vector
//	go run ./internal/bench/marks -growth      from 1 MiB to 1 GiB
//	go run ./internal/bench/marks -small       planning and running conversions of 4 KiB
//	go run ./internal/bench/marks -peers DIR   beside oneDNN, NumPy and torch (make peers)
//	go run ./internal/bench/marks -anon -- …   time and memory of a command, on Linux (files.sh)
//
// A row is one conversion of one shape. Rounds, medians, copies and the description of the machine are those of package
// bench. A ratio is the copy's time over the conversion's: 1.00 is the speed of a copy. At the end is a line for each mark
// (marks.go), met or missed.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// options are the command line.
type options struct {
	samples                             int
	under                               float64
	only, peers, date                   string
	all, odd, growth, small, anon, json bool
}

func main() {
	var o options
	flag.IntVar(&o.samples, "samples", 5, "samples of each program in a row")
	flag.StringVar(&o.only, "rows", "", "measure only rows whose name contains this")
	flag.Float64Var(&o.under, "under", math.Inf(1), "print only rows with a lower ratio, and the summary of all")
	flag.StringVar(&o.peers, "peers", "", "`folder` of the peers' programs, onednn and arrays.py")
	flag.StringVar(&o.date, "date", time.Now().Format(time.DateOnly), "the date to print")
	flag.BoolVar(&o.all, "all", false, "every layout and element size, not only the rows with known peer results")
	flag.BoolVar(&o.odd, "odd", false, "sizes that are prime, one, or one more than a power of two, and strides of 4096 bytes")
	flag.BoolVar(&o.growth, "growth", false, "a few conversions from 1 MiB to 1 GiB")
	flag.BoolVar(&o.small, "small", false, "time and allocations of conversions of 4 KiB, beyond a copy's")
	flag.BoolVar(&o.anon, "anon", false, "run a command and print its seconds and its maximum of anonymous memory")
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
	case o.small:
		return measureSmall(out, progress, o)
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
	return slices.DeleteFunc(rows, o.skips)
}

// skips reports whether -rows leaves a row out.
func (o options) skips(r row) bool { return !strings.Contains(r.String(), o.only) }

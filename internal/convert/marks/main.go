// Marks measures conversions in memory against memcpy in the same run, and against other people's programs.
//
//	go run ./internal/convert/marks            the marks of tlayout alone (make bench)
//	go run ./internal/convert/marks -peers DIR  beside NumPy, torch and oneDNN (make peers)
//
// Each row is one conversion of one shape. Samples of all programs are taken in turn, and a ratio is the median of
// memcpy's time for as many bytes read and written over the conversion's time, so that 1.00 is the speed of memory.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	samples := flag.Int("samples", 5, "how often each row is measured")
	only := flag.String("rows", "", "measure only rows whose name contains this")
	peers := flag.String("peers", "", "`folder` of the peers' programs")
	all := flag.Bool("all", false, "every layout and item size, not only the rows that peers are known for")
	odd := flag.Bool("odd", false, "sizes that are prime, one, or one more than a power of two, and strides of 4096 bytes")
	flag.Parse()
	var rows []row
	switch {
	case *odd:
		rows = oddRows()
	case *all:
		rows = markRows()
	default:
		rows = peerRows()
	}
	rows = filter(rows, *only)
	if err := measureAll(os.Stdout, rows, *peers, *samples); err != nil {
		fmt.Fprintln(os.Stderr, "marks:", err)
		os.Exit(1)
	}
}

func filter(rows []row, text string) []row {
	var kept []row
	for _, r := range rows {
		if strings.Contains(r.String(), text) {
			kept = append(kept, r)
		}
	}
	return kept
}

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
)

// standard is what the conversions of a set of rows must reach, as ratios to the roof.
type standard struct {
	median float64 // of all rows
	min    float64 // of each row
	above  int     // bytes: rows of up to so many are exempt from min
	peers  bool    // none is slower than oneDNN by more than behindMax
	two    bool    // two threads are worth their while
}

// The marks. The rows that peers are known for, all rows, and odd sizes.
var (
	peerStandard = standard{median: 0.95, min: 0.75, peers: true, two: true}
	allStandard  = standard{median: 0.85, min: 0.40, two: true}
	oddStandard  = standard{median: 0.75, min: 0.40, above: 64 << 10}
)

const (
	behindMax = 0.05
	// Two threads are never slower than one, and parallel times as fast where two threads copying are; elsewhere they reach
	// ofCopies of the speedup of copying.
	parallel = 1.6
	ofCopies = 0.9
	// sameTime allows for noise where two threads must not be slower: what runs on one thread anyway is as fast.
	sameTime = 0.97
	// smallMax is the maximum time of planning and running a small conversion beyond that of its copy, in microseconds.
	smallMax = 3.0
)

// mark is a mark and whether the measured rows meet it.
type mark struct {
	Text     string   `json:"mark"`
	Result   outcome  `json:"result"`
	Value    string   `json:"value,omitempty"`     // what was measured, of a mark that is not about single rows
	MissedBy []string `json:"missed_by,omitempty"` // rows with their values, the worst first
}

type outcome string

const (
	met         outcome = "met"
	missed      outcome = "missed"
	notMeasured outcome = "not measured"
)

func outcomeOf(ok bool) outcome {
	if ok {
		return met
	}
	return missed
}

func (o options) standard() standard {
	switch {
	case o.odd:
		return oddStandard
	case o.all:
		return allStandard
	}
	return peerStandard
}

// judge compares rows with a standard.
func (s standard) judge(rows []result) []mark {
	var ratios []float64
	for _, r := range rows {
		ratios = append(ratios, r.OfRoof)
	}
	median, _ := bench.Median(ratios)
	exempt := ""
	if s.above > 0 {
		exempt = fmt.Sprintf(" above %d KiB", s.above>>10)
	}
	marks := []mark{
		{Text: fmt.Sprintf("median of %d rows at least %.2f", len(rows), s.median), Result: outcomeOf(median >= s.median), Value: fmt.Sprintf("%.2f", median)},
		each(fmt.Sprintf("no row%s under %.2f", exempt, s.min), rows, func(r result) (margin, bool) {
			return margin{r.Name, r.OfRoof - s.min, fmt.Sprintf("%.2f", r.OfRoof)}, r.Bytes > 2*s.above // read and written
		}),
	}
	if s.peers {
		marks = append(marks, each(fmt.Sprintf("none behind oneDNN by more than %.0f %%", behindMax*100), rows, func(r result) (margin, bool) {
			_, ok := r.Peers[oneDNN]
			return margin{r.Name, behindMax - r.behind(), r.behindCell()}, ok
		}))
	}
	if s.two {
		marks = append(marks, each("two threads never slower than one", rows, func(r result) (margin, bool) {
			return margin{r.Name, r.Threads - sameTime, fmt.Sprintf("%.2f", r.Threads)}, r.Threads > 0 && !r.busy()
		}), each(fmt.Sprintf("two threads at least %.1f times one, or %.1f of what copying reaches below that", parallel, ofCopies), rows,
			func(r result) (margin, bool) {
				return margin{r.Name, r.Threads - r.threadsMin(), fmt.Sprintf("%.2f of %.2f", r.Threads, r.threadsMin())}, r.CopyThreads > 0 && !r.busy()
			}))
	}
	return marks
}

// busy reports whether the second processor was not free: two threads copy more slowly than one.
func (r result) busy() bool { return r.CopyThreads > 0 && r.CopyThreads < sameTime }

// threadsMin is the speedup that two threads must reach.
func (r result) threadsMin() float64 {
	if r.CopyThreads >= parallel {
		return parallel
	}
	return ofCopies * r.CopyThreads
}

// margin is by how much a row meets a limit, negative if it misses it, and its value in words.
type margin struct {
	row   string
	by    float64
	value string
}

// each is a mark that every row must meet for which of returns true.
func each[R any](text string, rows []R, of func(R) (margin, bool)) mark {
	var misses []margin
	m := mark{Text: text, Result: notMeasured}
	for _, r := range rows {
		row, measured := of(r)
		if measured && m.Result == notMeasured {
			m.Result = met
		}
		if measured && row.by < 0 {
			misses, m.Result = append(misses, row), missed
		}
	}
	slices.SortStableFunc(misses, func(a, b margin) int { return cmp.Compare(a.by, b.by) })
	for _, row := range misses {
		m.MissedBy = append(m.MissedBy, fmt.Sprintf("%s (%s)", row.row, row.value))
	}
	return m
}

// shownMisses is the maximum number of rows in the line of a mark.
const shownMisses = 12

func (m mark) String() string {
	line := fmt.Sprintf("%s: %s", m.Result, m.Text)
	switch n := len(m.MissedBy); {
	case m.Value != "":
		line += ": " + m.Value
	case n > shownMisses:
		line += fmt.Sprintf(": %d rows, the worst %s", n, strings.Join(m.MissedBy[:shownMisses], ", "))
	case n > 0:
		line += ": " + strings.Join(m.MissedBy, ", ")
	}
	return line
}

// printMarks prints a line for each mark.
func printMarks(w io.Writer, marks []mark) error {
	var err error
	for i, m := range marks {
		if i == 0 {
			fmt.Fprintln(w, "\nMarks")
		}
		_, err = fmt.Fprintf(w, "- %s\n", m)
	}
	return err
}

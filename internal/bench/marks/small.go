package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// smallBytes is the size of the tensors of small conversions: their time is that of planning, not of moving.
const smallBytes = 4 << 10

// smallRows are conversions of 4 KiB.
func smallRows() (rows []row) {
	for _, size := range sizes {
		shape := [4]int{4, 16, 4, 16 / size}
		rows = append(rows, bothWays([][4]int{shape}, []int{size}, []string{"nhwc", "nchw4", "nchw16", "chwn"})...)
	}
	return rows
}

// smallResult is the time and the allocations of one small conversion.
type smallResult struct {
	Name        string  `json:"row"`
	CopyUS      float64 `json:"copy_us"`   // of the fastest copy
	RunUS       float64 `json:"run_us"`    // of a plan that exists
	WholeUS     float64 `json:"whole_us"`  // of planning and running
	BeyondUS    float64 `json:"beyond_us"` // WholeUS − CopyUS, the median of the rounds
	Allocations int     `json:"allocations"`
	RunAllocs   int     `json:"run_allocations"` // of a plan that exists
}

// measureSmall measures each small conversion: planning and running it, running it, and copying as many bytes.
func measureSmall(out, progress io.Writer, o options) error {
	rows := slices.DeleteFunc(smallRows(), o.skips)
	table := out
	if o.json {
		table = progress
	}
	fmt.Fprintf(table, "Conversions of %d KiB in microseconds, and allocations: planned and run; run again by the same plan.\n\n"+
		"| row | copy | run | planned and run | beyond the copy | allocations | of a run |\n|---|---|---|---|---|---|---|\n", smallBytes>>10)
	var results []smallResult
	var b buffers
	for _, r := range rows {
		got, err := b.measureSmall(r, o.samples)
		if err != nil {
			return fmt.Errorf("%s: %w", r, err)
		}
		results = append(results, got)
		fmt.Fprintf(table, "| %s | %.2f | %.2f | %.2f | %.2f | %d | %d |\n", got.Name, got.CopyUS, got.RunUS, got.WholeUS, got.BeyondUS,
			got.Allocations, got.RunAllocs)
	}
	marks := []mark{each(fmt.Sprintf("planning and running at most %.0f µs longer than a copy", smallMax), results, func(r smallResult) (margin, bool) {
		return margin{r.Name, smallMax - r.BeyondUS, fmt.Sprintf("%.1f", r.BeyondUS)}, true
	})}
	if o.json {
		return writeJSON(out, struct {
			Rows  []smallResult `json:"rows"`
			Marks []mark        `json:"marks"`
		}{results, marks})
	}
	return printMarks(out, marks)
}

func (b *buffers) measureSmall(r row, samples int) (smallResult, error) {
	plan, to, from, err := r.plan()
	if err != nil {
		return smallResult{}, err
	}
	dstBytes, srcBytes := to.Alloc()*r.size, from.Alloc()*r.size
	b.grow(max(dstBytes, srcBytes))
	dst, src, pad := b.dst[:dstBytes], b.src[:srcBytes], make([]byte, r.size)
	run := func() { plan.Run(dst, src, pad, convert.Options{}) } //nolint:errcheck // in memory nothing fails
	whole := func() {
		p, _ := convert.NewPlan(to, from, r.size) // it succeeded before
		p.Run(dst, src, pad, convert.Options{})   //nolint:errcheck // in memory nothing fails
	}
	clear(dst)
	whole()
	if err := r.check(dst, src, to, from); err != nil {
		return smallResult{}, err
	}
	programs := []program{batch("run", run), batch("whole", whole)}
	for _, c := range bench.Copies(b.dst[:dstBytes], b.src[:dstBytes], kernel.Best()) {
		programs = append(programs, batch(copyBy+c.Name, c.Run))
	}
	timings, err := inRounds(programs, 4*samples)
	if err != nil {
		return smallResult{}, err
	}
	_, copied := fastest(timings, copyBy)
	beyond := make([]float64, len(copied.SamplesNS))
	for i, ns := range copied.SamplesNS {
		beyond[i] = (timings["whole"].SamplesNS[i] - ns) / 1e3
	}
	out := smallResult{Name: r.String(), CopyUS: copied.MedianNS / 1e3, RunUS: timings["run"].MedianNS / 1e3, WholeUS: timings["whole"].MedianNS / 1e3,
		Allocations: allocations(whole), RunAllocs: allocations(run)}
	out.BeyondUS, _ = bench.Median(beyond)
	return out, nil
}

// batch is a program of passes in a row, too few for the collector, which only runs between rounds, to be missed.
func batch(name string, pass func()) program {
	const warm, passes = 20, 500
	return program{name, func() (float64, bool, error) {
		for range warm {
			pass()
		}
		start := time.Now()
		for range passes {
			pass()
		}
		return time.Since(start).Seconds() / passes, true, nil
	}}
}

// allocations is the number of allocations of a pass after a first one, the mean rounded down.
func allocations(pass func()) int {
	const passes = 100
	pass()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range passes {
		pass()
	}
	runtime.ReadMemStats(&after)
	return int((after.Mallocs - before.Mallocs) / passes)
}

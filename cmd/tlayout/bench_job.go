package main

import (
	"slices"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// benchJob is what one run measures and what becomes of it.
type benchJob struct {
	app       *app
	options   *benchOptions
	measuring bench.Options
	subject   bench.Subject
	described string // the source's descriptor; empty for none
	baseline  *bench.Report
	gates     benchGates
	plot      *publish.File
	summary   string // the file to append to
	notes     []string
}

// prepare opens and checks everything, so that nothing is measured in vain.
func (j *benchJob) prepare() error {
	t, err := j.options.open(j.app)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := refuseGuess(t, "--layout"); err != nil {
		return err
	}
	j.app.warn(t.Warnings)
	j.described = t.Descriptor
	j.notes = slices.Clone(t.Notes)
	layouts, err := j.compared(t)
	if err != nil {
		return err
	}
	var left []string
	j.subject, left, err = bench.NewSubject(bench.Subject{Source: j.options.source, DType: t.DType, Layouts: layouts,
		Patterns: j.options.patterns.list, Converts: j.options.converts}, j.options.patterns.named)
	if err != nil {
		return err
	}
	j.notes = append(j.notes, left...)
	fits := func() error { return j.subject.Fits(j.measuring) }
	for _, check := range []func() error{j.readBaseline, j.readGates, fits, j.findSummary, j.openPlot} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// measure runs everything with a bar of its progress.
func (j *benchJob) measure() (*bench.Report, error) {
	bar := newCounting(j.app.streams)
	defer bar.end()
	o := j.measuring
	o.Clock, o.Progress, o.Keep = bench.SystemClock(), bar.reach, append(o.Keep, j.gates.patterns()...)
	return bench.Run(j.subject, o)
}

// open reads the header of the source, or describes the tensor that has none.
func (o *benchOptions) open(a *app) (*source.Tensor, error) {
	switch {
	case o.source != "" && o.typed():
		return nil, fault.New(fault.Usage, "--shape and --strides describe a tensor without a file, but a file is named too")
	case o.source != "":
		opts := o.options(a)
		opts.HeaderOnly = true
		return source.Open(o.source, opts)
	}
	if !o.typed() && !o.exact() {
		o.shape.values, o.shape.set = usualShape, true
	}
	return o.describe()
}

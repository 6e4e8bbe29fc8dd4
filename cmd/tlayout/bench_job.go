package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// benchJob is what one run measures and what becomes of it.
type benchJob struct {
	app       *app
	options   *benchOptions
	measuring bench.Options
	subject   bench.Subject
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
	if looks := t.LooksLike(); looks != "" {
		return fault.New(fault.Usage, `"%s" is read as %s by default, but %s`, fault.Quote(j.options.source), t.Format, t.Notes[len(t.Notes)-1]).
			WithHint("say which it is: --layout %s or --layout %s", looks, strings.ToLower(strings.Join(t.Layout.Names(), "")))
	}
	j.app.warn(t.Warnings)
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
	exact := o.layout.layout != nil && o.layout.layout.Exact != nil
	switch {
	case o.source != "" && o.typed():
		return nil, fault.New(fault.Usage, "--shape and --strides describe a tensor without a file, but a file is named too")
	case o.source != "":
		opts := o.options(a)
		opts.HeaderOnly = true
		return source.Open(o.source, opts)
	}
	if !o.typed() && !exact {
		o.shape.values, o.shape.set = usualShape, true
	}
	return o.describe()
}

// compared are the layouts to measure: the tensor's own one and those that are named, or the well-known ones. Where
// neither a file nor a layout says how it lies, the first one named does.
func (j *benchJob) compared(t *source.Tensor) ([]bench.Layout, error) {
	o := j.options
	logical, own := t.Layout, ownLayout(t)
	if o.quick && own.Name != "source" {
		logical = j.fewerImages(t)
		own.Layout = bound(t.Format, logical)
	}
	if most := quickMost(t); o.quick && logical.Numel() > 2*most {
		return nil, fault.New(fault.Usage, "--quick takes less than 10 s for tensors of up to %d elements, this one has %d", most, logical.Numel()).
			WithHint("without --quick, or with a smaller --shape of the same channels")
	}
	formats := o.layouts.formats
	var layouts []bench.Layout
	if len(formats) == 0 || o.source != "" || o.layout.layout != nil || o.strides.set || o.offset != 0 {
		layouts = append(layouts, own)
	}
	if len(formats) == 0 {
		formats = bench.DefaultLayouts(logical.Names())
	}
	for _, f := range formats {
		f, sizes, err := sizesFor(f, logical)
		if err != nil {
			return nil, err
		}
		l, err := f.Bind(sizes)
		if err != nil {
			return nil, err
		}
		name := formatName(f)
		if !slices.ContainsFunc(layouts, func(l bench.Layout) bool { return l.Name == name }) {
			layouts = append(layouts, bench.Layout{Name: name, Layout: l})
		}
	}
	return layouts, nil
}

// ownLayout is that of the tensor. It goes by the name of its order where the order says all, and by "source" otherwise.
func ownLayout(t *source.Tensor) bench.Layout {
	own := bench.Layout{Name: "source", Layout: t.Layout}
	if t.HasFormat && bound(t.Format, t.Layout).String() == t.Layout.String() {
		own.Name = formatName(t.Format)
	}
	return own
}

// bound is the packed layout of a tensor's own format. It must exist: the tensor has it.
func bound(f notation.Format, l tensor.Layout) tensor.Layout {
	f, sizes, err := sizesFor(f, l)
	must(err)
	packed, err := f.Bind(sizes)
	must(err)
	return packed
}

// The largest tensor that --quick measures whole.
const (
	quickBytes = 32 << 20
	quickElems = quickBytes / 4
)

// quickMost is how many elements --quick measures.
func quickMost(t *source.Tensor) int { return min(quickElems, quickBytes/max(1, t.DType.ItemSize())) }

// fewerImages is the tensor row by row, with as much of its batch as --quick has time for.
func (j *benchJob) fewerImages(t *source.Tensor) tensor.Layout {
	names, shape := t.Layout.Names(), t.Layout.Shape()
	most := quickMost(t)
	if at := slices.Index(names, "N"); at >= 0 && t.Layout.Numel() > most && shape[at] > 1 {
		all := shape[at]
		shape[at] = max(1, most/(t.Layout.Numel()/all))
		j.notes = append(j.notes, fmt.Sprintf("--quick measures %d of the %d images", shape[at], all))
	}
	smaller, err := notation.RowMajor(names).Bind(shape)
	must(err)
	return smaller
}

// formatName is how the report names an order: nhwc, nchw16c.
func formatName(f notation.Format) string {
	if name, ok := f.Short(); ok {
		return strings.ToLower(name)
	}
	return strings.ToLower(f.String())
}

package bench

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// benchJob is what one run measures and what becomes of it.
type benchJob struct {
	app       *cli.App
	options   *options
	measuring bench.Options
	subject   bench.Subject
	described string // the source's descriptor; empty for none
	baseline  *bench.Report
	gates     gates
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
	if err := t.RequireLayout("--layout"); err != nil {
		return err
	}
	j.app.Warn(t.Warnings)
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
	bar := cli.NewCounting(j.app.Streams)
	defer bar.End()
	o := j.measuring
	o.Clock, o.Progress, o.Keep = bench.SystemClock(), bar.Reach, append(o.Keep, j.gates.patterns()...)
	return bench.Run(j.subject, o)
}

// open reads the header of the source, or describes the tensor that has none.
func (o *options) open(a *cli.App) (*source.Tensor, error) {
	switch {
	case o.source != "" && o.HasShape():
		return nil, fault.New(fault.Usage, "--shape and --strides describe a tensor without a file, but a file is named too")
	case o.source != "":
		opts := o.Options(a)
		opts.HeaderOnly = true
		return source.Open(o.source, opts)
	}
	if !o.HasShape() && !o.Exact() {
		o.Shape.Values, o.Shape.Given = usualShape, true
	}
	return o.Describe()
}

// compared are the layouts to measure: the tensor's own one and those that are named, or the well-known ones. Where
// neither a file nor a layout says how it lies, the first one named does.
func (j *benchJob) compared(t *source.Tensor) ([]bench.Layout, error) {
	o := j.options
	own, sized, err := j.own(t)
	if err != nil {
		return nil, err
	}
	formats := o.layouts.formats
	var layouts []bench.Layout
	if len(formats) == 0 || o.source != "" || o.Layout.Layout != nil || o.Strides.Given || o.Offset != 0 {
		layouts = append(layouts, own)
	}
	if len(formats) == 0 {
		formats = bench.DefaultLayouts(sized.Layout.Names())
	}
	for _, f := range formats {
		l, err := sized.In(f)
		if err != nil {
			return nil, err
		}
		name := notation.LowerName(sized.Rename(f))
		if !slices.ContainsFunc(layouts, func(l bench.Layout) bool { return l.Name == name }) {
			layouts = append(layouts, bench.Layout{Name: name, Layout: l})
		}
	}
	return layouts, nil
}

// own is the tensor's layout, named after its order where that is exact and "source" otherwise, and the tensor with the
// sizes that are measured.
func (j *benchJob) own(t *source.Tensor) (own bench.Layout, sized *source.Tensor, err error) {
	own, sized = bench.Layout{Name: "source", Layout: t.Layout}, t
	if t.OrderIsExact() {
		own.Name = notation.LowerName(t.Format)
	}
	if !j.options.quick {
		return own, sized, nil
	}
	if own.Name != "source" {
		sized = j.fewerImages(t)
		own.Layout, err = sized.In(t.Format)
		cli.Must(err)
	}
	if most := quickMost(t); sized.Layout.Numel() > 2*most {
		return own, sized, fault.New(fault.Usage, "--quick takes less than 10 s for tensors of up to %d elements, this one has %d",
			most, sized.Layout.Numel()).WithHint("without --quick, or with a smaller --shape of the same channels")
	}
	return own, sized, nil
}

// The largest tensor that --quick measures whole.
const (
	quickBytes = 12 << 20
	quickElems = quickBytes / 4
)

// quickMost is how many elements --quick measures.
func quickMost(t *source.Tensor) int { return min(quickElems, quickBytes/max(1, t.DType.ItemSize())) }

// fewerImages is the tensor row by row, with as much of its batch as --quick has time for.
func (j *benchJob) fewerImages(t *source.Tensor) *source.Tensor {
	names, shape := t.Layout.Names(), t.Layout.Shape()
	most := quickMost(t)
	if at := slices.Index(names, "N"); at >= 0 && t.Layout.Numel() > most && shape[at] > 1 {
		all := shape[at]
		shape[at] = max(1, most/(t.Layout.Numel()/all))
		j.notes = append(j.notes, fmt.Sprintf("--quick measures %d of the %d images", shape[at], all))
	}
	var err error
	smaller := *t
	smaller.Layout, err = notation.RowMajor(names).Bind(shape)
	cli.Must(err)
	return &smaller
}

package benchcmd

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/bench"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/gate"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/publish"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// job is one run: what it measures, and where its results go.
type job struct {
	app       *cli.App
	options   *options
	measuring bench.Options
	subject   bench.Subject
	files     []name.Name   // of the source, if any
	worker    *bench.Worker // PyTorch, or nil
	gates     []*gate.Condition
	output    *publish.File
	summary   name.Name // file to append to
	notes     []string
	warnings  []string
}

// prepare opens and checks everything, so that no measurement is lost to a later error.
func (j *job) prepare() error {
	t, err := j.options.open(j.app)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := t.RequireLayout("--from"); err != nil {
		return err
	}
	j.files = t.Reads()
	j.notes = t.Notes()
	j.warnings = slices.Clone(t.Warnings)
	layouts := j.compared
	patterns := j.options.patterns
	if j.options.with == torch {
		layouts = j.memoryFormats
		patterns = j.operators(t.DType)
	}
	j.subject = bench.Subject{Source: j.options.source.Redacted(), DType: t.DType, Patterns: patterns, Converts: j.options.converts}
	j.subject.Layouts, err = layouts(t)
	if err != nil {
		return err
	}
	if err := j.subject.Check(); err != nil {
		return err
	}
	ready := func() error { return j.subject.Fits(j.measuring) }
	if j.options.with == torch {
		ready = j.startTorch
	}
	for _, check := range []func() error{j.readGates, j.findSummary, j.openOutput, ready} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// measure runs everything, with a progress bar.
func (j *job) measure() (*bench.Report, error) {
	bar := cli.NewCounting(j.app.Streams)
	defer bar.End()
	o := j.measuring
	o.Clock = bench.SystemClock()
	o.Progress = bar.Reach
	if j.worker != nil {
		return bench.RunTorch(j.subject, j.worker, o)
	}
	return bench.Run(j.subject, o)
}

// open reads the header of the source, or describes the tensor of the flags or of the default shape.
func (o *options) open(a *cli.App) (*source.Tensor, error) {
	if o.source.IsZero() && !o.HasShape() && !o.Exact() {
		o.Shape.Values = defaultShape
		o.Shape.Given = true
		return o.Describe()
	}
	return o.OpenOnly(a, o.source, true)
}

// compared returns the layouts to measure: the tensor's own, and those of --layouts or the well-known ones. If only --layouts
// names a layout, its first one is the tensor's own.
func (j *job) compared(t *source.Tensor) ([]bench.Layout, error) {
	own, sized, err := j.own(t)
	if err != nil {
		return nil, err
	}
	formats := j.options.layouts.formats
	var layouts []bench.Layout
	if len(formats) == 0 || j.options.hasLayout() {
		layouts = append(layouts, own)
	}
	if len(formats) == 0 {
		formats = bench.DefaultLayouts(sized.Layout.Names())
	}
	for _, f := range formats {
		l, err := sized.In(f)
		if err != nil && !slices.Contains(f.Names(), "C") {
			return nil, fault.New(fault.Usage, "layout %s has no dim C, but bench compares channel-wise and spatial access", f).
				WithHint("tlayout bench --quick --layouts nchw,nhwc")
		}
		if err != nil {
			return nil, err
		}
		name := sized.Over(f).Key()
		if !slices.ContainsFunc(layouts, func(l bench.Layout) bool { return l.Name == name }) {
			layouts = append(layouts, bench.Layout{Name: name, Layout: l})
		}
	}
	return layouts, nil
}

// hasLayout reports whether a file or a flag other than --layouts gives the tensor's layout.
func (o *options) hasLayout() bool {
	if !o.source.IsZero() || o.Layout.Layout != nil {
		return true
	}
	return o.Strides.Given || o.Offset != 0
}

// own returns the tensor's layout, named by its order if that is exact and "source" otherwise, and the tensor with the measured
// sizes.
func (j *job) own(t *source.Tensor) (own bench.Layout, sized *source.Tensor, err error) {
	own = bench.Layout{Name: "source", Layout: t.Layout}
	sized = t
	if t.OrderIsExact() {
		own.Name = t.Format.Key()
	}
	if !j.options.quick {
		return own, sized, nil
	}
	if own.Name != "source" {
		sized = j.fewerImages(t)
		own.Layout, err = sized.In(t.Format)
		cli.Must(err)
	}
	if limit := maxQuick(t); sized.Layout.Numel() > 2*limit {
		return own, sized, fault.New(fault.Usage, "--quick measures tensors of up to %d elements, this one has %d",
			limit, sized.Layout.Numel()).WithHint("omit --quick, or pass a smaller --shape with the same channels")
	}
	return own, sized, nil
}

// Limits of the tensor that --quick measures in full.
const (
	maxQuickBytes = 12 << 20
	maxQuickElems = maxQuickBytes / 4
)

// maxQuick returns the number of elements that --quick measures.
func maxQuick(t *source.Tensor) int {
	return min(maxQuickElems, maxQuickBytes/max(1, t.DType.ItemSize()))
}

// fewerImages returns the tensor in row-major order with as many images as --quick has time for.
func (j *job) fewerImages(t *source.Tensor) *source.Tensor {
	names := t.Layout.Names()
	shape := t.Layout.Shape()
	limit := maxQuick(t)
	if at := slices.Index(names, "N"); at >= 0 && t.Layout.Numel() > limit && shape[at] > 1 {
		all := shape[at]
		shape[at] = max(1, limit/(t.Layout.Numel()/all))
		j.notes = append(j.notes, fmt.Sprintf("--quick measures %d of the %d images", shape[at], all))
	}
	var err error
	smaller := *t
	smaller.Layout, err = notation.RowMajor(names).Bind(shape)
	cli.Must(err)
	return &smaller
}

// readGates reads --require, and fails on figures that are not measured.
func (j *job) readGates() error {
	for _, text := range j.options.require {
		c, err := gate.Parse(text, rowName, bench.GateExample)
		if err != nil {
			return err
		}
		if err := c.Check(j.subject.Figures(j.measuring.Geometry), bench.FigureHint); err != nil {
			return err
		}
		j.gates = append(j.gates, c)
	}
	return nil
}

// rowName returns the canonical name of a layout in rows.
func rowName(spelled string) string {
	l, err := notation.Parse(spelled)
	if err != nil || !l.HasFormat() {
		return spelled
	}
	return l.Format.Key()
}

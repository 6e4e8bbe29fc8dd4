// Package diff is tlayout diff, which compares two tensors, whatever their layouts.
package diff

import (
	"errors"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/diff"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

type options struct {
	openers    [2]*opener // of the sources
	cli.Source            // for both
	sides      [2]sideFlags
	sources    []string
	numeric    bool
	rtol, atol toleranceFlag
	limit      int
	threads    int
	byNames    bool // a tensor of many: shapes that differ are an answer, whatever other order would make them agree
}

// maxListed bounds --limit, because the indices of the elements that are listed are held in memory.
const maxListed = 1_000_000

// NewCmd makes tlayout diff.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{openers: [2]*opener{{}, {}}}
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two tensors, element by element, whatever their layouts",
		Long: `Compare two tensors element by element, whatever their layouts, and show where
they first differ. Dims are matched by name, N with N, if both have the same
names, otherwise by position. Padding is ignored. The exit code is 0 if the
tensors are the same, and 1 if they differ.

Two archives or checkpoints, x.npz, model.pt, model.safetensors, are compared
tensor by tensor, by name; a tensor that only one of them has is a difference,
and so is one that has moved: the same elements under another name. A tensor in
another layout is the same one. 'model.pt:conv*' selects tensors, of both if the
other side is whole.

Two folders are compared file by file, by the names below them, in which a
layout does not count: x.npy of one is compared with x.nhwc.npy of the other.

Elements are compared bit for bit: -0 is not 0, and NaNs may differ. Byte order
is ignored. --numeric compares numbers, of any two types: exactly, except that
NaN equals NaN and -0 equals 0. --rtol and --atol accept numbers that are close,

  |a - b| <= atol + rtol * |b|,

as numpy.allclose does with 1e-5 and 1e-8; the one that is not given is 0.`,
		Example: `  tlayout diff x.npy x.nchw4c.npz
  tlayout convert x.npy --to nhwc
  tlayout diff x.npy x.nhwc.npy --layout-b nhwc
  tlayout convert x.npy --to nhwc -o - | tlayout diff x.npy - --layout-b nhwc
  tlayout diff weights.npz 'weights.npz:*'
  tlayout diff model.pt model.pt
  tlayout diff images/ images/
  tlayout diff x.npy x.nchw4c.npz --rtol 1e-5 --atol 1e-8 --quiet`,
		Args:              cli.Args(2, 2, "source", "tlayout diff x.npy y.npy"),
		ValidArgsFunction: cli.CompleteSources(2),
		RunE: func(_ *cobra.Command, args []string) error {
			o.sources = args
			return run(a, o)
		},
	}
	o.AddReading(cmd)
	o.AddShape(cmd, "with --raw")
	for i := range o.sides {
		o.sides[i].add(cmd, sideNames[i])
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.numeric, "numeric", false, "compare numbers instead of bits, of any two types")
	flags.Var(&o.rtol, "rtol", "relative tolerance, as a part of |b|; implies --numeric")
	flags.Var(&o.atol, "atol", "absolute tolerance; implies --numeric")
	flags.IntVar(&o.limit, "limit", 10, "number of differing elements to list; 0 for all, up to a million")
	flags.IntVar(&o.threads, "threads", 0, "number of threads (default all cores)")
	cli.HasSettings(cmd, "from,layout")
	return cmd
}

var sideNames = [2]string{"a", "b"}

// sideFlags say how to read one of the two sources.
type sideFlags struct {
	layout   cli.Layout
	dtype    cli.DType
	channels int
}

func (f *sideFlags) add(cmd *cobra.Command, side string) {
	flags := cmd.Flags()
	flags.Var(&f.layout, "layout-"+side, "--layout for "+side+" alone")
	flags.Var(&f.dtype, "dtype-"+side, "--dtype for "+side+" alone")
	flags.IntVar(&f.channels, "channels-"+side, 0, "--channels for "+side+" alone")
}

// reading is how to read a source of side i: by its own flags, else by those for both.
func (o *options) reading(a *cli.App, i int, name string) source.Options {
	opts, own := o.Options(a), o.sides[i]
	if cli.NamesFile(name) { // --raw is for the other one
		opts.Raw, opts.Skip = nil, 0
	}
	if own.layout.Layout != nil {
		opts.Layout = own.layout.Layout
	}
	if own.dtype.Value != nil {
		opts.DType = own.dtype.Value
	}
	if own.channels != 0 {
		opts.Channels = own.channels
	}
	return opts
}

func (o *options) rule() diff.Rule {
	return diff.Rule{Numeric: o.numeric || o.rtol.set || o.atol.set, RTol: o.rtol.value, ATol: o.atol.value}
}

func (o *options) check() error {
	switch {
	case o.HasShape():
		return o.ShapeOfFile(o.sources...)
	case o.sources[0] == source.Stdin && o.sources[1] == source.Stdin:
		return fault.New(fault.Usage, "standard input cannot be both sources").
			WithHint("write one of them to a file first: tlayout diff x.npy -")
	case o.threads < 0:
		return fault.New(fault.Usage, "--threads %d is negative", o.threads).WithHint("0 takes all cores")
	case o.limit < 0 || o.limit > maxListed:
		return fault.New(fault.Usage, "--limit %d is outside 0..%d", o.limit, maxListed).
			WithHint("0 lists all, up to %d", maxListed)
	}
	if o.limit == 0 {
		o.limit = maxListed
	}
	return nil
}

func run(a *cli.App, o *options) error {
	for _, opener := range o.openers {
		defer opener.close()
	}
	if err := o.check(); err != nil {
		return err
	}
	kernels, err := a.Kernels()
	if err != nil {
		return err
	}
	moving := convert.Options{Kernels: kernels, Threads: o.threads}
	tensors, err := o.byName(a)
	switch {
	case err != nil:
		return err
	case tensors != nil:
		return tensors.run(moving)
	}
	r, err := compare(a, o, moving, func(r *report) error { return a.Write(r) })
	if err != nil {
		return err
	}
	if a.Format == cli.CSV { // elsewhere the title of the list says it
		a.Aside(r.omitted())
	}
	if !r.Equal {
		return cli.Said(fault.New(fault.Negative, "the tensors differ"))
	}
	return nil
}

// compare compares two sources, and shows the report while they are open.
func compare(a *cli.App, o *options, moving convert.Options, show func(*report) error) (*report, error) {
	p, err := openPair(a, o)
	if err != nil {
		return nil, err
	}
	defer p.close()
	var found *diff.Result
	if len(p.differsIn()) == 0 {
		if found, err = p.compare(a, moving); err != nil {
			return nil, err
		}
	}
	r := newReport(p, found)
	return r, show(r)
}

// toleranceFlag is a finite number of at least 0.
type toleranceFlag struct {
	value float64
	set   bool
}

func (f *toleranceFlag) String() string {
	if !f.set {
		return ""
	}
	return strconv.FormatFloat(f.value, 'g', -1, 64)
}

func (f *toleranceFlag) Type() string { return "number" }

func (f *toleranceFlag) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 0 && x <= math.MaxFloat64) {
		return errors.New("not a finite number of at least 0, such as 1e-5")
	}
	f.value, f.set = x, true
	return nil
}

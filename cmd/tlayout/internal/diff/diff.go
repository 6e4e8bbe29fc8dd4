// Package diff is tlayout diff: are two tensors the same, whatever their layouts.
package diff

import (
	"errors"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/diff"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

type options struct {
	cli.Source // for both
	sides      [2]sideFlags
	sources    []string
	numeric    bool
	rtol, atol toleranceFlag
	limit      int
	threads    int
	quiet      bool
}

// mostListed bounds --limit, for the places of the elements that are listed are held in memory.
const mostListed = 1_000_000

func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two tensors, element by element, whatever their layouts",
		Long: `Tell whether two files hold the same tensor, element by element, whatever their
layouts, and where they first differ. Dims are matched by name, N with N, where
both have the same, otherwise by their place. Padding does not count. The exit
code is 0 where the tensors are the same, and 1 where they are not.

Elements are compared bit for bit: -0 is not 0, and NaNs may differ. Byte orders
do not count. --numeric compares numbers, of any two types: exactly, but NaN is
NaN and -0 is 0. --rtol and --atol ask for numbers that are close,

  |a - b| <= atol + rtol * |b|,

as numpy.allclose does with 1e-5 and 1e-8; the one that is not given is 0.`,
		Example: `  tlayout diff x.npy x.nchw4c.npy
  tlayout convert x.npy --to nhwc
  tlayout diff x.npy x.nhwc.npy --layout-b nhwc
  tlayout convert x.npy --to nhwc -o - | tlayout diff x.npy - --layout-b nhwc
  tlayout diff x.npy x.nchw4c.npy --rtol 1e-5 --atol 1e-8 --quiet`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return fault.New(fault.Usage, "diff takes two sources, found %d", len(args)).WithHint("tlayout diff x.npy y.npy")
			}
			o.sources = args
			return nil
		},
		ValidArgsFunction: cli.CompleteSources(2),
		RunE:              func(*cobra.Command, []string) error { return run(a, o) },
	}
	o.AddReading(cmd, "layout")
	for i := range o.sides {
		o.sides[i].add(cmd, sideNames[i])
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.numeric, "numeric", false, "compare numbers instead of bits, of any two types")
	flags.Var(&o.rtol, "rtol", "allow |a - b| to be this part of |b|; implies --numeric")
	flags.Var(&o.atol, "atol", "allow |a - b| to be as large as this; implies --numeric")
	flags.IntVar(&o.limit, "limit", 10, "how many differing elements to list; 0 for all, up to a million")
	flags.IntVar(&o.threads, "threads", 0, "how many threads to use (default all cores)")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "print nothing, and stop at the first difference: the exit code answers")
	cli.HasSettings(cmd)
	return cmd
}

var sideNames = [2]string{"a", "b"}

// sideFlags say how one of the two sources is read.
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
	cli.Must(cmd.RegisterFlagCompletionFunc("layout-"+side, cli.CompleteLayouts))
	cli.Must(cmd.RegisterFlagCompletionFunc("dtype-"+side, cli.CompleteDTypes))
}

// reading is how side i is read: by its own flags, else by those for both.
func (o *options) reading(a *cli.App, i int) source.Options {
	opts, own := o.Options(a), o.sides[i]
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
	case o.sources[0] == source.Stdin && o.sources[1] == source.Stdin:
		return fault.New(fault.Usage, "standard input can be one of the two sources only").
			WithHint("write one of them to a file first: tlayout diff x.npy -")
	case o.threads < 0:
		return fault.New(fault.Usage, "--threads %d is negative", o.threads).WithHint("0 takes all cores")
	case o.limit < 0 || o.limit > mostListed:
		return fault.New(fault.Usage, "--limit %d is not from 0 to %d", o.limit, mostListed).
			WithHint("0 lists as many as there are, up to %d", mostListed)
	}
	if o.limit == 0 {
		o.limit = mostListed
	}
	return nil
}

func run(a *cli.App, o *options) error {
	if err := o.check(); err != nil {
		return err
	}
	kernels, err := a.Kernels()
	if err != nil {
		return err
	}
	p, err := openPair(a, o)
	if err != nil {
		return err
	}
	defer p.close()
	r := p.newReport()
	if r.DiffersIn == nil {
		found, err := p.run(a, convert.Options{Kernels: kernels, Threads: o.threads})
		if err != nil {
			return err
		}
		r.fill(p, found)
	}
	if !o.quiet {
		if a.Format != cli.JSON {
			a.Warn(r.Warnings)
		}
		if err := r.write(a); err != nil {
			return err
		}
	}
	if !r.Equal {
		return cli.Said(fault.New(fault.Negative, "the tensors differ"))
	}
	return nil
}

// toleranceFlag is a finite number that is not negative.
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

package main

import (
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

type planOptions struct{ conversionFlags }

func newPlanCmd(a *app) *cobra.Command {
	o := &planOptions{}
	cmd := &cobra.Command{
		Use:   "plan SRC --to LAYOUT",
		Short: "Explain a conversion without running it",
		Long: `Explain a conversion without running it: whether data must be moved at all, the
loops that copy it before and after they are simplified and why, the kernel that
runs them, the bytes, and the time to expect.

Steps are in elements. Without a file, --shape describes the source; its sizes
are logical: N,C,H,W. --strides are always those of the target.`,
		Example: `  tlayout plan x.npy --to nhwc
  tlayout plan photo.npy --from nhwc --to nchw4
  tlayout plan --shape 8,64,56,56 --to nhwc
  tlayout plan --shape 8,64,56,56 --dtype float16 --to nchw16 --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fault.New(fault.Usage, "plan takes one source, found %d", len(args)).
					WithHint("tlayout plan x.npy --to nhwc")
			}
			if len(args) == 1 {
				o.source = args[0]
			}
			return nil
		},
		ValidArgsFunction: completeSources,
		RunE:              func(*cobra.Command, []string) error { return runPlan(a, o) },
	}
	o.addConversion(cmd)
	flags := cmd.Flags()
	flags.Var(&o.shape, "shape", "without a file: the logical sizes, N,C,H,W")
	flags.IntVar(&o.offset, "offset", 0, "with --shape: where the first element lies in storage, in elements")
	return cmd
}

func runPlan(a *app, o *planOptions) error {
	if err := o.checkTarget("plan"); err != nil {
		return err
	}
	kernels, err := a.kernels()
	if err != nil {
		return err
	}
	t, err := o.open(a)
	if err != nil {
		return err
	}
	defer t.Close()
	c, err := newConversion(&o.conversionFlags, t)
	if err != nil {
		return err
	}
	e, err := convert.Explain(c.target.Layout, c.sourceLayout(), t.DType.ItemSize())
	if err != nil {
		return err
	}
	a.warn(t.Warnings)
	return newPlanReport(&c, e, kernels).write(a)
}

// open reads the source's header, or describes the source that has none.
func (o *planOptions) open(a *app) (*source.Tensor, error) {
	switch {
	case o.source != "" && o.shape.set:
		return nil, fault.New(fault.Usage, "--shape describes a tensor without a file, but a file is named too")
	case o.source != "":
		opts := o.options(a)
		opts.HeaderOnly = true
		return source.Open(o.source, opts)
	case o.shape.set || o.exact():
		return o.describe()
	}
	return nil, noSource("")
}

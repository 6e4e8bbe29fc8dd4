package main

import (
	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// conversionFlags say what is converted to what.
type conversionFlags struct {
	sourceFlags
	source  string
	to      layoutFlag
	strides intsFlag
	pitch   []string
}

func (f *conversionFlags) addConversion(cmd *cobra.Command) {
	f.addReading(cmd, "from")
	flags := cmd.Flags()
	flags.Var(&f.layout, "layout", "the same as --from")
	flags.Var(&f.to, "to", "memory order of the result, outermost axis first")
	flags.Var(&f.strides, "strides", "instead of --to: exact strides of the logical dims, in elements")
	flags.StringSliceVar(&f.pitch, "pitch", nil, "round rows up: W=64B in bytes, W=16 in elements")
	must(cmd.RegisterFlagCompletionFunc("to", completeLayouts))
	must(cmd.RegisterFlagCompletionFunc("layout", completeLayouts))
}

// checkTarget refuses what does not say a target. verb is the command's.
func (f *conversionFlags) checkTarget(verb string) error {
	if (f.to.layout == nil) == !f.strides.set {
		return fault.New(fault.Usage, "either --to or --strides says what to convert to").
			WithHint("tlayout %s x.npy --to nhwc; tlayout help layouts lists the names", verb)
	}
	if f.to.layout != nil && f.to.layout.Exact != nil {
		return fault.New(fault.Usage, "--to %s says sizes, which a conversion does not change", f.to.layout.Exact).
			WithHint("--strides takes exact strides of the result")
	}
	return nil
}

// conversion is a tensor and the layout that it is to have.
type conversion struct {
	flags  *conversionFlags
	tensor *source.Tensor
	target convert.Target
}

func newConversion(f *conversionFlags, t *source.Tensor) (conversion, error) {
	c := conversion{flags: f, tensor: t}
	if err := refuseGuess(t, "--from"); err != nil && !c.keepsAxes() {
		return c, err
	}
	var err error
	c.target, err = c.newTarget()
	return c, err
}

// keepsAxes reports whether the target is c or fortran, which keep the file's own axes.
func (c *conversion) keepsAxes() bool {
	return c.flags.to.layout != nil && c.flags.to.layout.Own != notation.NotOwn
}

// sourceLayout is the layout that is converted: over the logical dims, or over the file's axes where those are kept.
// A described tensor's axes are its logical dims, for its file is mere storage, and so are those of one without a file.
func (c *conversion) sourceLayout() tensor.Layout {
	t := c.tensor
	if !c.keepsAxes() || t.Described || t.FileShape == nil {
		return t.Layout
	}
	axes, err := t.FileLayout()
	if err != nil {
		panic(err) // the shape was checked when the file was opened
	}
	return axes
}

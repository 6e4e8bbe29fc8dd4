// Package trace is tlayout trace: what view operations do to shape, strides and offset.
package trace

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/tensor/trace"
	"github.com/tlayout/tlayout/internal/words"
)

type options struct {
	cli.Source
	numpy  bool
	values bool
	limit  int
}

func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "trace SRC STEP…",
		Short: "Follow a tensor through view operations",
		Long: `Follow a tensor through view operations, as PyTorch or NumPy has them: what each
makes of shape, strides and offset, by which formula, and whether it copies. A
step that is refused says why, and what works instead.

Steps are written as in Python, each in quotes for the shell, or several in one:
'x.permute(0,2,3,1).contiguous()[0]'. Functions of the tensor are steps too:
'np.flip(x, 0)'. Dims are logical: --layout nhwc makes N,C,H,W of a file's axes
N,H,W,C first.

PyTorch:
` + steps(trace.PyTorch) + `

NumPy, with --numpy:
` + steps(trace.NumPy),
		Example: `  tlayout trace x.npy 'transpose(1,2)' 'reshape(2,-1)'
  tlayout trace --shape 1,3,2,2 'permute(0,2,3,1)' 'contiguous()' '[0]'
  tlayout trace --shape 4,3 --numpy '[::-1, 1:]' T --values
  tlayout trace --shape 2,3,32,32 --layout nhwc '[0]' 'unsqueeze(0)' --json`,
		ValidArgsFunction: cli.CompleteSources(1),
		RunE:              func(_ *cobra.Command, args []string) error { return run(a, o, args) },
	}
	o.AddReading(cmd, "layout")
	o.AddTyping(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.numpy, "numpy", false, "NumPy's operations and rules in place of PyTorch's")
	flags.BoolVar(&o.values, "values", false, "print the tensor after every step; without a file, each element's offset")
	flags.IntVar(&o.limit, "limit", 64, "how many values --values prints of a tensor; 0 for all")
	cli.HasSettings(cmd, "layout,strides")
	return cmd
}

func (o *options) rules() trace.Rules {
	if o.numpy {
		return trace.NumPy
	}
	return trace.PyTorch
}

func run(a *cli.App, o *options, args []string) error {
	if err := o.check(args); err != nil {
		return err
	}
	t, texts, err := o.Open(a, args, !o.values)
	if err != nil {
		return err
	}
	defer t.Close()
	calls, err := traceCalls(t, texts)
	if err != nil {
		return err
	}
	start, err := o.start(t)
	if err != nil {
		return err
	}
	r, err := newReport(t, start, calls)
	if err != nil {
		return err
	}
	if o.values {
		if err := r.addValues(t, o.limit); err != nil {
			return err
		}
	}
	if err := r.write(a); err != nil {
		return err
	}
	return r.refusal()
}

// check refuses what is clear before a file is opened.
func (o *options) check(args []string) error {
	switch {
	case o.limit < 0:
		return fault.New(fault.Usage, "--limit %d is negative", o.limit).WithHint("0 prints all values")
	case len(args) == 0:
		return nil
	case o.HasShape() && cli.NamesFile(args[0]):
		return fault.New(fault.Usage, "--shape describes a tensor without a file, but a file is named too")
	case !o.HasShape() && !o.Exact() && !cli.NamesFile(args[0]) && o.looksLikeStep(args[0]):
		return cli.MissingSource(" before the step " + words.Quote(args[0]))
	}
	return nil
}

// looksLikeStep tells a step from the name of a source.
func (o *options) looksLikeStep(arg string) bool {
	return strings.ContainsAny(arg, "([") || slices.ContainsFunc(trace.Steps(o.rules()), func(u trace.Usage) bool { return u.Name == arg })
}

// traceCalls reads the steps, of which there may be several in an argument.
func traceCalls(t *source.Tensor, texts []string) ([]trace.Call, error) {
	if len(texts) == 0 {
		src := "x.npy"
		if !t.HasData() {
			src = "--shape 3,4"
		}
		return nil, fault.New(fault.Usage, "no step is named").
			WithHint("tlayout trace %s 'transpose(0,1)' 'view(-1)'; tlayout trace --help lists the steps", src)
	}
	var calls []trace.Call
	for _, text := range texts {
		chain, err := trace.ParseChain(text)
		if err != nil {
			return nil, err
		}
		calls = append(calls, chain...)
	}
	return calls, nil
}

// start is the source as the first step finds it.
func (o *options) start(t *source.Tensor) (trace.State, error) {
	s, plain := t.Layout.Strided()
	switch {
	case !plain:
		return trace.State{}, blocked(t)
	case s.Negative() && !o.numpy:
		return trace.State{}, fault.New(fault.Usage, "strides %s: PyTorch has no negative ones", tensor.Tuple(s.Strides)).
			WithHint("--numpy follows NumPy's rules, which allow them")
	}
	return trace.Start(s, letters(t), t.Layout.Alloc(), t.DType.ItemSize(), o.rules()), nil
}

// letters are the dims' names, where the user or a descriptor says them: guessed ones would mislead an equation.
func letters(t *source.Tensor) []string {
	names := t.Layout.Names()
	for i, n := range names {
		if len(n) != 1 || !t.Named {
			names[i] = ""
		}
	}
	return names
}

// blocked refuses a layout in which a dim has several strides.
func blocked(t *source.Tensor) error {
	err := fault.New(fault.Unsupported, "layout %s has blocks: a step knows one stride for each dim, not several", t.OrderName())
	if t.FileShape != nil {
		return err.WithHint("--layout c follows the file's own axes, %s", tensor.Tuple(t.FileShape))
	}
	axes, shapeErr := t.Format.PhysicalShape(t.Layout.Shape())
	if !t.HasFormat || shapeErr != nil {
		return err
	}
	return err.WithHint("without --layout, --shape %s follows the axes as they lie", strings.ReplaceAll(words.Ints(axes, ", "), " ", ""))
}

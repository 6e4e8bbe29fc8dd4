// Package tracecmd is tlayout trace, which shows what view operations do to shape, strides and offset.
package tracecmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework/trace"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/name"
)

type options struct {
	cli.Source
	args   []string // a source unless --shape describes one, then steps
	numpy  bool
	cute   bool
	values bool
	limit  int
}

// NewCmd returns the command trace, whose arguments are a source and steps.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "trace SRC STEP…",
		Short: "Follow a tensor through view operations and operators",
		Long: `Follow a tensor through view operations and operators, by the rules of PyTorch
or NumPy: shape, strides and offset after each step, and why a step copies. If a
step is refused, explain why and what works instead; the exit code is 1. --all
prints the formula of every shape, stride and offset.

A step is Python, quoted for the shell: view(2,-1), [0,::2], x + 1, -x, or
pasted lines such as 'y = F.pad(x.permute(0,2,3,1), (0,1)).contiguous()'. The
tensor is the first name without a value; the next step follows the result. Give
other names in a step before: 'mask=(2,3)', 'B=2'. A call whose result is not
known, of a module or of data, ends the claim: the steps before it are shown,
and the exit code is 4. A call of einops is shown as the calls that it makes.
Dims are logical: --from nhwc reads a file's axes N,H,W,C as dims N,C,H,W. Steps
that make their own tensor, torch.zeros(2,3).t(), need no SRC; a last step may
ask: x.stride(), x.is_contiguous().

PyTorch, beside the operators that compute values, as Python's + and @, relu,
sum(1), softmax(-1), cat, conv2d, einsum; --help --all lists them:
` + names(trace.PyTorch) + `

NumPy, with --numpy:
` + names(trace.NumPy) + `

CuTe's layout algebra, with --cute:
` + cuteNames(),
		Example: `  tlayout trace x.npy 'transpose(1,2)' 'reshape(2,-1)'
  tlayout trace --shape 1,3,2,2 'permute(0,2,3,1)' 'contiguous()' '[0]'
  tlayout trace --shape 8,64,56,56 --from nhwc 'add((1,64,1,1))' 'cat(x,dim=1)'
  tlayout trace --shape 4,3 --numpy '[::-1, 1:]' T --values
  tlayout trace 'torch.arange(24).view(2,3,4).transpose(1,2).stride()'
  tlayout trace --cute '(6,2):(8,2)' 'composition((4,3):(3,1))'`,
		ValidArgsFunction: o.complete,
		RunE: func(_ *cobra.Command, args []string) error {
			o.args = args
			return run(a, o)
		},
	}
	cli.TakesExpressions(cmd)
	o.AddReading(cmd)
	o.AddTyping(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.numpy, "numpy", false, "use NumPy's operations and rules instead of PyTorch's")
	flags.BoolVar(&o.cute, "cute", false, "use CuTe's layout algebra; SRC is a layout")
	flags.BoolVar(&o.values, "values", false, "print the tensor after every step; without a file, the offset of each element")
	cli.CountVar(flags, &o.limit, "limit", 64, "values that --values prints per tensor; 0 means all")
	cli.Group(cmd, "Whose rules", "numpy", "cute")
	cli.Group(cmd, "Values", "values", "limit")
	cli.Details(cmd, details(), moreExamples)
	cli.Frequent(flags, "numpy", "cute", "values", "from", "shape", "strides", "dtype")
	cli.HasSettings(cmd)
	for _, other := range []string{"numpy", "shape", "raw", "dtype", "channels"} { // cute follows a layout alone
		cli.Exclusive(cmd, "cute", other)
	}
	return cmd
}

// details returns what --help --all of trace adds.
func details() string {
	return `The other operand of an operator is a number, x, or a shape with strides or a
memory format, of the tensor's dtype: add((1,64,1,1):(64,1,1,1)),
conv2d((8,3,3,3):channels_last). Values are not computed, and whether an
operator has the dtype is not checked. conv2d is that of a CPU, and without
groups of cuDNN, but for float64; operands that need another dtype are converted
first, as on a CPU.

The arguments of PyTorch's steps:
` + usages(trace.PyTorch) + `

The arguments of NumPy's steps, with --numpy:
` + usages(trace.NumPy) + `

The operations of CuTe, with --cute, where SRC is a layout, (4,(2,2)):(2,(1,8)):
` + cuteUsages() + `
B is a layout, a number n for n:1, or a tiler by mode, <3:1,8:2> or (3,8), where
_ keeps a mode.`
}

// moreExamples are the examples that it adds.
const moreExamples = `  tlayout trace --shape 2,3,32,32 --from nhwc '[0]' 'unsqueeze(0)' --json
  tlayout trace --shape 2,8,4,4 'rearrange("b (c k) h w -> b c h w k", k=4)'
  tlayout trace --cute '(4,2,3):(2,1,8)' 'logical_divide(4:2)' coalesce --values`

func (o *options) rules() trace.Rules {
	if o.numpy {
		return trace.NumPy
	}
	return trace.PyTorch
}

func run(a *cli.App, o *options) error {
	if o.cute {
		return runCute(a, o)
	}
	if o.isWithoutSource() {
		return runMade(a, o)
	}
	t, texts, err := o.OpenFirst(a, o.args, !o.values)
	if err != nil {
		return err
	}
	defer t.Close()
	steps, err := parseSteps(t, texts)
	if err != nil {
		return err
	}
	start, err := inspect.TraceStart(t, o.rules())
	if fault.ClassOf(err) == fault.Usage { // negative strides
		err = otherRules(err, o.rules())
	}
	if err != nil {
		return err
	}
	c, err := follow(start, steps)
	if err != nil {
		return err
	}
	if o.values {
		if err := c.readValues(t, o.limit); err != nil {
			return err
		}
	}
	r := newReport(t, c)
	return write(a, r, r.failure())
}

// runMade follows steps that make their own tensor: torch.zeros(2, 3).t(). Steps that read another name need a source.
func runMade(a *cli.App, o *options) error {
	steps, err := trace.ParseAll(o.args)
	if err != nil {
		return err
	}
	c, err := follow(trace.Nothing(o.rules()), steps)
	if c.Reads {
		return o.MissingSource(" before the step " + name.Parse(strings.TrimSpace(o.args[0])).Quote())
	}
	if err != nil {
		return err
	}
	if len(c.Steps) > 0 {
		c.start = c.Steps[0].State
		c.made = c.Steps[0].Call.Text
		c.Steps = c.Steps[1:]
		if o.values {
			err := c.readValues(nil, o.limit)
			if err != nil {
				return err
			}
		}
		r := newReport(nil, c)
		return write(a, r, r.failure())
	}
	if c.Stop != nil {
		return fault.New(fault.Unsupported, "%s", c.Stop)
	}
	if c.Refusal != nil {
		return fault.New(fault.Usage, "%s: %s", c.Last.Text, c.Refusal)
	}
	return o.MissingSource(" before the step " + name.Parse(strings.TrimSpace(o.args[0])).Quote())
}

// write writes the report. The failure of a step only sets the exit code, because the report explains it.
func write(a *cli.App, r cli.Report, failure error) error {
	if err := a.Write(r); err != nil || failure == nil {
		return err
	}
	return cli.Reported(failure)
}

// errRefused is the exit code of a refused step.
var errRefused = fault.New(fault.Negative, "a step is refused")

// isWithoutSource reports whether no source precedes the steps.
func (o *options) isWithoutSource() bool {
	if len(o.args) == 0 || o.HasShape() || o.Exact() {
		return false
	}
	first := name.Parse(o.args[0])
	if first.LooksLikeFile() || first.Exists() {
		return false
	}
	if trace.IsCode(o.args[0]) {
		return true
	}
	return !source.IsTyped(first) && o.looksLikeStep(o.args[0])
}

// looksLikeStep reports whether an argument is a step rather than the name of a source.
func (o *options) looksLikeStep(arg string) bool {
	return strings.ContainsAny(arg, "([=") || strings.HasPrefix(arg, " -") || slices.ContainsFunc(trace.Steps(o.rules()), func(u trace.Usage) bool { return u.Name == arg })
}

// parseSteps parses the arguments that are steps; one may be a chain of several.
func parseSteps(t *source.Tensor, texts []string) ([]trace.Statement, error) {
	if len(texts) == 0 {
		src := "--shape 3,4"
		if t.HasData() {
			src = t.Source.Arg()
		}
		return nil, fault.New(fault.Usage, "missing STEP").
			WithHint("tlayout trace %s 'transpose(0,1)' 'reshape(-1)'; tlayout trace --help lists the steps", src)
	}
	return trace.ParseAll(texts)
}

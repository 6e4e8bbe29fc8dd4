// Package convert is tlayout convert, which copies a tensor into another layout, and tlayout plan, which says how.
package convert

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

type options struct {
	conversionFlags
	padValue      string
	out           string
	memory        cli.Bytes
	threads       int
	force         bool
	durable       bool
	verify        bool
	dryRun        bool
	allowTrailing bool
}

// defaultMemory is the most that a conversion takes for the result's tiles unless told otherwise, in bytes.
const defaultMemory = 64 << 20

func NewCmd(a *cli.App) *cobra.Command {
	o := &options{memory: cli.Bytes{N: defaultMemory}}
	cmd := &cobra.Command{
		Use:   "convert SRC --to LAYOUT",
		Short: "Move a tensor into another memory format",
		Long: `Copy a tensor into another memory format. The result is a .npy file whose shape
is physical: converted to nhwc, x.npy of shape (N,C,H,W) becomes x.nhwc.npy of
shape (N,H,W,C). c and fortran keep the file's own axes.

What a .npy file cannot say, because C ends inside a block or rows are padded,
goes into a descriptor beside it, x.nchw4c.npy.layout.json, which is found and
used when the file is read again.

The output appears whole or not at all. It is atomic, but not yet on disk when
the program ends, unless --durable is set or a file was replaced.`,
		Example: `  tlayout convert x.npy --to nhwc
  tlayout convert photo.npy --from nhwc --to nchw -o photo.nchw.npy
  tlayout convert x.npy --to NCHW16c --verify
  tlayout convert x.nchw4c.npy --from nchw4c --channels 3 --to nchw
  tlayout convert x.npy --to nchw --pitch W=64B`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fault.New(fault.Usage, "convert takes one source, found %d", len(args)).
					WithHint("tlayout convert x.npy --to nhwc")
			}
			o.source = args[0]
			return nil
		},
		ValidArgsFunction: cli.CompleteSources(1),
		RunE:              func(*cobra.Command, []string) error { return run(a, o) },
	}
	o.addConversion(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.padValue, "pad-value", "0", "what padding holds: a `value` of the dtype, or 0x… for its bytes")
	flags.StringVarP(&o.out, "out", "o", "", "write to this `file`; - for standard output (default <stem>.<layout>.npy)")
	flags.Var(&o.memory, "memory", "most memory to use for the result's blocks")
	flags.IntVar(&o.threads, "threads", 0, "how many threads to use (default all cores)")
	flags.BoolVar(&o.force, "force", false, "replace an existing output")
	flags.BoolVar(&o.durable, "durable", false, "have file and folder on disk before the program ends")
	flags.BoolVar(&o.verify, "verify", false, "read the result again, by two readers, and compare every element")
	flags.BoolVar(&o.dryRun, "dry-run", false, "show what would be done, and write nothing")
	flags.BoolVar(&o.allowTrailing, "allow-trailing", false, "ignore bytes after the data of the source")
	cli.HasSettings(cmd, "from,layout", "to,strides")
	return cmd
}

func run(a *cli.App, o *options) error {
	if err := o.checkTarget("convert"); err != nil {
		return err
	}
	if o.threads < 0 {
		return fault.New(fault.Usage, "--threads %d is negative", o.threads).WithHint("0 takes all cores")
	}
	kernels, err := a.Kernels()
	if err != nil {
		return err
	}
	t, err := source.Open(o.source, o.Options(a))
	if err != nil {
		return err
	}
	defer t.Close()
	job, err := newJob(a, o, t)
	if err != nil {
		return err
	}
	job.kernels = kernels
	a.Warn(t.Warnings)
	if err := job.write(a); err != nil {
		return err
	}
	if o.verify && !o.dryRun {
		if err := job.verify(); err != nil {
			return err
		}
	}
	return job.report(a)
}

// job is a conversion that is decided on: nothing about it can be wrong any more but reading and writing.
type job struct {
	conversion
	options *options
	kernels *kernel.Kernels
	in      io.Reader
	plan    *convert.Plan
	out     string
	pad     []byte
	result  report
}

func newJob(a *cli.App, o *options, t *source.Tensor) (*job, error) {
	if err := checkData(o, t); err != nil {
		return nil, err
	}
	j := &job{options: o, in: a.Streams.In}
	var err error
	if j.conversion, err = newConversion(&o.conversionFlags, t); err != nil {
		return nil, err
	}
	if j.plan, err = convert.NewPlan(j.target.Layout, j.sourceLayout(), t.DType.ItemSize()); err != nil {
		return nil, err
	}
	if j.pad, err = t.DType.ParseValue(o.padValue); err != nil {
		return nil, fault.In("--pad-value", err)
	}
	if j.out, err = j.outputName(); err != nil {
		return nil, err
	}
	j.result = j.newReport()
	return j, nil
}

// checkData refuses a source whose data cannot be converted.
func checkData(o *options, t *source.Tensor) error {
	if !t.HasData() {
		return fault.New(fault.Usage, "%s describes a layout without data", words.Quoted(o.source))
	}
	if t.Trailing > 0 && !o.allowTrailing {
		return fault.New(fault.Malformed, "%s has %s after its data", words.Quoted(o.source), words.Bytes(t.Trailing)).
			WithHint("--allow-trailing ignores them")
	}
	return nil
}

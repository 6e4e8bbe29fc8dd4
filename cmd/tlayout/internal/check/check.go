// Package check is the command tlayout check: assertions about tensors, for CI.
package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/cmd/tlayout/internal/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

type options struct {
	reading cli.Source
	want    wanted
	sources []string
	quiet   bool
}

// NewCmd makes the command check.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "check SRC… ASSERTIONS",
		Short: "Assert the memory layout of tensors, for CI",
		Long: `Check assertions about tensors. Each assertion that fails is one line with what
was found. All assertions are checked for all sources; if one fails, the exit
code is 1.

--layout and --dtype are assertions here; --from gives the memory order to read
a file in, and --as the type of raw bytes. If the axes of a file are unknown,
--layout also names them: the file is read in that order, its rank must match,
and its shape must not suggest another order. With --strict, --from must name
them.

--finite fails for NaT too, and for elements that are not numbers, such as
strings and raw bytes; integers are always finite.

Sizes, strides and offsets are logical, N,C,H,W, and count elements; * matches
any number. Strides and order of size-1 dims do not matter, except with
--strict.`,
		Example: `  tlayout check x.npy --dtype float32 --contiguous --aligned 64
  tlayout check photo.npy --layout nhwc --shape '*,3,*,*' --max-bytes 1MiB
  tlayout check x.npy photo.npy --packed --finite --accepted-by pytorch,numpy
  tlayout check x.nchw4c.npy --layout nchw4 --rank 4 --json`,
		ValidArgsFunction: cli.CompleteSources(math.MaxInt),
		RunE: func(_ *cobra.Command, args []string) error {
			o.sources = args
			return run(a, o)
		},
	}
	flags := cmd.Flags()
	flags.Var(&o.reading.Layout, "from", "memory order of the file's axes, outermost first")
	flags.Var(&o.reading.DType, "as", "read the elements as this type of the same size: bfloat16 for V2")
	flags.IntVar(&o.reading.Channels, "channels", 0, "with --from: logical number of channels of a padded, blocked file")
	flags.Var(&o.reading.MaxHeader, "max-header", "largest .npy header to read (default 1 MiB)")
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "print nothing for sources whose assertions all hold")
	cli.Must(cmd.RegisterFlagCompletionFunc("from", cli.CompleteLayouts))
	cli.Must(cmd.RegisterFlagCompletionFunc("as", cli.CompleteDTypes))
	o.want.addFlags(cmd)
	cli.HasSettings(cmd)
	return cmd
}

func run(a *cli.App, o *options) error {
	switch {
	case !o.want.any():
		return fault.New(fault.Usage, "no assertion given").WithHint("%s; tlayout check --help explains them", assertionNames)
	case o.reading.Channels != 0 && o.reading.Layout.Layout == nil:
		return fault.New(fault.Usage, "--channels needs --from").WithHint("--from nchw4 --channels 3")
	case len(o.sources) == 0 && !o.reading.Exact():
		return fault.New(fault.Usage, "missing SOURCE").
			WithHint("name a .npy file, - for standard input, or a layout with its sizes: --from '(2,3):(5,1)'")
	}
	return checkAll(a, o)
}

// checkAll continues after a source that cannot be read. The first of these decides the exit code; failed assertions do
// only where there are none.
func checkAll(a *cli.App, o *options) error {
	var unread, negative error
	names := o.sources
	if len(names) == 0 {
		names = []string{""}
	}
	out := a.Reports(len(names) == 1)
	for _, name := range names {
		r, err := checkSource(a, o, name)
		switch {
		case err != nil && len(names) == 1:
			return senseHint(err, name)
		case err != nil:
			a.PrintError(senseHint(err, name))
			unread = cmp.Or(unread, err)
			continue
		case !r.OK:
			negative = fault.New(fault.Negative, "an assertion failed")
		}
		if r.OK && o.quiet {
			out.WriteWarnings(r)
			continue
		}
		if err := out.Write(r); err != nil {
			return err
		}
	}
	if err := out.End(header...); err != nil {
		return err
	}
	return cli.Said(cmp.Or(unread, negative))
}

// senseHint is for --contiguous channels_last, where the sense is read as a file's name.
func senseHint(err error, name string) error {
	if slices.Contains(senses, name) {
		return fault.New(fault.ClassOf(err), "%s", err).WithHint("did you mean --contiguous=%s?", name)
	}
	return err
}

func checkSource(a *cli.App, o *options, name string) (*report, error) {
	t, err := o.open(a, name)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return newReport(o, t)
}

// open reads the header, and for --finite maps the data.
func (o *options) open(a *cli.App, name string) (*source.Tensor, error) {
	if name == "" {
		return o.reading.Describe()
	}
	opts := o.reading.Options(a)
	opts.HeaderOnly = !o.want.finite
	return source.Open(name, opts)
}

// convertHint is the command that converts the source to a layout, or what to say first; empty where there is no file to
// convert, or its name cannot be printed.
func (o *options) convertHint(t *source.Tensor, to string) string {
	from := ""
	switch looks := t.LooksLike(); {
	case t.Kind == "shape" || t.Source == source.Stdin || t.Source == t.Descriptor:
		return ""
	case o.reading.Layout.Name != "":
		from = " --from " + words.Shell(words.Quote(o.reading.Layout.Name))
	case to == "c" || to == "fortran" || t.Described:
	case looks != "":
		return fmt.Sprintf("shape suggests %s: use --from %s, or --from %s", strings.ToUpper(looks), looks, axesName(t))
	case !t.Assumed:
		from = " --from " + axesName(t)
	}
	if words.Quote(t.Source) != t.Source {
		return ""
	}
	return "tlayout convert " + words.Shell(t.Source) + from + " --to " + words.Shell(to)
}

// axesName is the order of the file's axes, as --from takes it.
func axesName(t *source.Tensor) string {
	f := t.Format
	if t.Header.Fortran {
		f = f.Reversed()
	}
	return strings.ToLower(f.String())
}

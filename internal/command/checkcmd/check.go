// Package checkcmd implements tlayout check: assertions about tensors, for CI.
package checkcmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

type options struct {
	reading cli.Source
	lists   cli.Lists
	want    wanted
	sources []name.Name
	trust   bool // --trust-values
	recipe  name.Name
}

// NewCmd returns tlayout check.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "check SRC… ASSERTIONS",
		Short: "Assert the memory layout of tensors, for CI",
		Long: `Check assertions about tensors. Each failed assertion is one line with the
actual value, and makes the exit code 1. All assertions are checked for all
sources; repeated flags are separate assertions.

A folder means the sources below it, @FILE the names in that file. Every tensor
of an archive or a checkpoint, x.npz or model.pt, is checked; 'model.pt:conv*'
selects tensors by name.

No assertion passes on an assumption. If the axis order of a file is unknown,
and the answer depends on it, the verdict is "unknown", which fails. The order
is known from --from, a file name such as x.nhwc.npy, a layout recorded in the
.npz, or typed strides.

Sizes, strides and offsets are in elements; * matches any number.`,
		Example: `  tlayout check x.npy --expect-dtype float32 --contiguous c --aligned 64
  tlayout check photo.npy --from nhwc --contiguous channels_last --max-bytes 1K
  tlayout check x.npy --from nchw --layout nchw --expect-shape '*,3,*,*'
  tlayout check weights.npz --packed --finite --accepted-by pytorch,numpy
  tlayout check model.pt --aligned 64 --weights-only
  tlayout check images/ --contiguous c`,
		ValidArgsFunction: cli.CompleteSources(math.MaxInt),
		RunE: func(_ *cobra.Command, args []string) error {
			o.sources = name.ParseAll(args)
			return run(a, o)
		},
	}
	o.reading.AddReading(cmd)
	o.reading.AddTyping(cmd)
	cmd.Flags().BoolVar(&o.trust, "trust-values", false, "if the axis order is unknown, take the one that the values suggest")
	cmd.Flags().Var((*cli.File)(&o.recipe), "recipe", "B is what this `file`, which tlayout diff --recipe wrote, makes of A: check B --recipe r.json A")
	o.lists.AddLists(cmd)
	cli.Details(cmd, details, moreExamples)
	o.want.addFlags(cmd)
	cli.HasSettings(cmd)
	return cmd
}

// run checks the command line and then all sources.
func run(a *cli.App, o *options) error {
	if !o.recipe.IsZero() {
		return checkRecipe(a, o)
	}
	if err := o.checkFlags(); err != nil {
		return err
	}
	if len(o.sources) > 0 || o.lists.Stdin {
		all, err := o.lists.Expand(a, o.sources, o.reading.Raw, name.Name{})
		if err != nil {
			return err
		}
		o.sources = all.Names()
	}
	if err := o.checkDescribed(); err != nil {
		return err
	}
	return checkAll(a, o)
}

// checkFlags returns an error for a command line without an assertion or a tensor, or with flags that exclude each other.
func (o *options) checkFlags() error {
	if o.reading.HasShape() && len(o.sources) > 0 {
		return fault.New(fault.Usage, "--shape describes a tensor without a file, but SOURCE is given too").
			WithHint("assertions are --expect-shape, --expect-strides, --expect-offset and --expect-dtype")
	}
	if o.want.expr.given() != o.want.view {
		return fault.New(fault.Usage, "--expr and --view need each other").WithHint("--expr 'x.transpose(0,1).view(-1)' --view asserts that no step copies")
	}
	if !o.want.any() {
		return fault.New(fault.Usage, "no assertion given").WithHint("%s; for details: tlayout check --help", assertionNames)
	}
	described := o.reading.HasShape() || o.reading.Exact()
	if len(o.sources) > 0 || described || o.lists.Stdin {
		return nil
	}
	for _, l := range o.want.layout.all {
		if l.Layout.Exact != nil {
			return fault.New(fault.Usage, "missing SOURCE: --layout is an assertion").
				WithHint("--from %s describes a tensor without a file", text.Shell(l.Name))
		}
	}
	return o.reading.MissingSource("")
}

// checkAll continues after a source that cannot be read. The first such error decides the exit code; without one, failed assertions do.
func checkAll(a *cli.App, o *options) error {
	r := &running{app: a, options: o}
	if len(o.sources) == 0 {
		if err := r.checkEach([]named{{typed: true, err: o.needsCheckpoint("a typed tensor")}}); err != nil {
			return err
		}
	}
	for _, given := range o.sources {
		if err := r.checkSource(given); err != nil {
			return err
		}
	}
	return r.end()
}

// running is the state of a run over all sources.
type running struct {
	app              *cli.App
	options          *options
	out              *cli.Reports
	count            tally
	unread, negative error // the first error of each kind
}

// checkSource checks everything that a source names, opening it once.
func (r *running) checkSource(given name.Name) error {
	set, pattern, err := source.Open(given, r.options.opening(r.app))
	if err != nil {
		return r.checkEach([]named{{name: given, err: err}})
	}
	defer set.Close()
	if r.options.reading.FromJSON {
		return r.checkEach(r.options.expandDescribed(set))
	}
	return r.checkEach(r.options.expand(given, set, pattern))
}

// checkEach checks tensors of a source, or a whole checkpoint. It returns the error of a single one.
func (r *running) checkEach(names []named) error {
	alone := len(names) == 1 && len(r.options.sources) <= 1
	if r.out == nil {
		r.out = r.app.Reports(alone)
	}
	for _, name := range names {
		r.count.sources++
		answer, err := checkNamed(r.app, r.options, name)
		if err != nil && alone {
			return err
		}
		if err != nil {
			r.app.PrintErrorOf(name.name, err)
			r.unread = cmp.Or(r.unread, err)
			r.count.unread++
			continue
		}
		if !r.counted(answer, alone) {
			continue
		}
		if err := r.out.Write(answer); err != nil {
			return err
		}
	}
	return nil
}

// counted counts an answer and reports whether it is written. On a page of many sources, those that pass are only counted.
func (r *running) counted(answer *report, alone bool) (written bool) {
	if len(answer.Assertions) == 0 {
		plusOne(&r.count.passedOver, answer.passedOver())
		return r.app.Format == cli.JSON
	}
	if !answer.OK {
		r.negative = fault.New(fault.Negative, "an assertion failed")
		r.count.failed++
		return true
	}
	if alone || r.app.Format != cli.Table || r.app.All {
		return true
	}
	plusOne(&r.count.passed, answer.conditions())
	return false
}

// end writes the totals.
func (r *running) end() error {
	if err := r.out.End(header...); err != nil {
		return err
	}
	if skipped, sum := r.count.skipped(); sum == r.count.sources {
		return fault.New(fault.Negative, "nothing to assert about: all tensors are skipped, %s", strings.Join(skipped, " and ")).
			WithHint("tlayout inspect lists the tensors")
	}
	if r.count.sources > 1 && (r.app.Format == cli.Table || r.app.Format == cli.Markdown) {
		if err := r.out.Write(&r.count); err != nil {
			return err
		}
	}
	return cli.Reported(cmp.Or(r.unread, r.negative))
}

// named is a tensor of a source, or the error of reading it.
type named struct {
	name   name.Name
	typed  bool        // described by flags, without a file
	set    *source.Set // its set
	number int         // its index in the set
	whole  bool        // the set itself, for assertions about a whole checkpoint
	part   bool        // one of its tensors, for all other assertions
	among  bool        // from a container, whose tensors of another rank than the assertion's are skipped
	err    error
}

// expand lists the tensors that a source names, all those of an archive or a checkpoint, preceded by the checkpoint itself if an assertion is about
// it as a whole.
func (o *options) expand(given name.Name, set *source.Set, pattern string) []named {
	var all []named
	whole := pattern == "" && isCheckpoint(set) && o.want.ofWhole()
	if whole {
		all = append(all, named{name: given, whole: true, set: set})
		if !o.want.ofTensors() {
			return all
		}
	}
	if err := o.needsCheckpoint(given.String()); err != nil && !whole {
		return []named{{name: given, err: err}}
	}
	picked, err := set.Pick(pattern)
	if err != nil {
		return append(all, named{name: given, err: err})
	}
	several := set.IsContainer() && (pattern == "" || name.IsPattern(pattern))
	for _, i := range picked {
		all = append(all, named{name: set.Name(i), set: set, number: i, part: whole, among: several})
	}
	return all
}

// expandDescribed lists the tensors of JSON descriptions.
func (o *options) expandDescribed(set *source.Set) []named {
	var all []named
	if o.want.ofCheckpoint() != "" {
		all = append(all, named{name: o.sources[0], whole: true, set: set})
		if !o.want.ofTensors() && !o.want.aligned.given() {
			return all
		}
	}
	for i := range set.Tensors { // even a single one goes by its own name
		all = append(all, named{name: set.Path.Member(set.TensorName(i)), set: set, number: i, among: len(set.Tensors) > 1})
	}
	return all
}

// checkDescribed rejects JSON descriptions where they do not apply. They are one source, which may be a stream.
func (o *options) checkDescribed() error {
	if !o.reading.FromJSON || len(o.sources) == 0 {
		return nil
	}
	if len(o.sources) > 1 {
		return fault.New(fault.Usage, "--from json takes one source, found %d", len(o.sources)).
			WithHint("one source may hold many documents: cat *.json | tlayout check --from json - --packed")
	}
	if flag := o.want.ofFiles(); flag != "" {
		return fault.New(fault.Usage, "%s applies to files, not to descriptions", flag).WithHint("tlayout check model.pt %s", flag)
	}
	return nil
}

// needsCheckpoint is the error for a source that is not a whole checkpoint, if an assertion requires one.
func (o *options) needsCheckpoint(what string) error {
	flag := o.want.ofCheckpoint()
	if flag == "" {
		return nil
	}
	return fault.New(fault.Usage, "%s applies to whole checkpoints; %s is not one", flag, what).
		WithHint("pass a .pt, .pth, .ckpt, .bin, .safetensors, .gguf, .onnx, .pt2 or .safetensors.index.json file, without a tensor name")
}

// isCheckpoint reports whether a source is a checkpoint.
func isCheckpoint(set *source.Set) bool { return set.IsContainer() && set.Format != checkpoint.NPZ }

func checkNamed(a *cli.App, o *options, s named) (*report, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.whole {
		return checkCheckpoint(o, s)
	}
	t, err := o.open(a, s)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if o.trust {
		if err := trustValues(t); err != nil {
			return nil, err
		}
	}
	return newReport(o, t, s)
}

// trustValues takes the axis order that the values suggest, if the source's is assumed. Of two that values do not tell apart it takes none.
func trustValues(t *source.Tensor) error {
	orders := inspect.ByValues(t)
	switch len(orders) {
	case 0:
		return nil
	case 1:
		order, err := notation.Parse(orders[0])
		if err != nil {
			return err
		}
		t.Warnings = append(t.Warnings, fmt.Sprintf("axis order %s is only what the values suggest", orders[0]))
		return t.ReadAs(order.Format)
	}
	t.Warnings = append(t.Warnings, fmt.Sprintf("the values fit %s alike", text.And(orders)))
	return nil
}

// opening returns how sources are read: headers only, except with --finite.
func (o *options) opening(a *cli.App) source.Options {
	opts := o.reading.Options(a)
	opts.HeaderOnly = !o.want.finite && !(o.trust && slices.Contains(o.sources, name.Standard))
	return opts
}

func (o *options) open(a *cli.App, s named) (*source.Tensor, error) {
	if s.typed {
		return o.reading.Describe()
	}
	opts := o.opening(a)
	t, err := s.set.Tensor(s.number, opts)
	if err == nil && opts.FromJSON {
		t.Source = s.name
	}
	ordered := opts.Layout != nil || opts.Dims != nil
	if s.among && ordered && fault.ClassOf(err) == fault.Usage {
		opts.Layout = nil
		opts.Dims = nil // of another rank, with other axis names
		return s.set.Tensor(s.number, opts)
	}
	return t, err
}

// convertHint is the command that converts the source to a layout; empty without a file, if its name cannot be typed, or if the axis order is
// unknown. Layouts c and fortran, in any spelling, need no axis order.
func (o *options) convertHint(t *source.Tensor, to string, own notation.Own) string {
	if t.FileShape == nil || t.Kind == source.KindRaw {
		return ""
	}
	if t.Source.IsStdin() || !t.Source.IsTypable() {
		return ""
	}
	from, ok := o.fromFlag(t, own)
	if !ok {
		return ""
	}
	return "tlayout convert " + t.Source.Arg() + from + " --to " + text.Shell(to)
}

// fromFlag returns the flag of convert that names the source's axes; empty if they need no names. ok is false if they are unknown.
func (o *options) fromFlag(t *source.Tensor, own notation.Own) (flag string, ok bool) {
	if o.reading.Layout.Name != "" {
		return " --from " + text.Shell(o.reading.Layout.Name), true
	}
	if own != notation.NotOwn || t.StorageView {
		return "", true
	}
	if !t.Known() {
		return "", false
	}
	return " --from " + text.Shell(axesName(t)), true
}

// axesName returns the order of the file's axes as a value of --from.
func axesName(t *source.Tensor) string {
	f := t.Format
	if t.Header.Fortran {
		f = f.Reversed()
	}
	return strings.ToLower(f.String())
}

// details is what --help --all of check adds.
const details = `--contiguous c, f and dense, and --layout c and fortran, are about the array as
stored; channels_last and the other layouts about the tensor N,C,H,W. If the
axis order is unknown, sizes and strides are those of the array as stored, and
--accepted-by passes for a C-contiguous array in any axis order.

With --trust-values, the order is also known from the values of images and
activations, whose neighbors along H and W are alike and whose channels share
edges, unless the values fit two orders. H is assumed to come before W.

Strides of size-1 dims do not count: if two orders differ only there, both pass.
With --strict they count, and a tensor that has the strides of two orders fails.

--finite fails for infinities, NaN and NaT, and for elements that are not
numbers, such as strings and raw bytes; integers are always finite. Of a
checkpoint, --finite and --expr skip quantized tensors, whose elements are
blocks, and an assertion that is defined for one rank skips tensors of another;
the last line counts them.

--aligned, --no-unused, --no-sharing, --weights-only and --complete give one
answer for a whole checkpoint, which names the first tensors that fail.`

// moreExamples are the examples that it adds.
const moreExamples = `  tlayout check --shape 8,1,28,28 --strides 784,1,28,1 --layout nhwc`

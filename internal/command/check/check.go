// Package check is the command tlayout check: assertions about tensors, for CI.
package check

import (
	"cmp"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

type options struct {
	reading cli.Source
	lists   cli.Lists
	want    wanted
	sources []string
}

// NewCmd makes the command check.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "check SRC… ASSERTIONS",
		Short: "Assert the memory layout of tensors, for CI",
		Long: `Check assertions about tensors. Each assertion that fails is one line with what
was found. All assertions are checked for all sources, and an assertion that is
given twice is two; if one fails, the exit code is 1. A folder stands for the
sources below it, @FILE for the names in that file. Of an archive or a
checkpoint, x.npz or model.pt, every tensor is checked; 'model.pt:conv*' are
those of matching names. --aligned, --no-unused, --no-sharing, --weights-only
and --complete are one answer about a checkpoint as a whole, which names the
first tensors that fail.

No assertion passes on an assumption. If nothing says how a file's axes are
ordered, and the answer depends on it, the verdict is "unknown", and fails. What
says it: --from, a file name such as x.nhwc.npy, a layout recorded in the .npz,
or typed strides.

--contiguous c, f and dense, and --layout c and fortran, are about the array as
stored; channels_last and the other layouts about the tensor N,C,H,W. Where the
order of the axes is not known, sizes and strides are those of the array as
stored, and --accepted-by passes for a C-contiguous array whatever its axes are.
Sizes, strides and offsets count elements; * matches any number.

Strides of size-1 dims are never used: if only they tell two orders apart, both
pass. With --strict these strides count, and only a named order passes.

--finite fails for NaT too, and for elements that are not numbers, such as
strings and raw bytes; integers are always finite.`,
		Example: `  tlayout check x.npy --expect-dtype float32 --contiguous c --aligned 64
  tlayout check photo.npy --from nhwc --contiguous channels_last --max-bytes 1K
  tlayout check x.npy --from nchw --layout nchw --expect-shape '*,3,*,*'
  tlayout check weights.npz --packed --finite --accepted-by pytorch,numpy
  tlayout check model.pt --aligned 64 --weights-only
  tlayout check images/ --contiguous c
  tlayout check --shape 8,1,28,28 --strides 784,1,28,1 --layout nhwc`,
		ValidArgsFunction: cli.CompleteSources(math.MaxInt),
		RunE: func(_ *cobra.Command, args []string) error {
			o.sources = args
			return run(a, o)
		},
	}
	o.reading.AddReading(cmd)
	o.reading.AddTyping(cmd)
	o.lists.AddLists(cmd)
	o.want.addFlags(cmd)
	cli.HasSettings(cmd)
	return cmd
}

func run(a *cli.App, o *options) error {
	described := o.reading.HasShape() || o.reading.Exact()
	switch {
	case o.reading.HasShape() && len(o.sources) > 0:
		return fault.New(fault.Usage, "--shape describes a tensor without a file, but SOURCE is given too").
			WithHint("assertions are --expect-shape, --expect-strides, --expect-offset and --expect-dtype")
	case !o.want.any():
		return fault.New(fault.Usage, "no assertion given").WithHint("%s; tlayout check --help explains them", assertionNames)
	case len(o.sources) == 0 && !described && !o.lists.Stdin:
		for _, l := range o.want.layout.all {
			if l.Layout.Exact != nil {
				return fault.New(fault.Usage, "missing SOURCE: --layout is an assertion").
					WithHint("--from %s describes a tensor without a file", words.Shell(words.Quote(l.Name)))
			}
		}
		return cli.MissingSource("")
	}
	if len(o.sources) > 0 || o.lists.Stdin {
		all, err := o.lists.Expand(a, o.sources, o.reading.Raw, "")
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

// checkAll continues after a source that cannot be read. The first of these decides the exit code; failed assertions do
// only where there are none.
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

// running is a run of the command, over one source after the other.
type running struct {
	app              *cli.App
	options          *options
	out              *cli.Reports
	count            tally
	unread, negative error // the first of each
}

// checkSource checks what a source stands for: it is opened once.
func (r *running) checkSource(given string) error {
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

// checkEach checks tensors of a source, or a checkpoint as a whole. The error of the only one is returned.
func (r *running) checkEach(names []named) error {
	alone := len(names) == 1 && len(r.options.sources) <= 1
	if r.out == nil {
		r.out = r.app.Reports(alone)
	}
	for _, name := range names {
		r.count.sources++
		answer, err := checkNamed(r.app, r.options, name)
		switch {
		case err != nil && alone:
			return err
		case err != nil:
			r.app.PrintError(err)
			r.unread = cmp.Or(r.unread, err)
			r.count.unread++
			continue
		case len(answer.Assertions) == 0:
			r.count.passedOver++
			continue
		case !answer.OK:
			r.negative = fault.New(fault.Negative, "an assertion failed")
			r.count.failed++
		}
		if err := r.out.Write(answer); err != nil {
			return err
		}
	}
	return nil
}

// end writes what sums up.
func (r *running) end() error {
	if err := r.out.End(header...); err != nil {
		return err
	}
	if r.count.passedOver == r.count.sources {
		return fault.New(fault.Negative, "no tensor has the rank that is asserted").WithHint("tlayout inspect lists the tensors")
	}
	if r.count.sources > 1 && (r.app.Format == cli.Table || r.app.Format == cli.Markdown) {
		if err := r.out.Write(&r.count); err != nil {
			return err
		}
	}
	return cli.Reported(cmp.Or(r.unread, r.negative))
}

// named is a tensor of a source, or why it cannot be read.
type named struct {
	name   string
	typed  bool        // no file: the tensor that flags describe
	set    *source.Set // that it is of
	number int         // in the set
	whole  bool        // the set itself, for the assertions about a checkpoint as a whole
	part   bool        // a tensor of such a one, for all others
	among  bool        // one of a container's, of which those of another rank than an assertion's are passed over
	err    error
}

// expand lists the tensors that a source stands for, every one of an archive and of a checkpoint, and the checkpoint itself before these if
// something is asserted of it as a whole.
func (o *options) expand(given string, set *source.Set, pattern string) []named {
	var all []named
	whole := isCheckpoint(set) && pattern == "" && (o.want.aligned.given() || o.want.ofCheckpoint() != "")
	if whole {
		all = append(all, named{name: given, whole: true, set: set})
		if !o.want.ofTensors() {
			return all
		}
	} else if err := o.needsCheckpoint(words.Quoted(given)); err != nil {
		return []named{{name: given, err: err}}
	}
	picked, err := set.Pick(pattern)
	if err != nil {
		return append(all, named{name: given, err: err})
	}
	several := set.IsContainer() && (pattern == "" || source.IsPattern(pattern))
	for _, i := range picked {
		all = append(all, named{name: set.Name(i), set: set, number: i, part: whole, among: several})
	}
	return all
}

// expandDescribed lists the tensors of a source that is JSON documents.
func (o *options) expandDescribed(set *source.Set) []named {
	var all []named
	if o.want.ofCheckpoint() != "" {
		all = append(all, named{name: o.sources[0], whole: true, set: set})
		if !o.want.ofTensors() && !o.want.aligned.given() {
			return all
		}
	}
	for i := range set.Tensors { // the only one too is known by its own name
		all = append(all, named{name: set.Path + ":" + set.TensorName(i), set: set, number: i, among: len(set.Tensors) > 1})
	}
	return all
}

// checkDescribed refuses JSON documents where they make no sense. They are one source, which may be a stream.
func (o *options) checkDescribed() error {
	flag := o.want.ofFiles()
	switch {
	case !o.reading.FromJSON || len(o.sources) == 0:
		return nil
	case len(o.sources) != 1:
		return fault.New(fault.Usage, "--from json takes one source, found %d", len(o.sources)).
			WithHint("a source may hold many documents: cat *.json | tlayout check --from json - --packed")
	case flag != "":
		return fault.New(fault.Usage, "%s is about files, which a description is not", flag).WithHint("tlayout check model.pt %s", flag)
	}
	return nil
}

// needsCheckpoint is the error about what is no whole checkpoint if something is asserted of one.
func (o *options) needsCheckpoint(what string) error {
	flag := o.want.ofCheckpoint()
	if flag == "" {
		return nil
	}
	return fault.New(fault.Usage, "%s is about a whole checkpoint, which %s is not", flag, what).
		WithHint("a .pt, .pth, .ckpt, .bin, .safetensors or .gguf file, or a .safetensors.index.json, without the name of a tensor")
}

// isCheckpoint reports whether a source is a checkpoint.
func isCheckpoint(set *source.Set) bool { return set.IsContainer() && set.Format != checkpoint.NPZ }

func checkNamed(a *cli.App, o *options, s named) (*report, error) {
	switch {
	case s.err != nil:
		return nil, s.err
	case s.whole:
		return checkCheckpoint(o, s)
	}
	t, err := o.open(a, s)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return newReport(o, t, s)
}

// opening is how sources are read: no more than headers, but for --finite.
func (o *options) opening(a *cli.App) source.Options {
	opts := o.reading.Options(a)
	opts.HeaderOnly = !o.want.finite
	return opts
}

func (o *options) open(a *cli.App, s named) (*source.Tensor, error) {
	if s.typed {
		return o.reading.Describe()
	}
	opts := o.opening(a)
	t, err := s.set.Tensor(s.number, opts)
	if err == nil && opts.FromJSON {
		t.Source = words.Redact(s.name)
	}
	if s.among && fault.ClassOf(err) == fault.Usage && (opts.Layout != nil || opts.Dims != nil) {
		opts.Layout, opts.Dims = nil, nil // one of another rank, whose axes have other names
		return s.set.Tensor(s.number, opts)
	}
	return t, err
}

// convertHint is the command that converts the source to a layout; empty where there is no file to convert, its name cannot
// be printed, or nothing says what it would be converted from. A layout of own axes, c or fortran however it is spelled, needs
// no names of them.
func (o *options) convertHint(t *source.Tensor, to string, own notation.Own) string {
	from := ""
	switch {
	case t.FileShape == nil || t.Kind == source.KindRaw || t.Source == source.Stdin || words.Quote(t.Source) != t.Source:
		return ""
	case o.reading.Layout.Name != "":
		from = " --from " + words.Shell(words.Quote(o.reading.Layout.Name))
	case own != notation.NotOwn || t.StorageView:
	case !t.Known():
		return ""
	default:
		from = " --from " + axesName(t)
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

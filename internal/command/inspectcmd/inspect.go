// Package inspectcmd implements tlayout inspect: a tensor's memory layout and its consequences.
package inspectcmd

import (
	"cmp"
	"math"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	format "github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/name"
)

type options struct {
	cli.Source
	cli.Lists
	sources []name.Name
	offsets bool
	storage bool
	explain bool
	limit   int
	match   cli.Patterns
	sort    string
	readAs  cli.Layout
	given   func(flag string) bool // typed
}

// NewCmd returns tlayout inspect.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "inspect SRC…",
		Short: "Show the memory layout of a tensor",
		Long: `Show a tensor's dtype, shape, strides and memory order; whether it is
contiguous, in each sense, and why not; the cost of a copy; the frameworks that
accept the tensor without one, and their names for its layout; and anything
unusual. --all shows every fact.

With two or more sources, show one line each. A folder means the sources below
it, @FILE the names in that file.

For an archive, x.npz, list the arrays. For a checkpoint, model.pt or
model.safetensors, show its tensors, the storages they share, unused bytes, and
what torch.load would refuse; no code in a pickle is executed. x.npz:name and
model.pt:conv1.weight select one tensor, 'x.npz:conv*' several.

Without a file, --shape describes a tensor; its sizes are logical: N,C,H,W.`,
		Example: `  tlayout inspect x.npy
  tlayout inspect photo.npy --from nhwc --all
  tlayout inspect images/
  tlayout inspect model.pt:conv1.weight
  tlayout inspect --shape 1,64,5,4 --strides 1280,1,256,64
  tlayout inspect --shape 1,64,5,4 --from nhwc --explain`,
		ValidArgsFunction: cli.CompleteSources(math.MaxInt),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed
			o.sources = name.ParseAll(args)
			return run(a, o)
		},
	}
	o.AddReading(cmd)
	o.AddTyping(cmd)
	o.AddLists(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.offsets, "offsets", false, "list every element: coordinate, offset, byte, value")
	flags.BoolVar(&o.storage, "storage", false, "draw the storage: the element at each offset, padding hatched")
	flags.BoolVar(&o.explain, "explain", false, "derive strides, addresses and contiguity step by step")
	cli.CountVar(flags, &o.limit, "limit", 64, "maximum number of elements or storage cells to show; 0 means all")
	flags.Var(&o.match, "match", "list the tensors of a checkpoint whose names match `PATTERN`: '*.weight'")
	flags.Var(&cli.Enum[string]{Value: &o.sort, Values: sortings}, "sort", "sort the tensors of a checkpoint `BY` name, size, storage or unused bytes")
	o.readAs.AddReadAs(cmd)
	cli.Group(cmd, "What to show", "explain", "offsets", "read-as", "storage", "limit", "match", "sort")
	cli.Details(cmd, details, moreExamples)
	cli.Frequent(cmd.Flags(), "explain", "from", "dtype", "shape", "strides", "raw", "storage", "offsets", "limit", "match")
	cli.HasSettings(cmd)
	cli.Repeatable(cmd, "match")
	cli.Exclusive(cmd, "offsets", "storage", "explain")
	cli.Exclusive(cmd, "read-as", "storage")
	cli.Exclusive(cmd, "read-as", "explain")
	return cmd
}

func run(a *cli.App, o *options) error {
	named := len(o.sources) > 0
	if named && o.HasShape() {
		return o.ShapeOfFile(o.sources...)
	}
	if o.HasShape() || o.Exact() && !named {
		t, err := o.Describe()
		if err != nil {
			return err
		}
		return writeTensor(a.Reports(true), o, t)
	}
	if !named && !o.Stdin {
		return writePlanes(a, o)
	}
	all, err := o.Expand(a, o.sources, o.Raw, name.Name{})
	if err != nil {
		return err
	}
	o.sources = all.Names()
	for _, n := range o.sources {
		if err := n.Check(); err != nil {
			return err
		}
	}
	return writeAll(a, o)
}

// writePlanes shows the planes that --planes describes without a file.
func writePlanes(a *cli.App, o *options) error {
	if o.Planes == "" {
		return o.MissingSource("")
	}
	set, err := source.DescribePlanes(o.options(a))
	if err != nil {
		return err
	}
	return writeSet(a.Reports(true), o, set, "", o.options(a))
}

// cells reports whether the output is a list of elements or storage cells.
func (o *options) cells() bool { return o.offsets || o.storage || o.readAs.Layout != nil }

// needsArray reports whether a flag applies to one array, so that an archive cannot be listed.
func (o *options) needsArray() bool {
	if o.DType.Value != nil && o.Planes == "" { // with --planes, the type of all planes
		return true
	}
	return o.cells() || o.Layout.Layout != nil || o.Channels != 0
}

// lists reports whether the output is one line per source.
func (o *options) lists(a *cli.App) bool {
	if len(o.sources) < 2 || o.cells() || o.explain {
		return false
	}
	page := a.Format == cli.Table || a.Format == cli.Markdown
	return page && !a.All && !a.Quiet
}

// writeAll shows the sources, or the tensors that match the pattern of a single source, 'x.npz:conv*', like separate sources.
func writeAll(a *cli.App, o *options) error {
	if len(o.sources) > 1 {
		return writeEach(a, o, &list{app: a, o: o}, func(out *cli.Reports, i int) error {
			set, pattern, err := source.Open(o.sources[i], o.options(a))
			if err != nil {
				return err
			}
			defer set.Close()
			return writeSet(out, o, set, pattern, o.options(a))
		})
	}
	set, pattern, err := source.Open(o.sources[0], o.options(a))
	if err != nil {
		return err
	}
	defer set.Close()
	if pattern == "" {
		return writeSet(a.Reports(true), o, set, "", o.options(a))
	}
	picked, err := set.Match(pattern)
	if err != nil {
		return err
	}
	picked, err = o.matching(set, picked)
	if err != nil {
		return err
	}
	o.sources = make([]name.Name, len(picked))
	for n, i := range picked {
		o.sources[n] = set.Name(i)
	}
	return writeEach(a, o, &list{app: a, o: o, set: set, picked: picked}, func(out *cli.Reports, n int) error {
		t, err := set.Tensor(picked[n], o.options(a))
		if err != nil {
			return err
		}
		defer t.Close()
		return writeTensor(out, o, t)
	})
}

// writeEach writes l, or each source. It continues after a source that cannot be read, and returns the first such error.
func writeEach(a *cli.App, o *options, l *list, write func(out *cli.Reports, i int) error) error {
	out := a.Reports(len(o.sources) == 1)
	out.Spaced = true
	if o.lists(a) {
		return cmp.Or(out.Write(l), cli.Reported(l.err))
	}
	var first error
	for i := range o.sources {
		err := write(out, i)
		if err == nil {
			continue
		}
		if len(o.sources) == 1 {
			return err
		}
		a.PrintErrorOf(o.sources[i], err)
		first = cmp.Or(first, notShown(err))
	}
	return cli.Reported(first)
}

// options returns the options for opening sources.
func (o *options) options(a *cli.App) source.Options {
	opts := o.Options(a)
	opts.HeaderOnly = !o.cells()
	return opts
}

// writeSet shows the tensor of a set that a pattern names, or its only one, or lists its contents.
func writeSet(out *cli.Reports, o *options, set *source.Set, pattern string, opts source.Options) error {
	listed := pattern == "" && !o.needsArray()
	if listed && isCheckpoint(set) {
		r, err := newCheckpoint(set, o, opts)
		if err != nil {
			return err
		}
		return out.Write(r)
	}
	if err := o.refuseListing(set); err != nil {
		return err
	}
	if listed && set.Format == format.NPZ && !set.IsSingle() {
		return writeArchive(out, set, opts)
	}
	t, err := set.Only(pattern, opts)
	if err != nil {
		return err
	}
	defer t.Close()
	return writeTensor(out, o, t)
}

// isCheckpoint reports whether a set is listed as a checkpoint. JSON that describes one tensor is that tensor.
func isCheckpoint(set *source.Set) bool {
	if set.Format == format.NPZ {
		return false
	}
	if set.Format == format.JSON && set.IsSingle() {
		return false
	}
	return set.IsContainer()
}

// writeArchive lists the members of an archive.
func writeArchive(out *cli.Reports, set *source.Set, opts source.Options) error {
	listed, err := set.List(opts)
	if err != nil {
		return err
	}
	r := archive{inspect.NewArchive(listed)}
	return cmp.Or(out.Write(r), r.Err())
}

// matching returns the picked tensors whose names --match selects. A pattern that matches none of them is an error.
func (o *options) matching(set *source.Set, picked []int) (kept []int, err error) {
	names := make([]string, len(picked))
	for n, i := range picked {
		names[n] = set.TensorName(i)
		if o.match.Selects(names[n]) {
			kept = append(kept, i)
		}
	}
	return kept, o.checkIdle(set.Path, names)
}

// checkIdle refuses a pattern of --match that matches none of a source's names.
func (o *options) checkIdle(from name.Name, names []string) error {
	if idle := o.match.Idle(names); idle != "" {
		return cli.NoMatch(from, idle).WithHint("--match '*.weight' matches every name with this ending")
	}
	return nil
}

// refuseListing returns an error for a typed flag of a checkpoint's list, if the only source is an archive or a tensor.
func (o *options) refuseListing(set *source.Set) error {
	if len(o.sources) != 1 {
		return nil
	}
	for _, flag := range []string{"match", "sort"} {
		if !o.given(flag) {
			continue
		}
		if set.Format == format.NPZ {
			return fault.New(fault.Usage, "--%s applies to checkpoints, and %s is an archive", flag, set.Path).
				WithHint("select arrays by name: %s", set.Path.Member("w*").Arg())
		}
		return fault.New(fault.Usage, "--%s applies to checkpoints, and %s is one tensor", flag, o.sources[0]).
			WithHint("remove --%s", flag)
	}
	return nil
}

func writeTensor(out *cli.Reports, o *options, t *source.Tensor) error {
	r := report{inspect.New(t)}
	if o.cells() {
		c := &cells{report: r, tensor: t, storage: o.storage, limit: o.limit, named: len(o.sources) > 1, readAs: o.readAs.Name}
		var err error
		c.reader, err = t.Reader(o.readAs.Layout)
		if err != nil {
			return err
		}
		if _, err := t.DataTo(c.needed()); err != nil { // fail before writing anything
			return err
		}
		return out.Write(c)
	}
	r.AddEvidence(t)
	if err := r.AddValues(t); err != nil {
		return err
	}
	if o.explain {
		r.Explain = r.Derive()
	}
	return out.Write(r)
}

// details is what --help --all of inspect adds.
const details = `With --explain, derive these facts instead: each stride with its formula, the
address of an element, contiguity step by step, the results of PyTorch's
is_contiguous and suggest_memory_format with reasons, and the memory size. With
--storage, draw only the memory; tlayout draw shows it beside the tensor.`

// moreExamples are the examples that it adds.
const moreExamples = `  tlayout inspect *.npy weights.npz
  tlayout inspect model.pt --match '*.weight' --sort size
  tlayout inspect --shape 2,64,3,3 --from nchw4 --storage --limit 20`

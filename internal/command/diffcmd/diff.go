// Package diffcmd is tlayout diff, which compares two tensors, whatever their layouts.
package diffcmd

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/relate/diff"
	"github.com/tlayout/tlayout/internal/relate/pairing"
)

type options struct {
	cli.Source               // of both sides
	sides      [2]cli.Source // --from-a, --dtype-b and so on
	sources    []name.Name
	numeric    bool
	rtol, atol tolerance
	limit      int
	listing    bool // --limit was given
	threads    int
	recipe     name.Name // file to write the recipe to
	force      bool      // replace it
}

// asksRecipe reports whether a recipe is to be written.
func (o *options) asksRecipe() bool { return !o.recipe.IsZero() }

// maxListed bounds --limit, because the indices of listed elements are held in memory.
const maxListed = 1_000_000

// NewCmd makes tlayout diff.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two tensors, element by element, whatever their layouts",
		Long: `Compare two tensors element by element, whatever their layouts, and show where
they first differ. Dims are matched by name, N with N, if both have the same
names, otherwise by position. Padding is ignored. The exit code is 0 if the
tensors are the same, and 1 if they differ.

If they differ, the first line names the layout mistake that turned A into B, if
there is one: another memory order, dims exchanged or reversed, blocks, padding,
a header, byte order, dtype, factor and offset; then the command that undoes it,
which was tried on every element. Numbers of another engine or precision need no
flag: the line says how near they are.

Archives and checkpoints, x.npz, model.pt, model.safetensors, are compared
tensor by tensor, by name; folders file by file, by relative path.

Elements are compared bit for bit: -0 is not 0, and NaNs may differ. Byte order
is ignored. --rtol and --atol accept close numbers, as numpy.allclose does:

  |a - b| <= atol + rtol * |b|`,
		Example: `  tlayout diff x.npy x.nchw4c.npz
  tlayout convert x.npy --to nhwc -o - | tlayout diff x.npy - --from-b nhwc
  tlayout diff model.pt model.pt
  tlayout diff images/ images/
  tlayout diff x.npy x.nchw4c.npz --rtol 1e-5 --atol 1e-8 --quiet`,
		Args:              cli.Args(2, 2, "source", "tlayout diff x.npy y.npy"),
		ValidArgsFunction: cli.CompleteSources(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.sources = name.ParseAll(args)
			o.listing = cmd.Flags().Changed("limit")
			return run(a, o)
		},
	}
	o.AddReading(cmd)
	o.AddRaw(cmd)
	for i := range o.sides {
		addSide(cmd, &o.sides[i], sideNames[i])
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.numeric, "numeric", false, "compare numbers of any two types instead of bits")
	flags.Var(&o.rtol, "rtol", "relative tolerance, a fraction of |b|; implies --numeric")
	flags.Var(&o.atol, "atol", "absolute tolerance; implies --numeric")
	cli.CountVar(flags, &o.limit, "limit", 10, "number of differing elements to list; 0 means all, up to a million")
	flags.Var((*cli.File)(&o.recipe), "recipe", "write how each tensor of B is made of A's to this `file`")
	flags.BoolVar(&o.force, "force", false, "replace an existing recipe")
	cli.CountVar(flags, &o.threads, "threads", 0, "number of threads (default all cores)")
	cli.Group(cmd, "How to compare", "numeric", "rtol", "atol", "limit", "threads")
	cli.Group(cmd, "A recipe", "recipe", "force")
	cli.Needs(cmd, "force", "recipe")
	cli.Group(cmd, "What one side is", "from-a", "from-b", "dtype-a", "dtype-b", "channels-a", "channels-b")
	cli.Details(cmd, details, moreExamples)
	cli.Frequent(flags, "rtol", "atol", "numeric", "limit", "recipe", "from", "from-a", "from-b", "dtype-a", "dtype-b")
	cli.HasSettings(cmd)
	return cmd
}

var sideNames = [2]string{"a", "b"}

// addSide adds the flags that describe the source of one side.
func addSide(cmd *cobra.Command, f *cli.Source, side string) {
	flags := cmd.Flags()
	flags.Var(&f.Layout, "from-"+side, "--from for "+side+" only")
	flags.Var(&f.DType, "dtype-"+side, "--dtype for "+side+" only")
	cli.PositiveVar(flags, &f.Channels, "channels-"+side, 0, "--channels for "+side+" only")
}

// reading returns how to read a source of side i: by its own flags, else by those of both sides.
func (o *options) reading(a *cli.App, i int, n name.Name) source.Options {
	f := o.Source
	own := o.sides[i]
	if n.LooksLikeFile() { // --raw describes the other source
		f.Raw = false
		f.Skip = cli.Bytes{}
	}
	if own.Layout.Layout != nil {
		f.Layout = own.Layout
	}
	if own.DType.Value != nil {
		f.DType = own.DType
	}
	f.Channels = cmp.Or(own.Channels, f.Channels)
	return f.Options(a)
}

func (o *options) rule() diff.Rule {
	return diff.Rule{Numeric: o.numeric || o.rtol.set || o.atol.set, RTol: o.rtol.value, ATol: o.atol.value}
}

// near returns how far numbers may be apart; nil without a tolerance.
func (o *options) near() *relate.Near {
	if !o.rtol.set && !o.atol.set {
		return nil
	}
	return &relate.Near{RTol: o.rtol.value, ATol: o.atol.value}
}

// check returns an error for flags and sources that contradict each other.
func (o *options) check() error {
	if o.HasShape() {
		return o.ShapeOfFile(o.sources...)
	}
	a := o.sources[0]
	b := o.sources[1]
	if a.IsStdin() && b.IsStdin() {
		return fault.New(fault.Usage, "standard input cannot be both sources").
			WithHint("write one of them to a file: tlayout diff x.npy -")
	}
	if o.Raw && a.LooksLikeFile() && b.LooksLikeFile() {
		return fault.New(fault.Usage, "--raw describes a source without a header, but both have one").WithHint("remove --raw")
	}
	if o.limit > maxListed {
		return fault.New(fault.Usage, "--limit %d is outside 0..%d", o.limit, maxListed).
			WithHint("--limit 0 lists up to %d", maxListed)
	}
	if o.limit == 0 {
		o.limit = maxListed
	}
	return nil
}

// differ compares two sources.
type differ struct {
	*cli.App
	options  *options
	inputs   [2]*input
	moving   convert.Options
	work     *relate.Work            // of searches for relations
	noun     string                  // "array" if both sources are archives, else "tensor"
	warnings []string                // about the sources as a whole
	notes    []string                // on prefixes that the names of one side have
	made     map[string]pairing.Made // of b's tensors, those that are made of rows of a's
}

func newDiffer(a *cli.App, o *options) *differ {
	d := &differ{App: a, options: o, noun: "array", work: relate.NewWork(), warnings: []string{}, made: map[string]pairing.Made{}}
	for i, n := range o.sources {
		reading := func(n name.Name) source.Options { return o.reading(a, i, n) }
		d.inputs[i] = &input{source: n, options: reading, sources: map[string]name.Name{}}
	}
	return d
}

func run(a *cli.App, o *options) error {
	if err := o.check(); err != nil {
		return err
	}
	kernels, err := a.Kernels()
	if err != nil {
		return err
	}
	d := newDiffer(a, o)
	d.moving = convert.Options{Kernels: kernels, Threads: o.threads}
	defer d.inputs[0].close()
	defer d.inputs[1].close()
	several, err := d.match()
	if err != nil {
		return err
	}
	if err := d.checkRecipe(); err != nil {
		return err
	}
	if several {
		return d.all()
	}
	if !o.asksRecipe() {
		return d.single()
	}
	return d.all()
}

// single compares two sources of one tensor each, and writes the report while they are open.
func (d *differ) single() error {
	p, err := d.open([2]name.Name(d.options.sources))
	defer p.close()
	if err != nil {
		return err
	}
	r, err := p.compare(d)
	if err == nil && !r.Equal && !d.brief() {
		r.listing = d.options.listing
		err = p.relate(d, r, anyRelation)
	}
	if err == nil && r.isUnexplained() && !d.brief() {
		made, failed := p.madeOfRows(d)
		err = failed
		if r.Relation == nil || r.Relation.Kind == relate.Shuffled || made.isSliceOfA() {
			r.rows = made
		}
	}
	if err != nil {
		return err
	}
	if err := d.Write(r); err != nil {
		return err
	}
	if d.Format == cli.CSV { // other formats have it in the title of the list
		d.Hint(r.cut("rows"))
	}
	return verdict(r.Equal)
}

// verdict returns the error of the answer "no" unless both are equal.
func verdict(equal bool) error {
	if equal {
		return nil
	}
	return cli.Reported(fault.New(fault.Negative, "they differ"))
}

// tolerance is the value of a flag: a finite number of at least 0.
type tolerance struct {
	value float64
	set   bool
}

func (f *tolerance) String() string {
	if !f.set {
		return ""
	}
	return fmt.Sprint(f.value)
}

func (f *tolerance) Type() string { return "number" }

func (f *tolerance) Set(s string) (err error) {
	f.set = true
	f.value, err = strconv.ParseFloat(s, 64)
	if err != nil || !(f.value >= 0 && f.value <= math.MaxFloat64) {
		return errors.New("not a finite number of at least 0, such as 1e-5")
	}
	return nil
}

// details is what --help --all of diff adds.
const details = `In archives and checkpoints, a prefix that all names of one side have, such as
module., is reported and ignored. A tensor in another layout is the same. The
others are paired by their elements, in any order: permuted, under another name
(moved), equal to one that both have (tied), or made of rows of others: q, k and
v in one, experts stacked, a shard. Those that are left are compared as numbers:
rounded, scaled, or within a tolerance.
'model.pt:conv*' selects tensors, on both sides if the other has no pattern.

In folders, and prefixes such as s3://bucket/a/, layouts in file names are
ignored: x.npy of one is compared with x.nhwc.npy of the other.

--numeric compares numbers of any two types: exactly, except that NaN equals NaN
and -0 equals 0. --rtol and --atol are 0 by default; those of numpy.allclose are
1e-5 and 1e-8.

--recipe r.json writes how each tensor of B is made of A's, after every byte was
compared: tlayout check B --recipe r.json A does so again, tlayout convert A
--recipe r.json makes B. The exit code is then 0 if the recipe explains all of B.`

// moreExamples are the examples that it adds.
const moreExamples = `  tlayout convert x.npy --to nhwc
  tlayout diff x.npy x.nhwc.npy --from-b nhwc
  tlayout diff weights.npz 'weights.npz:*'`

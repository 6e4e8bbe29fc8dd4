// Package formatscmd is tlayout formats, which lists layout names, or spells one layout for every framework.
package formatscmd

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

type options struct {
	cli.Source
	framework  string
	descriptor bool
}

// allFrameworks is the value of --framework that selects every framework.
const allFrameworks = "all"

// NewCmd returns the command formats.
func NewCmd(a *cli.App) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "formats [LAYOUT|FRAMEWORK]",
		Short: "List the named layouts, or spell one for every framework",
		Long: `List the well-known memory orders and their names in frameworks. --all lists
every name, FRAMEWORK the names of one framework. LAYOUT shows the shape in
memory, the strides and how they are computed, padding and names; --all adds the
shape and strides to pass to every framework, layouts that are easily confused,
and code that makes this one.

In a memory order, C//16 is the index of a block of 16 channels and C%16 the
index within it. --shape is logical: N,C,H,W. With --strides, or a layout
(2,3):(5,1), formats names the layouts that have these strides.`,
		Example: `  tlayout formats
  tlayout formats tensorrt
  tlayout formats nhwc --shape 2,3,4,5
  tlayout formats nChw16c --shape 1,62,5,4 --all
  tlayout formats NHWC8 --shape 1,3,4,4 --dtype float16 --framework directml
  tlayout formats --shape 2,32,7,7 --strides 1568,1,224,32
  tlayout formats --descriptor 'Sw<3,3,3> o (128,64):(64,1)' --dtype float16`,
		ValidArgsFunction: complete,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := o.readArgument(args); err != nil {
				return err
			}
			return run(a, o)
		},
	}
	flags := cmd.Flags()
	flags.Var(&o.Shape, "shape", "logical sizes, N,C,H,W, or named: N=2,H=4,W=5,C=3")
	flags.Var(&o.Dims, "dims", "names of the shape's dims, in its order: B,T,H,D")
	flags.Var(&o.Strides, "strides", "with --shape: strides of the logical dims, in elements")
	o.AddBlocks(cmd)
	flags.Var(&o.DType, "dtype", "element type, for bytes (default float32)")
	names := cli.EnumOf(&o.framework, allFrameworks, listedWords()...)
	names.Meant = framework.Meant
	flags.Var(names, "framework", "only this `framework`: pytorch, onednn, …")
	flags.BoolVar(&o.descriptor, "descriptor", false, "print LBO, SBO and layout type of WGMMA's and UMMA's matrix descriptors")
	cli.Group(cmd, "Sizes and type of LAYOUT", "shape", "dims", "dtype", "strides", "inner-blocks", "vec")
	cli.HasSettings(cmd)
	cli.Needs(cmd, "strides", "shape")
	return cmd
}

// frameworkWords are the words for frameworks on the command line.
func frameworkWords(all []*framework.Framework) []string {
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Key()
	}
	return names
}

// listedWords are the words for the frameworks of the catalogue.
func listedWords() []string { return frameworkWords(framework.Listed()) }

// selected reports whether --framework includes a framework.
func selected(flag, name string) bool {
	return flag == allFrameworks || flag == "" || flag == framework.KeyOf(name)
}

// complete completes layouts and frameworks.
func complete(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	layouts, directive := cli.CompleteLayouts(cmd, args, typed)
	for _, f := range framework.Listed() {
		layouts = append(layouts, f.Key()+"\tnames in "+f.Name)
	}
	return layouts, directive
}

// readArgument reads the argument, if any: a layout or a framework.
func (o *options) readArgument(args []string) error {
	if len(args) == 0 {
		return nil
	}
	if len(args) > 1 {
		return fault.New(fault.Usage, "formats takes one layout, found %d words", len(args)).
			WithHint("quote a layout with spaces: tlayout formats %s", text.Shell(strings.Join(args, " ")))
	}
	word := args[0]
	if slices.Contains(listedWords(), strings.ToLower(word)) {
		return o.readFramework(strings.ToLower(word))
	}
	misspelt := framework.Meant(word, listedWords()) != ""
	if misspelt && framework.Abbreviated(word) != nil {
		return unknownFramework(word)
	}
	err := o.Layout.Set(word)
	if err == nil {
		return nil
	}
	if name.Parse(word).LooksLikeFile() {
		return fault.New(fault.Usage, "formats needs a layout name, not a file").
			WithHint("to inspect a file: tlayout inspect %s", name.Parse(word).Arg())
	}
	if misspelt {
		return unknownFramework(word)
	}
	var e *fault.Error
	if notation.IsLetters(word) && errors.As(err, &e) && e.Class == fault.Usage {
		return fault.New(fault.Usage, "unknown layout or framework %s", text.Quoted(word)).WithHint("%s", e.Hint)
	}
	return err
}

// unknownFramework returns the error of a word close to a framework's name.
func unknownFramework(word string) error {
	return fault.New(fault.Usage, "unknown layout or framework %s", text.Quoted(word)).
		WithHint("did you mean tlayout formats %s?", framework.Meant(word, listedWords()))
}

// readFramework selects the framework that the argument names.
func (o *options) readFramework(key string) error {
	if o.framework != allFrameworks && o.framework != key {
		return cli.Excluded(key, "--framework "+o.framework)
	}
	if o.HasShape() || o.Layout.Layout != nil {
		return fault.New(fault.Usage, "%s is a framework, but --shape and --strides describe a layout", key).
			WithHint("to show one layout in one framework: tlayout formats nhwc --shape 2,3,4,5 --framework %s", key)
	}
	o.framework = key
	return nil
}

func run(a *cli.App, o *options) error {
	if len(o.Dims) > 0 && !o.Shape.Given && !o.Exact() {
		return fault.New(fault.Usage, "--dims needs --shape").WithHint("tlayout formats --shape 2,16,8,64 --dims B,T,H,D")
	}
	if o.Layout.Layout == nil && !o.HasShape() {
		if o.descriptor {
			return fault.New(fault.Usage, "--descriptor needs a layout").
				WithHint("tlayout formats --descriptor 'Sw<3,4,3> o smem_ptr[16b](unset) o (128,64):(64,1)'")
		}
		return a.Write(newCatalogue(o.framework))
	}
	if o.Strides.Given && o.Layout.Layout != nil {
		return cli.Excluded("layout "+text.Quoted(o.Layout.Name), "--strides")
	}
	if o.Shape.Given && len(o.Shape.Values) == 0 {
		return fault.New(fault.Usage, "a scalar has no layout to name").
			WithHint("pass the sizes of the dims: tlayout formats --shape 2,3,4,5")
	}
	listedOnly := slices.Contains(listedWords(), o.framework) && !slices.Contains(frameworkWords(framework.All()), o.framework)
	if listedOnly {
		return fault.New(fault.Usage, "--framework %s: it has no name for a tensor's layout", o.framework).
			WithHint("tlayout formats %s lists its names; tlayout inspect says whether it accepts a tensor", o.framework)
	}
	t, err := o.describe()
	if err != nil {
		return err
	}
	r, err := newReport(o, t)
	if err != nil {
		return err
	}
	return a.Write(r)
}

// describe returns the tensor to show; without sizes, it has only a memory order.
func (o *options) describe() (*source.Tensor, error) {
	if o.Shape.Given || o.Exact() {
		return o.Describe()
	}
	if err := o.Layout.Layout.NeedsSizes(); err != nil {
		return nil, err
	}
	t := &source.Tensor{HasFormat: true, OrderSource: source.ByUser}
	l := *o.Layout.Layout
	if o.DType.Value != nil {
		var err error
		l, err = l.ForElements(o.DType.Value.Bits())
		if err != nil {
			return nil, err
		}
	}
	switch l.Own {
	case notation.OwnC:
		t.Format = notation.RowMajor(source.DimNames(4))
	case notation.OwnFortran:
		t.Format = notation.RowMajor(source.DimNames(4)).Reversed()
	default:
		t.Format = l.Format
		if t.Format.Positional() && t.Format.Rank() <= 5 {
			t.Format = t.Format.Rename(source.DimNames(t.Format.Rank()))
		}
	}
	return t, nil
}

// requested returns the layout as the user wrote it.
func (o *options) requested() string {
	if o.Strides.Given {
		return "strides " + tensor.Tuple(o.Strides.Values)
	}
	if o.Layout.Layout != nil {
		return o.Layout.Name
	}
	return "shape " + tensor.Tuple(o.Shape.Values)
}

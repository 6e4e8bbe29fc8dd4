package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

type formatsOptions struct {
	sourceFlags
	framework string
}

// allFrameworks is the value of --framework that leaves none out.
const allFrameworks = "all"

func newFormatsCmd(a *app) *cobra.Command {
	o := &formatsOptions{}
	cmd := &cobra.Command{
		Use:   "formats [LAYOUT]",
		Short: "List the named layouts, or spell one for every framework",
		Long: `List every named layout with its memory order; or take one and show its physical
shape, where its strides come from, its padding, its name in every framework,
what shape and strides to pass there and in which order, and code that makes it.

In a memory order C//16 is the number of a block of 16 channels, C%16 the place
in it. --shape is logical: N,C,H,W. With --strides, or a layout (2,3):(5,1), it
answers which name these strides have.`,
		Example: `  tlayout formats
  tlayout formats --framework tensorrt
  tlayout formats nChw16c --shape 1,62,5,4
  tlayout formats NHWC8 --shape 1,3,4,4 --dtype float16 --framework directml
  tlayout formats --shape 2,32,7,7 --strides 1568,1,224,32`,
		Args:              func(_ *cobra.Command, args []string) error { return o.takeLayout(args) },
		ValidArgsFunction: completeLayouts,
		RunE:              func(*cobra.Command, []string) error { return runFormats(a, o) },
	}
	flags := cmd.Flags()
	flags.Var(&o.shape, "shape", "the logical sizes, N,C,H,W")
	flags.Var(&o.strides, "strides", "with --shape: strides of the logical dims, in elements")
	flags.Var(&o.dtype, "dtype", "element type, for bytes (default float32)")
	names := newEnum(&o.framework, allFrameworks, frameworkWords()...)
	flags.Var(names, "framework", "only this `framework`: pytorch, onednn, …")
	must(cmd.RegisterFlagCompletionFunc("dtype", completeDTypes))
	completeEnums(cmd, flags)
	return cmd
}

// frameworkWords are the values of --framework.
func frameworkWords() []string {
	var names []string
	for _, f := range notation.Frameworks() {
		names = append(names, strings.ToLower(f.Name))
	}
	return names
}

// takeLayout reads the argument.
func (o *formatsOptions) takeLayout(args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case len(args) > 1:
		return fault.New(fault.Usage, "formats takes one layout, found %d words", len(args)).
			WithHint("put a layout with blanks in quotes: tlayout formats %s", fault.Quote(words.Shell(strings.Join(args, " "))))
	}
	err := o.layout.Set(args[0])
	if err != nil && namesFile(args[0]) {
		return fault.New(fault.Usage, "formats takes a layout's name, not a file").
			WithHint("to look at a file: tlayout inspect %s", fault.Quote(words.Shell(args[0])))
	}
	return err
}

func runFormats(a *app, o *formatsOptions) error {
	switch {
	case o.layout.layout == nil && !o.typed():
		return newFormatsCatalogue(o.framework).write(a)
	case o.strides.set && !o.shape.set:
		return fault.New(fault.Usage, "--strides needs --shape").
			WithHint("tlayout formats --shape 2,32,7,7 --strides 1568,1,224,32")
	case o.strides.set && o.layout.layout != nil:
		return fault.New(fault.Usage, `the layout "%s" and --strides both say where elements lie`, fault.Quote(o.layout.name)).
			WithHint("leave one of them out")
	}
	if o.shape.set && len(o.shape.values) == 0 {
		return fault.New(fault.Usage, "a tensor without dims has one element, and no layout to name").
			WithHint("--shape takes the sizes of the dims: tlayout formats --shape 2,3,4,5")
	}
	r, err := newFormatsReport(o)
	if err != nil {
		return err
	}
	return r.write(a)
}

// describeFormat is the layout in question: with sizes, or, where none are given, its memory order alone.
func (o *formatsOptions) describeFormat() (*source.Tensor, error) {
	if o.shape.set || o.exact() {
		return o.describe()
	}
	t := &source.Tensor{HasFormat: true, Named: true}
	switch l := o.layout.layout; l.Own {
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

func nonEmpty(texts ...string) []string {
	var kept []string
	for _, s := range texts {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// keeps reports whether --framework leaves a framework in.
func keeps(framework, name string) bool {
	return framework == allFrameworks || framework == "" || strings.EqualFold(framework, name)
}

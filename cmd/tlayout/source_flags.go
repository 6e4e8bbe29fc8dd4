package main

import (
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// sourceFlags say how a source is read, or describe one without a file.
type sourceFlags struct {
	layout    layoutFlag
	dtype     dtypeFlag
	channels  int
	maxHeader bytesFlag

	shape, strides intsFlag
	offset         int
}

// addReading adds the flags for files; layoutName is what the layout flag is called here.
func (f *sourceFlags) addReading(cmd *cobra.Command, layoutName string) {
	flags := cmd.Flags()
	flags.Var(&f.layout, layoutName, "memory order of the source's axes, outermost first (default: by rank)")
	flags.Var(&f.dtype, "dtype", "read the items as this type of the same size: bfloat16 for V2")
	flags.IntVar(&f.channels, "channels", 0, "the real number of channels where a blocked file is padded")
	flags.Var(&f.maxHeader, "max-header", "largest .npy header to read (default 1 MiB)")
	must(cmd.RegisterFlagCompletionFunc(layoutName, completeLayouts))
	must(cmd.RegisterFlagCompletionFunc("dtype", completeDTypes))
}

// addTyping adds the flags of a source without a file.
func (f *sourceFlags) addTyping(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Var(&f.shape, "shape", "without a file: the logical sizes, N,C,H,W")
	flags.Var(&f.strides, "strides", "with --shape: strides of the logical dims, in elements")
	flags.IntVar(&f.offset, "offset", 0, "with --shape: where the first element lies in storage, in elements")
}

// exact reports whether the layout says the tensor's sizes, strides and offset by itself.
func (f *sourceFlags) exact() bool { return f.layout.layout != nil && f.layout.layout.Exact != nil }

// refuseGuess fails where the order of a source is only guessed, and its sizes speak for another one. flag names the order.
func refuseGuess(t *source.Tensor, flag string) error {
	looks := t.LooksLike()
	if looks == "" {
		return nil
	}
	return fault.New(fault.Usage, `"%s" is read as %s by default, but %s`, fault.Quote(t.Source), t.Format, t.Notes[len(t.Notes)-1]).
		WithHint("say which it is: %s %s or %s %s", flag, looks, flag, strings.ToLower(strings.Join(t.Layout.Names(), "")))
}

// typed reports whether a source without a file is described.
func (f *sourceFlags) typed() bool { return f.shape.set || f.strides.set }

func (f *sourceFlags) options(a *app) source.Options {
	return source.Options{Layout: f.layout.layout, Channels: f.channels, DType: f.dtype.dtype, MaxHeader: f.maxHeader.n, Stdin: a.streams.in}
}

// describe makes the tensor of --shape and its companions.
func (f *sourceFlags) describe() (*source.Tensor, error) {
	if !f.shape.set && !f.exact() {
		given := "--layout"
		if f.strides.set {
			given = "--strides"
		}
		return nil, fault.New(fault.Usage, "%s needs a file or --shape", given)
	}
	if f.channels != 0 {
		return nil, fault.New(fault.Usage, "--channels is for files; --shape says the number of channels")
	}
	y := source.Typed{Shape: f.shape.values, Strides: f.strides.values, Offset: f.offset, Layout: f.layout.layout}
	dtype := f.dtype.dtype
	if dtype == nil {
		d, err := tensor.ParseDType("float32")
		if err != nil {
			return nil, err
		}
		dtype = &d
	}
	y.DType = *dtype
	return source.Describe(y)
}

// take opens the first argument, or describes the tensor of --shape; rest are the arguments behind it. Where headerOnly
// is set, no more than the header is read from standard input.
func (f *sourceFlags) take(a *app, args []string, headerOnly bool) (t *source.Tensor, rest []string, err error) {
	switch {
	case f.typed() || f.exact() && (len(args) == 0 || !namesFile(args[0])):
		t, err = f.describe()
		return t, args, err
	case len(args) == 0:
		return nil, nil, noSource("")
	}
	opts := f.options(a)
	opts.HeaderOnly = headerOnly
	t, err = source.Open(args[0], opts)
	return t, args[1:], err
}

// noSource refuses a command line without a source; before names what stands in its place.
func noSource(before string) error {
	return fault.New(fault.Usage, "no source is named%s", before).
		WithHint("name a .npy file, - for standard input, or describe a tensor with --shape")
}

// namesFile tells a source from what else a command takes.
func namesFile(arg string) bool {
	return arg == source.Stdin || strings.Contains(arg, ".npy") || strings.Contains(strings.ToLower(arg), ".npz") || strings.HasSuffix(arg, ".json")
}

func completeLayouts(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return notation.WellKnown(), cobra.ShellCompDirectiveNoFileComp
}

func completeDTypes(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return strings.Fields("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 float128 bfloat16 " +
		"float8_e4m3fn float8_e5m2 complex64 complex128 complex256"), cobra.ShellCompDirectiveNoFileComp
}

// completeSources offers the files that can be opened, and behind x.npz: the arrays in it.
func completeSources(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	most := max(1, map[string]int{"inspect": math.MaxInt, "check": math.MaxInt, "diff": 2}[cmd.Name()])
	if len(args) >= most {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if names := source.Complete(typed); len(names) > 0 {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"npy", "npz", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

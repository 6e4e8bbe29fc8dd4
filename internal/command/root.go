package command

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/command/bench"
	"github.com/tlayout/tlayout/internal/command/check"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/convert"
	"github.com/tlayout/tlayout/internal/command/diff"
	"github.com/tlayout/tlayout/internal/command/draw"
	"github.com/tlayout/tlayout/internal/command/formats"
	"github.com/tlayout/tlayout/internal/command/inspect"
	"github.com/tlayout/tlayout/internal/command/offset"
	"github.com/tlayout/tlayout/internal/command/trace"
	"github.com/tlayout/tlayout/internal/command/why"
)

const rootLong = `Inspect, explain, draw, convert and benchmark the memory layout of tensors.
tlayout x.npy is tlayout inspect x.npy.

A source SRC is x.npy, x.npz:name or x.npz of one array, - for standard input,
or no file at all but --shape, with --strides, --offset, --dtype and --layout as
needed. inspect, check, diff, draw and convert take whole archives, x.npz, and
patterns, 'x.npz:conv*'. inspect, check and convert take many sources: folders,
'*.npy', lists of names (@list.txt, -@).

A layout is a memory order, outermost axis first: nchw, nhwc, NCHW4c, nChw16c,
channels_last, {3,2,1,0}. A file's shape is physical: its axes are those of the
layout, in its order. A shape that you type is logical, N,C,H,W,
unless --dims or N=1,H=224,W=224,C=3 name its dims.`

// otherNames are what other tools call a command.
var otherNames = map[string]string{
	"inspect": "info show view cat ls list print describe stat dump head summary", "draw": "plot image render picture visualize",
	"offset": "index address at", "trace": "follow ops", "formats": "layouts layout names", "why": "explain error",
	"convert": "transpose permute cast copy cp export transform reorder", "check": "assert validate verify test lint",
	"diff": "compare cmp equal", "bench": "benchmark time perf profile",
}

// writeShort is the answer to tlayout without arguments: what people need first.
func writeShort(cmd *cobra.Command) error {
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "%s\n\nUsage:\n  tlayout SRC…         show what a tensor is, and its memory layout\n  tlayout COMMAND …\n\n", strings.SplitN(rootLong, "\n", 2)[0])
	for _, c := range cmd.Commands() {
		if slices.Contains([]string{"convert", "check", "diff", "draw", "why"}, c.Name()) {
			fmt.Fprintf(w, "  %-9s %s\n", c.Name(), c.Short)
		}
	}
	_, err := fmt.Fprint(w, `
Examples:
  tlayout x.npy
  tlayout convert model.pt -o model.safetensors
  tlayout why "view size is not compatible with input tensor's size and stride"

tlayout --help lists all commands and topics.
`)
	return err
}

// Commands are listed in the order of NewRoot.
func init() { cobra.EnableCommandSorting = false }

// NewRoot builds the command tree.
func NewRoot(a *cli.App) *cobra.Command {
	root := &cobra.Command{
		Use:           "tlayout SRC…",
		Short:         "Inspect, explain, draw and convert the memory layout of tensors",
		Long:          rootLong,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       cli.Version(),
		Args:          cli.UnknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return writeShort(cmd) },
	}
	root.SetVersionTemplate("tlayout {{.Version}}\n")
	root.SetFlagErrorFunc(cli.UsageError)
	root.ValidArgsFunction = cli.CompleteSources(math.MaxInt)
	a.Help(root)
	root.Flags().BoolP("version", "V", false, "print the version")
	p := root.PersistentFlags()
	p.VarP(cli.EnumOf(&a.Format, cli.Table, cli.JSON, cli.CSV, cli.Markdown), "format", "f", "output `format`: table, json, csv or markdown")
	p.Bool("json", false, "short for --format json")
	p.BoolVar(&a.All, "all", false, "show everything, not only what is news")
	p.BoolVarP(&a.Quiet, "quiet", "q", false, "print only what failed")
	p.BoolVarP(&a.Verbose, "verbose", "v", false, "say on standard error what decided the answer")
	p.Var(cli.EnumOf(&a.Color, cli.ColorAuto, cli.ColorAlways, cli.ColorNever), "color", "color and bold text")
	p.Var(new(cli.File), "config", "settings `file`, instead of .tlayout.yaml")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.Configure(cmd) }
	add := func(title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
		for _, c := range commands {
			c.GroupID = title
			root.AddCommand(c)
		}
	}
	add("Understand a tensor", inspect.NewCmd(a), draw.NewCmd(a), offset.NewCmd(a), trace.NewCmd(a), formats.NewCmd(a), why.NewCmd(a))
	add("Change its layout", convert.NewCmd(a), convert.NewPlanCmd(a))
	add("Compare, measure, and gate in CI", check.NewCmd(a), diff.NewCmd(a), bench.NewCmd(a))
	root.AddCommand(newVersionCmd(a))
	for _, c := range root.Commands() {
		c.SuggestFor = strings.Fields(otherNames[c.Name()])
	}
	root.AddCommand(helpTopics()...)
	return root
}

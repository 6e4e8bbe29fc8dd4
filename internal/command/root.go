package command

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tlayout/tlayout/internal/ask"
	"github.com/tlayout/tlayout/internal/command/checkcmd"
	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/convertcmd"
	"github.com/tlayout/tlayout/internal/command/diffcmd"
	"github.com/tlayout/tlayout/internal/command/drawcmd"
	"github.com/tlayout/tlayout/internal/command/formatscmd"
	"github.com/tlayout/tlayout/internal/command/graphcmd"
	"github.com/tlayout/tlayout/internal/command/guesscmd"
	"github.com/tlayout/tlayout/internal/command/inspectcmd"
	"github.com/tlayout/tlayout/internal/command/offsetcmd"
	"github.com/tlayout/tlayout/internal/command/threadscmd"
	"github.com/tlayout/tlayout/internal/command/tracecmd"
	"github.com/tlayout/tlayout/internal/command/whycmd"
	"github.com/tlayout/tlayout/internal/name"
)

const rootLong = `Inspect, explain, draw, convert and benchmark the memory layout of tensors.
tlayout x.npy is tlayout inspect x.npy. A text alone is read as what it is: a
shape, a layout, an error message, a line of Python, 'nchw to nhwc'. What it was
read as is printed below the answer if it may be something else.

A source SRC is x.npy, x.npz:name or x.npz of one array, - for standard input,
or --shape instead of a file, with --strides, --offset, --dtype and --from as
needed. inspect, check, diff, draw and convert accept whole archives, x.npz, and
patterns, 'x.npz:conv*'. inspect, check and convert accept many sources:
folders, '*.npy', lists of names (@list.txt, -@).

A layout is a memory order, outermost axis first: nchw, nhwc, NCHW4c, nChw16c,
channels_last, {3,2,1,0}. A file's shape is physical: its axes are those of the
layout, in its order. The shape of --shape is logical, N,C,H,W, unless --dims or
N=1,H=224,W=224,C=3 name its dims.`

type entry struct {
	group  string
	name   string
	build  func(*cli.App) *cobra.Command
	others string // what other tools call it
}

// commands are listed in this order.
var commands = []entry{
	{understand, "inspect", inspectcmd.NewCmd, "info show view cat ls list print describe stat dump head summary"},
	{understand, "draw", drawcmd.NewCmd, "plot image render picture visualize"},
	{understand, "offset", offsetcmd.NewCmd, "index address at"},
	{understand, "trace", tracecmd.NewCmd, "follow ops"},
	{understand, "threads", threadscmd.NewCmd, "fragment lanes"},
	{understand, "formats", formatscmd.NewCmd, "layouts layout names"},
	{understand, "guess", guesscmd.NewCmd, "detect identify"},
	{understand, "graph", graphcmd.NewCmd, "model profile network onnx"},
	{understand, "why", whycmd.NewCmd, "explain error"},
	{change, "convert", convertcmd.NewCmd, "transpose permute cast copy cp export transform reorder"},
	{change, "plan", convertcmd.NewPlanCmd, ""},
	{compare, "check", checkcmd.NewCmd, "assert validate verify test lint"},
	{compare, "diff", diffcmd.NewCmd, "compare cmp equal"},
	benchEntry,
	{"", "version", newVersionCmd, ""},
}

// The groups of commands.
const (
	understand = "Understand a tensor"
	change     = "Change its layout"
	compare    = "Compare, measure, and gate in CI"
)

// writeShort prints the help of tlayout without arguments: what people need first.
func writeShort(cmd *cobra.Command) error {
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "%s\n\nUsage:\n  tlayout SRC…         show a tensor's type, shape and memory layout\n  tlayout COMMAND …\n\n", strings.SplitN(rootLong, "\n", 2)[0])
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

func init() { cobra.EnableCommandSorting = false }

// NewRoot builds the command tree: only the command that App.First names, inspect for a file, or all commands if it names none.
// Building one takes a tenth of the time.
func NewRoot(a *cli.App) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:           "tlayout SRC…",
		Short:         "Inspect, explain, draw and convert the memory layout of tensors",
		Long:          rootLong,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cli.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), "tlayout", cli.Version())
				return err
			}
			return writeShort(cmd)
		},
	}
	root.SetFlagErrorFunc(a.FlagError)
	root.ValidArgsFunction = cli.CompleteSources(math.MaxInt)
	a.Help(root)
	root.Flags().BoolVarP(&version, "version", "V", false, "print the version")
	p := root.PersistentFlags()
	p.VarP(cli.EnumOf(&a.Format, cli.Table, cli.JSON, cli.CSV, cli.Markdown), "format", "f", "output `format`: table, json, csv or markdown")
	p.Bool("json", false, "short for --format json")
	p.BoolVar(&a.All, "all", false, "show everything, not only the highlights")
	p.BoolVarP(&a.Quiet, "quiet", "q", false, "print failures only")
	p.BoolVarP(&a.Verbose, "verbose", "v", false, "explain on standard error what determined the answer")
	p.Var(cli.EnumOf(&a.Color, cli.ColorAuto, cli.ColorAlways, cli.ColorNever), "color", "color and bold text")
	p.Var(new(cli.File), "config", "settings `file`, instead of your own")
	cli.Frequent(p, "all", "json")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.Configure(cmd) }
	only := a.First
	isFile := name.Parse(only).IsPath() && !ask.IsText(only) && !ask.MayBeCode(only)
	if isFile && !cli.MayBeProgram(only) { // whether it is one, and alone, is found out once, from its bytes
		only = "inspect"
	}
	all := !slices.ContainsFunc(commands, func(c entry) bool { return c.name == only })
	if !all {
		root.CompletionOptions.DisableDefaultCmd = true
		a.Whole = func() *cobra.Command { return NewRoot(&cli.App{Streams: a.Streams}) }
	}
	for _, c := range commands {
		if !all && c.name != only {
			continue
		}
		cmd := c.build(a)
		cmd.GroupID = c.group
		cmd.SuggestFor = strings.Fields(c.others)
		if c.group != "" && !root.ContainsGroup(c.group) {
			root.AddGroup(&cobra.Group{ID: c.group, Title: c.group})
		}
		root.AddCommand(cmd)
	}
	if all {
		root.AddCommand(helpTopics()...)
		root.AddCommand(newReadingsCmd(a))
		root.InitDefaultHelpCmd()
		help, _, err := root.Find([]string{"help"})
		cli.Must(err)
		help.AddCommand(newNamesCmd(a))
	}
	return root
}

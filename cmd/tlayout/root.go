package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/fault"
)

const rootLong = `tlayout shows how a tensor lies in memory, explains why, and moves it into
another memory format.

A source is x.npy, x.npz:name, x.layout.json, - for standard input, or no file
at all but --shape, with --strides, --offset, --dtype and --layout as needed.

A layout is a memory order, outermost axis first: nchw, nhwc, NCHW4c, nChw16c,
channels_last, {3,2,1,0}. A file's shape is physical: its axes are matched one
by one with the layout that you name. A shape that you type is logical: N,C,H,W.`

// newRootCmd builds the whole command tree.
func newRootCmd(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "tlayout",
		Short:         "See, explain and convert the memory layout of tensors",
		Long:          rootLong,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
		Args:          unknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("tlayout {{.Version}}\n")
	root.SetFlagErrorFunc(usageError)
	p := root.PersistentFlags()
	p.VarP(newEnum(&a.format, formatTable, formatJSON, formatCSV, formatMarkdown), "output", "f", "how to write results")
	p.Bool("json", false, "short for --output json")
	p.Var(newEnum(&a.color, colorAuto, colorAlways, colorNever), "color", "bold headings and coloured cells")
	p.String("config", "", "read settings from this `file` instead of .tlayout.yaml")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return a.configure(cmd) }
	root.AddCommand(newInspectCmd(a), newConvertCmd(a), newBenchCmd(a), newTraceCmd(a), newOffsetCmd(a), newPlanCmd(a),
		newFormatsCmd(a), newDiffCmd(a), newDrawCmd(a), newCheckCmd(a), newVersionCmd(a))
	root.AddCommand(helpTopics()...)
	completeEnums(root, p)
	return root
}

// unknownCommand refuses arguments of the bare program and names the command that was meant.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := fault.New(fault.Usage, `unknown command "%s"`, fault.Quote(args[0]))
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return e.WithHint("did you mean %s?", strings.Join(near, " or "))
	}
	if strings.Contains(args[0], ".") {
		return e.WithHint("to look at a file: tlayout inspect %s", fault.Quote(args[0]))
	}
	return e.WithHint("%s --help lists the commands", cmd.CommandPath())
}

// refuseExtras gives cobra's own commands our errors for arguments that they do not know. The root's output must be
// set, for they remember it.
func refuseExtras(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				_, unknown, err := root.Find(args)
				if err != nil {
					return err
				}
				return unknownCommand(root, unknown)
			}
		case "completion":
			c.Args, c.RunE = unknownCommand, func(c *cobra.Command, _ []string) error { return c.Help() }
			for _, shell := range c.Commands() {
				shell.Args = noArgs
			}
		}
	}
}

// completeEnums offers the words of a command's enums in the shell.
func completeEnums(cmd *cobra.Command, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if e, ok := f.Value.(interface{ words() []string }); ok {
			must(cmd.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(e.words(), cobra.ShellCompDirectiveNoFileComp)))
		}
	})
}

// must is for calls that fail only if the command tree contradicts itself.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// helpColumns is the width of help off a terminal.
const helpColumns = 80

// WhereTo is the section of the flags that choose a drawing's file and do not change what it shows.
const WhereTo = "Where to"

// Typed returns the command line of a drawing as typed and as settings complete it, without the program's name, options that all commands
// have, and the flags of WhereTo: draw --shape 2,3 --from nhwc. Of the options that all commands have it keeps --all.
func (a *App) Typed(cmd *cobra.Command, args []name.Name) string {
	words := []string{cmd.Name()}
	add := func(f *pflag.Flag, value string) error {
		if f.Name == "all" || describesDrawing(f) {
			words = append(words, typedFlag(f, value)...)
		}
		return nil
	}
	Must(cmd.Flags().ParseAll(a.typed, add)) // as it was parsed already
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if a.filled[f.Name] {
			Must(add(f, f.Value.String()))
		}
	})
	for _, arg := range args {
		words = append(words, arg.Arg())
	}
	return strings.Join(words, " ")
}

// describesDrawing reports whether a flag is in one of the command's own sections, other than WhereTo.
func describesDrawing(f *pflag.Flag) bool {
	section := f.Annotations[group]
	return section != nil && section[0] != WhereTo
}

// typedFlag returns the words that set a flag on a command line.
func typedFlag(f *pflag.Flag, value string) []string {
	if f.NoOptDefVal == "" {
		return []string{"--" + f.Name, text.Shell(value)}
	}
	if value == f.NoOptDefVal {
		return []string{"--" + f.Name}
	}
	return []string{text.Shell("--" + f.Name + "=" + value)}
}

// The annotations of a command with what --help --all adds.
const (
	details      = "details"
	moreExamples = "more examples"
)

// Details sets what --help --all and the manual page of a command add: paragraphs after those of Long, and examples.
func Details(cmd *cobra.Command, paragraphs, examples string) {
	annotate(cmd, details, paragraphs)
	annotate(cmd, moreExamples, examples)
}

// WholeLong returns a command's description with its details.
func WholeLong(cmd *cobra.Command) string {
	return strings.Trim(cmd.Long+"\n\n"+cmd.Annotations[details], "\n")
}

// WholeExamples returns all examples of a command.
func WholeExamples(cmd *cobra.Command) string {
	return strings.Trim(cmd.Example+"\n"+cmd.Annotations[moreExamples], "\n")
}

// Help makes a command and its subcommands print help that fits the terminal: purpose, usage, examples, commands and frequent flags; with --all
// everything, flags by purpose.
func (a *App) Help(root *cobra.Command) {
	width := helpColumns
	if a.Streams.Width > 0 {
		width = min(max(text.MinColumns, a.Streams.Width), helpColumns+20)
	}
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { a.writeHelp(a.Streams.plain(cmd.OutOrStdout()), cmd, width) })
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		a.writeUsage(a.Streams.plain(cmd.OutOrStderr()), cmd, width)
		return nil
	})
}

func (a *App) writeHelp(w io.Writer, cmd *cobra.Command, width int) {
	long := cmd.Long
	if a.All {
		long = WholeLong(cmd)
	}
	if text := strings.TrimRight(cmp.Or(long, cmd.Short), " \n"); text != "" {
		writeFolded(w, text, width)
		fmt.Fprintln(w)
	}
	if cmd.Runnable() || cmd.HasSubCommands() {
		a.writeUsage(w, cmd, width)
	}
}

func (a *App) writeUsage(w io.Writer, cmd *cobra.Command, width int) {
	fmt.Fprintln(w, "Usage:")
	if cmd.Runnable() {
		fmt.Fprintln(w, "  "+cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, "  "+cmd.CommandPath()+" COMMAND")
	}
	examples := cmd.Example
	if a.All {
		examples = WholeExamples(cmd)
	}
	if examples != "" {
		fmt.Fprintln(w, "\nExamples:\n"+examples)
	}
	for _, g := range cmd.Groups() {
		writeCommands(w, g.Title, cmd.Commands(), width, func(c *cobra.Command) bool { return c.GroupID == g.ID && c.IsAvailableCommand() })
	}
	writeCommands(w, "More", cmd.Commands(), width, func(c *cobra.Command) bool { return c.GroupID == "" && c.IsAvailableCommand() })
	writeCommands(w, "Help topics", cmd.Commands(), width, (*cobra.Command).IsAdditionalHelpTopicCommand)
	a.writeFlags(w, cmd, width)
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nFor flags and examples: %s COMMAND --help\n", cmd.CommandPath())
	}
}

// writeCommands lists the selected commands under a title; nothing if there are none.
func writeCommands(w io.Writer, title string, all []*cobra.Command, width int, include func(*cobra.Command) bool) {
	listed := slices.DeleteFunc(slices.Clone(all), func(c *cobra.Command) bool { return !include(c) })
	if len(listed) == 0 {
		return
	}
	fmt.Fprintln(w, "\n"+title+":")
	for _, c := range listed {
		writeFolded(w, fmt.Sprintf("  %-*s %s", c.NamePadding(), c.Name(), c.Short), width)
	}
}

// writeFolded writes lines, wrapped to the terminal.
func writeFolded(w io.Writer, s string, width int) {
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		fmt.Fprintln(w, text.Fold(line, width, indent))
	}
}

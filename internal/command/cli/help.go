package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// helpColumns is the width of help off a terminal.
const helpColumns = 80

// group annotates a flag with its section in help: a rank that orders sections, the title, and the flag's position in the section.
const group = "group"

// lastRank is the rank of a section after the command's own.
const lastRank = 100

// Group lists existing flags of a command in a section of its help, in the order of names. Sections appear in the order of the calls.
func Group(cmd *cobra.Command, title string, names ...string) {
	rank := map[string]bool{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if g := f.Annotations[group]; g != nil && g[0] != title {
			rank[g[0]] = true
		}
	})
	groupAt(cmd, len(rank), title, names)
}

func groupAt(cmd *cobra.Command, rank int, title string, names []string) {
	for i, name := range names {
		if cmd.Flags().Lookup(name) != nil {
			Must(cmd.Flags().SetAnnotation(name, group, []string{title, fmt.Sprintf("%03d.%03d", rank, i)}))
		}
	}
}

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

// everyCommand is the title of the section of the flags that all commands have.
const everyCommand = "Every command"

// Help makes a command and its subcommands print help that fits the terminal: purpose, usage, examples, commands and flags by purpose.
func (a *App) Help(root *cobra.Command) {
	width := helpColumns
	if a.Streams.Width > 0 {
		width = min(max(text.MinColumns, a.Streams.Width), helpColumns+20)
	}
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { writeHelp(a.Streams.plain(cmd.OutOrStdout()), cmd, width) })
	root.SetUsageFunc(func(cmd *cobra.Command) error { writeUsage(a.Streams.plain(cmd.OutOrStderr()), cmd, width); return nil })
}

func writeHelp(w io.Writer, cmd *cobra.Command, width int) {
	if text := strings.TrimRight(cmp.Or(cmd.Long, cmd.Short), " \n"); text != "" {
		writeFolded(w, text, width)
		fmt.Fprintln(w)
	}
	if cmd.Runnable() || cmd.HasSubCommands() {
		writeUsage(w, cmd, width)
	}
}

func writeUsage(w io.Writer, cmd *cobra.Command, width int) {
	fmt.Fprintln(w, "Usage:")
	if cmd.Runnable() {
		fmt.Fprintln(w, "  "+cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, "  "+cmd.CommandPath()+" COMMAND")
	}
	if cmd.HasExample() {
		fmt.Fprintln(w, "\nExamples:\n"+cmd.Example)
	}
	for _, g := range cmd.Groups() {
		writeCommands(w, g.Title, cmd.Commands(), width, func(c *cobra.Command) bool { return c.GroupID == g.ID && c.IsAvailableCommand() })
	}
	writeCommands(w, "More", cmd.Commands(), width, func(c *cobra.Command) bool { return c.GroupID == "" && c.IsAvailableCommand() })
	writeCommands(w, "Help topics", cmd.Commands(), width, (*cobra.Command).IsAdditionalHelpTopicCommand)
	writeFlags(w, cmd, width)
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

// writeFlags lists a command's flags by section: ungrouped flags first, global flags last.
func writeFlags(w io.Writer, cmd *cobra.Command, width int) {
	type titled struct {
		place string
		flag  *pflag.Flag
	}
	all := map[string][]titled{}
	add := func(title, place string, f *pflag.Flag) { all[title] = append(all[title], titled{place, f}) }
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if section := f.Annotations[group]; section != nil {
			add(section[0], section[1], f)
			return
		}
		if f.Name == "help" && cmd.HasParent() {
			add(everyCommand, "~", f)
			return
		}
		add("Flags", "", f)
	})
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { add(everyCommand, "~", f) })
	titles := slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Compare(all[a][0].place, all[b][0].place) })
	for _, title := range titles {
		set := pflag.NewFlagSet(title, pflag.ContinueOnError)
		set.SortFlags = title == everyCommand
		slices.SortStableFunc(all[title], func(a, b titled) int { return cmp.Compare(a.place, b.place) })
		for _, t := range all[title] {
			set.AddFlag(t.flag)
		}
		if set.HasAvailableFlags() {
			fmt.Fprintln(w, "\n"+title+":\n"+strings.TrimRight(set.FlagUsagesWrapped(width), " \n"))
		}
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

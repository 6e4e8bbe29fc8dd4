package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/words"
)

// helpColumns is the width of a help text where no terminal says another.
const helpColumns = 80

// group is the annotation of a flag that says under which title help lists it.
const group = "group"

// Group lists flags of a command, those that it has, under a title in its help, in the order of their names here.
func Group(cmd *cobra.Command, title string, names ...string) {
	for i, name := range names {
		if cmd.Flags().Lookup(name) != nil {
			Must(cmd.Flags().SetAnnotation(name, group, []string{title, fmt.Sprintf("%03d", i)}))
		}
	}
}

// Help makes a command and those below it print help that fits the terminal: purpose, usage, examples, commands by task, flags
// by what they are for.
func (a *App) Help(root *cobra.Command) {
	width := helpColumns
	if a.Streams.Width > 0 {
		width = min(max(words.MinColumns, a.Streams.Width), helpColumns+20)
	}
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { writeHelp(cmd.OutOrStdout(), cmd, width) })
	root.SetUsageFunc(func(cmd *cobra.Command) error { writeUsage(cmd.OutOrStderr(), cmd, width); return nil })
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
	writeFlags(w, "Flags", cmd.LocalFlags(), width)
	writeFlags(w, "Every command", cmd.InheritedFlags(), width)
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n%s COMMAND --help shows its flags and examples.\n", cmd.CommandPath())
	}
}

// writeCommands lists the commands that are meant under a title; nothing if there are none.
func writeCommands(w io.Writer, title string, all []*cobra.Command, width int, meant func(*cobra.Command) bool) {
	listed := slices.DeleteFunc(slices.Clone(all), func(c *cobra.Command) bool { return !meant(c) })
	if len(listed) == 0 {
		return
	}
	fmt.Fprintln(w, "\n"+title+":")
	for _, c := range listed {
		writeFolded(w, fmt.Sprintf("  %-*s %s", c.NamePadding(), c.Name(), c.Short), width)
	}
}

// writeFlags lists flags by their groups; first those of no group, under the given title.
func writeFlags(w io.Writer, title string, flags *pflag.FlagSet, width int) {
	titles, byTitle := []string{title}, map[string][]*pflag.Flag{}
	flags.VisitAll(func(f *pflag.Flag) {
		in := title
		if g := f.Annotations[group]; g != nil {
			in = g[0]
		}
		if byTitle[in] = append(byTitle[in], f); !slices.Contains(titles, in) {
			titles = append(titles, in)
		}
	})
	for _, title := range titles {
		set := pflag.NewFlagSet(title, pflag.ContinueOnError)
		set.SortFlags = false
		slices.SortStableFunc(byTitle[title], func(a, b *pflag.Flag) int { return cmp.Compare(place(a), place(b)) })
		for _, f := range byTitle[title] {
			set.AddFlag(f)
		}
		if set.HasAvailableFlags() {
			fmt.Fprintln(w, "\n"+title+":\n"+strings.TrimRight(set.FlagUsagesWrapped(width), " \n"))
		}
	}
}

// place is a flag's place in its group.
func place(f *pflag.Flag) string {
	if g := f.Annotations[group]; g != nil {
		return g[1]
	}
	return ""
}

// writeFolded writes lines, folded where they are wider than the terminal.
func writeFolded(w io.Writer, text string, width int) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		indent := len(line) - len(strings.TrimLeft(line, " "))
		fmt.Fprintln(w, words.Fold(line, width, indent))
	}
}

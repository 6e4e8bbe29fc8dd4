package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/sorting"
)

// group annotates a flag with its section in help: the title, and the flag's place, which orders sections and the flags in each.
const group = "group"

// The ranks of sections after the command's own.
const (
	sourceRank = 100 + iota
	manyRank
	limitsRank
)

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

// frequent annotates a flag that help lists without --all, with its position.
const frequent = "frequent"

// Frequent selects the flags that help lists without --all, in this order: those that most uses need. A command that selects none lists all its own.
func Frequent(flags *pflag.FlagSet, names ...string) {
	for i, name := range names {
		Must(flags.SetAnnotation(name, frequent, []string{fmt.Sprintf("%03d", i)}))
	}
}

// everyCommand is the title of the section of the flags that all commands have.
const everyCommand = "Every command"

// section is flags under a title of a command's help.
type section struct {
	title string
	place string // orders sections
	flags []*pflag.Flag
}

// writeFlags lists a command's frequent flags, and says how to list the rest; with --all every flag by section.
func (a *App) writeFlags(w io.Writer, cmd *cobra.Command, width int) {
	all := sectionsOf(cmd)
	listed := all
	if !a.All && cmd.HasParent() {
		listed = frequentOf(all)
	}
	for _, s := range listed {
		set := pflag.NewFlagSet(s.title, pflag.ContinueOnError)
		set.SortFlags = s.title == everyCommand
		for _, f := range s.flags {
			set.AddFlag(f)
		}
		if set.HasAvailableFlags() {
			fmt.Fprintln(w, "\n"+s.title+":\n"+strings.TrimRight(set.FlagUsagesWrapped(width), " \n"))
		}
	}
	if count(listed) < count(all) {
		fmt.Fprintf(w, "\nAll flags%s: %s --help --all\n", alsoAdded(cmd), cmd.CommandPath())
	}
}

// alsoAdded names what --help --all adds to a command's help besides flags.
func alsoAdded(cmd *cobra.Command) string {
	if cmd.Annotations[details]+cmd.Annotations[moreExamples] == "" {
		return ""
	}
	return " and details"
}

// count returns the number of flags in sections.
func count(sections []section) (n int) {
	for _, s := range sections {
		n += len(s.flags)
	}
	return n
}

// sectionsOf returns a command's flags by section: ungrouped flags first, those of every command last.
func sectionsOf(cmd *cobra.Command) []section {
	byTitle := map[string]*section{}
	add := func(title, place string, f *pflag.Flag) {
		s := byTitle[title]
		if s == nil {
			s = &section{title: title, place: place}
			byTitle[title] = s
		}
		s.place = min(s.place, place)
		s.flags = append(s.flags, f)
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if g := f.Annotations[group]; g != nil {
			add(g[0], g[1], f)
			return
		}
		if f.Name == "help" && cmd.HasParent() {
			add(everyCommand, "~", f)
			return
		}
		add("Flags", "", f)
	})
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { add(everyCommand, "~", f) })
	var sections []section
	for _, s := range byTitle {
		sortBy(s.flags, group)
		sections = append(sections, *s)
	}
	sorting.By(sections, func(a, b section) int { return cmp.Compare(a.place, b.place) })
	return sections
}

// frequentOf returns the frequent flags of a command: its own in one section, or all of these if none is frequent, and last those of every command.
func frequentOf(all []section) []section {
	last := len(all) - 1
	own := all[:last]
	var flags []*pflag.Flag
	for _, s := range own {
		flags = append(flags, selectFrequent(s.flags)...)
	}
	if len(flags) > 0 {
		sortBy(flags, frequent)
		own = []section{{title: "Flags", flags: flags}}
	}
	return append(slices.Clone(own), section{title: everyCommand, flags: selectFrequent(all[last].flags)})
}

// selectFrequent returns the frequent flags among flags, and --help.
func selectFrequent(flags []*pflag.Flag) (selected []*pflag.Flag) {
	for _, f := range flags {
		if f.Annotations[frequent] != nil || f.Name == "help" {
			selected = append(selected, f)
		}
	}
	return selected
}

// sortBy sorts flags by their position, the last value of an annotation; flags without it stay in order.
func sortBy(flags []*pflag.Flag, annotation string) {
	place := func(f *pflag.Flag) string {
		values := f.Annotations[annotation]
		if len(values) == 0 {
			return ""
		}
		return values[len(values)-1]
	}
	slices.SortStableFunc(flags, func(a, b *pflag.Flag) int { return cmp.Compare(place(a), place(b)) })
}

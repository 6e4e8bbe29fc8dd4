package check

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagNames are the flags that a command has so far.
func flagNames(cmd *cobra.Command) map[string]bool {
	names := map[string]bool{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names[f.Name] = true })
	return names
}

// helpWidth is the width of help texts, in columns.
const helpWidth = 80

// groupFlags divides the flags in the help: what SRC is, and what is asserted of it.
func groupFlags(cmd *cobra.Command, source map[string]bool) {
	cmd.InitDefaultHelpFlag()
	groups := map[string]*pflag.FlagSet{}
	for _, name := range []string{"source", "assertion", "other"} {
		groups[name] = pflag.NewFlagSet(name, pflag.ContinueOnError)
		groups[name].SortFlags = false
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		group := "assertion"
		switch {
		case source[f.Name]:
			group = "source"
		case f.Name == "quiet" || f.Name == "help":
			group = "other"
		}
		groups[group].AddFlag(f)
	})
	text := func(group string) string { return strings.TrimRight(groups[group].FlagUsagesWrapped(helpWidth), " \n") }
	const all = "Flags:\n{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}"
	cmd.SetUsageTemplate(strings.Replace(cmd.UsageTemplate(), all,
		"What SRC is:\n"+text("source")+"\n\nAssertions:\n"+text("assertion")+"\n\nFlags:\n"+text("other"), 1))
}

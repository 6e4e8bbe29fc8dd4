package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/fault"
)

// Relations of flags are declared where the flags are added, and checked before the command runs. A flag with its default value counts as not given:
// --offsets=false excludes nothing. A relation is an annotation of the command with groups of names.
const (
	rivals    = "rivals"
	exclusive = "exclusive"
	needs     = "needs"
)

// Rivals declares flags that override each other: one that is given overrides weaker settings of the others.
func Rivals(cmd *cobra.Command, names ...string) { relate(cmd, rivals, names) }

// Exclusive declares rivals, at most one of which may be given.
func Exclusive(cmd *cobra.Command, names ...string) {
	Rivals(cmd, names...)
	relate(cmd, exclusive, names)
}

// Needs declares that a flag requires another one. Only typed flags are checked: a setting without effect is harmless.
func Needs(cmd *cobra.Command, name, needed string) { relate(cmd, needs, []string{name, needed}) }

func relate(cmd *cobra.Command, relation string, names []string) {
	annotate(cmd, relation, cmd.Annotations[relation]+" "+strings.Join(names, ","))
}

func annotate(cmd *cobra.Command, key, value string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[key] = value
}

// related returns the groups of names in a relation.
func related(cmd *cobra.Command, relation string) (groups [][]string) {
	for names := range strings.FieldsSeq(cmd.Annotations[relation]) {
		groups = append(groups, strings.Split(names, ","))
	}
	return groups
}

// CheckRelations returns an error if flags of a configured command exclude each other or lack one they need.
func (a *App) CheckRelations(cmd *cobra.Command) error {
	missing := func(name string) bool {
		f := cmd.Flags().Lookup(name)
		return !a.Given(cmd, name) || f.Value.String() == f.DefValue
	}
	for _, group := range related(cmd, exclusive) {
		if given := slices.DeleteFunc(group, missing); len(given) > 1 {
			return Excluded("--"+given[0], "--"+given[1])
		}
	}
	for _, pair := range related(cmd, needs) {
		name := pair[0]
		needed := cmd.Flags().Lookup(pair[1])
		if cmd.Flags().Changed(name) && !missing(name) && needed.Value.String() == needed.DefValue { // another flag may have set it
			value, _ := pflag.UnquoteUsage(needed)
			return fault.New(fault.Usage, "--%s needs --%s", name, needed.Name).WithHint("add %s", strings.TrimSpace("--"+needed.Name+" "+value))
		}
	}
	return nil
}

// Excluded is the error for two parts of a command line that exclude each other.
func Excluded(flag, other string) error {
	return fault.New(fault.Usage, "%s and %s exclude each other", flag, other).WithHint("remove one of them")
}

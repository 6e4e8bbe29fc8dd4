package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/words"
)

// A flag's value comes from the first of these that gives one: the command line, TLAYOUT_<COMMAND>_<FLAG>, a settings file
// (settings.go), the default.

// origin is where a flag's value comes from. A higher one wins.
type origin int

const (
	fromDefault origin = iota
	fromFile
	fromEnvironment
	fromCommandLine
)

// settable is the annotation of a command that HasSettings.
const settable = "settings"

// HasSettings lets settings files and the environment set the command's flags.
func HasSettings(cmd *cobra.Command) { relate(cmd, settable, nil) }

// typedOnly is the annotation of flags that no settings file sets.
const typedOnly = "typed_only"

// TypedOnly keeps settings files from setting flags that choose what is written, replaced or run: a settings file may have
// come with somebody else's data. The command line and the environment, which are the user's own, set them.
func TypedOnly(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		Must(cmd.Flags().SetAnnotation(name, typedOnly, nil))
	}
}

func isTypedOnly(f *pflag.Flag) bool {
	_, is := f.Annotations[typedOnly]
	return is
}

// answerFlags are the flags, beside those of a source, by which a setting can turn an answer into another or keep it from being seen.
var answerFlags = []string{"layout", "from-a", "from-b", "dtype-a", "dtype-b", "channels-a", "channels-b", "to", "match", "exclude", "to-pitch", "pad-value",
	"shard", "dry-run", "numeric", "rtol", "atol", "quiet"}

// announced reports whether a user is told that a folder's settings file sets a flag, however quiet the program is.
func announced(name string) bool {
	return slices.Contains(sourceFlags, name) || slices.Contains(answerFlags, name)
}

// Configure sets every flag that was not typed, through the flag's own parser. Commands without HasSettings ignore settings,
// so that a broken settings file does not stop version or help.
func (a *App) Configure(cmd *cobra.Command) error {
	if err := a.chooseJSON(cmd); err != nil { // of warnings about settings too
		return err
	}
	if cmd.Annotations[settable] != "" {
		files, err := a.settings(cmd)
		if err != nil {
			return err
		}
		if err := a.fillFlags(files, cmd); err != nil {
			return err
		}
	}
	a.warnOfMisspelt(cmd.Root())
	a.configured = true
	if err := a.chooseJSON(cmd); err != nil {
		return err
	}
	return a.CheckRelations(cmd)
}

// chooseJSON applies --json, unless --format is typed too and says otherwise.
func (a *App) chooseJSON(cmd *cobra.Command) error {
	if asJSON, err := cmd.Flags().GetBool("json"); err != nil || !asJSON {
		return nil
	}
	if cmd.Flags().Changed("json") && cmd.Flags().Changed("format") && a.Format != JSON {
		return Excluded("--json", "--format "+string(a.Format))
	}
	a.Format = JSON
	return nil
}

// Given reports whether a flag of a configured command has a value that is not its default: typed, or from a setting.
func (a *App) Given(cmd *cobra.Command, flag string) bool {
	return cmd.Flags().Changed(flag) || a.filled[flag]
}

// TakeOutput makes an argument the file that a command writes. It replaces an --output of a setting; one that is typed too is a
// Usage error.
func TakeOutput(cmd *cobra.Command, output *string, arg string) error {
	if cmd.Flags().Changed("output") {
		return Excluded("--output "+words.Quote(*output), "output "+words.Quoted(arg))
	}
	return (*File)(output).Set(arg)
}

// setting is the value of a flag that was not typed.
type setting struct {
	value string
	from  origin
	where string // names the place in errors
	found bool   // in a .tlayout.yaml that nobody named
}

// fillFlags sets the flags that were not typed. Where a settings file that came with a folder decides the answer, that is told, even with
// a quiet that the same file may have set.
func (a *App) fillFlags(files []settingsFile, cmd *cobra.Command) error {
	settings := map[string]setting{}
	off := map[string]bool{} // switched off: excludes nothing
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		settings[f.Name] = a.setting(files, cmd, f)
		value := settings[f.Name].value
		if f.Changed {
			value = f.Value.String()
		}
		on, err := strconv.ParseBool(value)
		off[f.Name] = f.Value.Type() == "bool" && err == nil && !on
	})
	groups := append(related(cmd, rivals), []string{"json", "format"})
	outranked := func(name string) bool {
		return slices.ContainsFunc(groups, func(group []string) bool {
			return slices.Contains(group, name) && slices.ContainsFunc(group, func(rival string) bool {
				return !off[rival] && settings[rival].from > settings[name].from
			})
		})
	}
	var failed error
	a.filled = map[string]bool{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		s := settings[f.Name]
		if failed != nil || s.from == fromDefault || s.from == fromCommandLine || outranked(f.Name) {
			return
		}
		a.Detail("--%s %s: %s", f.Name, words.Shell(words.Quote(s.value)), s.where)
		if err := f.Value.Set(s.value); err != nil {
			failed = valueError(s.where, s.value, err)
		}
		a.filled[f.Name] = true
		if s.found && announced(f.Name) {
			a.emit(Message{Level: "note", Message: fmt.Sprintf("%s sets --%s %s", s.where, f.Name, words.Shell(words.Quote(s.value)))})
		}
	})
	return failed
}

// setting looks a flag up: on the command line, in the environment, then in the settings files.
func (a *App) setting(files []settingsFile, cmd *cobra.Command, f *pflag.Flag) setting {
	if f.Changed {
		return setting{from: fromCommandLine}
	}
	if f.Name == "config" || f.Name == "help" {
		return setting{}
	}
	if value, ok := a.Streams.Env(envName(cmd, f.Name)); ok {
		return setting{value, fromEnvironment, envName(cmd, f.Name), false}
	}
	for _, file := range files {
		key := cmd.Name() + "." + f.Name
		value, ok := file.value(key)
		switch {
		case !ok:
		case isTypedOnly(f):
			a.Warn([]string{file.name() + ": " + key + " is ignored: a settings file cannot choose what is written, replaced or opened"})
		default:
			return setting{value, fromFile, file.name() + ": " + key, file.inFolder()}
		}
	}
	return setting{}
}

// environmentPrefix is how the names of this program's variables begin; those of its tests begin with testPrefix.
const (
	environmentPrefix = "TLAYOUT_"
	testPrefix        = "TLAYOUT_TEST_"
)

// ownVariables set no flag of a single command.
var ownVariables = []string{kernel.Variable, batch.SharesVariable}

// warnOfMisspelt warns of variables that no command reads, so that a misspelt one is not ignored. They are no errors: a variable
// may be meant for another version.
func (a *App) warnOfMisspelt(root *cobra.Command) {
	var found []string
	for _, name := range a.Streams.Variables {
		if strings.HasPrefix(name, environmentPrefix) && !strings.HasPrefix(name, testPrefix) && !slices.Contains(ownVariables, name) {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return
	}
	known := slices.Clone(ownVariables)
	root = a.whole(root)
	for _, c := range root.Commands() {
		if c.Annotations[settable] == "" {
			continue
		}
		visit := func(f *pflag.Flag) { known = append(known, envName(c, f.Name)) }
		c.LocalFlags().VisitAll(visit)
		root.PersistentFlags().VisitAll(visit)
	}
	for _, name := range found {
		if slices.Contains(known, name) {
			continue
		}
		text := "environment variable " + words.Quote(name) + " sets no flag of any command"
		if near := words.Nearest(name, known); near != "" {
			text += "; did you mean " + near + "?"
		}
		a.Warn([]string{text})
	}
}

func envName(cmd *cobra.Command, flag string) string {
	return "TLAYOUT_" + strings.ToUpper(strings.ReplaceAll(cmd.Name()+"_"+flag, "-", "_"))
}

package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// The value of a flag comes from the first source that has one: the command line, TLAYOUT_<COMMAND>_<FLAG>, the settings file (settings.go), the
// default.

// origin is the source of a flag's value. Higher ones win.
type origin int

const (
	fromDefault origin = iota
	fromFile
	fromEnvironment
	fromCommandLine
)

// isSetting reports whether a value was set, but not typed.
func (o origin) isSetting() bool { return o == fromFile || o == fromEnvironment }

// settable annotates commands whose flags settings may set.
const settable = "settings"

// HasSettings lets the settings file and the environment set the command's flags.
func HasSettings(cmd *cobra.Command) { relate(cmd, settable, nil) }

// Configure sets every flag that was not typed, through the flag's own parser. Commands without HasSettings ignore settings, so that a broken
// settings file does not break version or help.
func (a *App) Configure(cmd *cobra.Command) error {
	if err := a.chooseJSON(cmd); err != nil { // first: it also applies to warnings about settings
		return err
	}
	if err := a.checkRepeated(cmd); err != nil {
		return err
	}
	if cmd.Annotations[settable] != "" {
		file, err := a.settings(cmd)
		if err != nil {
			return err
		}
		if err := a.fillFlags(file, cmd); err != nil {
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

// chooseJSON applies --json, unless a typed --format conflicts.
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

// Given reports whether a flag of a configured command is set, typed or by a setting, to a value other than its default.
func (a *App) Given(cmd *cobra.Command, flag string) bool {
	return cmd.Flags().Changed(flag) || a.filled[flag]
}

// TakeOutput sets the output file from an argument. It overrides an --output from settings; a typed one is a Usage error.
func TakeOutput(cmd *cobra.Command, output *name.Name, arg name.Name) error {
	if cmd.Flags().Changed("output") {
		return Excluded("--output "+output.Quote(), "output "+arg.String())
	}
	*output = arg
	return arg.Check()
}

// setting is the value of a flag that was not typed.
type setting struct {
	value string
	from  origin
	where string // location, for errors
}

// fillFlags sets the flags that were not typed.
func (a *App) fillFlags(file settingsFile, cmd *cobra.Command) error {
	settings := map[string]setting{}
	off := map[string]bool{} // set to their defaults: exclude nothing
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		settings[f.Name] = a.setting(file, cmd, f)
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
		if failed != nil || !s.from.isSetting() || outranked(f.Name) {
			return
		}
		a.Detail("--%s %s: %s", f.Name, text.Shell(s.value), s.where)
		if err := f.Value.Set(s.value); err != nil {
			failed = valueError(s.where, s.value, err)
		}
		a.filled[f.Name] = true
	})
	return failed
}

// setting returns a flag's value from the command line, the environment or the settings file, in this order.
func (a *App) setting(file settingsFile, cmd *cobra.Command, f *pflag.Flag) setting {
	if f.Changed {
		return setting{from: fromCommandLine}
	}
	if f.Name == "config" || f.Name == "help" {
		return setting{}
	}
	if value, ok := a.Streams.Env(envName(cmd, f.Name)); ok {
		return setting{value, fromEnvironment, envName(cmd, f.Name)}
	}
	key := cmd.Name() + "." + f.Name
	if value, ok := file.value(key); ok {
		return setting{value, fromFile, file.name() + ": " + key}
	}
	return setting{}
}

// environmentPrefix begins the names of this program's variables; testPrefix begins those of its tests.
const (
	environmentPrefix = "TLAYOUT_"
	testPrefix        = "TLAYOUT_TEST_"
)

// ownVariables do not set flags.
var ownVariables = []string{kernel.Variable, batch.ShardsVariable, configVariable}

// warnOfMisspelt warns about variables that no command reads, to catch misspelt names. They are not errors, because another version may read them.
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
		visit := func(f *pflag.Flag) {
			if f.Name != "config" {
				known = append(known, envName(c, f.Name))
			}
		}
		c.LocalFlags().VisitAll(visit)
		root.PersistentFlags().VisitAll(visit)
	}
	for _, name := range found {
		if slices.Contains(known, name) {
			continue
		}
		warning := "environment variable " + text.Quote(name) + " does not match any flag"
		if near := text.Nearest(name, known); near != "" {
			warning += "; did you mean " + near + "?"
		}
		a.Warn([]string{warning})
	}
}

func envName(cmd *cobra.Command, flag string) string {
	return "TLAYOUT_" + strings.ToUpper(strings.ReplaceAll(cmd.Name()+"_"+flag, "-", "_"))
}

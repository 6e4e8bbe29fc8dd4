package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// A flag's value comes from the first of these that gives one: the command line, TLAYOUT_<COMMAND>_<FLAG>, a settings file,
// the default.

// origin is where a flag's value comes from. A higher one wins.
type origin int

const (
	fromDefault origin = iota
	fromFile
	fromEnvironment
	fromCommandLine
)

// rivals is the annotation of a command that lists its groups of mutually exclusive flags.
const rivals = "rivals"

// HasSettings lets settings files and the environment set the command's flags. Each group is a comma-separated list of
// mutually exclusive flags: one that is typed overrides the settings of the others.
func HasSettings(cmd *cobra.Command, groups ...string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[rivals] = strings.Join(append([]string{"json,output"}, groups...), " ")
}

// Configure sets every flag that was not typed, through the flag's own parser. Commands without HasSettings ignore settings,
// so that a broken settings file does not stop version or help.
func (a *App) Configure(cmd *cobra.Command) error {
	if cmd.Annotations[rivals] != "" {
		v, err := a.settings(cmd)
		if err != nil {
			return err
		}
		if err := a.fillFlags(v, cmd); err != nil {
			return err
		}
	}
	if asJSON, err := cmd.Flags().GetBool("json"); err == nil && asJSON {
		a.Format = JSON
	}
	return nil
}

func (a *App) fillFlags(v *viper.Viper, cmd *cobra.Command) error {
	values, origins := map[string]string{}, map[string]origin{}
	off := map[string]bool{} // switched off: excludes nothing
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		values[f.Name], origins[f.Name] = a.setting(v, cmd, f)
		value := values[f.Name]
		if f.Changed {
			value = f.Value.String()
		}
		on, err := strconv.ParseBool(value)
		off[f.Name] = f.Value.Type() == "bool" && err == nil && !on
	})
	outranked := func(name string) bool {
		return slices.ContainsFunc(strings.Fields(cmd.Annotations[rivals]), func(names string) bool {
			group := strings.Split(names, ",")
			return slices.Contains(group, name) && slices.ContainsFunc(group, func(rival string) bool {
				return !off[rival] && origins[rival] > origins[name]
			})
		})
	}
	var failed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		from := origins[f.Name]
		if failed != nil || from == fromDefault || from == fromCommandLine || outranked(f.Name) {
			return
		}
		if err := f.Value.Set(values[f.Name]); err != nil {
			failed = valueError("setting "+cmd.Name()+"."+f.Name, values[f.Name], err)
		}
	})
	return failed
}

// setting looks a flag up: on the command line, in the environment, then in the settings files.
func (a *App) setting(v *viper.Viper, cmd *cobra.Command, f *pflag.Flag) (string, origin) {
	if f.Changed {
		return "", fromCommandLine
	}
	if f.Name == "config" || f.Name == "help" {
		return "", fromDefault
	}
	if value, ok := a.Streams.Env(envName(cmd, f.Name)); ok {
		return value, fromEnvironment
	}
	key := cmd.Name() + "." + f.Name
	if !v.IsSet(key) {
		return "", fromDefault
	}
	if list, ok := v.Get(key).([]any); ok && len(list) > 0 {
		return strings.Join(v.GetStringSlice(key), ","), fromFile
	}
	return v.GetString(key), fromFile
}

func envName(cmd *cobra.Command, flag string) string {
	return "TLAYOUT_" + strings.ToUpper(strings.ReplaceAll(cmd.Name()+"_"+flag, "-", "_"))
}

// The settings file is --config. Without it, .tlayout.yaml in the working folder or its nearest parent overrides
// tlayout/config.yaml in the user's configuration folder. Keys are flags, by command:
//
//	inspect:
//	  limit: 20

// maxSettings bounds a settings file, in bytes.
const maxSettings = 1 << 20

// settings reads the settings files into a private viper.
func (a *App) settings(cmd *cobra.Command) (*viper.Viper, error) {
	v := viper.New()
	v.SetConfigType("yaml")
	named, _ := cmd.Flags().GetString("config")
	if value, ok := a.Streams.Env(envName(cmd, "config")); ok && !cmd.Flags().Lookup("config").Changed {
		named = value
	}
	files := []string{a.projectSettings()}
	if a.Streams.UserDir != "" {
		files = []string{filepath.Join(a.Streams.UserDir, "tlayout", "config.yaml"), a.projectSettings()}
	}
	if named != "" {
		files = []string{named}
	}
	for _, path := range files {
		if err := mergeSettings(v, path, named != ""); err != nil {
			return nil, err
		}
	}
	return v, checkKeys(v, cmd.Root())
}

// mergeSettings reads one file. Unless the user named it, it may be missing or unreadable.
func mergeSettings(v *viper.Viper, path string, needed bool) error {
	if path == "" {
		return nil
	}
	text, err := ReadRegular(path, maxSettings)
	switch {
	case err != nil && !needed:
		return nil
	case err != nil:
		return fault.New(fault.Resource, "settings file %q: %s", path, fault.Cause(err))
	}
	if err := v.MergeConfig(bytes.NewReader(text)); err != nil {
		return fault.New(fault.Malformed, "settings file %q: %s", path, words.Quote(err.Error()))
	}
	return nil
}

// ReadRegular reads a regular file of at most max bytes. It never blocks on a pipe or a device.
func ReadRegular(path string, max int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > max {
		return nil, fmt.Errorf("not a regular file of at most %s", words.Bytes(max))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, max))
}

func (a *App) projectSettings() string {
	for dir := a.Streams.dir; dir != ""; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, ".tlayout.yaml")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
}

// checkKeys refuses settings that no command has, so that a misspelt one is not ignored.
func checkKeys(v *viper.Viper, root *cobra.Command) error {
	var known []string
	for _, c := range root.Commands() {
		visit := func(f *pflag.Flag) { known = append(known, c.Name()+"."+f.Name) }
		c.LocalFlags().VisitAll(visit)
		root.PersistentFlags().VisitAll(visit)
	}
	for _, key := range v.AllKeys() {
		if !slices.Contains(known, key) {
			e := fault.New(fault.Usage, "setting %q is not a flag of any command", key)
			if near := words.Nearest(key, known); near != "" {
				e.Hint = "did you mean " + near + "?"
			}
			return e
		}
	}
	return nil
}

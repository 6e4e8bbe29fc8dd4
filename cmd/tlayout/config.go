package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/tlayout/tlayout/internal/fault"
)

// Settings come from, in this order: the command line, TLAYOUT_<COMMAND>_<FLAG>, a settings file, the default.
//
// The settings file is --config, or else .tlayout.yaml in this folder or a parent, over tlayout/config.yaml in the
// user's configuration folder. Its keys are those of the flags, by command:
//
//	inspect:
//	  limit: 20

// configure fills every flag that was not typed, through the flag's own parser.
func (a *app) configure(cmd *cobra.Command) error {
	v, err := a.settings(cmd)
	if err != nil {
		return err
	}
	var failed []error
	origins := map[string]origin{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		value, from := a.setting(v, cmd, f)
		if origins[f.Name] = from; f.Changed {
			origins[f.Name] = fromCommandLine
		} else if from != fromDefault && f.Name != "config" && f.Name != "help" {
			if err := f.Value.Set(value); err != nil {
				failed = append(failed, valueError("setting "+cmd.Name()+"."+f.Name, value, err))
			}
			f.Changed = true
		}
	})
	if len(failed) > 0 {
		return failed[0]
	}
	if asJSON, err := cmd.Flags().GetBool("json"); err == nil && asJSON && origins["json"] >= origins["output"] {
		a.format = formatJSON
	}
	return nil
}

// origin is where a flag's value comes from; a higher one wins.
type origin int

const (
	fromDefault origin = iota
	fromFile
	fromEnvironment
	fromCommandLine
)

// setting looks a flag up in the environment, then in the settings files.
func (a *app) setting(v *viper.Viper, cmd *cobra.Command, f *pflag.Flag) (string, origin) {
	env := "TLAYOUT_" + strings.ToUpper(strings.NewReplacer("-", "_").Replace(cmd.Name()+"_"+f.Name))
	if value, ok := a.streams.env(env); ok {
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

// settings reads the settings files into a viper of its own.
func (a *app) settings(cmd *cobra.Command) (*viper.Viper, error) {
	v := viper.New()
	v.SetConfigType("yaml")
	named, _ := cmd.Flags().GetString("config")
	files := []string{filepath.Join(a.streams.userDir, "tlayout", "config.yaml"), a.projectSettings()}
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

func mergeSettings(v *viper.Viper, path string, needed bool) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) && !needed || path == "" {
		return nil
	}
	if err == nil {
		defer file.Close()
		if err = v.MergeConfig(file); err == nil {
			return nil
		}
		return fault.New(fault.Malformed, `settings file "%s": %s`, fault.Quote(path), fault.Quote(err.Error()))
	}
	return fault.New(fault.Resource, `settings file "%s": %s`, fault.Quote(path), rootCause(err))
}

// projectSettings finds .tlayout.yaml in the working folder or the nearest parent that has one.
func (a *app) projectSettings() string {
	for dir := a.streams.dir; dir != ""; dir = filepath.Dir(dir) {
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

// checkKeys refuses settings that no command has, so that a typing error does not pass in silence.
func checkKeys(v *viper.Viper, root *cobra.Command) error {
	var known []string
	for _, c := range root.Commands() {
		visit := func(f *pflag.Flag) { known = append(known, c.Name()+"."+f.Name) }
		c.LocalFlags().VisitAll(visit)
		root.PersistentFlags().VisitAll(visit)
	}
	for _, key := range v.AllKeys() {
		if !slices.Contains(known, key) {
			e := fault.New(fault.Usage, `setting "%s" is not a flag of any command`, fault.Quote(key))
			if near := fault.Nearest(key, known); near != "" {
				e.Hint = "did you mean " + near + "?"
			}
			return e
		}
	}
	return nil
}

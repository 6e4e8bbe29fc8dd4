package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/tlayout/tlayout/internal/fault"
)

// The settings file is --config, or else .tlayout.yaml in this folder or the nearest parent that has one, over
// tlayout/config.yaml in the user's configuration folder. Its keys are those of the flags, by command:
//
//	inspect:
//	  limit: 20

// maxSettings bounds a settings file, in bytes.
const maxSettings = 1 << 20

// settings reads the settings files into a viper of its own.
func (a *app) settings(cmd *cobra.Command) (*viper.Viper, error) {
	v := viper.New()
	v.SetConfigType("yaml")
	named, _ := cmd.Flags().GetString("config")
	if value, ok := a.streams.env(envName(cmd, "config")); ok && !cmd.Flags().Lookup("config").Changed {
		named = value
	}
	files := []string{a.projectSettings()}
	if a.streams.userDir != "" {
		files = []string{filepath.Join(a.streams.userDir, "tlayout", "config.yaml"), a.projectSettings()}
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

// mergeSettings reads one file. One that the user did not name may be missing, or cannot be read.
func mergeSettings(v *viper.Viper, path string, needed bool) error {
	if path == "" {
		return nil
	}
	text, err := readRegular(path, maxSettings)
	switch {
	case err != nil && !needed:
		return nil
	case err != nil:
		return fault.New(fault.Resource, "settings file %q: %s", path, rootCause(err))
	}
	if err := v.MergeConfig(bytes.NewReader(text)); err != nil {
		return fault.New(fault.Malformed, "settings file %q: %s", path, fault.Quote(err.Error()))
	}
	return nil
}

// readRegular reads a regular file of at most some bytes, and waits for no pipe or device.
func readRegular(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("not a regular file of at most %s", formatBytes(most))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most))
}

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
			e := fault.New(fault.Usage, "setting %q is not a flag of any command", key)
			if near := fault.Nearest(key, known); near != "" {
				e.Hint = "did you mean " + near + "?"
			}
			return e
		}
	}
	return nil
}

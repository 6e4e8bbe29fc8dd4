package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// Settings come from, in this order: the command line, TLAYOUT_<COMMAND>_<FLAG>, a settings file, the default.

// origin is where a flag's value comes from; a higher one wins.
type origin int

const (
	fromDefault origin = iota
	fromFile
	fromEnvironment
	fromCommandLine
)

// rivals are flags of a command that say the same thing in two ways. What is typed for one sets aside what a file or
// the environment says for the other.
var rivals = map[string][][]string{
	"inspect": {{"json", "output"}, {"layout", "strides"}, {"offsets", "storage", "explain"}},
	"convert": {{"json", "output"}, {"from", "layout"}, {"to", "strides"}},
	"bench":   {{"json", "output"}, {"layout", "strides"}, {"quick", "samples"}, {"quick", "time"}},
	"plan":    {{"json", "output"}, {"from", "layout"}, {"to", "strides"}},
	"trace":   {{"json", "output"}, {"layout", "strides"}},
	"offset":  {{"json", "output"}, {"layout", "strides"}},
	"formats": {{"json", "output"}},
	"diff":    {{"json", "output"}},
	"draw":    {{"json", "output"}, {"layout", "strides"}},
	"check":   {{"json", "output"}},
}

// configure fills every flag that was not typed, through the flag's own parser. Commands without a file to read or
// write have no settings, so that a broken settings file does not keep them from answering.
func (a *app) configure(cmd *cobra.Command) error {
	if rivals[cmd.Name()] != nil {
		v, err := a.settings(cmd)
		if err != nil {
			return err
		}
		if err := a.fillFlags(v, cmd); err != nil {
			return err
		}
	}
	if asJSON, err := cmd.Flags().GetBool("json"); err == nil && asJSON {
		a.format = formatJSON
	}
	return nil
}

func (a *app) fillFlags(v *viper.Viper, cmd *cobra.Command) error {
	values, origins := map[string]string{}, map[string]origin{}
	off := map[string]bool{} // switched off, which is no rival to anything
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
		return slices.ContainsFunc(rivals[cmd.Name()], func(group []string) bool {
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

// setting looks a flag up on the command line, in the environment, then in the settings files.
func (a *app) setting(v *viper.Viper, cmd *cobra.Command, f *pflag.Flag) (string, origin) {
	if f.Changed {
		return "", fromCommandLine
	}
	if f.Name == "config" || f.Name == "help" {
		return "", fromDefault
	}
	if value, ok := a.streams.env(envName(cmd, f.Name)); ok {
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

package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// The settings file is the one that --config or TLAYOUT_CONFIG names, or else tlayout/config.yaml in the user's configuration folder. No file is searched
// for in the folder of the data: what came with data chooses nothing. Keys are flags, by command:
//
//	inspect:
//	  limit: 20

// settingsFile is a parsed settings file; the zero value is none.
type settingsFile struct {
	file   name.Name
	values settings
}

// settings are the values of a file by dotted keys, as viper has them.
type settings interface {
	IsSet(key string) bool
	Get(key string) any
	GetString(key string) string
	GetStringSlice(key string) []string
	AllKeys() []string
}

// configVariable names the settings file in the environment.
const configVariable = environmentPrefix + "CONFIG"

// name is the file's name in messages.
func (f settingsFile) name() string { return "settings file " + f.file.String() }

// value returns the text of a key.
func (f settingsFile) value(key string) (string, bool) {
	if f.values == nil || !f.values.IsSet(key) {
		return "", false
	}
	if list, ok := f.values.Get(key).([]any); ok && len(list) > 0 {
		return strings.Join(f.values.GetStringSlice(key), ","), true
	}
	return f.values.GetString(key), true
}

// maxSettings limits a settings file, in bytes.
const maxSettings = 1 << 20

// settings reads the settings file of a command: the one that --config names, or else SettingsFile.
func (a *App) settings(cmd *cobra.Command) (file settingsFile, err error) {
	from := name.Name(*cmd.Flags().Lookup("config").Value.(*File))
	if from.IsZero() {
		from, err = a.SettingsFile()
		if from.IsZero() || err != nil {
			return file, err
		}
	}
	content, err := ReadRegular(from, maxSettings)
	if err != nil {
		return file, fault.New(fault.Resource, "settings file %s: %s", from, text.Quote(fault.Cause(err).Error()))
	}
	a.settingsOf = from
	return parseSettings(from, content, a.whole(cmd.Root()))
}

// SettingsFile returns the name of the settings file without --config: the one that TLAYOUT_CONFIG names, or the user's own if there is one; no name
// for none.
func (a *App) SettingsFile() (file name.Name, err error) {
	if value, ok := a.Streams.Env(configVariable); ok {
		if err := (*File)(&file).Set(value); err != nil {
			return name.Name{}, valueError(configVariable, value, err)
		}
		return file, nil
	}
	if a.Streams.UserDir == "" {
		return name.Name{}, nil
	}
	file = name.Parse(a.Streams.UserDir).Join("tlayout/config.yaml")
	if !file.Exists() { // also if the folder is not searchable
		return name.Name{}, nil
	}
	return file, nil
}

// parseSettings parses YAML, and rejects unknown keys.
func parseSettings(file name.Name, content []byte, root *cobra.Command) (settingsFile, error) {
	f := settingsFile{file: file}
	var err error
	f.values, err = parseYAML(content)
	if err != nil {
		return f, fault.New(fault.Malformed, "%s: %s", f.name(), text.Quote(err.Error()))
	}
	return f, f.checkKeys(root)
}

// checkKeys rejects settings that no command has, to catch misspelt keys.
func (f settingsFile) checkKeys(root *cobra.Command) error {
	var known []string
	for _, c := range root.Commands() {
		visit := func(f *pflag.Flag) { known = append(known, c.Name()+"."+f.Name) }
		c.LocalFlags().VisitAll(visit)
		root.PersistentFlags().VisitAll(visit)
	}
	for _, key := range f.values.AllKeys() {
		if !slices.Contains(known, key) {
			e := fault.New(fault.Usage, "%s: %s is not a flag of any command", f.name(), text.Quoted(key))
			if near := text.Nearest(key, known); near != "" {
				e.Hint = "did you mean " + near + "?"
			}
			return e
		}
	}
	return nil
}

// ReadRegular reads a regular file of at most max bytes. It never blocks on a pipe or a device.
func ReadRegular(n name.Name, max int64) ([]byte, error) {
	refuse := func(info fs.FileInfo, err error) error {
		if err == nil && (!info.Mode().IsRegular() || info.Size() > max) {
			return fmt.Errorf("not a regular file of at most %s", text.Bytes(max))
		}
		return err
	}
	if err := refuse(n.Stat()); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(n.Raw(), os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := refuse(file.Stat()); err != nil { // the file may have been replaced
		return nil, err
	}
	return io.ReadAll(io.LimitReader(file, max))
}

package cli

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// The settings file is the one that --config or TLAYOUT_CONFIG names, or else tlayout/config.yaml in the user's configuration folder. No file is searched
// for in the folder of the data: what came with data chooses nothing. Keys are flags, by command:
//
//	inspect:
//	  limit: 20

// settingsFile is a parsed settings file; the zero value is none.
type settingsFile struct {
	path   string
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
func (f settingsFile) name() string { return "settings file " + text.Quoted(f.path) }

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
	path := cmd.Flags().Lookup("config").Value.String()
	if path == "" {
		path, err = a.SettingsFile()
		if path == "" || err != nil {
			return file, err
		}
	}
	content, err := ReadRegular(path, maxSettings)
	if err != nil {
		return file, fault.New(fault.Resource, "settings file %s: %s", text.Quoted(path), text.Quote(fault.Cause(err).Error()))
	}
	a.settingsOf = path
	return parseSettings(path, content, a.whole(cmd.Root()))
}

// SettingsFile returns the name of the settings file without --config: the one that TLAYOUT_CONFIG names, or the user's own if there is one; "" for
// none.
func (a *App) SettingsFile() (path string, err error) {
	if value, ok := a.Streams.Env(configVariable); ok {
		if err := (*File)(&path).Set(value); err != nil {
			return "", valueError(configVariable, value, err)
		}
		return path, nil
	}
	if a.Streams.UserDir == "" {
		return "", nil
	}
	path = filepath.Join(a.Streams.UserDir, "tlayout", "config.yaml")
	if _, err := os.Lstat(path); err != nil {
		return "", nil // also if the folder is not searchable
	}
	return path, nil
}

// parseSettings parses YAML, and rejects unknown keys.
func parseSettings(path string, content []byte, root *cobra.Command) (settingsFile, error) {
	f := settingsFile{path: path}
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
func ReadRegular(path string, max int64) ([]byte, error) {
	refuse := func(info fs.FileInfo, err error) error {
		if err == nil && (!info.Mode().IsRegular() || info.Size() > max) {
			return fmt.Errorf("not a regular file of at most %s", text.Bytes(max))
		}
		return err
	}
	if err := refuse(os.Stat(path)); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := refuse(file.Stat()); err != nil { // the file may have been replaced
		return nil, err
	}
	return io.ReadAll(io.LimitReader(file, max))
}

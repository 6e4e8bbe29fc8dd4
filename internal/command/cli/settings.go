package cli

import (
	"errors"
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

// The settings file is --config, or else .tlayout.yaml in the working folder or its nearest parent, which overrides tlayout/config.yaml in the user's
// configuration folder. Keys are flags, by command:
//
//	inspect:
//	  limit: 20
//
// A file that was found, not named, is ignored if somebody else could have written it: another user's .tlayout.yaml in /tmp could change how the
// caller's data is read. git has the same rule for a repository's configuration (setup.c, ensure_valid_ownership, since 2.35.2), and ssh for
// ~/.ssh/config (readconf.c, SSHCONF_CHECKPERM).

// settingsFile is a parsed settings file.
type settingsFile struct {
	path   string
	found  bool // not named by --config
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

// folderSettings is the name of a folder's settings file.
const folderSettings = ".tlayout.yaml"

// name is the file's name in messages.
func (f settingsFile) name() string { return "settings file " + text.Quoted(f.path) }

// inFolder reports whether the file was found in this folder or a parent, and so may have come with the data.
func (f settingsFile) inFolder() bool { return f.found && filepath.Base(f.path) == folderSettings }

// value returns the text of a key.
func (f settingsFile) value(key string) (string, bool) {
	if !f.values.IsSet(key) {
		return "", false
	}
	if list, ok := f.values.Get(key).([]any); ok && len(list) > 0 {
		return strings.Join(f.values.GetStringSlice(key), ","), true
	}
	return f.values.GetString(key), true
}

// maxSettings limits a settings file, in bytes.
const maxSettings = 1 << 20

// settings reads the settings files that apply to a command, in order of precedence. It warns about ignored ones.
func (a *App) settings(cmd *cobra.Command) (files []settingsFile, err error) {
	named := cmd.Flags().Lookup("config").Value.String()
	if value, ok := a.Streams.Env(envName(cmd, "config")); ok && !cmd.Flags().Changed("config") {
		if err := (*File)(&named).Set(value); err != nil {
			return nil, valueError(envName(cmd, "config"), value, err)
		}
	}
	add := func(path string, content []byte) error {
		file, err := parseSettings(path, content, a.whole(cmd.Root()))
		file.found = named == ""
		a.settingsOf = append(a.settingsOf, path)
		files = append(files, file)
		return err
	}
	if named != "" {
		content, err := ReadRegular(named, maxSettings)
		if err != nil {
			return nil, fault.New(fault.Resource, "settings file %s: %s", text.Quoted(named), text.Quote(fault.Cause(err).Error()))
		}
		return files, add(named, content)
	}
	for _, found := range a.FindSettings() {
		if found.Ignored != "" {
			a.Warn([]string{fmt.Sprintf("settings file %s is ignored: %s", text.Quoted(found.Path), found.Ignored)})
		} else if err := add(found.Path, found.text); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// FoundSettings is a settings file that was found, not named by --config.
type FoundSettings struct {
	Path    string
	Ignored string // why it is ignored; "" if it is read
	text    []byte
}

// FindSettings searches for settings files, nearest first.
func (a *App) FindSettings() (found []FoundSettings) {
	add := func(path string) bool {
		if _, err := os.Lstat(path); err != nil {
			return false // also if the folder is not searchable
		}
		content, err := readFound(path)
		f := FoundSettings{Path: path, text: content}
		if err != nil {
			f.Ignored = text.Quote(fault.Cause(err).Error())
		}
		found = append(found, f)
		return true
	}
	for dir := a.Streams.dir; dir != "" && !add(filepath.Join(dir, folderSettings)) && dir != filepath.Dir(dir); {
		dir = filepath.Dir(dir)
	}
	if a.Streams.UserDir != "" {
		add(filepath.Join(a.Streams.UserDir, "tlayout", "config.yaml"))
	}
	return found
}

// readFound reads a settings file unless somebody other than the caller and root could have written or placed it.
func readFound(path string) ([]byte, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("the symbolic link is broken")
	}
	if err != nil {
		return nil, err
	}
	for _, place := range []string{path, target} {
		file, err := os.Lstat(place)
		if err != nil {
			return nil, err
		}
		folder, err := os.Stat(filepath.Dir(place))
		if err != nil {
			return nil, err
		}
		if why := distrust(folder); why != "" {
			return nil, fmt.Errorf("its folder %s; read it anyway with --config", why)
		}
		if why := distrust(file); why != "" {
			return nil, fmt.Errorf("it %s; read it anyway with --config", why)
		}
	}
	return ReadRegular(target, maxSettings)
}

// parseSettings parses YAML, and rejects unknown keys.
func parseSettings(path string, content []byte, root *cobra.Command) (settingsFile, error) {
	f := settingsFile{path: path}
	var err error
	if f.values, err = parseYAML(content); err != nil {
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

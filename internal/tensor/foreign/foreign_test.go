package foreign

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/promise"
)

// Every format is told by its first bytes whatever the name is, or by its name; the hint is a command with the file's name in it, quoted
// for the shell.
func TestFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	told := func(err error) *fault.Error {
		t.Helper()
		var e *fault.Error
		if !errors.As(err, &e) {
			t.Fatalf("told as %v", err)
		}
		return e
	}
	python := regexp.MustCompile(`^python3 -c "([^"$\\` + "`" + `]*)"`)
	for _, f := range formats {
		var all []*fault.Error
		for i, m := range f.magic {
			name := "any" + string(rune('a'+i))
			if f.both {
				name += f.endings[0]
			}
			all = append(all, told(Recognize(name, strings.Repeat("\x00", f.at)+m+strings.Repeat("\x00", 20))))
		}
		for _, ending := range f.endings {
			all = append(all, told(Recognize("x"+ending, "1 2 3 4 5 6 7 8 9")))
		}
		for _, m := range f.members {
			all = append(all, told(Zip("any.zip", []string{"b", "a/" + m})))
		}
		for i, name := range f.inside {
			dir := strings.ReplaceAll(f.name, " ", "") + string(rune('a'+i)) + ".x"
			promise.Made(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
			promise.Made(t, os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o666))
			all = append(all, told(Recognize(filepath.Join(dir, name), "{}")), told(Folder(dir+"/")))
		}
		for _, e := range all {
			m := python.FindStringSubmatch(e.Hint)
			if f.python == "" {
				m = []string{e.Hint, e.Hint}
			}
			if e.Class != fault.Unsupported || !strings.Contains(e.Text, f.name+", not a .npy file") || m == nil || strings.Contains(m[1], "IN'") ||
				strings.Contains(m[1], "OUT") || m[1] == "" {
				t.Errorf("%s: %+v", f.name, e)
			}
		}
	}
}

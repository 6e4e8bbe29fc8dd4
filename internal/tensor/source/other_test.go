package source

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

// Every format is told by its first bytes whatever the name is, or by its name; the hint is a command with the file's name in it, and
// with none of the characters in a name that a shell or Python would take for something else.
func TestOtherFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	open := func(name, content string) *fault.Error {
		t.Helper()
		promise.Made(t, os.WriteFile(name, []byte(content), 0o666))
		_, err := Open(name, Options{})
		var e *fault.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", name, err)
		}
		return e
	}
	python := regexp.MustCompile(`^python3 -c "([^"$\\` + "`" + `]*)"`)
	for _, f := range formats {
		var all []*fault.Error
		for i, m := range f.magic {
			all = append(all, open("any"+string(rune('a'+i)), m+strings.Repeat("\x00", 20)))
		}
		for _, ending := range f.endings {
			all = append(all, open("x"+ending, "1 2 3 4 5 6 7 8 9"))
		}
		for _, e := range all {
			m := python.FindStringSubmatch(e.Hint)
			if e.Class != fault.Unsupported || !strings.Contains(e.Text, f.name+", not a .npy file") || m == nil || strings.Contains(m[1], "IN'") || strings.Contains(m[1], "OUT") {
				t.Errorf("%+v", e)
			}
		}
	}
	for _, name := range []string{"a.pt", "a.pth", "a.ckpt", "a.bin"} {
		if e := open(name, "\x80\x02 pickle"); e.Class != fault.Malformed {
			t.Errorf("%s: a damaged checkpoint: %v", name, e)
		}
	}
	for _, name := range []string{"a'b.h5", "$(x).h5", "a\"b.csv", "`x`.onnx", "\x1b[2J.h5", "a\\b.h5", "a!b.h5"} {
		if e := open(name, "\x80\x02 pickle"); !strings.Contains(e.Hint, "'FILE'") || strings.Contains(e.Hint, filepath.Base(name)) {
			t.Errorf("%q: %s", name, e.Hint)
		}
	}
	for name, content := range map[string]string{"readme.txt": "some words", "dump.bin": "\x00\x01\x02\x03\x04\x05\x06\x07", "dump": "x"} {
		if e := open(name, content); e.Class != fault.Malformed || !strings.Contains(e.Hint, "--raw") {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if e := open("x.npy", "\x00\x01\x02\x03\x04\x05\x06\x07"); strings.Contains(e.Hint, "--raw") {
		t.Errorf("a file that is called .npy: %+v", e)
	}
}

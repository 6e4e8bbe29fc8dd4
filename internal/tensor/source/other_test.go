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

// TestLFSPointer: a pointer of Git LFS is told as such whatever its name is, with the size of the file, by every way to open it.
func TestLFSPointer(t *testing.T) {
	t.Chdir(t.TempDir())
	pointer := lfsMagic + "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	check := func(name, what string, err error) {
		t.Helper()
		var e *fault.Error
		if !errors.As(err, &e) || e.Class != fault.Unsupported || !strings.Contains(e.Text, "a Git LFS pointer instead of the file itself"+what) ||
			e.Hint != "git lfs pull fetches it" {
			t.Errorf("%s: %+v", name, err)
		}
	}
	for _, name := range []string{"x", "x.npy", "x.npz", "x.pt", "x.pth", "x.ckpt", "x.bin", "x.safetensors", "x.gguf", "x.h5", "x.onnx", "x.index.json", "x.txt"} {
		promise.Made(t, os.WriteFile(name, []byte(pointer), 0o666))
		_, err := OpenOnly(name, Options{})
		check(name, ", which has 12345 bytes, 12.1 KiB", err)
		_, _, err = Open(name, Options{})
		check(name, "", err)
		_, err = OpenOnly(name, Options{Raw: &Typed{Shape: []int{131}}})
		check(name+" as raw bytes", "", err)
	}
	promise.Made(t, os.WriteFile("m.index.json", []byte(`{"metadata": {}, "weight_map": {"a": "x.safetensors"}}`), 0o666))
	_, _, err := Open("m.index.json", Options{})
	check("a shard", "", err)
	promise.Made(t, os.WriteFile("y.pt", []byte(lfsMagic+"size -1\n"), 0o666))
	_, err = OpenOnly("y.pt", Options{})
	check("a size below 0", "", err)
	promise.Made(t, os.WriteFile("z.txt", []byte("version https://git-lfs.github.com/spec/v10\nsize 1\n"), 0o666))
	if _, err := OpenOnly("z.txt", Options{}); err == nil || strings.Contains(err.Error(), "LFS") {
		t.Errorf("another version: %v", err)
	}
}

// Every format is told by its first bytes whatever the name is, or by its name; the hint is a command with the file's name in it, and
// with none of the characters in a name that a shell or Python would take for something else.
func TestOtherFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	open := func(name, content string) *fault.Error {
		t.Helper()
		promise.Made(t, os.WriteFile(name, []byte(content), 0o666))
		_, err := OpenOnly(name, Options{})
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
			name := "any" + string(rune('a'+i))
			if f.both {
				name += f.endings[0]
			}
			all = append(all, open(name, strings.Repeat("\x00", f.at)+m+strings.Repeat("\x00", 20)))
		}
		for _, ending := range f.endings {
			all = append(all, open("x"+ending, "1 2 3 4 5 6 7 8 9"))
		}
		for _, m := range f.members {
			content, err := os.ReadFile(writtenArchive(t, "a/"+m))
			promise.Made(t, err)
			all = append(all, open("any.zip", string(content)), open("any.pt", string(content)))
		}
		for i, name := range f.inside {
			dir := strings.ReplaceAll(f.name, " ", "") + string(rune('a'+i)) + ".x"
			promise.Made(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
			var e *fault.Error
			all = append(all, open(filepath.Join(dir, name), "{}"), e)
			if err := OtherFolder(dir + "/"); !errors.As(err, &all[len(all)-1]) {
				t.Fatalf("%s: %v", name, err)
			}
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

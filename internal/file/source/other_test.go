package source

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/text"
)

// TestLFSPointer: a pointer of Git LFS is told as such whatever its name is, with the size of the file, by every way to open it.
func TestLFSPointer(t *testing.T) {
	t.Chdir(t.TempDir())
	pointer := "version https://git-lfs.github.com/spec/v1\n" + "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	check := func(name, what string, err error) {
		t.Helper()
		var e *fault.Error
		if !errors.As(err, &e) || e.Class != fault.Unsupported || !strings.Contains(e.Text, "a Git LFS pointer instead of the file itself"+what) ||
			e.Hint != "git lfs pull fetches it" {
			t.Errorf("%s: %+v", name, err)
		}
	}
	for _, name := range []string{"x", "x.npy", "x.npz", "x.pt", "x.pth", "x.ckpt", "x.bin", "x.safetensors", "x.gguf", "x.h5", "x.onnx", "x.index.json", "x.txt"} {
		need.Made(t, os.WriteFile(name, []byte(pointer), 0o666))
		_, err := OpenOnly(named(name), Options{})
		check(name, ", which has 12345 bytes, 12.1 KiB", err)
		_, _, err = Open(named(name), Options{})
		check(name, "", err)
		_, err = OpenOnly(named(name), Options{Raw: &Typed{Shape: []int{131}}})
		check(name+" as raw bytes", "", err)
	}
	need.Made(t, os.WriteFile("m.index.json", []byte(`{"metadata": {}, "weight_map": {"a": "x.safetensors"}}`), 0o666))
	_, _, err := Open(named("m.index.json"), Options{})
	check("a shard", "", err)
	need.Made(t, os.WriteFile("y.pt", []byte("version https://git-lfs.github.com/spec/v1\n"+"size -1\n"), 0o666))
	_, err = OpenOnly(named("y.pt"), Options{})
	check("a size below 0", "", err)
	need.Made(t, os.WriteFile("z.txt", []byte("version https://git-lfs.github.com/spec/v10\nsize 1\n"), 0o666))
	if _, err := OpenOnly(named("z.txt"), Options{}); err == nil || strings.Contains(err.Error(), "LFS") {
		t.Errorf("another version: %v", err)
	}
}

// A file in a foreign format is refused by its bytes or its name, with the command that converts it, which is printable whatever the name is.
func TestOtherFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	open := func(name, content string) *fault.Error {
		t.Helper()
		need.Made(t, os.MkdirAll(filepath.Dir(name), 0o777))
		need.Made(t, os.WriteFile(name, []byte(content), 0o666))
		_, err := OpenOnly(named(name), Options{})
		var e *fault.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", name, err)
		}
		return e
	}
	pt2, err := os.ReadFile(writtenArchive(t, "a/archive_format"))
	need.Made(t, err)
	for _, e := range []*fault.Error{open("any", "\x89HDF\r\n\x1a\n"), open("x.mlmodel", "1"), open("any.zip", string(pt2)), open("any.pt", string(pt2))} {
		if e.Class != fault.Unsupported || !strings.Contains(e.Text, ", not a .npy file") || !strings.HasPrefix(e.Hint, "python3 -c ") {
			t.Errorf("%+v", e)
		}
	}
	for _, name := range []string{"a.pt", "a.pth", "a.ckpt", "a.bin"} {
		if e := open(name, "\x80\x02 pickle"); e.Class != fault.Malformed {
			t.Errorf("%s: a damaged checkpoint: %v", name, e)
		}
	}
	for name, text := range map[string]string{"a.onnx": "not an ONNX model, or damaged: the field at byte 4 would have 127 bytes, but its message only 0 more",
		"a.pt2": "not a program of torch.export: it starts with"} {
		if e := open(name, "\x08\x07\x12\x7f"); e.Class != fault.Malformed || !strings.Contains(e.Text, text) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	for _, name := range []string{"a'b.h5", "$(x).h5", "a\"b.csv", "`x`.mlmodel", "\x1b[2J.h5", "a\\b.h5", "a!b.h5"} {
		if e := open(name, "x"); strings.Contains(e.Hint, "FILE") || text.Quote(e.Hint) != e.Hint {
			t.Errorf("%q: %s", name, e.Hint)
		}
	}
	for name, content := range map[string]string{"dump.bin": "\x00\x01\x02\x03\x04\x05\x06\x07", "dump": "\x01\x00", "dump.txt": "\x01\x00"} {
		if e := open(name, content); e.Class != fault.Malformed || !strings.Contains(e.Hint, "tlayout guess "+name) {
			t.Errorf("%s: %+v", name, e)
		}
	}
	if e := open("x.npy", "\x00\x01\x02\x03\x04\x05\x06\x07"); strings.Contains(e.Hint, "--raw") {
		t.Errorf("a file that is called .npy: %+v", e)
	}
}

package publish

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/name"
)

// named is the name that a text is.
func named(s string) name.Name { return name.Parse(s) }

func mustCreate(t *testing.T, path string, o Options, begin opener) *File {
	t.Helper()
	f, err := create(named(path), o, begin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Discard)
	return f
}

func mustWrite(t *testing.T, f *File, s string) {
	t.Helper()
	if n, err := f.Write([]byte(s)); n != len(s) || err != nil {
		t.Fatalf("Write = %d, %v; want %d", n, err, len(s))
	}
}

func writeFile(t *testing.T, path, s string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(s), 0o666); err != nil {
		t.Fatal(err)
	}
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %.20q (%d bytes), %v; want %.20q (%d bytes)", path, got, len(got), err, want, len(want))
	}
}

func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	if names := list(t, dir); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
}

// wantAlone checks that the directory of path contains nothing else.
func wantAlone(t *testing.T, path string) {
	t.Helper()
	if names := list(t, filepath.Dir(path)); !slices.Equal(names, []string{filepath.Base(path)}) {
		t.Errorf("directory holds %v; want %s alone", names, filepath.Base(path))
	}
}

package source

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

const checkpoints = "../../../testdata/checkpoints/"

// indexed copies files of testdata/checkpoints and writes an index of them, whose path it returns. names says what each tensor is in.
func indexed(t *testing.T, names map[string]string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for to, from := range files {
		content, err := os.ReadFile(checkpoints + from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), content, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(map[string]any{"metadata": map[string]any{}, "weight_map": names})
	path := filepath.Join(dir, "model.bin.index.json")
	if err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFiles: what a source reads are the file before a member's name, and an index with the files beside it that it names.
func TestFiles(t *testing.T) {
	index := indexed(t, map[string]string{"x": "a.bin", "y": "b.bin"}, map[string]string{"a.bin": "views.pt", "b.bin": "plain.pt"})
	dir := filepath.Dir(index)
	for name, want := range map[string][]string{"x.npz:w": {"x.npz"}, "x.npy": {"x.npy"}, filepath.Join(dir, "none.bin.index.json"): {filepath.Join(dir, "none.bin.index.json")},
		index: {index, filepath.Join(dir, "a.bin"), filepath.Join(dir, "b.bin")}, index + ":x": {index, filepath.Join(dir, "a.bin"), filepath.Join(dir, "b.bin")}} {
		if got := Files(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, expected %q", name, got, want)
		}
	}
}

// TestUnchanged: a checkpoint has changed if any of its files has, a shard of an index as well as the index.
func TestUnchanged(t *testing.T) {
	files := []string{"a.bin", "b.bin", "model.bin.index.json"}
	for _, changed := range files {
		path := indexed(t, map[string]string{"x": "a.bin", "y": "b.bin"}, map[string]string{"a.bin": "views.pt", "b.bin": "plain.pt"})
		k, err := OpenCheckpoint(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		if err := k.Unchanged(); err != nil {
			t.Errorf("before: %v", err)
		}
		if err := os.Truncate(filepath.Join(filepath.Dir(path), changed), 40); err != nil {
			t.Fatal(err)
		}
		if err := k.Unchanged(); err == nil || fault.ClassOf(err) != fault.Resource {
			t.Errorf("%s is another: %v", changed, err)
		}
	}
}

// TestIndexOfRefused: a tensor that is not shown, of any shard of an index, uses the storages of that shard that it uses in the shard alone.
func TestIndexOfRefused(t *testing.T) {
	alone, err := OpenCheckpoint(checkpoints+"sparse.pt", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	if len(alone.Refused) != 1 || len(alone.Refused[0].Storages) == 0 {
		t.Fatalf("%+v", alone.Refused)
	}
	want := []int64{}
	for _, s := range alone.Refused[0].Storages {
		want = append(want, alone.Storages[s].At)
	}
	k, err := OpenCheckpoint(indexed(t, map[string]string{"a": "a.bin", "s": "b.bin"}, map[string]string{"a.bin": "views.pt", "b.bin": "sparse.pt"}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	got := []int64{}
	for _, s := range k.Refused[0].Storages {
		if k.Storages[s].File != "b.bin" {
			t.Errorf("storage %d is of %s", s, k.Storages[s].File)
		}
		got = append(got, k.Storages[s].At)
	}
	if !slices.Equal(got, want) {
		t.Errorf("at %d, alone at %d", got, want)
	}
}

// writtenArchive writes an archive of members of these names, which all hold an array of one byte.
func writtenArchive(t *testing.T, members ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	for _, name := range members {
		m, err := w.CreateHeader(&zip.FileHeader{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(m, "\x93NUMPY\x01\x00\x36\x00%-53s\n\x01", "{'descr': '|u1', 'fortran_order': False, 'shape': ()}")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestExpandDoubled: of several members of one name, that name is a source once.
func TestExpandDoubled(t *testing.T) {
	path := writtenArchive(t, "a.npy", "b.npy", "a.npy", "c.npy")
	got, err := Expand(path, Options{})
	if want := []string{path + ":a", path + ":b", path + ":c"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestOpenerOpensOnce: a container is opened once for listing it and for all its tensors, however many there are.
func TestOpenerOpensOnce(t *testing.T) {
	for _, path := range []string{writtenArchive(t, "a.npy", "b.npy", "c.npy"), checkpoints + "views.pt", checkpoints + "model.safetensors.index.json"} {
		var p Opener
		names, err := p.Expand(path, Options{})
		if err != nil || len(names) < 3 {
			t.Fatal(names, err)
		}
		first := p.last
		for _, name := range names {
			x, err := p.Open(name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			x.Close()
		}
		if _, err := p.Select(path, "*", Options{}); err != nil || p.last != first {
			t.Errorf("%s was opened again, %v", path, err)
		}
		p.Close()
	}
}

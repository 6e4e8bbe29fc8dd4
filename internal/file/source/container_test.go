package source

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

const (
	checkpoints = "../../../testdata/checkpoints/"
	containers  = "../../../testdata/containers/"
)

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
	for path, want := range map[string][]string{"x.npz:w": {"x.npz"}, "x.npy": {"x.npy"}, filepath.Join(dir, "none.bin.index.json"): {filepath.Join(dir, "none.bin.index.json")},
		index: {index, filepath.Join(dir, "a.bin"), filepath.Join(dir, "b.bin")}, index + ":x": {index, filepath.Join(dir, "a.bin"), filepath.Join(dir, "b.bin")}} {
		if got := Files(named(path)); !slices.Equal(got, name.ParseAll(want)) {
			t.Errorf("%s: %q, expected %q", path, got, want)
		}
	}
}

// TestUnchanged: a checkpoint has changed if any of its files has, a shard of an index as well as the index.
func TestUnchanged(t *testing.T) {
	files := []string{"a.bin", "b.bin", "model.bin.index.json"}
	for _, changed := range files {
		path := indexed(t, map[string]string{"x": "a.bin", "y": "b.bin"}, map[string]string{"a.bin": "views.pt", "b.bin": "plain.pt"})
		k, _, err := Open(named(path), Options{})
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
	alone, _, err := Open(named(checkpoints+"sparse.pt"), Options{})
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
	k, _, err := Open(named(indexed(t, map[string]string{"a": "a.bin", "s": "b.bin"}, map[string]string{"a.bin": "views.pt", "b.bin": "sparse.pt"})), Options{})
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

// TestDoubled: of several members of one name, that name is listed once, and opening it is refused.
func TestDoubled(t *testing.T) {
	s := openSet(t, writtenArchive(t, "a.npy", "b.npy", "a.npy", "c.npy"))
	var names []string
	for _, x := range s.Tensors {
		names = append(names, x.Name)
	}
	if !slices.Equal(names, []string{"a", "b", "c"}) {
		t.Errorf("%q", names)
	}
	if _, err := s.Tensor(0, Options{}); fault.ClassOf(err) != fault.Malformed {
		t.Errorf("two arrays of one name: %v", err)
	}
}

// TestOpenedOnce: all tensors of a set are those of the files that were opened first, however many there are and whatever becomes of the
// names; they stay open when the set is closed.
func TestOpenedOnce(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"views.pt", "q4.gguf", "plain.safetensors"} {
		content, err := os.ReadFile(checkpoints + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{writtenArchive(t, "a.npy", "b.npy", "c.npy"), filepath.Join(dir, "views.pt"), filepath.Join(dir, "q4.gguf"), filepath.Join(dir, "plain.safetensors")} {
		s := openSet(t, path)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		picked, err := s.Match("*")
		if err != nil || len(picked) != len(s.Tensors) || len(picked) == 0 {
			t.Fatal(picked, err)
		}
		var open []*Tensor
		for _, i := range picked {
			x, err := s.Tensor(i, Options{})
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, x)
		}
		s.Close()
		for _, x := range open {
			if data, err := x.Data(); err != nil || int64(len(data)) != x.Header.DataBytes {
				t.Errorf("%s: %d bytes, %v", x.Source, len(data), err)
			}
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}
		if n := s.users.Load(); n != 0 {
			t.Errorf("%s: %d users after all are closed", path, n)
		}
	}
}

// TestMatch: a name is exact before it is a pattern; tensors that are not shown are selected where that is asked for, and say why they are not.
func TestMatch(t *testing.T) {
	s := openSet(t, writtenArchive(t, "a*.npy", "ab.npy", "w/x.npy", "w/x", "readme.txt"))
	for pattern, want := range map[string][]int{"a*": {0}, "a?": {0, 1}, "w*": {2, 3}, "w/x": {3}, "w/x.npy": {2}, "ab.npy": {1}, "": {0, 1, 2, 3, 4}} {
		if got, err := s.Match(pattern); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, expected %v", pattern, got, err, want)
		}
	}
	for _, pattern := range []string{"z", "z*", "["} {
		if got, err := s.Match(pattern); fault.ClassOf(err) != fault.Usage || err == nil {
			t.Errorf("%q: %v, %v", pattern, got, err)
		}
	}
	r := openSet(t, checkpoints+"sparse.pt")
	all, err := r.Select("")
	shown, errShown := r.Match("")
	if err != nil || errShown != nil || len(all) != len(r.Tensors)+1 || len(shown) != len(r.Tensors) {
		t.Fatal(all, shown, err, errShown)
	}
	if _, err := r.Tensor(all[len(all)-1], Options{}); fault.ClassOf(err) != fault.Unsupported || !strings.Contains(err.Error(), r.Refused[0].Why) {
		t.Errorf("what is not shown is opened: %v", err)
	}
}

// TestTensorsAtOnce: tensors of a set are opened and read from many goroutines at once.
func TestTensorsAtOnce(t *testing.T) {
	for _, path := range []string{archives + "deflated.npz", archives + "stored.npz", checkpoints + "views.pt", checkpoints + "model.safetensors.index.json"} {
		s := openSet(t, path)
		var wait sync.WaitGroup
		for range 4 {
			for i := range s.Tensors {
				wait.Go(func() {
					x, err := s.Tensor(i, Options{})
					if err != nil {
						t.Error(err)
						return
					}
					defer x.Close()
					if _, err := x.Data(); err != nil {
						t.Error(err)
					}
				})
			}
		}
		wait.Wait()
		if n := s.users.Load(); n != 1 {
			t.Errorf("%s: %d users, expected the set alone", path, n)
		}
	}
}

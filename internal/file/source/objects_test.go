package source

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/need"
)

// objects are the files that testdata/objects/make.py wrote.
const objects = "testdata/objects/"

// contents lists the tensors of a source as "name type shape strides values", and what it does not show.
func contents(t *testing.T, source string) []string {
	t.Helper()
	s, pattern, err := Open(named(source), Options{})
	if err != nil {
		t.Errorf("%s: %v", source, err)
		return nil
	}
	defer s.Close()
	picked, err := s.Select(pattern)
	need.Made(t, err)
	var lines []string
	for _, i := range picked {
		x, err := s.Tensor(i, Options{})
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		_, err = x.Data()
		need.Made(t, err)
		values := make([]string, x.Layout.Numel())
		shape := x.Layout.Shape()
		for n := range values { // in logical order
			index, rest := make([]int, len(shape)), n
			for d := len(shape) - 1; d >= 0; d-- {
				index[d], rest = rest%shape[d], rest/shape[d]
			}
			values[n], _ = x.Value(x.Layout.At(index...))
		}
		lines = append(lines, fmt.Sprint(s.TensorName(i), " ", x.DType, " ", shape, " ", strings.Join(values, ",")))
		x.Close() //nolint:errcheck // read only
	}
	for _, r := range s.NotShown() {
		lines = append(lines, r.Name+": "+r.Why)
	}
	return lines
}

func wantContents(t *testing.T, source string, want ...string) {
	t.Helper()
	if got := contents(t, source); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n%s\nwant\n%s", source, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestObjects: the arrays within Python objects are tensors: of an object array in a .npy file or an archive, and of pickles, in NumPy's logical
// order. They are called by their keys, and by their index in an object array that has dims.
func TestObjects(t *testing.T) {
	const a, b = " float64 [2 3] 0,1,2,3,4,5", " float32 [2 3] 0,1,2,3,4,5"
	wantContents(t, objects+"dict.npy", "a"+a, "n.b"+b)
	wantContents(t, objects+"dict.npy:n.b", "n.b"+b)
	wantContents(t, objects+"ragged.npy", "0.1 int16 [3] 0,1,2", "1.0"+a)
	wantContents(t, objects+"ragged_fortran.npy", "0.1 int16 [3] 0,1,2", "1.0"+a)
	wantContents(t, objects+"none.npy", ": it is a NumPy array of Python objects")
	for _, archive := range []string{"stored.npz", "deflated.npz"} {
		wantContents(t, objects+archive+":meta", "a"+a, "b:c"+b)
		wantContents(t, objects+archive+":meta:b:c", "b:c"+b)
		wantContents(t, objects+archive+":meta.npy:a", "a"+a)
		wantContents(t, objects+archive+":w", "w float32 [3] 1,1,1")
	}
	for protocol := 2; protocol <= 5; protocol++ {
		wantContents(t, fmt.Sprintf("%sdump%d.pkl", objects, protocol), "a"+a, "b"+b)
	}
	wantContents(t, objects+"several.pkl", "0"+a, "1.0"+b)
}

// TestObjectsRefused: what an object array does not hold is named with the source that does not hold it; a damaged pickle is refused, in an archive too,
// whose checksum covers it.
func TestObjectsRefused(t *testing.T) {
	for source, want := range map[string]string{
		objects + "stored.npz:meta:x": `stored.npz:meta" has no tensor "x"`,
		objects + "stored.npz:x:meta": `no array "x:meta"`,
		objects + "dict.npy:x":        `dict.npy" has no tensor "x"`,
	} {
		if _, err := OpenOnly(named(source), Options{}); err == nil || !strings.Contains(err.Error(), want) || fault.ClassOf(err) != fault.Usage {
			t.Errorf("%s: %v, expected %s", source, err, want)
		}
	}
	content, err := os.ReadFile(objects + "stored.npz")
	need.Made(t, err)
	at := strings.Index(string(content), "latin1")
	if at < 0 {
		at = strings.Index(string(content), "_reconstruct")
	}
	content[at] ^= 1
	path := filepath.Join(t.TempDir(), "x.npz")
	need.Made(t, os.WriteFile(path, content, 0o666))
	var e *fault.Error
	if _, _, err := Open(named(path+":meta"), Options{}); !errors.As(err, &e) || e.Class != fault.Malformed || !strings.Contains(e.Text, "x.npz:meta") {
		t.Errorf("a damaged pickle: %v", err)
	}
}

// TestSequence: a .npy file's name is its first array, with a warning that says how to read the next; a number names any of them, * all.
func TestSequence(t *testing.T) {
	row := objects + "row.npy"
	const first, second, third = " float64 [2 3] 0,1,2,3,4,5", " float32 [2 3] 0,1,2,3,4,5", " int16 [] 7"
	wantContents(t, row+":*", "0"+first, "1"+second, "2"+third)
	wantContents(t, row, first)
	for i, want := range []string{first, second, third} {
		wantContents(t, fmt.Sprintf("%s:%d", row, i), fmt.Sprint(i)+want)
	}
	warned := func(path, want string) {
		t.Helper()
		x := openMust(t, path, Options{})
		if got := strings.Join(x.Warnings, "\n"); got != strings.ReplaceAll(want, "PATH", path) {
			t.Errorf("%s: %q, expected %q", path, got, want)
		}
	}
	warned(row, "2 arrays in the file after this one; PATH:1 reads the next")
	warned(row+":0", "")
	warned(row+":1", "")
	content, err := os.ReadFile(row)
	need.Made(t, err)
	single := strings.Index(string(content[1:]), "\x93NUMPY") + 1
	last := strings.LastIndex(string(content), "\x93NUMPY")
	for n, want := range map[int]string{
		single:           "",
		single + 5:       "ignoring 5 bytes after the data",
		single + 30:      "ignoring 30 bytes after the data",
		last:             "1 array in the file after this one; PATH:1 reads it",
		len(content) - 1: fmt.Sprintf("1 array in the file after this one; PATH:1 reads it; ignoring %d bytes after the last", len(content)-1-last),
	} {
		path := filepath.Join(t.TempDir(), "x.npy")
		need.Made(t, os.WriteFile(path, content[:n], 0o666))
		warned(path, want)
	}
	if _, err := OpenOnly(named(row+":3"), Options{}); err == nil || !strings.Contains(err.Error(), `has 3 arrays, none called "3"`) {
		t.Errorf("beyond the last: %v", err)
	}
}

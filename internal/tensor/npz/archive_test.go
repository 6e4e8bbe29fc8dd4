package npz

import (
	"archive/zip"
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// TestNumPyArchives: what np.savez and np.savez_compressed wrote is read, byte for byte as archive/zip reads it, and has
// the data of testdata/make_archives.py at its end.
func TestNumPyArchives(t *testing.T) {
	data := map[string]string{"fc.weight": "\x00\x00\xa0\x40", "conv/w": "\x00\x17", "same": strings.Repeat("\x00", 300)}
	for name, method := range map[string]Method{"stored": Stored, "deflated": Deflated} {
		archive, err := os.ReadFile("testdata/" + name + ".npz")
		if err != nil {
			t.Fatal(err)
		}
		a, err := open(archive)
		if err != nil || !slices.Equal(a.Names(), []string{"fc.weight", "conv/w", "same"}) {
			t.Fatalf("%s: %v, %v", name, a, err)
		}
		for i, m := range a.Members {
			text, err := contentOf(a, m)
			if err != nil || m.Method != method || !strings.HasPrefix(text, "\x93NUMPY") || !strings.HasSuffix(text, data[m.Key()]) {
				t.Errorf("%s: %+v: %v", name, m, err)
			}
			if at, err := a.Locate(m); method == Stored && (err != nil || string(archive[at:][:m.Size]) != text) {
				t.Errorf("%s: %s is not at byte %d: %v", name, m.Name, at, err)
			}
			if other := readByZip(t, archive, i); other != text {
				t.Errorf("%s: %s: archive/zip reads %d bytes, not %d", name, m.Name, len(other), len(text))
			}
		}
	}
	empty, err := os.ReadFile("testdata/empty.npz")
	if err != nil {
		t.Fatal(err)
	}
	if a, err := open(empty); err != nil || len(a.Members) != 0 {
		t.Errorf("empty: %v, %v", a, err)
	}
}

func readByZip(t *testing.T, archive []byte, i int) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := z.File[i].Open()
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestFind: a name is that of a member, or of one with .npy behind it, in this order, as in NumPy's NpzFile; one that
// is missing is answered with the nearest name, or with all of them.
func TestFind(t *testing.T) {
	a, err := open(build("", file{name: "w", content: "bare"}, file{name: "w.npy"}, file{name: "bias.npy"}, file{name: "w.npy.npy"}))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"w": "w", "w.npy": "w.npy", "bias": "bias.npy", "bias.npy": "bias.npy", "w.npy.npy": "w.npy.npy"} {
		if m, err := a.Find(name); err != nil || m.Name != want {
			t.Errorf("%s: %q, %v", name, m.Name, err)
		}
	}
	for name, hint := range map[string]string{"biass": `did you mean "bias"?`, "other thing": "the archive holds w, w, bias, w.npy"} {
		_, err := a.Find(name)
		wantFault(t, name, err, fault.Usage, `it has no array "`+name+`"`)
		if got := err.(*fault.Error).Hint; got != hint {
			t.Errorf("%s: hint %q, expected %q", name, got, hint)
		}
	}
	many := make([]string, 20)
	for i := range many {
		many[i] = strings.Repeat("\x1b", 100)
	}
	if s := Listed(many); !strings.HasSuffix(s, "and 12 more") || strings.Contains(s, "\x1b") || len(s) > 2500 {
		t.Errorf("%q", s)
	}
}

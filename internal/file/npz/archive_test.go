package npz

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/zip"
)

// open opens an archive of empty members of these names.
func open(t *testing.T, names ...string) (*Archive, error) {
	t.Helper()
	members := make([]zip.New, len(names))
	for i, name := range names {
		members[i].Name = name
	}
	p, err := zip.Place(members)
	if err != nil {
		t.Fatal(err)
	}
	file := make([]byte, p.Size())
	for i := range names {
		header, at := p.Header(i, 0)
		copy(file[at:], header)
	}
	end, at := p.End(make([]uint32, len(names)))
	copy(file[at:], end)
	return Open(bytes.NewReader(file), int64(len(file)))
}

// TestFind: a name is that of a member, or of one with .npy behind it, in this order, as in NumPy's NpzFile; one that
// is missing is answered with the nearest name, or with all of them.
func TestFind(t *testing.T) {
	a, err := open(t, "w", "w.npy", "bias.npy", "w.npy.npy")
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
		var e *fault.Error
		if !errors.As(err, &e) || e.Class != fault.Usage || e.Text != `no array "`+name+`"` || e.Hint != hint {
			t.Errorf("%s: %v, expected the hint %q", name, err, hint)
		}
	}
	twice, err := open(t, "a.npy", "a.npy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := twice.Find("a"); fault.ClassOf(err) != fault.Malformed {
		t.Errorf("two of a name: %v", err)
	}
	many := make([]string, 20)
	for i := range many {
		many[i] = strings.Repeat("\x1b", 100)
	}
	if s := Listed(many); !strings.HasSuffix(s, "and 12 more") || strings.Contains(s, "\x1b") || len(s) > 2500 {
		t.Errorf("%q", s)
	}
}

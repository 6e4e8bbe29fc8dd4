package diff

import (
	"archive/zip"
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
)

// member is an array of an archive.
type member struct {
	name string
	npy  []byte
}

// archiveOf writes an .npz file.
func archiveOf(path string, members ...member) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w := fixture.Must(z.CreateHeader(&zip.FileHeader{Name: m.name + ".npy", Method: zip.Store}))
		fixture.Must(w.Write(m.npy))
	}
	cli.Must(z.Close())
	cli.Must(os.WriteFile(path, b.Bytes(), 0o644))
}

// ask runs diff and returns its page and error.
func ask(args ...string) (string, error) {
	var out bytes.Buffer
	a := &cli.App{Streams: &cli.Streams{Err: new(bytes.Buffer), Env: func(string) (string, bool) { return "", false }}, Stdout: &out, Format: cli.Table}
	a.Quiet = args[0] == "-q"
	cmd := NewCmd(a)
	cmd.SetArgs(args[len(args)-2:])
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.Execute()
	return out.String(), err
}

// TestQuietGoesOn: with --quiet, an array in another layout does not end the comparison: one that differs after it decides.
func TestQuietGoesOn(t *testing.T) {
	t.Chdir(t.TempDir())
	c, f := fixture.Must(fixture.Npy("float32", []int{3, 4}, false)), fixture.Must(fixture.Npy("float32", []int{3, 4}, true))
	other := bytes.Clone(c)
	other[len(other)-1] ^= 1
	archiveOf("a.npz", member{"x", c}, member{"y", c})
	archiveOf("b.npz", member{"x", f}, member{"y", other})
	archiveOf("same.npz", member{"x", f}, member{"y", c})
	if page, err := ask("-q", "a.npz", "b.npz"); fault.ClassOf(err) != fault.Negative {
		t.Errorf("%q, %v", page, err)
	}
	if page, err := ask("-q", "a.npz", "same.npz"); err != nil {
		t.Errorf("%q, %v", page, err)
	}
}

// TestPatternOfOne: patterns of which each matches one array compare these, under their names.
func TestPatternOfOne(t *testing.T) {
	t.Chdir(t.TempDir())
	x, y := fixture.Must(fixture.Npy("float32", []int{3, 4}, false)), fixture.Must(fixture.Npy("float32", []int{3, 5}, false))
	archiveOf("a.npz", member{"x1", x}, member{"y", y})
	archiveOf("b.npz", member{"x1", x}, member{"z", y})
	for _, args := range [][]string{{"a.npz:x*", "b.npz:x*"}, {"a.npz:x*", "b.npz"}, {"a.npz", "b.npz:x*"}} {
		if page, err := ask(args...); err != nil || !strings.Contains(page, "hold the same array") {
			t.Errorf("%q: %q, %v", args, page, err)
		}
	}
}

// TestPrefixes: what all names of a side begin with, and the other's do not, is left out and said; names of which the other side has as many
// with it stay.
func TestPrefixes(t *testing.T) {
	t.Chdir(t.TempDir())
	x, y := fixture.Must(fixture.Npy("float32", []int{3, 4}, false)), fixture.Must(fixture.Npy("float32", []int{3, 5}, false))
	other := bytes.Clone(x)
	other[len(other)-1] ^= 1
	archiveOf("plain.npz", member{"conv.w", x}, member{"fc.w", y})
	archiveOf("module.npz", member{"state.module.conv.w", other}, member{"state.module.fc.w", y})
	archiveOf("orig.npz", member{"_orig_mod.conv.w", x}, member{"_orig_mod.fc.w", y})
	archiveOf("layers.npz", member{"layers.0.w", x}, member{"layers.1.w", y})
	for _, c := range []struct{ a, b, want string }{
		{"plain.npz", "module.npz", "plain.npz and module.npz differ: 1 of 2 arrays differs, names of b begin with \"state.module.\"\n"},
		{"module.npz", "orig.npz", "module.npz and orig.npz differ: 1 of 2 arrays differs, names of a begin with \"state.module.\", " +
			"names of b begin with \"_orig_mod.\"\n"},
		{"orig.npz", "plain.npz", "orig.npz and plain.npz differ: names of a begin with \"_orig_mod.\"\n"},
		{"layers.npz", "layers.npz", "layers.npz and layers.npz hold the same 2 arrays\n"},
	} {
		page, err := ask(c.a, c.b)
		if !strings.HasPrefix(page, c.want) || (fault.ClassOf(err) == fault.Negative) != strings.Contains(c.want, "differ") {
			t.Errorf("%s and %s: %v\n%s", c.a, c.b, err, page)
		}
	}
}

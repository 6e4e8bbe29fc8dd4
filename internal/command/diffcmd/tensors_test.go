package diffcmd

import (
	"archive/zip"
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
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
	archiveOf("five.npz", member{"conv.w", x}, member{"fc.w", y}, member{"p.w", x}, member{"q.w", x}, member{"r.w", x})
	for _, c := range []struct{ a, b, want string }{
		{"five.npz", "orig.npz", "five.npz and orig.npz differ: 3 tied, names of b begin with \"_orig_mod.\"\n"},
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

// TestSameAddresses: strides of dims of size 1, and of tensors without elements, place nothing.
func TestSameAddresses(t *testing.T) {
	of := func(shape, strides []int) tensor.Layout {
		s := fixture.Must(tensor.NewStrided(shape, strides, 0))
		return fixture.Must(s.Layout(nil, tensor.Unbounded))
	}
	for _, c := range []struct {
		shape, a, b []int
		want        bool
	}{
		{[]int{1, 3, 4}, []int{12, 4, 1}, []int{99, 4, 1}, true},
		{[]int{3, 1, 4}, []int{4, 4, 1}, []int{4, 7, 1}, true},
		{[]int{2, 3, 4}, []int{12, 4, 1}, []int{12, 1, 3}, false},
		{[]int{2, 0, 4}, []int{12, 4, 1}, []int{7, 5, 3}, true},
	} {
		if got := sameAddresses(of(c.shape, c.a), of(c.shape, c.b)); got != c.want {
			t.Errorf("%v: strides %v and %v: %t", c.shape, c.a, c.b, got)
		}
	}
}

// TestBitsOfAlike: bits are shown if two values print the same, wherever in the list: here the first of three.
func TestBitsOfAlike(t *testing.T) {
	t.Chdir(t.TempDir())
	a, b := fixture.Must(fixture.Npy("float32", []int{4}, false)), fixture.Must(fixture.Npy("float32", []int{4}, false))
	data := func(file []byte) []byte { return file[len(file)-16:] }
	copy(data(a), []byte{1, 0, 0xc0, 0x7f}) // NaN with different payloads
	copy(data(b), []byte{2, 0, 0xc0, 0x7f})
	data(b)[4+3] ^= 0x80
	data(b)[8+3] ^= 0x80
	cli.Must(os.WriteFile("a.npy", a, 0o644))
	cli.Must(os.WriteFile("b.npy", b, 0o644))
	if page := answer(t, "a.npy", "b.npy"); !strings.Contains(page, "0x7fc00001") || !strings.Contains(page, "0x7fc00002") {
		t.Error(page)
	}
}

// TestSidesOwnChannels: --channels-b is stronger than --channels, which is for both.
func TestSidesOwnChannels(t *testing.T) {
	o := &options{}
	o.Channels = 3
	o.sides[1].Channels = 4
	a := &cli.App{Streams: &cli.Streams{}}
	if first, second := o.reading(a, 0, name.Parse("a.npy")).Channels, o.reading(a, 1, name.Parse("b.npy")).Channels; first != 3 || second != 4 {
		t.Errorf("a is read with %d channels, b with %d", first, second)
	}
}

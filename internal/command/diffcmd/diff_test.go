package diffcmd

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/npy"
	"github.com/tlayout/tlayout/internal/hostile"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// TestDiffTruncated: truncating either file during the comparison is an error.
func TestDiffTruncated(t *testing.T) {
	for i := range 2 {
		dir := t.TempDir()
		o := &options{limit: 10}
		for _, file := range []string{"x.npy", "y.npy"} {
			content := fixture.Must(fixture.Npy("float32", []int{64, 64, 64}, false))
			o.sources = append(o.sources, name.Parse(filepath.Join(dir, file)))
			cli.Must(os.WriteFile(filepath.Join(dir, file), content, 0o644))
		}
		a := &cli.App{Streams: &cli.Streams{Err: new(bytes.Buffer)}}
		d := newDiffer(a, o)
		p := fixture.Must(d.open([2]name.Name(o.sources)))
		for _, other := range p.tensors {
			fixture.Must(other.Data()) // is mapped
		}
		cli.Must(os.Truncate(o.sources[i].Raw(), 4096))
		_, err := p.compare(d)
		if fault.ClassOf(err) != fault.Resource || err == nil || !strings.Contains(err.Error(), "changed while reading") {
			t.Errorf("source %d: %v", i, err)
		}
		p.close()
	}
}

// answer runs diff on two sources that must differ, and returns its page.
func answer(t *testing.T, args ...string) string {
	t.Helper()
	var out, complaint bytes.Buffer
	a := &cli.App{Streams: &cli.Streams{Err: &complaint, Env: func(string) (string, bool) { return "", false }}, Stdout: &out, Format: cli.Table}
	cmd := NewCmd(a)
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	if err := cmd.Execute(); fault.ClassOf(err) != fault.Negative || complaint.Len() > 0 {
		t.Fatalf("%q: %v\n%s%s", args, err, &out, &complaint)
	}
	return out.String()
}

// TestPlacesOfFields: records whose fields have the same names and types differ by their offsets, and the page shows which.
func TestPlacesOfFields(t *testing.T) {
	dir := t.TempDir()
	for name, at := range map[string]int{"x.npy": 1, "y.npy": 2} {
		u1 := fixture.Must(dtype.Parse("uint8"))
		typ := fixture.Must(dtype.StructOf([]dtype.Field{{Name: "a", DType: u1}, {Name: "b", DType: u1, Offset: at}}, 3))
		file := fixture.Must(npy.AppendHeader(nil, typ, false, []int{4}))
		cli.Must(os.WriteFile(filepath.Join(dir, name), append(file, make([]byte, 4*3)...), 0o644))
	}
	got := answer(t, filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.npy"))
	want := "x.npy and y.npy differ in dtype, struct{a: uint8 @0, b: uint8 @1; 3 bytes} and struct{a: uint8 @0, b: uint8 @2; 3 bytes}"
	if got = strings.ReplaceAll(got, dir+string(filepath.Separator), ""); !strings.HasPrefix(got, want+"\n") {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestTwinsInOneFolder: two files of one folder whose names differ only in the layout are two tensors: if the other folder has one of
// them, that one is compared, and the other is only in its folder.
func TestTwinsInOneFolder(t *testing.T) {
	dir := t.TempDir()
	for name, last := range map[string]int{"a/x.nchw.npy": 4, "a/x.nhwc.npy": 5, "b/x.nchw.npy": 4} {
		content := fixture.Must(fixture.Npy("uint8", []int{1, 2, 3, last}, false))
		cli.Must(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		cli.Must(os.WriteFile(filepath.Join(dir, name), content, 0o644))
	}
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, c := range []struct{ a, b, only string }{{a, b, "a"}, {b, a, "b"}} {
		got := answer(t, c.a, c.b)
		if !strings.Contains(got, "differ: 1 only in ") || !strings.Contains(got, "x.nhwc.npy: only in "+c.only) || strings.Contains(got, "of 2") {
			t.Errorf("%s", got)
		}
	}
}

// TestCutApart: texts that differ are cut to the same range, within the width of a table, and still differ; short ones are not cut. It
// tries all pairs of lengths and positions of the first difference, in letters of two bytes.
func TestCutApart(t *testing.T) {
	cut := 0
	for n := range 60 {
		for m := range 60 {
			for at := range min(n, m) + 1 {
				a, b := []rune(strings.Repeat("é", n)), []rune(strings.Repeat("é", m))
				if at < n {
					a[at] = 'x'
				}
				shownA, shownB := cutApart(string(a), string(b))
				if wide := max(len([]rune(shownA)), len([]rune(shownB))); wide > maxShown || (shownA == shownB) != slices.Equal(a, b) {
					t.Fatalf("%d and %d characters, different from %d on: %s and %s", n, m, at, shownA, shownB)
				}
				if shownA != string(a) {
					cut++
				} else if max(n, m) <= maxShown && shownB != string(b) {
					t.Fatalf("%s was short, and was cut to %s", string(b), shownB)
				}
			}
		}
	}
	if cut == 0 {
		t.Error("nothing was cut")
	}
}

// TestDiffIsLinear: diff allocates a few KiB per tensor, however many there are: it reads no header again, and compares small tensors of
// one order in place.
func TestDiffIsLinear(t *testing.T) {
	used := func(n int) uint64 {
		var header strings.Builder
		for i := range n {
			fmt.Fprintf(&header, `,"t%d":{"dtype":"F32","shape":[1,1,1,1],"data_offsets":[%d,%d]}`, i, 4*i, 4*i+4)
		}
		text := "{" + header.String()[1:] + "}"
		path := filepath.Join(t.TempDir(), "x.safetensors")
		cli.Must(os.WriteFile(path, slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), []byte(text), make([]byte, 4*n)), 0o644))
		return hostile.AllocatedBy(func() {
			o := &options{limit: 10, sources: name.ParseAll([]string{path, path})}
			cli.Must(run(&cli.App{Streams: &cli.Streams{Err: io.Discard, Env: func(string) (string, bool) { return "", false }}, Stdout: io.Discard, Format: cli.Table}, o))
		})
	}
	if one, two := used(100), used(200); two > 3*one || two/200 > 28<<10 { // slices grow in steps
		t.Errorf("%d bytes are allocated for 100 tensors, %d for 200", one, two)
	}
}

// TestCheckpointBesideFolder: the tensors of a checkpoint match .npy files of the same names, in subfolders too. A layout at the end of a
// name sets the order of the file's axes if only the file's name has it.
func TestCheckpointBesideFolder(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	array := fixture.Must(fixture.Npy("float32", []int{1, 2, 3, 4}, false))
	const header = `{"w.nhwc":{"dtype":"F32","shape":[1,2,3,4],"data_offsets":[0,96]},"a/b":{"dtype":"F32","shape":[1,2,3,4],"data_offsets":[96,192]}}   `
	data := array[len(array)-96:]
	cli.Must(os.MkdirAll(at("f/a"), 0o755))
	for name, content := range map[string][]byte{"f/w.nhwc.npy": array, "f/a/b.npy": array, "v.nhwc.npy": array,
		"m.safetensors": slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), []byte(header), data, data)} {
		cli.Must(os.WriteFile(at(name), content, 0o644))
	}
	equal := func(sources ...string) error {
		o := &options{limit: 10, sources: name.ParseAll(sources)}
		return run(&cli.App{Streams: &cli.Streams{Err: io.Discard, Env: func(string) (string, bool) { return "", false }}, Stdout: io.Discard, Format: cli.Table}, o)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{{"m.safetensors", "f", true}, {"f", "m.safetensors", true}, {"m.safetensors:w.nhwc", "f/w.nhwc.npy", true}, {"m.safetensors:w.nhwc", "v.nhwc.npy", false},
		{"m.safetensors:w.nhwc", "f/a/b.npy", true}} {
		if err := equal(at(c.a), at(c.b)); (err == nil) != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, err)
		}
	}
}

// npyOf writes a float32 .npy file of some numbers.
func npyOf(t *testing.T, path string, shape []int, values []float32) {
	t.Helper()
	f4 := fixture.Must(dtype.Parse("<f4"))
	file := fixture.Must(npy.AppendHeader(nil, f4, false, shape))
	for _, x := range values {
		file = binary.LittleEndian.AppendUint32(file, math.Float32bits(x))
	}
	cli.Must(os.WriteFile(path, file, 0o644))
}

// TestNamesOfRelations: what is said of b's elements names the files, in each of its lines.
func TestNamesOfRelations(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	var x, shuffled, reread []float32
	for i := range 60 {
		x = append(x, float32(i*i))
	}
	for i, k := range random.New(t).Perm(60) {
		shuffled, reread = append(shuffled, x[k]), append(reread, x[i%3*20+i/3])
	}
	npyOf(t, "x.npy", []int{5, 12}, x)
	npyOf(t, "s.npy", []int{5, 12}, shuffled)
	npyOf(t, "r.npy", []int{5, 12}, reread)
	npyOf(t, "f.npy", []int{40}, x[20:])
	for file, want := range map[string]string{
		"s.npy": "s.npy holds x.npy's elements in an unknown order\n",
		"r.npy": "r.npy holds x.npy's memory as read under the shape (3, 20) and then permuted\n" +
			"as if x.npy's memory was read as (3, 20) and written by transpose(1,0)\n",
		"f.npy": "f.npy holds x.npy's elements from element 20 on\n",
	} {
		if got := answer(t, "x.npy", file); !strings.HasPrefix(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

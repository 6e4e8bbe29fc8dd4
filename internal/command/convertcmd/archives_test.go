package convertcmd

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// TestWholeRecordedOrder: the axes of an archive's arrays that layout.json names are the dims of the checkpoint's tensors.
func TestWholeRecordedOrder(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	to := func(order string) func(o *options) {
		return func(o *options) {
			o.verify = true
			cli.Must(o.to.Set(order))
		}
	}
	const header = `{"a":{"dtype":"U8","shape":[2,3,4,5],"data_offsets":[0,120]}}  ` // 64 bytes
	data := make([]byte, 120)
	for i := range data {
		data[i] = byte(i)
	}
	cli.Must(os.WriteFile(at("x.safetensors"), slices.Concat([]byte{byte(len(header)), 0, 0, 0, 0, 0, 0, 0}, []byte(header), data), 0o666))
	first := readAll(t, at("x.safetensors"))
	cli.Must(runWhole(at("x.safetensors"), at("x.npz"), to("nhwc")))
	for _, out := range []string{"kept.pt", "kept.safetensors"} {
		cli.Must(runWhole(at("x.npz"), at(out), nil))
		if err := first.differ(readAll(t, at(out))); err != nil {
			t.Errorf("%s: %v", out, err)
		}
	}
	cli.Must(runWhole(at("x.npz"), at("to.safetensors"), to("nchw")))
	if err := first.differ(readAll(t, at("to.safetensors"))); err != nil {
		t.Error(err)
	}
	cli.Must(runWhole(at("x.npz"), at("cl.safetensors"), to("nhwc")))
	if got := readAll(t, at("cl.safetensors")).tensors[0].View.Shape; !slices.Equal(got, []int{2, 4, 5, 3}) {
		t.Errorf("nhwc again has shape %v", got)
	}
	cli.Must(runWhole(at("x.safetensors"), at("blocks.npz"), to("nchw16c")))
	if err := runWhole(at("blocks.npz"), at("blocks.pt"), nil); !isUnsupported(err) {
		t.Errorf("blocks became dims: %v", err)
	}
}

// TestWholeNamedOrder: a layout at the end of an array's name says the order of its axes where another one is asked for; otherwise the array
// stays as it is.
func TestWholeNamedOrder(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "x.npz")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w := fixture.Must(z.CreateHeader(&zip.FileHeader{Name: "a.nhwc.npy"}))
	w.Write(fixture.Must(fixture.Npy("uint8", []int{2, 4, 5, 3}, false))) //nolint:errcheck // a buffer
	cli.Must(z.Close())
	cli.Must(os.WriteFile(in, b.Bytes(), 0o666))
	for to, want := range map[string][]int{"": {2, 4, 5, 3}, "nchw": {2, 3, 4, 5}} {
		out := filepath.Join(dir, to+".safetensors")
		cli.Must(runWhole(in, out, func(o *options) {
			if to != "" {
				cli.Must(o.to.Set(to))
			}
		}))
		if got := readAll(t, out).tensors[0].View.Shape; !slices.Equal(got, want) {
			t.Errorf("to %q: shape %v, expected %v", to, got, want)
		}
	}
}

// TestWholeBigEndian: big-endian numbers become little-endian ones of the same values in checkpoints, converted or not, and stay in .npz.
func TestWholeBigEndian(t *testing.T) {
	dir := t.TempDir()
	write := func(order string) (path string) {
		path = filepath.Join(dir, order[:1]+".npz")
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, typ := range []string{"i2", "u4", "i8", "f2", "f4", "f8", "c8"} {
			w := fixture.Must(z.CreateHeader(&zip.FileHeader{Name: typ + ".npy"}))
			file := fixture.Must(fixture.Npy(order+typ, []int{2, 3, 4, 5}, typ == "f2"))
			if order+typ == "<c8" { // whose elements are letters, the same in both orders
				for part := range slices.Chunk(file[len(file)-8*120:], 4) {
					slices.Reverse(part)
				}
			}
			w.Write(file) //nolint:errcheck // a buffer
		}
		cli.Must(z.Close())
		cli.Must(os.WriteFile(path, b.Bytes(), 0o666))
		return path
	}
	big, little := write(">"), write("<")
	for _, ending := range []string{".pt", ".safetensors"} {
		for _, to := range []string{"", "nhwc"} {
			set := func(o *options) {
				o.verify = true
				if to != "" {
					cli.Must(o.to.Set(to))
				}
			}
			a, b := filepath.Join(dir, "a"+ending), filepath.Join(dir, "b"+ending)
			cli.Must(os.RemoveAll(a))
			cli.Must(os.RemoveAll(b))
			cli.Must(runWhole(big, a, set))
			cli.Must(runWhole(little, b, set))
			if err := readAll(t, a).differ(readAll(t, b)); err != nil {
				t.Errorf("%s %s: %v", ending, to, err)
			}
		}
	}
	cli.Must(runWhole(big, filepath.Join(dir, "kept.npz"), nil))
	if err := readAll(t, big).differ(readAll(t, filepath.Join(dir, "kept.npz"))); err != nil {
		t.Error(err)
	}
}

// TestWholeBigEndianViews: tensors of a big-endian .pt, some of them views of one storage with gaps between them, have the same values in every
// container; two views of a storage share it no more.
func TestWholeBigEndianViews(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "m.pt")
	for seed := range uint64(20) {
		randomModel(t, rand.New(rand.NewPCG(17, seed)), in)
		want := readAll(t, in)
		sayBigEndian(in)
		kept := readAll(t, in) // of types that .npy has a name for
		big := 0
		for i, x := range readAll(t, in).tensors { // the same bytes, read as big-endian
			size := x.Type.ItemSize()
			if x.Type.Kind() == dtype.Complex {
				size /= 2
			}
			for number := range slices.Chunk(want.data[i], size) {
				if x.Type.Order() == dtype.Big {
					slices.Reverse(number)
					big++
				}
			}
		}
		if big == 0 {
			t.Fatal("no number is big-endian")
		}
		for i, x := range kept.tensors {
			if unspelled(x.Type) {
				kept.tensors[i], kept.data[i] = want.tensors[i], want.data[i]
			}
		}
		for ending, want := range map[string]values{".pt": want, ".safetensors": want, ".npz": kept} {
			out := filepath.Join(dir, "y"+ending)
			cli.Must(os.RemoveAll(out))
			cli.Must(runWhole(in, out, func(o *options) { o.verify, o.compact = true, ending == ".pt" && seed%2 == 0 }))
			got := readAll(t, out)
			if err := want.differ(got); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, ending, err)
			}
			for i, x := range got.tensors {
				if ending == ".pt" && want.tensors[i].View.NonOverlappingAndDense() && x.View.Numel() > 1 && !slices.Equal(x.View.InferDense(), want.tensors[i].View.InferDense()) {
					t.Fatalf("seed %d: %q has strides %v, not %v", seed, x.Name, x.View.Strides, want.tensors[i].View.Strides)
				}
			}
		}
	}
}

// sayBigEndian changes a checkpoint so that its numbers are big-endian.
func sayBigEndian(path string) {
	r := fixture.Must(zip.OpenReader(path))
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range r.File {
		content := fixture.Must(io.ReadAll(fixture.Must(f.Open())))
		if filepath.Base(f.Name) == "byteorder" {
			content = []byte("big")
		}
		fixture.Must(fixture.Must(z.CreateHeader(&zip.FileHeader{Name: f.Name})).Write(content))
	}
	cli.Must(z.Close())
	cli.Must(r.Close())
	cli.Must(os.WriteFile(path, b.Bytes(), 0o666))
}

// TestWholeOfOne: an array alone, and a tensor without a name, is named as its file.
func TestWholeOfOne(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	cli.Must(os.WriteFile(at("frame.npy"), fixture.Must(fixture.Npy("float32", []int{2, 3, 4}, true)), 0o666))
	savePt(at("bare.pt"), []checkpoint.Tensor{{Root: true, Type: fixture.Must(dtype.Parse("uint8")), View: fixture.Must(tensor.Packed([]int{3}))}}, [][]byte{{7, 8, 9}})
	for _, c := range []struct{ in, out, name string }{
		{"frame.npy", "a.safetensors", "frame"}, {"frame.npy", "a.pt", "frame"}, {"bare.pt", "b.safetensors", "bare"}, {"bare.pt", "b.npz", "bare"}, {"bare.pt", "b", "bare"},
	} {
		cli.Must(runWhole(at(c.in), at(c.out), func(o *options) { o.verify = true }))
		var want values
		if c.in == "frame.npy" {
			want.addArray(at(c.in), c.name)
		} else {
			want = readAll(t, at(c.in))
			want.tensors[0].Name = c.name
		}
		if err := want.differ(readAll(t, at(c.out))); err != nil {
			t.Errorf("%s: %v", c.out, err)
		}
	}
}

// TestWholeExclude: what --exclude names is left out, whether it could be converted or not; without it one array that cannot be written refuses all,
// and the hint names it.
func TestWholeExclude(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "x.npz"), filepath.Join(dir, "y.safetensors")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, typ := range map[string]string{"a": "<f4", "enc.w": "<f4", "format": "S3"} {
		w := fixture.Must(z.CreateHeader(&zip.FileHeader{Name: name + ".npy"}))
		w.Write(fixture.Must(fixture.Npy(typ, []int{2}, false))) //nolint:errcheck // a buffer
	}
	w := fixture.Must(z.CreateHeader(&zip.FileHeader{Name: "pickled.npy"}))
	w.Write(objects) //nolint:errcheck // a buffer
	cli.Must(z.Close())
	cli.Must(os.WriteFile(in, b.Bytes(), 0o666))
	for pattern, hint := range map[string]string{"": "--exclude pickled skips it", "format": "--exclude pickled skips it", "pickled": "--exclude omits a tensor"} {
		err := runWhole(in, out, func(o *options) { exclude(o, pattern) })
		var f *fault.Error
		if !errors.As(err, &f) || !strings.HasSuffix(f.Hint, hint) {
			t.Errorf("%q: %v, expected the hint %q", pattern, f, hint)
		}
	}
	for pattern, want := range map[string]string{"*[dt]": "a enc.w", "*[^a]": "a", "format pickled": "a enc.w", "pickled format enc.*": "a"} {
		cli.Must(os.RemoveAll(out))
		cli.Must(runWhole(in, out, func(o *options) { exclude(o, pattern) }))
		var names []string
		for _, x := range readAll(t, out).tensors {
			names = append(names, x.Name)
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("without %q: %q, expected %q", pattern, got, want)
		}
	}
}

// selectBy sets a pattern of --match, "" for none.
func selectBy(o *options, pattern string) {
	if pattern != "" {
		cli.Must(o.match.Set(pattern))
	}
}

// exclude sets the patterns of --exclude, words of a text.
func exclude(o *options, patterns string) {
	for pattern := range strings.FieldsSeq(patterns) {
		cli.Must(o.exclude.Set(pattern))
	}
}

// objects is the header of an array of Python objects.
var objects = []byte("\x93NUMPY\x01\x00\x36\x00{'descr': '|O', 'fortran_order': False, 'shape': (1,)}\n")

func isUnsupported(err error) bool {
	var f *fault.Error
	return errors.As(err, &f) && f.Class == fault.Unsupported
}

// TestFolderNames: no two files below a folder have one name in any case of letters, and none has that of a folder; the error names both.
func TestFolderNames(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"a/b.npy", "a/c.npy", "A/d.npy", "a.npy", "b.npy"}, ""},
		{[]string{"a/b.npy", "c.npy", "a/b.npy"}, `two tensors would be written to "a/b.npy"`},
		{[]string{"a/B.npy", "A/b.npy"}, `"a/B.npy" and "A/b.npy" differ only in case, which some file systems ignore`},
		{[]string{"A.npy", "a.npy/b.npy"}, `"A.npy" would be both a file and the folder of "a.npy/b.npy"`},
		{[]string{"a.npy/B/c.npy", "a.npy"}, `"a.npy" would be both a file and the folder of "a.npy/B/c.npy"`},
	} {
		taken, got := names{map[string]string{}, map[string]string{}}, ""
		for _, name := range c.names {
			if err := taken.take(name); err != nil {
				got = err.Error()
			}
		}
		if got != c.want {
			t.Errorf("%q: %q, expected %q", c.names, got, c.want)
		}
	}
}

// TestSwapper: numbers are swapped however they are cut into pieces.
func TestSwapper(t *testing.T) {
	for size, want := range map[int]string{2: "badcfehgjilk", 3: "cbafedihglkj", 4: "dcbahgfelkji"} {
		for cut := 1; cut <= 12; cut++ {
			var out bytes.Buffer
			s := &swapper{out: &out, size: size}
			for part := range slices.Chunk([]byte("abcdefghijkl"), cut) {
				if n, err := s.Write(part); n != len(part) || err != nil {
					t.Fatal(n, err)
				}
			}
			if out.String() != want {
				t.Errorf("numbers of %d bytes in pieces of %d: %s", size, cut, &out)
			}
		}
	}
}

// pickledArrays is a legacy checkpoint of protocol 0 whose arrays are the values of a dict: dtypes by name, each of 3 bytes.
func pickledArrays(dtypes ...[2]string) []byte {
	var b strings.Builder
	b.WriteString("L119547037146038801333356L\n.I1001\n.(d.(d")
	for _, x := range dtypes {
		b.WriteString("V" + x[0] + "\ncnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntVb\ntR(I1\n(I3\ntcnumpy\ndtype\n(V" + x[1] +
			"\nI00\nI01\ntR(I3\nV|\nNNNI-1\nI-1\nI0\ntbI00\nc_codecs\nencode\n(Vabc\nVlatin1\ntRtbs")
	}
	return []byte(b.String() + ".(l.")
}

// TestWholeArrays: an array of numbers that is not read stops the conversion unless --exclude names it; arrays of others are left out, and named.
func TestWholeArrays(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	cli.Must(os.WriteFile(at("x.pt"), pickledArrays([2]string{"good", "u1"}, [2]string{"bad", "f8"}, [2]string{"names", "O8"}, [2]string{"words", "S1"}, [2]string{"more", "U1"}), 0o666))
	var e *fault.Error
	if err := runWhole(at("x.pt"), at("x.npz"), nil); !errors.As(err, &e) || e.Class != fault.Unsupported ||
		!strings.HasPrefix(e.Text, `tensor "bad" cannot be converted: it is a NumPy array whose size`) || e.Hint != "--exclude bad skips it" {
		t.Errorf("%v: %#v", err, e)
	}
	for patterns, want := range map[string][]string{
		"bad":    {"left out: names, 1 NumPy array of Python objects", "left out: words, more, 2 NumPy arrays of texts"},
		"[bn]a*": {"left out: words, more, 2 NumPy arrays of texts"},
	} {
		o := &options{out: name.Parse("x.npz")}
		exclude(o, patterns)
		in := fixture.Must(o.settingsFor(name.Parse(at("x.pt"))).openInput(source.Options{}))
		if got := in.otherArrays(); !slices.Equal(got, want) || len(in.numbers) != 1 || in.leftOut != 1 {
			t.Errorf("%s: %q, expected %q; %d tensors, %d left out", patterns, got, want, len(in.numbers), in.leftOut)
		}
		in.set.Close()
	}
}

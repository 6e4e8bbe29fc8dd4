package convertcmd

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/file/torch"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// values are tensors as a reader has them: elements in logical order.
type values struct {
	tensors []checkpoint.Tensor
	data    [][]byte
}

// elements gathers the elements of a view of a storage, by its definition.
func elements(v tensor.Strided, size int, storage []byte) (b []byte) {
	if v.Empty() {
		return nil
	}
	index := make([]int, v.Rank())
	for {
		at := v.Offset
		for d, i := range index {
			at += i * v.Strides[d]
		}
		b = append(b, storage[at*size:(at+1)*size]...)
		d := len(index) - 1
		for ; d >= 0; d-- {
			if index[d]++; index[d] < v.Shape[d] {
				break
			}
			index[d] = 0
		}
		if d < 0 {
			return b
		}
	}
}

// readAll reads a checkpoint, an archive or a folder without the engine of convert. Tensors of a folder are in the order of names.
func readAll(t testing.TB, path string) (v values) {
	t.Helper()
	if filepath.Ext(path) == "" {
		for _, e := range fixture.Must(os.ReadDir(path)) {
			v.addArray(filepath.Join(path, e.Name()), strings.TrimSuffix(e.Name(), ".npy"))
		}
		return v
	}
	k := openSet(path)
	defer k.Close()
	for i, x := range k.Tensors {
		if k.Format == checkpoint.NPZ {
			v.addArray(k.Name(i).Raw(), x.Name)
			continue
		}
		b := make([]byte, k.Storages[x.Storage].Bytes)
		cli.Must(k.ReadStorage(b, x.Storage, 0))
		v.tensors, v.data = append(v.tensors, x), append(v.data, elements(x.View, x.Type.ItemSize(), b))
	}
	return v
}

// parse returns the name that a text is.
func parse(text string) name.Name { return name.Parse(text) }

func openSet(path string) *source.Set {
	s, _, err := source.Open(parse(path), source.Options{})
	cli.Must(err)
	return s
}

func (v *values) addArray(path, name string) {
	x := fixture.Must(source.OpenOnly(parse(path), source.Options{}))
	defer x.Close()
	view := fixture.Must(tensor.Packed(x.FileShape))
	if x.Header.Fortran {
		view = fixture.Must(tensor.ColumnMajor(x.FileShape))
	}
	b := slices.Clone(fixture.Must(x.Data()))
	v.tensors = append(v.tensors, checkpoint.Tensor{Name: name, Type: x.DType, View: view})
	v.data = append(v.data, elements(view, x.DType.ItemSize(), b))
}

// differ says how two sets of tensors differ in names, order, types, shapes and elements.
func (v values) differ(o values) error {
	if len(v.tensors) != len(o.tensors) {
		return fmt.Errorf("%d tensors and %d", len(v.tensors), len(o.tensors))
	}
	for i, a := range v.tensors {
		b := o.tensors[i]
		if a.Name != b.Name || !a.Type.Equal(b.Type) || !slices.Equal(a.View.Shape, b.View.Shape) {
			return fmt.Errorf("%q %v %v, and %q %v %v", a.Name, a.Type, a.View.Shape, b.Name, b.Type, b.View.Shape)
		}
		if !bytes.Equal(v.data[i], o.data[i]) {
			return fmt.Errorf("%q: elements differ: % x, and % x", a.Name, v.data[i], o.data[i])
		}
	}
	return nil
}

// randomModel writes a random .pt: views with gaps, tied, expanded, transposed, channels_last, of no dims, empty, of bfloat16.
func randomModel(t testing.TB, r *rand.Rand, path string) {
	t.Helper()
	var tensors []checkpoint.Tensor
	var storages [][]byte
	for range 1 + r.IntN(4) {
		d := fixture.Must(dtype.Parse([]string{"float32", "bfloat16", "int64", "uint8", "float16", "complex64", "int16"}[r.IntN(7)]))
		b := make([]byte, (1+r.IntN(300))*d.ItemSize())
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		for range 1 + r.IntN(4) {
			if v, ok := randomView(r, len(b)/d.ItemSize()); ok {
				name := []string{"layer.%d.weight", "ü%d", "%d", "conv%d"}[r.IntN(4)]
				tensors = append(tensors, checkpoint.Tensor{Name: fmt.Sprintf(name, len(tensors)), Type: d, View: v, Storage: len(storages)})
			}
			if n := len(tensors); n > 0 && r.IntN(4) == 0 {
				tied := tensors[n-1]
				tied.Name = "tied" + strconv.Itoa(n)
				tensors = append(tensors, tied)
			}
		}
		storages = append(storages, b)
	}
	if len(tensors) == 0 {
		tensors = append(tensors, checkpoint.Tensor{Name: "only", Type: fixture.Must(dtype.Parse("uint8"))})
	}
	savePt(path, tensors, storages)
}

// savePt writes a checkpoint of PyTorch.
func savePt(path string, tensors []checkpoint.Tensor, storages [][]byte) {
	sizes := make([]int64, len(storages))
	for i, b := range storages {
		sizes[i] = int64(len(b))
	}
	p := fixture.Must(torch.Place(tensors, sizes, 64))
	file := fixture.Must(os.Create(path))
	sums := make([]uint32, len(storages))
	for i, at := range p.Storages() {
		fixture.Must(file.WriteAt(storages[i], at))
		sums[i] = crc32.ChecksumIEEE(storages[i])
	}
	cli.Must(p.Frame(file, sums))
	cli.Must(file.Close())
}

// randomView is a view of n elements: of random strides, or packed in a random order.
func randomView(r *rand.Rand, n int) (v tensor.Strided, ok bool) {
	rank := []int{0, 1, 2, 3, 4, 4, 4, 5}[r.IntN(8)]
	v = tensor.Strided{Shape: make([]int, rank), Strides: make([]int, rank), Offset: r.IntN(4) * r.IntN(3)}
	order, run := r.Perm(rank), 1
	if rank == 4 && r.IntN(3) == 0 {
		order = []int{1, 3, 2, 0} // channels_last
	}
	last := v.Offset
	for _, d := range order {
		v.Shape[d], v.Strides[d] = 1+r.IntN(4), run
		if r.IntN(12) == 0 {
			v.Strides[d] = 0
		}
		run *= v.Shape[d]
		if r.IntN(8) == 0 {
			run += r.IntN(3)
		}
		last += (v.Shape[d] - 1) * v.Strides[d]
		if r.IntN(60) == 0 {
			v.Shape[d] = 0
		}
	}
	return v, v.Empty() || last < n
}

// runWhole converts with flags.
func runWhole(in, out string, set func(o *options)) error {
	a := &cli.App{Streams: &cli.Streams{Out: io.Discard, Err: io.Discard, Env: noEnv}, Stdout: io.Discard, Format: cli.JSON}
	o := &options{memory: cli.Bytes{N: 1 << 20}, padValue: "0", out: name.Parse(out)}
	if filepath.Ext(out) == "" {
		o.out, o.dir = name.Name{}, name.Parse(out)
	}
	if set != nil {
		set(o)
	}
	return run(a, o.settingsFor(name.Parse(in)))
}

var wholeEndings = []string{".pt", ".safetensors", ".npz"}

// TestWholeContainers: random checkpoints keep names, order, types, shapes and elements through any sequence of containers, each
// conversion verified; into PyTorch's they keep strides, and what shares a storage.
func TestWholeContainers(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 2))
	for n := range oracle.Cases(t, 60) {
		dir := t.TempDir()
		at := filepath.Join(dir, "m.pt")
		randomModel(t, r, at)
		first := readAll(t, at)
		for step := range 4 {
			next := filepath.Join(dir, fmt.Sprint("m", step)+wholeEndings[r.IntN(3)])
			compact := filepath.Ext(next) == ".pt" && r.IntN(2) == 0
			if filepath.Ext(next) == ".npz" && filepath.Ext(at) == ".npz" {
				continue
			}
			if err := runWhole(at, next, func(o *options) { o.verify, o.compact = true, compact }); err != nil {
				t.Fatalf("case %d: %s to %s: %v", n, at, next, err)
			}
			got := readAll(t, next)
			if err := first.differ(got); err != nil {
				t.Fatalf("case %d: %s to %s: %v", n, at, next, err)
			}
			if filepath.Ext(at) == ".pt" && filepath.Ext(next) == ".pt" {
				if err := sameViews(readAll(t, at).tensors, got.tensors, compact); err != nil {
					t.Fatalf("case %d: %v", n, err)
				}
			}
			at = next
		}
	}
}

// sameViews compares strides, unless storages were compacted, and whom tensors share elements with.
func sameViews(a, b []checkpoint.Tensor, compacted bool) error {
	for i := range a {
		if !compacted && (!slices.Equal(a[i].View.Strides, b[i].View.Strides) || a[i].View.Offset != b[i].View.Offset) {
			return fmt.Errorf("%q: %+v became %+v", a[i].Name, a[i].View, b[i].View)
		}
	}
	if x, y := fmt.Sprint(checkpoint.Overlapping(a)), fmt.Sprint(checkpoint.Overlapping(b)); x != y {
		return fmt.Errorf("shared by %s, then by %s", x, y)
	}
	return nil
}

// TestWholeLayouts: with --to, tensors of its rank that match have PyTorch's strides of it in .pt, and their axes in its order in
// safetensors, from which --from brings them back. Others are as they were.
func TestWholeLayouts(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 3))
	moved := 0
	for n := range oracle.Cases(t, 60) {
		dir := t.TempDir()
		in := filepath.Join(dir, "m.pt")
		randomModel(t, r, in)
		first := readAll(t, in)
		match, compact := []string{"", "conv*", "*[13579]*"}[r.IntN(3)], r.IntN(2) == 0
		cl, st, back := filepath.Join(dir, "cl.pt"), filepath.Join(dir, "x.safetensors"), filepath.Join(dir, "back.pt")
		err := runWhole(in, cl, func(o *options) {
			o.verify, o.compact = true, compact
			selectBy(o, match)
			cli.Must(o.to.Set("channels_last"))
		})
		is := func(x checkpoint.Tensor) bool {
			return x.View.Rank() == 4 && fixture.Must(source.Matches(match, x.Name))
		}
		if !slices.ContainsFunc(first.tensors, is) {
			if fault.ClassOf(err) != fault.Usage {
				t.Fatalf("case %d: no tensor fits: %v", n, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("case %d: %v", n, err)
		}
		got := readAll(t, cl)
		if err := first.differ(got); err != nil {
			t.Fatalf("case %d: %v", n, err)
		}
		for i, x := range got.tensors {
			want, _ := tensor.FormatStrides(x.View.Shape, tensor.ChannelsLastFormat)
			switch {
			case is(x) && !slices.Equal(x.View.Strides, want) && !x.View.Empty():
				t.Fatalf("case %d: %q: strides %v, not %v", n, x.Name, x.View.Strides, want)
			case is(x):
				moved++
			case !compact && !slices.Equal(x.View.Strides, first.tensors[i].View.Strides) && !x.View.Empty() && !sharesWith(first.tensors, i, is):
				t.Fatalf("case %d: %q: strides %v became %v", n, x.Name, first.tensors[i].View.Strides, x.View.Strides)
			}
		}
		for i, x := range first.tensors {
			for k, y := range first.tensors[:i] {
				tied := x.Storage == y.Storage && fmt.Sprint(x.View) == fmt.Sprint(y.View) && is(x) == is(y) && !x.View.Empty()
				if a, b := got.tensors[i], got.tensors[k]; tied && (a.Storage != b.Storage || a.View.Offset != b.View.Offset) {
					t.Fatalf("case %d: %q and %q are not one any more", n, x.Name, y.Name)
				}
			}
		}
		to := func(name, from string) func(o *options) {
			return func(o *options) {
				o.verify = true
				selectBy(o, match)
				cli.Must(o.to.Set(name))
				if from != "" {
					cli.Must(o.Layout.Set(from))
				}
			}
		}
		if err := errors.Join(runWhole(cl, st, to("nhwc", "")), runWhole(st, back, to("channels_last", "nhwc"))); err != nil {
			t.Fatalf("case %d: %v", n, err)
		}
		for i, x := range readAll(t, st).tensors {
			s := first.tensors[i].View.Shape
			if is(x) && !slices.Equal(x.View.Shape, []int{s[0], s[2], s[3], s[1]}) {
				t.Fatalf("case %d: %q of %v has %v", n, x.Name, s, x.View.Shape)
			}
		}
		if err := first.differ(readAll(t, back)); err != nil {
			t.Fatalf("case %d: back from safetensors: %v", n, err)
		}
	}
	if t.Logf("%d tensors converted", moved); moved == 0 {
		t.Error("no tensor was converted")
	}
}

// sharesWith reports whether another tensor of the storage is converted: then the storage is cut, and strides may shrink.
func sharesWith(all []checkpoint.Tensor, i int, is func(checkpoint.Tensor) bool) bool {
	return slices.ContainsFunc(all, func(x checkpoint.Tensor) bool { return x.Storage == all[i].Storage && is(x) })
}

// TestWholeIsLoaded: PyTorch loads a .pt that was written, with weights_only and without, with the same names, types, strides and
// elements, and NumPy an .npz.
func TestWholeIsLoaded(t *testing.T) {
	o := oracle.Torch(t, "loaded.py")
	r := rand.New(rand.NewPCG(17, 4))
	for n := range oracle.Cases(t, 60) {
		dir := t.TempDir()
		in, cl, npz := filepath.Join(dir, "m.pt"), filepath.Join(dir, "cl.pt"), filepath.Join(dir, "m.npz")
		randomModel(t, r, in)
		err := runWhole(in, cl, func(o *options) {
			o.compact = r.IntN(2) == 0
			cli.Must(o.to.Set("channels_last"))
		})
		if fault.ClassOf(err) == fault.Usage {
			cl = in // no tensor of the rank
		} else if err != nil {
			t.Fatal(err)
		}
		cli.Must(runWhole(cl, npz, nil))
		for _, path := range []string{cl, npz} {
			want := readAll(t, path)
			var answers []struct {
				Error   string
				Keys    []string
				Tensors []struct {
					Dtype         string
					Shape, Stride []int
					Group         int
					Data          []byte
				}
			}
			if err := errors.Join(o.Ask(map[string]string{"path": path}), o.Read(&answers)); err != nil {
				t.Fatal(err)
			}
			for _, a := range answers {
				if a.Error != "" || len(a.Keys) != len(want.tensors) {
					t.Fatalf("case %d: %s: %q, %q", n, path, a.Keys, a.Error)
				}
				for i, x := range want.tensors {
					got, isNpz := a.Tensors[i], path == npz
					sameType := got.Dtype == x.Type.String() || isNpz && x.Type.String() == "bfloat16" && strings.HasSuffix(got.Dtype, "V2")
					if a.Keys[i] != x.Name || !sameType || !slices.Equal(got.Shape, x.View.Shape) || !isNpz && !slices.Equal(got.Stride, x.View.Strides) ||
						!bytes.Equal(got.Data, want.data[i]) {
						t.Fatalf("case %d: %s: %+v, read as %q %+v", n, path, x, a.Keys[i], got)
					}
				}
			}
		}
	}
}

// TestWholeFolder: a folder has a .npy file for each tensor, and none of them if one cannot be written.
func TestWholeFolder(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "m.pt"), filepath.Join(dir, "out")
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(17, seed))
		randomModel(t, r, in)
		cli.Must(os.RemoveAll(out))
		cli.Must(runWhole(in, out, func(o *options) { o.verify = true }))
		want, got := readAll(t, in), readAll(t, out)
		if len(got.tensors) != len(want.tensors) {
			t.Fatalf("%d files of %d tensors", len(got.tensors), len(want.tensors))
		}
		for i, x := range want.tensors {
			k := slices.IndexFunc(got.tensors, func(y checkpoint.Tensor) bool { return y.Name == x.Name })
			if k < 0 || !bytes.Equal(got.data[k], want.data[i]) || !slices.Equal(got.tensors[k].View.Shape, x.View.Shape) {
				t.Fatalf("seed %d: %q", seed, x.Name)
			}
		}
		cli.Must(os.RemoveAll(out))
		cli.Must(os.Mkdir(out, 0o777))
		last := filepath.Join(out, want.tensors[len(want.tensors)-1].Name+".npy")
		cli.Must(os.WriteFile(last, []byte("old"), 0o666))
		if err := runWhole(in, out, nil); fault.ClassOf(err) != fault.Resource {
			t.Errorf("over a file: %v", err)
		}
		if entries := fixture.Must(os.ReadDir(out)); len(entries) != 1 {
			t.Errorf("after an error, %v are left", entries)
		}
	}
}

// TestWholeFails: what is not verified, or whose source changes meanwhile, leaves nothing.
func TestWholeFails(t *testing.T) {
	for _, ending := range wholeEndings {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "m.pt"), filepath.Join(dir, "out"+ending)
		b := make([]byte, 480)
		for i := range b {
			b[i] = byte(i)
		}
		view := fixture.Must(tensor.Packed([]int{2, 3, 4, 5}))
		savePt(in, []checkpoint.Tensor{{Name: "w", Type: fixture.Must(dtype.Parse("float32")), View: view}}, [][]byte{b})
		begin := func() *job {
			o := &options{memory: cli.Bytes{N: 1 << 20}, padValue: "0", out: name.Parse(out), verify: true}
			cli.Must(o.to.Set("channels_last"))
			return fixture.Must(newJob(&cli.App{Streams: &cli.Streams{Out: io.Discard, Err: io.Discard, Env: noEnv}}, o.settingsFor(name.Parse(in))))
		}
		j := begin()
		sabotage(j)
		if err := j.write(); fault.ClassOf(err) != fault.Negative {
			t.Errorf("%s: a wrong result: %v", ending, err)
		}
		j.close()

		j = begin()
		content := fixture.Must(os.ReadFile(in))
		cli.Must(os.WriteFile(in, append(content, 0), 0o666))
		if err := j.write(); fault.ClassOf(err) != fault.Resource {
			t.Errorf("%s: of a source that changed: %v", ending, err)
		}
		j.close()
		if entries := fixture.Must(os.ReadDir(dir)); len(entries) != 1 {
			t.Errorf("%s: after an error, %v are left", ending, entries)
		}
	}
}

// TestWholeBlocks: GGUF's quantized blocks are refused by name by what has no such type, and those of plain types are converted.
func TestWholeBlocks(t *testing.T) {
	le := binary.LittleEndian
	b := le.AppendUint64(le.AppendUint64(le.AppendUint32([]byte("GGUF"), 3), 2), 0) // 2 tensors, no keys
	for _, x := range []struct {
		name       string
		size       uint64
		typ        uint32
		dataOffset uint64
	}{{"plain", 4, 0, 0}, {"blocks", 32, 2, 32}} { // F32; Q4_0: 32 values in 18 bytes
		b = le.AppendUint32(append(le.AppendUint64(b, uint64(len(x.name))), x.name...), 1)
		b = le.AppendUint64(le.AppendUint32(le.AppendUint64(b, x.size), x.typ), x.dataOffset)
	}
	b = append(b, make([]byte, 31-(len(b)+31)%32)...)
	for i := range 50 {
		b = append(b, byte(i))
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "m.gguf")
	cli.Must(os.WriteFile(in, b, 0o666))
	for _, name := range []string{"x.pt", "x.safetensors"} {
		out := filepath.Join(dir, name)
		if err := runWhole(in, out, nil); fault.ClassOf(err) != fault.Unsupported || !strings.Contains(err.Error(), "blocks") {
			t.Errorf("%s: %v", name, err)
		}
		cli.Must(runWhole(in+":plain", out, func(o *options) { o.verify = true }))
		if got := readAll(t, out); len(got.tensors) != 1 || !bytes.Equal(got.data[0], b[len(b)-50:][:16]) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	npz := filepath.Join(dir, "x.npz")
	cli.Must(runWhole(in, npz, func(o *options) { o.verify = true }))
	if got := readAll(t, npz); len(got.tensors) != 2 || !bytes.Equal(got.data[1], b[len(b)-18:]) {
		t.Errorf("%+v", got)
	}
}

// TestWholeIndex: the tensors of an index are written into one file; an index of which a file is missing is refused, and a file of it
// is not replaced.
func TestWholeIndex(t *testing.T) {
	dir := t.TempDir()
	in, one := filepath.Join(dir, "m.safetensors.index.json"), filepath.Join(dir, "one.safetensors")
	r := rand.New(rand.NewPCG(17, 6))
	var want values
	where := map[string]string{}
	for i := range 3 {
		pt, shard := filepath.Join(dir, "m.pt"), fmt.Sprintf("m%d.safetensors", i)
		d, n := fixture.Must(dtype.Parse("float32")), 1+r.IntN(50)
		data := make([]byte, 4*n)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		name := fmt.Sprint("t", i)
		savePt(pt, []checkpoint.Tensor{{Name: name, Type: d, View: fixture.Must(tensor.Packed([]int{n}))}}, [][]byte{data})
		cli.Must(runWhole(pt, filepath.Join(dir, shard), nil))
		cli.Must(os.Remove(pt))
		got := readAll(t, filepath.Join(dir, shard))
		want.tensors, want.data = append(want.tensors, got.tensors...), append(want.data, got.data...)
		where[name] = shard
	}
	text := fixture.Must(json.Marshal(map[string]any{"weight_map": where}))
	cli.Must(os.WriteFile(in, text, 0o666))
	cli.Must(runWhole(in, one, func(o *options) { o.verify = true }))
	if err := want.differ(readAll(t, one)); err != nil {
		t.Error(err)
	}
	if err := runWhole(in, filepath.Join(dir, "m1.safetensors"), func(o *options) { o.force = true }); fault.ClassOf(err) != fault.Usage {
		t.Errorf("over a file of the index: %v", err)
	}
	cli.Must(os.Remove(filepath.Join(dir, "m2.safetensors")))
	if err := runWhole(in, filepath.Join(dir, "two.safetensors"), nil); fault.ClassOf(err) != fault.Malformed {
		t.Errorf("without a file: %v", err)
	}
}

// TestWholeWindows: tensors larger than a window are equal in every layout, with little memory, with and without threads.
func TestWholeWindows(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "m.pt")
	data := make([]byte, 4*2_000_000)
	for i := range data {
		data[i] = byte(i*7 + i/251)
	}
	d := fixture.Must(dtype.Parse("float32"))
	savePt(in, []checkpoint.Tensor{
		{Name: "images", Type: d, View: fixture.Must(tensor.Packed([]int{20, 100, 25, 40}))},
		{Name: "transposed", Type: d, View: tensor.Strided{Shape: []int{2000, 1000}, Strides: []int{1, 2000}}, Storage: 1},
		{Name: "columns", Type: d, View: tensor.Strided{Shape: []int{2000, 499}, Strides: []int{1000, 2}, Offset: 1}, Storage: 2},
	}, [][]byte{data, data, data})
	first := readAll(t, in)
	for i, name := range []string{"x.pt", "x.npz", "x.safetensors"} {
		for _, threads := range []int{1, 3} {
			out := filepath.Join(dir, fmt.Sprint(threads)+name)
			cli.Must(runWhole(in, out, func(o *options) {
				o.threads, o.compact = threads, name == "x.pt"
				if name == "x.pt" {
					cli.Must(o.to.Set("channels_last"))
				}
				o.memory.N = int64(1+8*i) << 20
			}))
			if err := first.differ(readAll(t, out)); err != nil {
				t.Errorf("%s on %d threads: %.200v", name, threads, err)
			}
		}
	}
}

// TestWholeNames: names that end in .npy, and an empty key, stay what they are in every container that holds them; a tensor that is the
// whole pickle stays that, and one of an empty key stays in its dict.
func TestWholeNames(t *testing.T) {
	dir := t.TempDir()
	one := func(name string, root bool) checkpoint.Tensor {
		return checkpoint.Tensor{Name: name, Root: root, Type: fixture.Must(dtype.Parse("float32")), View: fixture.Must(tensor.Packed([]int{2})), Storage: 0}
	}
	for _, c := range []struct {
		tensors []checkpoint.Tensor
		endings []string
	}{
		{[]checkpoint.Tensor{one("a.npy", false), one("b", false)}, []string{".npz", ".safetensors", ".pt"}},
		{[]checkpoint.Tensor{one("", false)}, []string{".pt", ".safetensors"}},
		{[]checkpoint.Tensor{one("", true)}, []string{".pt"}},
	} {
		in := filepath.Join(dir, "in.pt")
		savePt(in, c.tensors, [][]byte{make([]byte, 8)})
		for _, ending := range c.endings {
			out := filepath.Join(dir, "out"+ending)
			cli.Must(runWhole(in, out, func(o *options) { o.force, o.verify = true, true }))
			got := readAll(t, out).tensors
			for i, want := range c.tensors {
				if len(got) != len(c.tensors) || got[i].Name != want.Name || got[i].Root != want.Root {
					t.Errorf("%s: %+v, expected %q, root %t", ending, got, want.Name, want.Root)
				}
			}
			cli.Must(os.Remove(out))
		}
		cli.Must(os.Remove(in))
	}
}

// TestWholeEmptyChannelsLast: an empty tensor that becomes channels_last has PyTorch's strides, in which a size of 0 counts (torch 1.13:
// torch.zeros(s).to(memory_format=torch.channels_last).stride()).
func TestWholeEmptyChannelsLast(t *testing.T) {
	for _, c := range []struct{ shape, strides []int }{
		{[]int{7, 0, 5, 7}, []int{0, 1, 0, 0}}, {[]int{0, 3, 4, 5}, []int{60, 1, 15, 3}}, {[]int{2, 3, 0, 5}, []int{0, 1, 15, 3}},
		{[]int{2, 3, 4, 0}, []int{0, 1, 0, 3}}, {[]int{0, 0, 0, 0}, []int{0, 1, 0, 0}}, {[]int{1, 0, 1, 1}, []int{0, 1, 0, 0}},
	} {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in.pt"), filepath.Join(dir, "out.pt")
		savePt(in, []checkpoint.Tensor{{Name: "e", Type: fixture.Must(dtype.Parse("float32")), View: fixture.Must(tensor.Packed(c.shape))}}, [][]byte{nil})
		cli.Must(runWhole(in, out, func(o *options) { cli.Must(o.to.Set("channels_last")) }))
		m := openSet(out)
		if got := m.Tensors[0].View; !slices.Equal(got.Strides, c.strides) || !got.ChannelsLast().OK {
			t.Errorf("%v: strides %v, expected %v", c.shape, got.Strides, c.strides)
		}
		m.Close()
	}
}

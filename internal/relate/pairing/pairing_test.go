package pairing

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/relate"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// named is the name that a text is.
func named(s string) name.Name { return name.Parse(s) }

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// array is a tensor of a test: elements in row-major order.
type array struct {
	name  string
	typ   string // of safetensors
	shape []int
	items [][]byte // one for each element
}

// transposed returns the array with its dims in another order, under another name.
func (x array) transposed(name string, order []int) array {
	packed := must(tensor.Packed(x.shape))
	v := tensor.Strided{Shape: make([]int, len(order)), Strides: make([]int, len(order))}
	for k, d := range order {
		v.Shape[k], v.Strides[k] = packed.Shape[d], packed.Strides[d]
	}
	return x.read(name, v)
}

// read returns a view of the array's elements.
func (x array) read(name string, v tensor.Strided) array {
	y := array{name: name, typ: x.typ, shape: v.Shape}
	for _, at := range must(v.Layout(nil, len(x.items))).Logical() {
		y.items = append(y.items, x.items[at])
	}
	return y
}

// slice returns the indices from … from+n−1 of a dim.
func (x array) slice(name string, dim, from, n int) array {
	v := must(tensor.Packed(x.shape))
	v.Offset, v.Shape = from*v.Strides[dim], slices.Clone(v.Shape)
	v.Shape[dim] = n
	return x.read(name, v)
}

func (x array) bytes() []byte { return bytes.Join(x.items, nil) }

// writeArrays writes a safetensors file and returns its side.
func writeArrays(t *testing.T, path string, arrays []array) (Side, []string) {
	t.Helper()
	header, data, names := map[string]any{}, []byte(nil), []string(nil)
	for _, x := range arrays {
		start := len(data)
		data = append(data, x.bytes()...)
		header[x.name] = map[string]any{"dtype": x.typ, "shape": append([]int{}, x.shape...), "data_offsets": []int{start, len(data)}}
		names = append(names, x.name)
	}
	text := must(json.Marshal(header))
	text = append(text, strings.Repeat(" ", -len(text)&7)...)
	file := slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, data)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	set, _, err := source.Open(named(path), source.Options{})
	if err != nil {
		t.Fatalf("%s: %v\n%s", path, err, text)
	}
	t.Cleanup(func() { set.Close() }) //nolint:errcheck // reads
	return Side{Open: func(name string) (*source.Tensor, error) { return set.Named(name, source.Options{}) }, Convert: convert.Options{Threads: 1}}, names
}

var itemTypes = map[string]int{"F32": 4, "F16": 2, "I64": 8, "U8": 1}

// randomArray draws 0 to 6 dims of 1 to 4, now and then 0, of elements that hardly repeat, or do, or are all equal.
func randomArray(r *rand.Rand, name string) array {
	x := array{name: name, typ: []string{"F32", "F32", "F16", "I64", "U8"}[r.IntN(5)], shape: make([]int, r.IntN(7))}
	for d := range x.shape {
		if x.shape[d] = 1 + r.IntN(4); r.IntN(40) == 0 {
			x.shape[d] = 0
		}
	}
	values := []uint64{1 << 62, 1 << 62, 1 << 62, 3, 1}[r.IntN(5)]
	for range ints.Product(x.shape) {
		x.items = append(x.items, binary.LittleEndian.AppendUint64(nil, r.Uint64()%values)[:itemTypes[x.typ]])
	}
	return x
}

// relative returns what another program may have made of an array: its own name, another order, shape or direction.
func relative(r *rand.Rand, x array, name string) array {
	switch r.IntN(5) {
	case 0:
		x.name = name
		return x
	case 1, 2:
		return x.transposed(name, r.Perm(len(x.shape)))
	case 3:
		shape := slices.Insert(slices.Clone(x.shape), r.IntN(len(x.shape)+1), 1)
		if len(x.shape) > 1 && r.IntN(2) == 0 {
			shape = append([]int{x.shape[0] * x.shape[1]}, x.shape[2:]...)
		}
		return array{name, x.typ, shape, x.items}
	default:
		v := must(tensor.Packed(x.shape))
		for d, n := range x.shape {
			if n > 1 && r.IntN(2) == 0 {
				v.Offset, v.Strides[d] = v.Offset+(n-1)*v.Strides[d], -v.Strides[d]
			}
		}
		return x.read(name, v)
	}
}

// parts cuts an array along a dim, and may transpose the parts, drop the dim of a single slice, and change their order.
func parts(r *rand.Rand, x array, name func(k int) string) (all []array) {
	dim := r.IntN(len(x.shape))
	for from := 0; from < x.shape[dim]; {
		n := 1 + r.IntN(min(2, x.shape[dim]-from))
		part := x.slice(name(len(all)), dim, from, n)
		from += n
		switch r.IntN(4) {
		case 0:
			part = part.transposed(part.name, r.Perm(len(part.shape)))
		case 1:
			if n == 1 {
				part.shape = slices.Delete(slices.Clone(part.shape), dim, dim+1)
			}
		}
		all = append(all, part)
	}
	if r.IntN(4) == 0 {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return all
}

// randomModels draws two checkpoints whose tensors are related.
func randomModels(r *rand.Rand) (sides [2][]array) {
	for layer := range 1 + r.IntN(5) {
		x := randomArray(r, fmt.Sprintf("model.layers.%d.weight", layer))
		first := r.IntN(2)
		sides[first] = append(sides[first], x)
		switch fuses := len(x.shape) > 0 && len(x.items) > 0 && r.IntN(2) == 0; {
		case fuses:
			sides[1-first] = append(sides[1-first], parts(r, x, func(k int) string { return fmt.Sprintf("net.%d.%c.w", layer, 'a'+k) })...)
		case r.IntN(8) > 0:
			sides[1-first] = append(sides[1-first], relative(r, x, fmt.Sprintf("params/block_%d/kernel", layer)))
		}
	}
	return sides
}

// TestRandomModels: of checkpoints whose tensors are permuted, reshaped, reversed, cut into parts and stacked, of any rank and with dims of
// size 1 and 0, everything found holds: a reading of one side's storage gives the other side's elements, and an order of dims makes one
// shape of the other.
func TestRandomModels(t *testing.T) {
	r, dir := random.New(t), t.TempDir()
	readings, transposed, pieces := 0, 0, 0
	for n := range random.Cases(t, "TLAYOUT_TEST_PAIRING_CASES", 4000) {
		arrays := randomModels(r)
		var sides [2]Side
		var items [2][]relate.Item
		named := [2]map[string]array{{}, {}}
		for k, name := range []string{"a", "b"} {
			var names []string
			sides[k], names = writeArrays(t, filepath.Join(dir, fmt.Sprint(name, n%8, ".safetensors")), arrays[k])
			items[k] = must(sides[k].Contents(names))
			for _, x := range arrays[k] {
				named[k][x.name] = x
			}
		}
		left, found := [2][]int{}, [2]map[int]bool{{}, {}}
		for _, m := range relate.Pair(items[0], items[1], relate.NewWork()) {
			a, b := must(sides[0].Open(items[0][m.A].Name)), must(sides[1].Open(items[1][m.B].Name))
			rel := must(Related(Whole(a), Whole(b), Search{SameElements: true, Budget: relate.NewWork().Budget(0), Convert: convert.Options{Threads: 1}}))
			if rel != nil && rel.Kind != relate.Shuffled && rel.Explained == 1 {
				found[0][m.A], found[1][m.B] = true, true
				x, y := named[0][a.OwnName()], named[1][b.OwnName()]
				if rel.CanRead {
					readings++
					checkReading(t, rel.Reading, x, y)
				}
				if rel.Transpose != nil && a.Layout.Numel() > 0 {
					transposed++
					checkTransposed(t, rel.Transpose, x, y)
				}
			}
			a.Close()
			b.Close()
		}
		for k := range sides {
			for i := range items[k] {
				if !found[k][i] {
					left[k] = append(left[k], i)
				}
			}
		}
		for _, m := range FindMade(sides, items, left) {
			target, other := 1, 0
			if m.InA {
				target, other = 0, 1
			}
			x := named[target][items[target][m.Target].Name]
			checkMade(t, m, x, named[other])
			pieces += len(m.Pieces)
		}
	}
	if t.Logf("%d readings, %d transpositions, %d parts", readings, transposed, pieces); readings < 500 || transposed < 300 || pieces < 400 {
		t.Error("too few were found")
	}
}

// checkMade: each element of x is that of a piece, and no other piece's, which is dense, too.
func checkMade(t *testing.T, m Made, x array, sources map[string]array) {
	t.Helper()
	if mistake := mistakeOf(m, x, sources); mistake != "" {
		t.Fatal(mistake)
	}
}

// mistakeOf says what is wrong with the pieces of x; nothing if they give each of its elements once.
func mistakeOf(m Made, x array, sources map[string]array) string {
	made := make([]bool, len(x.items))
	for _, p := range m.Pieces {
		part := sources[p.Name]
		var to []int
		for _, o := range p.To.Logical() {
			to = append(to, o)
		}
		k := 0
		for _, at := range p.From.Logical() {
			if o := to[k]; made[o] || !bytes.Equal(part.items[at], x.items[o]) {
				return fmt.Sprintf("%s%v: element %d of %s%v is not %d, or it is made twice: %v", x.name, x.shape, at, part.name, part.shape, o, m.Pieces)
			}
			made[to[k]] = true
			k++
		}
	}
	if slices.Contains(made, false) {
		return fmt.Sprintf("%s%v lacks elements: %v", x.name, x.shape, m.Pieces)
	}
	return ""
}

func isOne(n int) bool { return n == 1 }

// checkReading: the layout of y's storage, which is dense, has x's elements in x's order.
func checkReading(t *testing.T, l tensor.Layout, x, y array) {
	t.Helper()
	if !slices.Equal(l.Shape(), x.shape) {
		t.Fatalf("%s%v is read as %s", x.name, x.shape, l)
	}
	k := 0
	for _, at := range l.Logical() {
		if at < 0 || at >= len(y.items) || !bytes.Equal(x.items[k], y.items[at]) {
			t.Fatalf("element %d of %s%v is read at %d of %s%v: %s", k, x.name, x.shape, at, y.name, y.shape, l)
		}
		k++
	}
}

// checkTransposed: y is x.transpose(order), but for dims of size 1.
func checkTransposed(t *testing.T, order []int, x, y array) {
	t.Helper()
	if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, ints.Range(len(x.shape))) {
		t.Fatalf("%v is no order of the dims of %s%v", order, x.name, x.shape)
	}
	z := x.transposed("", order)
	if !slices.Equal(slices.DeleteFunc(slices.Clone(z.shape), isOne), slices.DeleteFunc(slices.Clone(y.shape), isOne)) || !bytes.Equal(z.bytes(), y.bytes()) {
		t.Fatalf("%s%v is not %s%v transposed by %v", y.name, y.shape, x.name, x.shape, order)
	}
}

// relatedFiles returns how b's file holds a's elements.
func relatedFiles(t *testing.T, a, b array) *Relation {
	t.Helper()
	dir := t.TempDir()
	x, _ := writeArrays(t, filepath.Join(dir, "a.safetensors"), []array{a})
	y, _ := writeArrays(t, filepath.Join(dir, "b.safetensors"), []array{b})
	first, second := must(x.Open(a.name)), must(y.Open(b.name))
	defer first.Close()
	defer second.Close()
	return must(Related(Whole(first), Whole(second), Search{SameElements: true, Budget: relate.NewWork().Budget(0), Convert: convert.Options{Threads: 1}}))
}

// numbered is an array whose elements are 0, 1, 2, ….
func counted(name string, shape ...int) array {
	x := array{name: name, typ: "F32", shape: shape}
	for i := range ints.Product(shape) {
		x.items = append(x.items, binary.LittleEndian.AppendUint32(nil, uint32(i)))
	}
	return x
}

// TestTransposeOfOnes: dims of size 1, which any stride suits, do not hide a transposition; without one, dims that only gained or lost a
// size of 1 are reshaped.
func TestTransposeOfOnes(t *testing.T) {
	x := counted("x", 4, 1, 6)
	for _, c := range []struct {
		b         array
		kind      relate.Kind
		transpose []int
		as        string
	}{
		{x.transposed("x", []int{2, 1, 0}), relate.Permuted, []int{2, 1, 0}, "as if written by transpose(2,1,0)"},
		{x.transposed("x", []int{1, 0, 2}), relate.Permuted, []int{1, 0, 2}, "as if written by transpose(1,0,2)"},
		{array{"x", x.typ, []int{4, 6}, x.items}, relate.Reshaped, nil, ""},
		{array{"x", x.typ, []int{6, 4}, x.transposed("", []int{2, 1, 0}).items}, relate.Relabeled, nil, ""},
	} {
		if r := relatedFiles(t, x, c.b); r == nil || r.Kind != c.kind || !slices.Equal(r.Transpose, c.transpose) || c.as != "" && r.As != c.as {
			t.Errorf("%v: %+v, transpose %v", c.b.shape, r.Relation, r.Transpose)
		}
	}
}

// TestSameStrides: of two tensors in one memory order, which is not that of their dims, numbers that differ by a factor are in the same order.
func TestSameStrides(t *testing.T) {
	var sides [2]*source.Tensor
	for i, factor := range []float32{1, 2} {
		r := rand.New(rand.NewPCG(1, 2))
		var b []byte
		for range 2 * 3 * 4 * 5 {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(factor*r.Float32()))
		}
		path := filepath.Join(t.TempDir(), "x.raw")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		typ := must(dtype.Parse("float32"))
		o := source.Options{DType: &typ, Raw: &source.Typed{Shape: []int{2, 3, 4, 5}, Strides: []int{60, 1, 15, 3}}}
		set, _, err := source.Open(named(path), o)
		sides[i] = must(must(set, err).Tensor(0, o))
		defer sides[i].Close()
	}
	r := must(Related(Whole(sides[0]), Whole(sides[1]), Search{Budget: relate.NewWork().Budget(0), Convert: convert.Options{Threads: 1}}))
	if r.Kind != relate.Converted || r.Sentence != "holds a's elements in the same order, times 2" || r.As != "" {
		t.Errorf("%s: %s, %s", r.Kind, r.Sentence, r.As)
	}
}

// TestManyParts: the parts of a whole are found in whatever order they are named, each at its slices, and only slices are looked at for which
// there may be a part.
func TestManyParts(t *testing.T) {
	r, dir, rows := random.New(t), t.TempDir(), 2000
	whole := counted("whole", rows, 4)
	parts := make([]array, rows)
	for i, at := range r.Perm(rows) {
		parts[i] = whole.slice(fmt.Sprintf("part.%d", i), 0, at, 1)
	}
	x, wholes := writeArrays(t, filepath.Join(dir, "a.safetensors"), []array{whole})
	y, names := writeArrays(t, filepath.Join(dir, "b.safetensors"), parts)
	items := [2][]relate.Item{must(x.Contents(wholes)), must(y.Contents(names))}
	found := FindMade([2]Side{x, y}, items, [2][]int{{0}, nil})
	if len(found) != 1 || len(found[0].Pieces) != rows {
		t.Fatalf("%d found", len(found))
	}
	arrays := map[string]array{}
	for _, part := range parts {
		arrays[part.name] = part
	}
	checkMade(t, found[0], whole, arrays)
}

// TestPartsWithOnes: dims of size 1, wherever they are, hide no parts, nor do dims that are permuted beside them.
func TestPartsWithOnes(t *testing.T) {
	for _, c := range []struct{ shape, transpose []int }{
		{[]int{4, 1, 3}, []int{0, 1, 2}}, {[]int{4, 3, 1}, []int{0, 1, 2}}, {[]int{4, 1, 1, 3}, []int{0, 1, 2, 3}},
		{[]int{1, 4, 3}, []int{0, 1, 2}}, {[]int{4, 1}, []int{0, 1}}, {[]int{4, 1, 3}, []int{2, 1, 0}}, {[]int{4, 3, 1}, []int{1, 0, 2}},
	} {
		n, dir := ints.Product(c.shape), t.TempDir()
		both := counted("both", append([]int{2}, c.shape...)...)
		parts, items := map[string]array{}, []([]byte)(nil)
		var list []array
		for k := range 2 {
			part := array{fmt.Sprint("part.", k), both.typ, c.shape, both.items[k*n:][:n]}
			parts[part.name] = part
			list = append(list, part)
			items = append(items, part.transposed("", c.transpose).items...)
		}
		shape := slices.Clone(list[0].transposed("", c.transpose).shape)
		shape[0] *= 2
		whole := array{"whole", both.typ, shape, items}
		x, wholes := writeArrays(t, filepath.Join(dir, "a.safetensors"), []array{whole})
		y, names := writeArrays(t, filepath.Join(dir, "b.safetensors"), list)
		found := FindMade([2]Side{x, y}, [2][]relate.Item{must(x.Contents(wholes)), must(y.Contents(names))}, [2][]int{{0}, nil})
		if len(found) != 1 {
			t.Errorf("%v: %+v", c.shape, found)
			continue
		}
		checkMade(t, found[0], whole, parts)
	}
}

// TestContentsOfRepeats: a tensor that repeats its elements too often has only its name, and is no error, whichever place it has; an error of
// another is still returned.
func TestContentsOfRepeats(t *testing.T) {
	arrays := []array{counted("first", 4), counted("second", 4), counted("third", 4)}
	side, names := writeArrays(t, filepath.Join(t.TempDir(), "a.safetensors"), arrays)
	for _, far := range append([]string{""}, names...) {
		expanded := side
		expanded.Open = func(name string) (*source.Tensor, error) {
			x, err := side.Open(name)
			if err == nil && name == far {
				x.Layout = must(tensor.Strided{Shape: []int{1000, 4}, Strides: []int{0, 1}}.Layout(nil, 4))
			}
			return x, err
		}
		items, err := expanded.Contents(names)
		if err != nil {
			t.Errorf("%s expanded: %v", far, err)
		}
		for k, item := range items {
			if item.Name != names[k] || (item.Type == "") != (item.Name == far) || (item.Print == relate.Fingerprint{}) != (item.Name == far) {
				t.Errorf("%s expanded: %+v", far, item)
			}
		}
		if _, err := expanded.Contents(append([]string{"missing"}, names...)); err == nil {
			t.Errorf("%s expanded: no error of a missing tensor", far)
		}
	}
}

package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"github.com/tlayout/tlayout/internal/random"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

func typed(name string) dtype.Type {
	t, err := dtype.Parse(name)
	if err != nil {
		panic(err)
	}
	return t
}

// addresses are the bytes of a tensor's elements in logical order, by the definition of strides.
func addresses(t Tensor) (at []int64) {
	l, err := t.View.Layout(nil, tensor.Unbounded)
	if err != nil {
		panic(err)
	}
	for _, off := range l.Logical() {
		for k := range t.Type.ItemSize() {
			at = append(at, int64(off*t.Type.ItemSize()+k))
		}
	}
	return at
}

// randomContainer is a container of views of three storages, whose elements are of these types, and the storages' bytes.
func randomContainer(r *rand.Rand, types ...string) (*Container, [][]byte) {
	c, old := &Container{}, make([][]byte, 3)
	for i := range old {
		old[i] = make([]byte, 8*r.IntN(40))
		for k := range old[i] {
			old[i][k] = byte(r.IntN(256))
		}
		c.Storages = append(c.Storages, Storage{Bytes: int64(len(old[i]))})
	}
	if r.IntN(8) == 0 {
		c.Refused = []Refused{{Storages: []int{r.IntN(3)}}}
	}
	for k := range r.IntN(8) {
		t := Tensor{Name: strconv.Itoa(k), Storage: r.IntN(3), Type: typed(types[r.IntN(len(types))])}
		n := len(old[t.Storage]) / t.Type.ItemSize()
		t.View.Offset = r.IntN(n + 9)
		last := t.View.Offset
		for range r.IntN(4) {
			size, stride := 1+r.IntN(4)-r.IntN(20)/19, r.IntN(3)*r.IntN(4)
			if last += (size - 1) * stride; size > 0 && last >= n {
				break
			}
			t.View.Shape, t.View.Strides = append(t.View.Shape, size), append(t.View.Strides, stride)
		}
		if last < n || t.View.Empty() {
			c.Tensors = append(c.Tensors, t)
		}
	}
	return c, old
}

// copied are the bytes of the new storages.
func copied(t *testing.T, c *Compacted, old [][]byte) [][]byte {
	all := make([][]byte, len(old))
	for i, cut := range c.Storages {
		var b bytes.Buffer
		if err := cut.Copy(&b, bytes.NewReader(old[i])); err != nil || int64(b.Len()) != cut.Bytes {
			t.Fatalf("%d of %d bytes, %v: %+v", b.Len(), cut.Bytes, err, cut)
		}
		all[i] = b.Bytes()
	}
	return all
}

// container is the compacted one.
func (c *Compacted) container(refused []Refused) *Container {
	out := &Container{Tensors: c.Tensors, Refused: refused}
	for _, s := range c.Storages {
		out.Storages = append(out.Storages, Storage{Bytes: s.Bytes})
	}
	return out
}

// TestCompact: of random views of random storages, each byte of an element moves to one byte, where it has the same value, and two
// bytes never to the same: what tensors shared they still share, and nothing else. Storages have no bytes outside of extents, and
// after a second time they are the same.
func TestCompact(t *testing.T) {
	n := oracle.Cases(t, 3000)
	r := random.New(t)
	smaller := 0
	for k := range n {
		types := [][]string{{"u1"}, {"f4"}, {"c16"}, {"u1", "f4", "c16", "V3"}}[k%4]
		c, old := randomContainer(r, types...)
		before := fmt.Sprintf("%+v", c)
		done := Compact(c)
		if after := fmt.Sprintf("%+v", c); after != before {
			t.Fatalf("the container changed:\n%s\n%s", before, after)
		}
		if err := faithful(c, done, old, copied(t, done, old)); err != nil {
			t.Fatalf("case %d: %v\n%s\n%+v", k, err, before, done)
		}
		if len(types) > 1 {
			continue // there may be bytes before an element of another size
		}
		for i, s := range done.Storages {
			if used, extents := used(c, i); s.Bytes < used || s.Bytes > extents {
				t.Fatalf("case %d: %d bytes, %d are used, %d in extents: %s\n%+v", k, s.Bytes, used, extents, before, done)
			} else if s.Bytes < extents {
				smaller++
			}
		}
		again := Compact(done.container(c.Refused))
		if !reflect.DeepEqual(again.container(nil), done.container(nil)) {
			t.Fatalf("case %d: %+v\nagain %+v", k, done, again)
		}
	}
	if smaller < n/100 {
		t.Errorf("%d storages of tensors with gaps", smaller)
	}
}

// faithful compares tensors byte by byte.
func faithful(c *Container, done *Compacted, old, made [][]byte) error {
	type place struct {
		storage int
		at      int64
	}
	to, from := map[place]place{}, map[place]place{}
	for i, t := range done.Tensors {
		was := c.Tensors[i]
		a, b := addresses(was), addresses(t)
		if t.Name != was.Name || t.Storage != was.Storage || !reflect.DeepEqual(t.View.Shape, was.View.Shape) || len(a) != len(b) {
			return fmt.Errorf("tensor %d: %+v", i, t)
		}
		for k := range a {
			x, y := place{t.Storage, a[k]}, place{t.Storage, b[k]}
			if z, ok := to[x]; ok && z != y {
				return fmt.Errorf("tensor %d: byte %v goes to %v and %v", i, x, y, z)
			}
			if z, ok := from[y]; ok && z != x {
				return fmt.Errorf("tensor %d: byte %v comes from %v and %v", i, y, x, z)
			}
			if to[x], from[y] = y, x; old[x.storage][x.at] != made[y.storage][y.at] {
				return fmt.Errorf("tensor %d: byte %v became another at %v", i, x, y)
			}
		}
	}
	return nil
}

// used counts the bytes of a storage that are in tensors, and in their extents; all of them if a tensor is not shown.
func used(c *Container, storage int) (used, extents int64) {
	for _, r := range c.Refused {
		if r.Storages[0] == storage {
			return c.Storages[storage].Bytes, c.Storages[storage].Bytes
		}
	}
	in, between := map[int64]bool{}, map[int64]bool{}
	for _, t := range c.Tensors {
		if t.Storage != storage || t.View.Empty() {
			continue
		}
		last := int64(0)
		for _, at := range addresses(t) {
			in[at] = true
			last = max(last, at)
		}
		for at := int64(t.View.Offset * t.Type.ItemSize()); at <= last; at++ {
			between[at] = true
		}
	}
	return int64(len(in)), int64(len(between))
}

// TestCompactRule: the rule by examples; x is of shape (4, 6), of one byte each.
func TestCompactRule(t *testing.T) {
	v := func(offset int, shape, strides []int) tensor.Strided {
		return tensor.Strided{Shape: shape, Strides: strides, Offset: offset}
	}
	for _, c := range []struct {
		what  string
		views []tensor.Strided
		want  []tensor.Strided
		bytes int64
	}{
		{"nothing", nil, nil, 0},
		{"x[2], and x[0] behind it: the rows between go", []tensor.Strided{v(12, []int{6}, []int{1}), v(0, []int{6}, []int{1})},
			[]tensor.Strided{v(6, []int{6}, []int{1}), v(0, []int{6}, []int{1})}, 12},
		{"x[1:].T", []tensor.Strided{v(6, []int{6, 3}, []int{1, 6})}, []tensor.Strided{v(0, []int{6, 3}, []int{1, 6})}, 18},
		{"x[:, :2] is packed", []tensor.Strided{v(0, []int{4, 2}, []int{6, 1})}, []tensor.Strided{v(0, []int{4, 2}, []int{2, 1})}, 8},
		{"x[:, 1::2].T is packed in its order", []tensor.Strided{v(1, []int{3, 4}, []int{2, 6})}, []tensor.Strided{v(0, []int{3, 4}, []int{1, 3})}, 12},
		{"x[:, :2] and x[:, 3:] overlap: nothing goes", []tensor.Strided{v(0, []int{4, 2}, []int{6, 1}), v(3, []int{4, 3}, []int{6, 1})},
			[]tensor.Strided{v(0, []int{4, 2}, []int{6, 1}), v(3, []int{4, 3}, []int{6, 1})}, 24},
		{"x[:, :2], which is packed, and what begins at its end", []tensor.Strided{v(0, []int{4, 2}, []int{6, 1}), v(20, []int{4}, []int{1})},
			[]tensor.Strided{v(0, []int{4, 2}, []int{2, 1}), v(8, []int{4}, []int{1})}, 12},
		{"the same twice is shared", []tensor.Strided{v(6, []int{2, 2}, []int{6, 1}), v(6, []int{2, 2}, []int{6, 1})},
			[]tensor.Strided{v(0, []int{2, 2}, []int{2, 1}), v(0, []int{2, 2}, []int{2, 1})}, 4},
		{"x[:, :2] and x[:, 2:4]: nothing goes", []tensor.Strided{v(0, []int{4, 2}, []int{6, 1}), v(2, []int{4, 2}, []int{6, 1})},
			[]tensor.Strided{v(0, []int{4, 2}, []int{6, 1}), v(2, []int{4, 2}, []int{6, 1})}, 22},
		{"the same and its transpose: nothing goes", []tensor.Strided{v(6, []int{2, 2}, []int{6, 1}), v(6, []int{2, 2}, []int{1, 6})},
			[]tensor.Strided{v(0, []int{2, 2}, []int{6, 1}), v(0, []int{2, 2}, []int{1, 6})}, 8},
		{"x[1, ::2] expanded", []tensor.Strided{v(6, []int{5, 3}, []int{0, 2})}, []tensor.Strided{v(0, []int{5, 3}, []int{0, 1})}, 3},
		{"windows of x[0]", []tensor.Strided{v(1, []int{2, 2}, []int{2, 2})}, []tensor.Strided{v(0, []int{2, 2}, []int{2, 2})}, 5},
		{"empty", []tensor.Strided{v(30, []int{0, 2}, []int{6, 1})}, []tensor.Strided{v(0, []int{0, 2}, []int{6, 1})}, 0},
	} {
		in := &Container{Storages: []Storage{{Bytes: 24}}}
		for _, v := range c.views {
			in.Tensors = append(in.Tensors, Tensor{Type: typed("u1"), View: v})
		}
		got := Compact(in)
		for i, want := range c.want {
			if !reflect.DeepEqual(got.Tensors[i].View, want) {
				t.Errorf("%s: %+v, want %+v", c.what, got.Tensors[i].View, want)
			}
		}
		if got.Storages[0].Bytes != c.bytes {
			t.Errorf("%s: %d bytes, want %d", c.what, got.Storages[0].Bytes, c.bytes)
		}
	}
}

// counted counts what is read of it; it has any size.
type counted struct{ read int64 }

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	c.read += int64(len(p))
	for i := range p {
		p[i] = byte((off + int64(i)) >> 20)
	}
	return len(p), nil
}

// TestCopyFar: of runs far apart, what is between them is not read.
func TestCopyFar(t *testing.T) {
	c := Cut{Bytes: 8 * 100, Parts: []Part{{From: 5 << 20, Run: 8, Counts: []int{10, 10}, Steps: []int64{20 << 20, 1 << 20}}}}
	old, out := &counted{}, bytes.Buffer{}
	if err := c.Copy(&out, old); err != nil || out.Len() != 800 {
		t.Fatal(err, out.Len())
	}
	for i, b := range out.Bytes() {
		if k := i / 8; b != byte(5+k/10*20+k%10) {
			t.Fatalf("byte %d is %d", i, b)
		}
	}
	if old.read > 800 {
		t.Errorf("%d bytes were read", old.read)
	}
}

// TestCopyFails: a storage that ends early, or an output that fails, is an error.
func TestCopyFails(t *testing.T) {
	c := Cut{Bytes: 20, Parts: []Part{{Run: 12}, {At: 12, From: 16, Run: 2, Counts: []int{4}, Steps: []int64{3}}}}
	whole := make([]byte, 27)
	for n := range whole {
		if err := c.Copy(io.Discard, bytes.NewReader(whole[:n])); n < 27 && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if err := c.Copy(io.Discard, bytes.NewReader(whole)); err != nil {
		t.Error(err)
	}
	r, w := io.Pipe()
	r.Close()
	if err := c.Copy(w, bytes.NewReader(whole)); err != io.ErrClosedPipe {
		t.Error(err)
	}
}

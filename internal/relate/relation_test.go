package relate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// TestRelations: what is told of one mistake each, of distinct values and of an image with few.
func TestRelations(t *testing.T) {
	r := random.New(t)
	nchw := strings.Split("NCHW", "")
	start := func(shape ...int) moved { return moved{ints.Range(ints.Product(shape)), shape} }
	as := func(m moved, shape ...int) moved { return moved{m.from, shape} }
	a, one, oihw, thin := start(2, 3, 4, 5), start(1, 6, 4, 5), start(64, 32, 3, 3), start(2, 1, 4, 5)
	for _, c := range []struct {
		a, b  moved
		names []string
		want  string
	}{
		{a, a, nchw, "same: N C H W: holds a's elements in the same order"},
		{a, as(a, 6, 20), nchw, "reshaped: N C H W: holds a's elements in the same order, under the shape (6, 20)"},
		{a, a.transposed([]int{0, 2, 3, 1}), nchw,
			"permuted: N H W C: holds a's elements in memory order N H W C; as if written by transpose(0,2,3,1)"},
		{a, as(a.transposed([]int{0, 2, 3, 1}), 2, 3, 4, 5), nchw,
			"relabeled: N H W C: holds a's elements in memory order N H W C, under the shape (2, 3, 4, 5); " +
				"as if written by transpose(0,2,3,1) and read as (2, 3, 4, 5)"},
		{a, a.transposed([]int{0, 1, 3, 2}), nchw,
			"permuted: N C W H: holds a's elements in memory order N C W H; as if written by transpose(0,1,3,2)"},
		{a, a.flipped(1), nchw, "reversed: N C H W: holds a's elements, C reversed"},
		{a, a.transposed([]int{0, 2, 3, 1}).flipped(3), nchw,
			"permuted: N H W C: holds a's elements in memory order N H W C, C reversed; as if written by transpose(0,2,3,1)"},
		{a, as(a.transposed([]int{3, 2, 1, 0}), 2, 3, 4, 5), nchw,
			"relabeled: W H C N: holds a's elements in memory order W H C N, under the shape (2, 3, 4, 5); " +
				"as if written by transpose(3,2,1,0) and read as (2, 3, 4, 5)"},
		{a, as(a, 2, 4, 5, 3).transposed([]int{0, 3, 1, 2}), nchw,
			"reread: : holds a's memory as read under the shape (2, 20, 3) and then permuted; " +
				"as if a's memory was read as (2, 20, 3) and written by transpose(0,2,1)"},
		{oihw, oihw.transposed([]int{2, 3, 1, 0}), strings.Split("OIHW", ""),
			"permuted: H W I O: holds a's elements in memory order H W I O; as if written by transpose(2,3,1,0)"},
		{one, one.blocked(1, 4), nchw, "blocked: N C//4 H W C%4: holds a's elements in memory order N C//4 H W C%4"},
		{a, a.padded(3, 8), nchw, "pitched: N C H W: holds a's elements in memory order N C H W, with padding between them"},
		{a, a.padded(3, 6), nchw, "pitched: N C H W: holds a's elements in memory order N C H W, with padding between them"},
		{a, moved{slices.Concat(slices.Repeat([]int{-1}, 32), a.from), []int{152}}, nchw,
			"shifted: : holds a's elements after 32 others"},
		{a, moved{append(slices.Clone(a.from), slices.Repeat([]int{-1}, 32)...), []int{152}}, nchw,
			"followed: : begins with a's elements, then 32 others"},
		{a, moved{append(a.transposed([]int{0, 2, 3, 1}).from, -1), []int{121}}, nchw,
			"followed: N H W C: begins with a's elements in memory order N H W C, then 1 other"},
		{a, moved{a.from[:100], []int{100}}, nchw, "part: N C H W: holds the first 100 of a's elements"},
		{thin, thin.transposed([]int{0, 2, 3, 1}), nchw,
			"permuted: N H W C: holds a's elements in memory order N H W C; as if written by transpose(0,2,3,1)"},
		{start(1, 5, 6), as(start(1, 5, 6).transposed([]int{0, 2, 1}), 6, 5), nil,
			"relabeled: d0 d2 d1: holds a's elements in memory order d0 d2 d1, under the shape (6, 5); " +
				"as if written by transpose(0,2,1) and read as (6, 5)"},
		{start(4, 6), start(4, 6).transposed([]int{1, 0}), nil,
			"permuted: d1 d0: holds a's elements in memory order d1 d0; as if written by transpose(1,0)"},
	} {
		for _, few := range []bool{false, true} {
			n := len(c.a.from)
			values := make([]float64, n)
			for i := range values {
				if values[i] = r.NormFloat64() * 1000; few {
					values[i] = float64(1 + r.IntN(9))
				}
			}
			typ := typeOf("<f4")
			b := make([]float64, len(c.b.from))
			for j, i := range c.b.from {
				if i >= 0 {
					b[j] = values[i]
				}
			}
			rel := Find(Values{bytesOf(typ, values), typ, c.a.shape, c.names}, Values{bytesOf(typ, b), typ, c.b.shape, nil}, Options{Threads: 2})
			if rel == nil {
				t.Errorf("want %q: none", c.want)
				continue
			}
			got := fmt.Sprintf("%s: %s: %s", rel.Kind, strings.Join(rel.Order, " "), rel.Sentence)
			if rel.As != "" {
				got += "; " + rel.As
			}
			if got != c.want || rel.Explained != 1 || rel.Ambiguous {
				t.Errorf("few values %v: %s\nwant %s\n%+v", few, got, c.want, rel)
			}
			if rel.IsLayout != (rel.Order != nil && rel.Kind != Part) || rel.IsLayout != (rel.Undo == ByLayout) {
				t.Errorf("%s: is a layout: %v, undone %d", got, rel.IsLayout, rel.Undo)
			}
			if (rel.Undo == ByInverse) != (rel.Kind == Reread) {
				t.Errorf("%s: undone %d", got, rel.Undo)
			}
			checkLayout(t, rel, c.a.shape, c.b.from)
		}
	}
}

// checkLayout: the layout gives for each of A's coordinates a position of B where that element is.
func checkLayout(t *testing.T, rel *Relation, shape, from []int) {
	t.Helper()
	if !rel.IsLayout {
		return
	}
	index := make([]int, len(shape))
	for i := range ints.Product(shape) {
		rest := i
		for d, n := range slices.Backward(shape) {
			index[d], rest = rest%n, rest/n
		}
		if at := rel.Layout.At(index...); from[at] != i {
			t.Fatalf("layout %s has element %v at %d, where element %d is", rel.Layout, index, at, from[at])
		}
	}
}

// TestRuns: the runs of a nest are its positions in A, one by one, whatever the range.
func TestRuns(t *testing.T) {
	r := random.New(t)
	for range 2000 {
		loops := make([]Loop, r.IntN(5))
		for k := range loops {
			loops[k] = Loop{1 + r.IntN(5), r.IntN(41) - 20}
		}
		m, ok := newNest(r.IntN(4), r.IntN(60)-20, loops, 1+r.IntN(60))
		if !ok {
			t.Fatal(loops)
		}
		from, to := r.IntN(20), r.IntN(700)
		got := map[int]int{}
		m.runs(from, to, func(r run) {
			for j := r.from; j < r.to; j++ {
				got[j] = r.offset + (j-r.from)*r.step
			}
		})
		for j := range 700 {
			want, in := m.at(j)
			at, found := got[j]
			if in = in && j >= from && j < to; in != found || in && at != want {
				t.Fatalf("%+v: position %d is at %d (%v), by runs at %d (%v)", m, j, want, in, at, found)
			}
		}
	}
}

// TestBehind: what precedes B's elements is found where B is permuted too, whatever its length.
func TestBehind(t *testing.T) {
	r := random.New(t)
	a := moved{ints.Range(6 * 7 * 8), []int{6, 7, 8}}
	for by := 1; by < 120; by += 7 {
		m := a.transposed([]int{2, 0, 1}).flipped(1)
		p := pair{from: slices.Concat(slices.Repeat([]int{-1}, by), m.from[:len(m.from)-by])}
		values, b := make([]float64, len(a.from)), make([]float64, len(a.from))
		for i := range values {
			values[i] = r.NormFloat64()
		}
		for j, i := range p.from {
			if b[j] = r.NormFloat64(); i >= 0 {
				b[j] = values[i]
			}
		}
		f8 := typeOf("<f8")
		p.a, p.b = Values{bytesOf(f8, values), f8, a.shape, nil}, Values{bytesOf(f8, b), f8, a.shape, nil}
		if rel := Find(p.a, p.b, Options{Threads: 1}); p.verdict(rel) != "found" {
			t.Errorf("%d elements before: %+v", by, rel)
		}
	}
}

// TestManyDims: dims of size 1 cost nothing, however many there are.
func TestManyDims(t *testing.T) {
	f4, values := typeOf("<f4"), []float64{}
	for i := range 24 {
		values = append(values, float64(i*i))
	}
	shape := slices.Concat([]int{4}, slices.Repeat([]int{1}, 61), []int{6})
	a := Values{bytesOf(f4, values), f4, shape, nil}
	slices.Reverse(values)
	rel := Find(a, Values{bytesOf(f4, values), f4, shape, nil}, Options{Threads: 1})
	if rel == nil || rel.Kind != Reversed || !slices.Equal(rel.Reversed, []string{"d0", "d62"}) || !rel.IsLayout {
		t.Errorf("%+v", rel)
	}
}

// TestSilence: no story of constant data, single elements, empty tensors and sizes that do not match.
func TestSilence(t *testing.T) {
	f4 := typeOf("<f4")
	zeros := Values{make([]byte, 96), f4, []int{4, 6}, nil}
	for _, c := range [][2]Values{
		{zeros, zeros},
		{{[]byte("abababababababababababababababab"), typeOf("uint8"), []int{32}, nil}, {[]byte("aaaaaaaaaaaaaaaaaaaaaaaa"), typeOf("uint8"), []int{24}, nil}},
		{zeros, {make([]byte, 95), f4, []int{4, 6}, nil}},
		{zeros, {make([]byte, 96), f4, []int{4, 5}, nil}},
		{zeros, {nil, f4, []int{0, 6}, nil}},
		{{make([]byte, 4), f4, nil, nil}, {make([]byte, 4), f4, nil, nil}},
		{zeros, {make([]byte, 96), f4, []int{-4, -6}, nil}},
		{zeros, {make([]byte, 96), f4, []int{math.MaxInt, 4}, nil}},
		{zeros, {make([]byte, 96), dtype.Type{}, []int{4, 6}, nil}},
	} {
		if rel := Find(c[0], c[1], Options{Threads: 2}); rel != nil {
			t.Errorf("%v: %+v", c[1], rel)
		}
	}
}

// TestHopeless: a map that half of the elements agree with, as any has of zeros, is not counted in full.
func TestHopeless(t *testing.T) {
	shape := []int{16, 64, 16, 16}
	a := Values{Bytes: make([]byte, minCounted), Type: typeOf("uint8"), Shape: shape}
	b := Values{Bytes: make([]byte, minCounted), Type: a.Type, Shape: shape}
	r := random.New(t)
	for i := range b.Bytes {
		b.Bytes[i] = byte(r.IntN(2))
	}
	counted := 0
	if f := Find(a, b, Options{Threads: 1, Count: func(tensor.Layout) (int, bool) { counted++; return minCounted / 2, true }}); f != nil || counted > 0 {
		t.Errorf("counted %d times, found %v", counted, f)
	}
}

// FuzzFind: any shapes and bytes give a relation that holds, or none.
func FuzzFind(f *testing.F) {
	f.Add([]byte("abcdefghijklmnopqrstuvwx"), []byte("aebfcgdhimjnkolpquvrwsxt"), uint8(0), uint8(2), uint8(3), uint8(4))
	f.Add([]byte("abcdefgh"), []byte("abcdefgh"), uint8(5), uint8(1), uint8(8), uint8(0))
	f.Fuzz(func(t *testing.T, a, b []byte, kind, x, y, z uint8) {
		typ := typeOf(plainTypes[int(kind)%len(plainTypes)])
		other := typeOf(plainTypes[int(kind/16)%len(plainTypes)])
		if len(a) > 1<<12 || len(b) > 1<<12 {
			return
		}
		shape := []int{int(x), int(y), int(z)}
		rest := len(a) / max(typ.ItemSize(), 1)
		for _, v := range []Values{{a, typ, shape, nil}, {a, typ, []int{rest}, nil}, {a, typ, []int{int(x), rest / max(1, int(x))}, []string{"x", "y"}}} {
			rel := Find(v, Values{b, other, []int{len(b) / other.ItemSize()}, nil}, Options{Threads: 2})
			if rel == nil || rel.Kind == Shuffled {
				continue
			}
			if rel.Explained < 0.9 || rel.Differ+rel.Padding > rel.Count || rel.Sentence == "" {
				t.Fatalf("%+v", rel)
			}
			if rel.IsLayout && (!rel.Layout.InBounds() || !slices.Equal(rel.Layout.Shape(), v.Shape)) {
				t.Fatalf("%s of shape %s: %+v", rel.Layout, tensor.Tuple(v.Shape), rel)
			}
		}
	})
}

// TestFarthestShift: of values that repeat, the farthest shift that is tried is found too.
func TestFarthestShift(t *testing.T) {
	r := random.New(t)
	data := make([]byte, 1<<15)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	for by, found := range map[int]bool{maxShift - 1: true, maxShift: true, maxShift + 1: false} {
		a := Values{Bytes: data[maxShift+1:], Type: typeOf("uint8"), Shape: []int{len(data) - maxShift - 1}}
		b := a
		b.Bytes = data[maxShift+1-by:][:len(a.Bytes)]
		rel := Find(a, b, Options{Threads: 1})
		if is := rel != nil && rel.Kind == Shifted; is != found {
			t.Errorf("by %d: %+v", by, rel)
		}
	}
}

// TestNegativeZero: −0 is the number 0 of an integer.
func TestNegativeZero(t *testing.T) {
	f4, i4 := typeOf("<f4"), typeOf("<i4")
	var xs, ys []float64
	for i := range 120 {
		x := float64(i)
		if i%10 == 0 {
			x = math.Copysign(0, -1)
		}
		xs = append(xs, x)
	}
	for i := range 120 {
		ys = append(ys, xs[i%12*10+i/12])
	}
	rel := Find(Values{bytesOf(f4, xs), f4, []int{12, 10}, nil}, Values{bytesOf(i4, ys), i4, []int{10, 12}, nil}, Options{Threads: 1})
	if rel == nil || rel.Differ != 0 || rel.DType != "int32" || rel.Kind != Permuted {
		t.Errorf("%+v", rel)
	}
}

package diff

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// plainLoop is the definition: every logical coordinate, each side at its own address.
func plainLoop(a, b Side, limit int, same func(x, y []byte) bool) (r Result) {
	n, m, index := a.DType.ItemSize(), b.DType.ItemSize(), 0
	for coord, at := range a.Layout.Logical() {
		to := b.Layout.At(coord...)
		if !same(a.Data[at*n:(at+1)*n], b.Data[to*m:(to+1)*m]) {
			if r.Differing++; r.Differing <= limit {
				r.First = append(r.First, index)
			}
		}
		index++
	}
	return r
}

// dice draws the parts of a case.
type dice struct{ *rand.Rand }

func (d dice) from(low, high int) int { return low + d.IntN(high-low+1) }

func (d dice) percent(p int) bool { return d.IntN(100) < p }

// shape draws up to five sizes, seldom 0, and now and then one that is longer.
func (d dice) shape() []int {
	sizes := make([]int, d.from(0, 5))
	for i := range sizes {
		sizes[i] = d.from(1, 6)
	}
	if len(sizes) > 0 && d.percent(20) {
		sizes[d.IntN(len(sizes))] = d.from(1, 70)
	}
	if len(sizes) > 0 && d.percent(2) {
		sizes[d.IntN(len(sizes))] = 0
	}
	return sizes
}

// layout draws digits of random blocks in random order, with gaps, some broadcast, backwards or overlapping.
func (d dice) layout(shape []int) tensor.Layout {
	dims := make([]tensor.Dim, len(shape))
	var all []*tensor.Digit
	for i, size := range shape {
		dims[i] = tensor.Dim{Name: "d" + strconv.Itoa(i), Size: size}
		div := 1
		for d.percent(30) && len(dims[i].Digits) < 3 {
			block := d.from(1, 5)
			dims[i].Digits = append(dims[i].Digits, tensor.Digit{Div: div, Extent: block})
			div *= block
		}
		dims[i].Digits = append(dims[i].Digits, tensor.Digit{Div: div, Extent: ints.CeilDiv(size, div)})
		for k := range dims[i].Digits {
			all = append(all, &dims[i].Digits[k])
		}
	}
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	plain := d.percent(40)
	step, offset := 1, 0
	for _, g := range all {
		g.Stride = step
		step *= max(1, g.Extent)
		if plain {
			continue
		}
		switch d.IntN(12) {
		case 0:
			g.Stride = 0
		case 1:
			offset += (g.Extent - 1) * g.Stride
			g.Stride = -g.Stride
		case 2:
			step += d.from(0, 5) * step / 4
		case 3:
			g.Stride = d.from(0, 3)
		}
	}
	l := must(tensor.New(dims, max(0, offset), tensor.Unbounded))
	low, _, _ := l.Span()
	l = must(must(tensor.New(dims, max(0, offset-low), tensor.Unbounded)).Moved(max(0, offset-low) + d.from(0, 2)))
	if d.IntN(4) > 0 {
		return l
	}
	b := d.from(1, 3)
	return must(l.Swizzled(must(tensor.NewSwizzle(b, d.from(0, 3), b+d.from(0, 2))), tensor.Unbounded))
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func dtypeOf(name string) dtype.Type { return must(dtype.Parse(name)) }

// sides draws two layouts of one shape. Both hold position-coded elements, except for some of the second that are
// flipped: elements or padding.
func (d dice) sides(item dtype.Type) (a, b Side) {
	shape, n := d.shape(), item.ItemSize()
	a = Side{Layout: d.layout(shape), DType: item}
	b = Side{Layout: d.layout(shape), DType: item}
	a.Data = d.noise(a.Layout.Alloc() * n)
	b.Data = d.noise(b.Layout.Alloc() * n)
	for coord, at := range a.Layout.Logical() { // elements that share an offset on either side become one
		to := b.Layout.At(coord...)
		copy(b.Data[to*n:(to+1)*n], a.Data[at*n:])
	}
	for coord, at := range a.Layout.Logical() {
		to := b.Layout.At(coord...)
		copy(a.Data[at*n:(at+1)*n], b.Data[to*n:])
	}
	for range d.IntN(4) {
		if len(b.Data) > 0 {
			b.Data[d.IntN(len(b.Data))] ^= 1 << d.IntN(8)
		}
	}
	return a, b
}

func (d dice) noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.Uint32())
	}
	return b
}

// TestRandomLayouts: blocked, padded, reversed, broadcast and overlapping layouts, elements of every size, tiles of a few
// elements and large ones: the elements found are those of the plain loop, bit for bit, whatever the padding holds.
func TestRandomLayouts(t *testing.T) {
	seed := random.Seed(t)
	types := []string{"uint8", "int16", "float32", "float64", "complex128", "S3", "S5", "V7", "V24"}
	equal, different, padding := 0, 0, 0
	for k := range 600 {
		d := dice{rand.New(rand.NewPCG(seed, uint64(k)))}
		a, b := d.sides(dtypeOf(types[d.IntN(len(types))]))
		o := Options{Limit: d.from(0, 5), Convert: convert.Options{Threads: d.from(1, 3)}, tile: d.from(1, 400)}
		if d.percent(30) {
			o.tile = tileBytes // of many chunks
		}
		want := plainLoop(a, b, o.Limit, bytes.Equal)
		got := must(Run(a, b, Rule{}, o))
		if got.Differing != want.Differing || !slices.Equal(got.First, want.First) {
			t.Fatalf("case %d: %s and %s: %+v, expected %+v", k, a.Layout, b.Layout, got, want)
		}
		o.Brief = true
		if brief := must(Run(a, b, Rule{}, o)); (brief.Differing > 0) != (want.Differing > 0) {
			t.Fatalf("case %d: in brief %+v, expected %+v", k, brief, want)
		}
		switch {
		case want.Differing > 0:
			different++
		case a.Layout.Numel() < a.Layout.Alloc():
			padding++
		default:
			equal++
		}
	}
	if equal < 30 || different < 30 || padding < 30 {
		t.Errorf("%d equal, %d different, %d equal but for padding", equal, different, padding)
	}
}

// TestElements: which elements are the same by bits, as numbers, and within a tolerance. Elements are written as in
// memory, in hexadecimal digits.
func TestElements(t *testing.T) {
	f32 := func(x float32) []byte { return le(uint64(math.Float32bits(x)), 4) }
	f64 := func(x float64) []byte { return le(math.Float64bits(x), 8) }
	x87 := func(mant uint64, top uint16) []byte {
		return append(append(le(mant, 8), le(uint64(top), 2)...), make([]byte, 6)...)
	}
	nan := le(0x7fc00001, 4)
	complexOf := func(re, im float32) []byte { return append(f32(re), f32(im)...) }
	tolerant := Rule{Numeric: true, RTol: 0.5}
	exact := Rule{Numeric: true}
	for k, c := range []struct {
		rule       Rule
		a, b       string
		x, y       []byte
		ok         bool
		apart      float64
		comparable bool
	}{
		{Rule{}, "float32", "float32", f32(0), le(1<<31, 4), false, 0, true},
		{Rule{}, "float32", "float32", f32(float32(math.NaN())), nan, false, 0, true},
		{Rule{}, "float32", ">f4", f32(1.5), []byte{0x3f, 0xc0, 0, 0}, true, 0, true},
		{Rule{}, "float32", "float64", f32(1), f64(1), false, 0, false},
		{Rule{}, "int32", "uint32", f32(1), f32(1), false, 0, false},
		{Rule{}, "V2", "bfloat16", []byte{1, 2}, []byte{1, 2}, false, 0, false},
		{exact, "float32", "float32", f32(0), le(1<<31, 4), true, 0, true},
		{exact, "float32", "float32", f32(float32(math.NaN())), nan, true, 0, true},
		{exact, "float32", "float64", f32(0.1), f64(0.1), false, float64(float32(0.1)) - 0.1, true},
		{exact, "float32", "float64", f32(0.5), f64(0.5), true, 0, true},
		{exact, "int64", "float64", le(1<<53+1, 8), f64(1 << 53), false, 1, true},
		{exact, "int64", "uint64", le(1<<63, 8), le(1<<63, 8), false, 1 << 64, true},
		{exact, "int8", "int64", []byte{0xff}, le(math.MaxUint64, 8), true, 0, true},
		{exact, "uint64", "float64", le(1<<63, 8), f64(1 << 63), true, 0, true},
		{exact, "int64", "float64", le(1<<63, 8), f64(-1 << 63), true, 0, true},
		{exact, "bool", "int16", []byte{7}, le(1, 2), true, 0, true},
		{exact, "float16", "float64", le(1, 2), f64(math.Ldexp(1, -24)), true, 0, true},
		{exact, "float16", "float64", le(0xfc00, 2), f64(math.Inf(-1)), true, 0, true},
		{exact, "float16", "float64", le(0xc248, 2), f64(-3.140625), true, 0, true},
		{exact, "bfloat16", "float32", le(0x3f80, 2), f32(1), true, 0, true},
		{exact, "float8_e4m3fn", "float32", []byte{0x2c}, f32(0.375), true, 0, true},
		{exact, "float8_e8m0fnu", "float64", []byte{0}, f64(math.Ldexp(1, -127)), true, 0, true},
		{exact, "float128", "float64", x87(3<<62, 16383), f64(1.5), true, 0, true},
		{exact, "float128", "uint64", x87(math.MaxUint64, 16383+63), le(math.MaxUint64, 8), true, 0, true},
		{exact, "float128", "float128", x87(1<<63, 32000), x87(1<<63, 32001), false, math.NaN(), true},
		{exact, "float128", "float64", x87(1, 0), f64(0), false, 0, true},
		{exact, "complex64", "float32", complexOf(2, 0), f32(2), true, 0, true},
		{exact, "complex64", "complex64", complexOf(3, 0), complexOf(0, 4), false, 5, true},
		{exact, "complex64", "complex64", append(f32(1), nan...), append(nan, f32(2)...), true, 0, true},
		{exact, "float32", "float32", f32(1), nan, false, math.NaN(), true},
		{exact, "float32", "float32", f32(float32(math.Inf(1))), f32(1), false, math.Inf(1), true},
		{exact, "S2", "S2", []byte("ab"), []byte("ab"), true, 0, true},
		{exact, "S2", "S3", []byte("ab"), []byte("abc"), false, 0, false},
		{exact, "datetime64[s]", "datetime64[ns]", f64(1), f64(1), false, 0, false},
		{exact, "datetime64[s]", ">M8[s]", le(1, 8), []byte{0, 0, 0, 0, 0, 0, 0, 1}, true, 0, true},
		{Rule{}, "float128", "float128", x87(1<<63, 16383), append(x87(1<<63, 16383)[:10], 1, 2, 3, 4, 5, 6), true, 0, true},
		{Rule{}, "float128", "float128", x87(1<<63, 16383), x87(1<<63|1, 16383), false, 0, true},
		{Rule{}, "complex256", "complex256", slices.Concat(x87(1<<63, 5), x87(1<<63, 6)), slices.Concat(x87(1<<63, 5), x87(1<<63, 7)),
			false, 0, true},
		{tolerant, "float32", "float32", f32(1), f32(2), true, 1, true},
		{tolerant, "float32", "float32", f32(2), f32(1), false, 1, true},
		{tolerant, "float32", "float32", f32(1), f32(float32(math.Inf(1))), false, math.Inf(1), true},
		{tolerant, "int64", "int64", le(10, 8), le(20, 8), true, 10, true},
		{tolerant, "complex64", "complex64", complexOf(0, 1), complexOf(0, 2), true, 1, true},
		{Rule{Numeric: true, ATol: 1}, "uint8", "uint8", []byte{0}, []byte{1}, true, 1, true},
		{Rule{Numeric: true, ATol: 1}, "uint8", "uint8", []byte{0}, []byte{2}, false, 2, true},
	} {
		one := must(tensor.New(nil, 0, 1))
		a, b := Side{Layout: one, DType: dtypeOf(c.a), Data: c.x}, Side{Layout: one, DType: dtypeOf(c.b), Data: c.y}
		r, err := Run(a, b, c.rule, Options{})
		if (err == nil) != c.comparable || c.rule.Comparable(a.DType, b.DType) != c.comparable {
			t.Errorf("case %d: %s with %s: %v", k, c.a, c.b, err)
			continue
		}
		noDistance := !c.ok && !(c.apart <= math.MaxFloat64)
		apartAsExpected := noDistance || r.Apart == c.apart
		if err == nil && ((r.Differing == 0) != c.ok || !apartAsExpected || c.rule.Numeric && (r.NotFinite == 1) != noDistance) {
			t.Errorf("case %d: %s %x and %s %x under %+v: %+v, expected %t, %v", k, c.a, c.x, c.b, c.y, c.rule, r, c.ok, c.apart)
		}
	}
}

// le writes a number of some bytes, the lowest first.
func le(n uint64, size int) []byte {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(n >> (8 * i))
	}
	return b
}

// TestPlacesOfFields: records with the same fields at other offsets cannot be compared bit for bit, since their other bytes would be
// compared too; a numeric rule compares only their fields. The same holds for nested records, and sub-arrays of them.
func TestPlacesOfFields(t *testing.T) {
	u1 := dtypeOf("uint8")
	ab := func(atB int) dtype.Type {
		return must(dtype.StructOf([]dtype.Field{{Name: "a", DType: u1}, {Name: "b", DType: u1, Offset: atB}}, 3))
	}
	within := func(d dtype.Type) dtype.Type {
		return must(dtype.StructOf([]dtype.Field{{Name: "n", DType: must(dtype.ArrayOf(d, []int{1}))}}, 3))
	}
	one := must(tensor.New(nil, 0, 1))
	for _, c := range []struct {
		a, b  dtype.Type
		alike bool
	}{{ab(1), ab(1), true}, {ab(1), ab(2), false}, {within(ab(1)), within(ab(1)), true}, {within(ab(1)), within(ab(2)), false}} {
		if Alike(c.a, c.b) != c.alike || (Rule{}).Comparable(c.a, c.b) != c.alike {
			t.Errorf("%s and %s: alike %v, comparable %v", c.a.Placed(), c.b.Placed(), Alike(c.a, c.b), (Rule{}).Comparable(c.a, c.b))
		}
	}
	other := must(dtype.StructOf([]dtype.Field{{Name: "a", DType: u1}, {Name: "c", DType: u1, Offset: 1}}, 3))
	if (Rule{Numeric: true}).Comparable(ab(1), other) || Alike(ab(1), other) {
		t.Errorf("%s and %s have other fields", ab(1), other)
	}
	for y, want := range map[string]int{"\x05\x99\x06": 0, "\x05\x06\x99": 1} {
		a, b := Side{Layout: one, DType: ab(1), Data: []byte{5, 6, 7}}, Side{Layout: one, DType: ab(2), Data: []byte(y)}
		if r, err := Run(a, b, Rule{Numeric: true}, Options{}); err != nil || r.Differing != want {
			t.Errorf("%x: %d differ, expected %d, %v", y, r.Differing, want, err)
		}
	}
}

// TestByteOrders: every plain type and a record, in big-endian order, is the same as in little-endian order, by bits and as
// numbers, and a flipped bit is found; what is compared is not changed.
func TestByteOrders(t *testing.T) {
	d := dice{rand.New(rand.NewPCG(1, 2))}
	inner := must(dtype.StructOf([]dtype.Field{{Name: "a", DType: dtypeOf("<i4")}, {Name: "b", DType: dtypeOf("<c8"), Offset: 6}}, 16))
	outer := must(dtype.StructOf([]dtype.Field{{Name: "a", DType: dtypeOf(">i4")}, {Name: "b", DType: dtypeOf(">c8"), Offset: 6}}, 16))
	pairs := [][2]dtype.Type{{inner, outer}}
	for _, name := range []string{"i2", "u4", "i8", "f2", "f4", "f8", "f16", "c8", "c16", "c32", "U3", "M8[s]"} {
		pairs = append(pairs, [2]dtype.Type{dtypeOf("<" + name), dtypeOf(">" + name)})
	}
	shape := []int{3, 4, 5}
	for _, p := range pairs {
		a := Side{Layout: d.layout(shape), DType: p[0]}
		l := must(must(tensor.Packed(shape)).Layout(nil, tensor.Unbounded))
		b := Side{Layout: l, DType: p[1], Data: make([]byte, 60*p[1].ItemSize())}
		a.Data = d.noise(a.Layout.Alloc() * p[0].ItemSize())
		for i, item := range elements(a) {
			copy(b.Data[i*len(item):], swapped(p[1], item))
		}
		before := bytes.Clone(b.Data)
		for _, rule := range []Rule{{}, {Numeric: true}} {
			if r := must(Run(a, b, rule, Options{tile: 100})); r.Differing != 0 {
				t.Errorf("%s and %s: %+v", p[0].Typestr(), p[1].Typestr(), r)
			}
		}
		if !bytes.Equal(before, b.Data) {
			t.Errorf("%s: the data was changed", p[1].Typestr())
		}
		last := 6*p[1].ItemSize() - 1
		if p[1].Fields() != nil {
			last -= 2 // which follow the fields
		}
		b.Data[last] ^= 1
		if r := must(Run(b, a, Rule{}, Options{Limit: 3, tile: 100})); r.Differing != 1 || r.First[0] != 5 {
			t.Errorf("%s: a flipped bit gives %+v", p[1].Typestr(), r)
		}
	}
}

// elements returns the elements of a side in logical order.
func elements(s Side) [][]byte {
	var list [][]byte
	n := s.DType.ItemSize()
	for _, at := range s.Layout.Logical() {
		list = append(list, s.Data[at*n:(at+1)*n])
	}
	return list
}

// swapped reverses the numbers of an item, as NumPy's byteswap does: the parts of a complex number each, and every
// character; of the test's record, an int at 0 and a complex at 6.
func swapped(d dtype.Type, item []byte) []byte {
	out := bytes.Clone(item)
	reverse := func(from, to int) { slices.Reverse(out[from:to]) }
	switch n := len(out); {
	case d.Fields() != nil:
		reverse(0, 4)
		reverse(6, 10)
		reverse(10, 14)
	case d.Kind() == dtype.Complex:
		reverse(0, n/2)
		reverse(n/2, n)
	case d.Kind() == dtype.Text:
		for i := 0; i < n; i += 4 {
			reverse(i, i+4)
		}
	default:
		reverse(0, n)
	}
	return out
}

// TestFailing: errors of the guard and of the arguments are returned.
func TestFailing(t *testing.T) {
	l := must(must(tensor.Packed([]int{4})).Layout(nil, tensor.Unbounded))
	a := Side{Layout: l, DType: dtypeOf("uint8"), Data: make([]byte, 4)}
	for _, change := range []func(s *Side){
		func(s *Side) { s.Data = s.Data[:3] },
		func(s *Side) { s.DType = dtypeOf("int8") },
		func(s *Side) { s.Layout = must(must(tensor.Packed([]int{3})).Layout(nil, tensor.Unbounded)) },
	} {
		b := a
		change(&b)
		for _, pair := range [][2]Side{{a, b}, {b, a}} {
			if r, err := Run(pair[0], pair[1], Rule{}, Options{}); err == nil {
				t.Errorf("%+v and %+v: %+v", pair[0], pair[1], r)
			}
		}
	}
	guard := func(f func() error) error { f(); return bytes.ErrTooLarge }
	if _, err := Run(a, a, Rule{}, Options{Convert: convert.Options{Guard: guard}}); err != bytes.ErrTooLarge {
		t.Errorf("the guard's error is lost: %v", err)
	}
	if r, err := Run(a, a, Rule{}, Options{}); err != nil || r.Differing != 0 {
		t.Errorf("a with itself: %+v, %v", r, err)
	}
}

// TestAligned: dims of the same names are matched by name in any order, others by position; coordinates follow.
func TestAligned(t *testing.T) {
	named := func(names []string, shape ...int) tensor.Layout {
		return must(must(tensor.Packed(shape)).Layout(names, tensor.Unbounded))
	}
	nchw := named([]string{"N", "C", "H", "W"}, 2, 3, 4, 5)
	l, byName := Aligned(nchw, named([]string{"N", "H", "W", "C"}, 2, 4, 5, 3))
	if !byName || !slices.Equal(nchw.Shape(), l.Shape()) || !slices.Equal(l.Names(), nchw.Names()) || l.At(1, 2, 3, 4) != 119 || l.At(0, 1, 0, 0) != 1 {
		t.Errorf("by name: %s", l)
	}
	for _, names := range [][]string{nil, {"C", "C2", "N", "H"}} {
		if l, byName := Aligned(nchw, named(names, 2, 3, 4, 5)); byName || l.At(0, 0, 0, 1) != 1 {
			t.Errorf("by position: %s", l)
		}
	}
	index := 0
	for coord := range nchw.Logical() {
		if !slices.Equal(Coord(nchw, index), coord) {
			t.Fatalf("element %d is %v, expected %v", index, Coord(nchw, index), coord)
		}
		index++
	}
}

// TestNoBytes: elements of no bytes, alone and inside others, end every loop, and are equal; their neighbors are compared.
func TestNoBytes(t *testing.T) {
	build := func(order string) (types []dtype.Type) {
		none := must(dtype.ArrayOf(dtypeOf(order+"f4"), []int{2, 0}))
		field := func(name string, d dtype.Type) dtype.Field { return dtype.Field{Name: name, DType: d} }
		nest := must(dtype.StructOf([]dtype.Field{field("b", none)}, 0))
		last := dtype.Field{Name: "n", DType: nest, Offset: 4}
		beside := must(dtype.StructOf([]dtype.Field{field("a", dtypeOf(order+"f4")), last}, 4))
		after := must(dtype.StructOf([]dtype.Field{field("a", none), field("c", dtypeOf(order+"i2"))}, 2))
		return []dtype.Type{dtypeOf("V0"), dtypeOf("U0"), none, nest, beside, must(dtype.ArrayOf(after, []int{2}))}
	}
	l := must(must(tensor.Packed([]int{3})).Layout(nil, tensor.Unbounded))
	big := build(">")
	for i, d := range build("<") {
		a := Side{Layout: l, DType: d, Data: make([]byte, 3*d.ItemSize())}
		b := Side{Layout: l, DType: big[i], Data: make([]byte, 3*d.ItemSize())}
		for _, rule := range []Rule{{}, {Numeric: true}, {Numeric: true, RTol: 1e-9}} {
			for _, pair := range [][2]Side{{a, a}, {a, b}, {b, a}, {b, b}} {
				if r := must(Run(pair[0], pair[1], rule, Options{})); r.Differing != 0 {
					t.Errorf("%s and %s: %+v", d.Typestr(), d, r)
				}
			}
			if d.ItemSize() == 0 {
				continue
			}
			b.Data[5] = 1
			if r := must(Run(a, b, rule, Options{Limit: 3})); r.Differing != 1 || r.First[0] != 1 {
				t.Errorf("%s with a byte that differs: %+v", d, r)
			}
			b.Data[5] = 0
		}
	}
}

// TestApart: the largest distance is that of the elements that differ, if any does, and otherwise of all; of equal ones
// it is the first, whatever tiles and threads find them. 1 of 100 is within the tolerance, 1/2 of 0 is not.
func TestApart(t *testing.T) {
	const n = 60
	layout := must(must(tensor.Packed([]int{n})).Layout(nil, n))
	side := func(set map[int]float64) Side {
		s := Side{Layout: layout, DType: dtypeOf("float64")}
		for i := range n {
			s.Data = append(s.Data, le(math.Float64bits(set[i]), 8)...)
		}
		return s
	}
	inf := math.Inf(1)
	for k, c := range []struct {
		a, b                     map[int]float64
		differing, endless, from int
		apart                    float64
	}{
		{map[int]float64{}, map[int]float64{}, 0, 0, 0, 0},
		{map[int]float64{3: 101, 50: 101, 7: 100.5}, map[int]float64{3: 100, 50: 100, 7: 100}, 0, 0, 3, 1},
		{map[int]float64{3: 101, 30: 0.5, 59: 0.5, 40: 0.25}, map[int]float64{3: 100}, 3, 0, 30, 0.5},
		{map[int]float64{30: 0.5, 50: 101}, map[int]float64{50: 100}, 1, 0, 30, 0.5},
		{map[int]float64{3: 101, 30: inf}, map[int]float64{3: 100, 30: -inf}, 1, 1, 0, 0},
		{map[int]float64{3: 101, 30: inf, 40: 0.5}, map[int]float64{3: 100, 30: -inf}, 2, 1, 40, 0.5},
	} {
		for _, threads := range []int{1, 4} {
			o := Options{Convert: convert.Options{Threads: threads}, tile: 64}
			r, err := Run(side(c.a), side(c.b), Rule{Numeric: true, RTol: 0.1}, o)
			if err != nil || r.Differing != c.differing || r.NotFinite != c.endless || r.Apart != c.apart || r.ApartAt != c.from {
				t.Errorf("case %d, %d threads: %+v, %v", k, threads, r, err)
			}
		}
	}
}

// TestFarthest: of equal distances the smallest index is kept, in any order of tiles.
func TestFarthest(t *testing.T) {
	var f farthest
	for _, index := range []int{7, 3, 5} {
		f.add(1, index)
	}
	if f != (farthest{1, 3}) {
		t.Errorf("kept %+v", f)
	}
}

// TestLongSwizzle: a swizzle without a small common period with the strides is read like any other.
func TestLongSwizzle(t *testing.T) {
	const n = 1 << 19
	l := must(must(tensor.Packed([]int{2, n / 2})).Layout(nil, n))
	a := Side{Layout: must(l.Swizzled(must(tensor.NewSwizzle(1, 0, 20)), n)), DType: dtypeOf("uint8"), Data: make([]byte, n)}
	b := Side{Layout: l, DType: dtypeOf("uint8"), Data: make([]byte, n)}
	for _, at := range []int{7, n/2 + 5, n - 1} {
		b.Data[at] = 1
	}
	r, err := Run(a, b, Rule{}, Options{Limit: 2, tile: 1000})
	if err != nil || r.Differing != 3 || !slices.Equal(r.First, []int{7, n/2 + 5}) {
		t.Errorf("%+v, %v", r, err)
	}
}

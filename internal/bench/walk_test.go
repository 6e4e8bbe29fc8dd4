package bench

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/tensor"
)

func dtype(t testing.TB, name string) tensor.DType {
	t.Helper()
	d, err := tensor.ParseDType(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// laid is the tensor in a layout, put there element by element.
func laid(l tensor.Layout, it item) []byte {
	mem, i := make([]byte, l.Alloc()*it.size), 0
	for _, at := range l.Logical() {
		copy(mem[at*it.size:], it.codes[value(i)])
		i++
	}
	return mem
}

// Stretches cover the bytes of a nest in its order.
func TestStretches(t *testing.T) {
	for name, l := range awkward(t) {
		for _, p := range []Pattern{Channel, Spatial} {
			for _, size := range []int{1, 2, 3, 4, 8, 12, 16} {
				dims, err := p.order(l)
				if err != nil {
					t.Fatal(err)
				}
				n := newNest(dims, l.Offset(), size)
				var want, got []int
				n.rows(func(at, bytes int) {
					for b := range bytes {
						want = append(want, at+b)
					}
				})
				visit(0, n.stretches(), &got)
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s, %s, items of %d: %v\nexpected %v", name, p, size, got, want)
				}
			}
		}
	}
}

// visit lists the bytes that stretches read, by the definition of a grid.
func visit(at int, stretches []stretch, got *[]int) {
	for _, s := range stretches {
		if s.inside != nil {
			for k := range s.n {
				visit(at+s.at+k*s.step, s.inside, got)
			}
			continue
		}
		for i := range s.places.N {
			for _, place := range s.places.List {
				for b := range s.places.Row {
					*got = append(*got, at+s.at+i*s.places.Step+place+b)
				}
			}
		}
		for i := range s.grid.N1 {
			for j := range s.grid.N0 {
				for b := range s.grid.Row {
					*got = append(*got, at+s.at+i*s.grid.Step1+j*s.grid.Step0+b)
				}
			}
		}
	}
}

// A walk adds up all elements, in every layout, order, item size and instruction set; and one that differs is noticed.
func TestWalk(t *testing.T) {
	for _, k := range kernel.Available() {
		for name, l := range awkward(t) {
			for _, typ := range []string{"uint8", "float16", "float32", "float64", "complex128", "S3"} {
				it := newItem(dtype(t, typ))
				mem := laid(l, it)
				for _, p := range []Pattern{Channel, Spatial} {
					dims, _ := p.order(l)
					w := newWalk(reader.For(k), mem, newNest(dims, l.Offset(), it.size))
					w.pass()
					want := it.sums(l.Numel(), len(w.lanes.Sum(it.size)))
					if err := w.check(want, l.Numel(), it); err != nil {
						t.Errorf("%s, %s, %s, %s: %v", k.Name(), name, typ, p, err)
					}
					if l.Numel() == 0 {
						continue
					}
					mem[l.Offset()*it.size]++
					w.pass()
					if w.check(want, l.Numel(), it) == nil {
						t.Errorf("%s, %s, %s, %s: a changed element goes unnoticed", k.Name(), name, typ, p)
					}
					mem[l.Offset()*it.size]--
					w.bytes--
					if w.check(want, l.Numel(), it) == nil {
						t.Errorf("%s, %s, %s, %s: a byte left out goes unnoticed", k.Name(), name, typ, p)
					}
				}
			}
		}
	}
}

// The expected sums are those of the elements one by one.
func TestSums(t *testing.T) {
	it := newItem(dtype(t, "float32"))
	want := make([]byte, 4)
	for i := range 1000 {
		for b, x := range it.codes[value(i)] {
			want[b] ^= x
		}
	}
	if got := it.sums(1000, 4); !bytes.Equal(got, want) || bytes.Equal(got, make([]byte, 4)) {
		t.Errorf("%x, expected %x", got, want)
	}
}

// The tensor is laid where the layout says, and an element elsewhere is noticed.
func TestLay(t *testing.T) {
	it := newItem(dtype(t, "float32"))
	for name, l := range awkward(t) {
		s := Subject{DType: it.dtype, Layouts: []Layout{{name, l}}}
		rowMajor, err := s.rowMajor()
		if err != nil {
			t.Fatal(err)
		}
		elements := memory(s.bytes())
		it.fill(elements)
		mem, err := lay(l, rowMajor, elements, it)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(mem, laid(l, it)) {
			t.Errorf("%s: the tensor is not where it should be", name)
		}
		if err := holds(mem, l, it); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if l.Numel() > 0 {
			mem[l.Offset()*it.size] ^= 1
			if holds(mem, l, it) == nil {
				t.Errorf("%s: a changed element goes unnoticed", name)
			}
		}
	}
}

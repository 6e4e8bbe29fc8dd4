package bench

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/tlayout/tlayout/internal/bench/reader"
	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

func dtypeOf(t testing.TB, name string) dtype.Type {
	t.Helper()
	d, err := dtype.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// storageOf returns the tensor in a layout, written element by element.
func storageOf(l tensor.Layout, enc encoding) []byte {
	mem, i := make([]byte, l.Alloc()*enc.size), 0
	for _, at := range l.Logical() {
		copy(mem[at*enc.size:], enc.codes[value(i)])
		i++
	}
	return mem
}

// Stretches cover the bytes of a nest in its order.
func TestStretches(t *testing.T) {
	for name, l := range awkward(t) {
		for _, p := range []Pattern{Channel, Spatial} {
			for _, size := range []int{1, 2, 3, 4, 8, 12, 16} {
				n, err := newNest(p, l, size)
				if err != nil {
					t.Fatal(err)
				}
				var want, got []int
				n.rows(func(at, bytes int) {
					for b := range bytes {
						want = append(want, at+b)
					}
				})
				visit(0, n.stretches(), &got)
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s, %s, elements of %d bytes: %v\nexpected %v", name, p, size, got, want)
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
		for i := range s.list.N {
			for _, place := range s.list.Offsets {
				for b := range s.list.Row {
					*got = append(*got, at+s.at+i*s.list.Step+place+b)
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

// A walk xors all elements, in every layout, order, element size and instruction set, and leaves the memory unchanged.
func TestWalk(t *testing.T) {
	for _, k := range kernel.Available() {
		for name, l := range awkward(t) {
			for _, typ := range []string{"uint8", "float16", "float32", "float64", "complex128", "S3", "S12"} {
				enc := newEncoding(dtypeOf(t, typ))
				mem := storageOf(l, enc)
				for _, p := range []Pattern{Channel, Spatial} {
					n, err := newNest(p, l, enc.size)
					if err != nil {
						t.Fatal(err)
					}
					w := newWalk(reader.For(k), mem, n)
					if err := w.check(l, enc); err != nil {
						t.Errorf("%s, %s, %s, %s: %v", k.Name(), name, typ, p, err)
					}
				}
				if !bytes.Equal(mem, storageOf(l, enc)) {
					t.Errorf("%s, %s, %s: the check changes the memory", k.Name(), name, typ)
				}
			}
		}
	}
}

// TestWalkChecked: a walk that reads nothing, omits an element, reads one twice, or one instead of another is detected, for any elements:
// here they are all 0.
func TestWalkChecked(t *testing.T) {
	l := bind(t, "nchw", 2, 4, 4, 4)
	for _, typ := range []string{"uint8", "float16", "float32", "float64"} {
		enc := newEncoding(dtypeOf(t, typ))
		mem := make([]byte, l.Alloc()*enc.size)
		row := func(at, n int) stretch {
			return stretch{grid: reader.Grid{At: at * enc.size, N1: 1, N0: n, Step0: enc.size, Row: enc.size}}
		}
		for name, wrong := range map[string][]stretch{
			"nothing": nil, "left out": {row(0, 60), row(61, 67)}, "twice": {row(0, 128), row(7, 1)},
			"another": {row(0, 60), row(59, 1), row(61, 67)}, "half": {row(0, 64)},
		} {
			for i := range wrong {
				wrong[i].at, wrong[i].grid.At = wrong[i].grid.At, 0
			}
			w := walk{reader: reader.For(kernel.Best()), mem: mem, stretches: wrong}
			if w.check(l, enc) == nil {
				t.Errorf("%s, %s: goes unnoticed", typ, name)
			}
		}
		right := walk{reader: reader.For(kernel.Best()), mem: mem, stretches: []stretch{row(0, 128)}}
		if err := right.check(l, enc); err != nil {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

// TestNewStorage: the tensor is written by its layout, and a wrong element is detected.
func TestNewStorage(t *testing.T) {
	enc := newEncoding(dtypeOf(t, "float32"))
	for name, l := range awkward(t) {
		s := Subject{DType: enc.dtype, Layouts: []Layout{{name, l}}}
		rowMajor, err := s.rowMajor()
		if err != nil {
			t.Fatal(err)
		}
		elements := memory(s.bytes())
		enc.fill(elements)
		mem, err := newStorage(l, rowMajor, elements, enc)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(mem, storageOf(l, enc)) {
			t.Errorf("%s: the tensor is not where it should be", name)
		}
		if err := checkElements(mem, l, enc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if l.Numel() > 0 {
			mem[l.Offset()*enc.size] ^= 1
			if checkElements(mem, l, enc) == nil {
				t.Errorf("%s: a changed element goes unnoticed", name)
			}
		}
	}
}

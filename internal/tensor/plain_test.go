package tensor

import (
	"slices"
	"strconv"
	"testing"
)

// This file is the model told a second time, as plainly as possible and without the package's own shortcuts. The
// other tests compare against it.

// coordsOf lists every coordinate of a shape, the last index fastest.
func coordsOf(shape []int) [][]int {
	all := [][]int{{}}
	for _, size := range shape {
		var longer [][]int
		for _, head := range all {
			for i := range size {
				longer = append(longer, append(slices.Clone(head), i))
			}
		}
		all = longer
	}
	return all
}

// address is the defining sum, swizzled: swizzle(offset + Σ over dims Σ over digits ((i / div) mod extent) · stride).
func address(l Layout, coord []int) int {
	return swizzled(l.Swizzle(), plainAddress(l, coord))
}

// swizzled is CuTe's Swizzle<B,M,S>, bit by bit: bit M+k of the lower place changes if bit M+S+k is set, or the other way round
// if S is negative.
func swizzled(z Swizzle, off int) int {
	out := off
	for k := range z.Bits {
		from, to := z.Base+k+max(0, z.Shift), z.Base+k+max(0, -z.Shift)
		if off>>from&1 == 1 {
			out ^= 1 << to
		}
	}
	return out
}

func plainAddress(l Layout, coord []int) int {
	sum := l.Offset()
	for d, i := range coord {
		for _, g := range l.Dim(d).Digits {
			sum += i / g.Div % g.Extent * g.Stride
		}
	}
	return sum
}

// residents lists, for each address in use, the coordinates that live there in logical order.
func residents(l Layout) map[int][][]int {
	at := map[int][][]int{}
	for _, c := range coordsOf(l.Shape()) {
		at[address(l, c)] = append(at[address(l, c)], c)
	}
	return at
}

// addresses lists the address of every element in logical order.
func addresses(s Strided) []int {
	var all []int
	for _, c := range coordsOf(s.Shape) {
		sum := s.Offset
		for d, i := range c {
			sum += i * s.Strides[d]
		}
		all = append(all, sum)
	}
	return all
}

func distinct(xs []int) int {
	seen := map[int]bool{}
	for _, x := range xs {
		seen[x] = true
	}
	return len(seen)
}

// stored puts values, given in logical order, where the layout says; padding holds pad.
func stored[T any](l Layout, pad T, values []T) []T {
	storage := slices.Repeat([]T{pad}, l.Alloc())
	for k, c := range coordsOf(l.Shape()) {
		storage[l.At(c...)] = values[k]
	}
	return storage
}

// read takes the values out of a storage in logical order.
func read[T any](l Layout, storage []T) []T {
	var values []T
	for _, c := range coordsOf(l.Shape()) {
		values = append(values, storage[l.At(c...)])
	}
	return values
}

// roundUp is the smallest multiple of step that is at least n, found by counting.
func roundUp(n, step int) int {
	for n%step != 0 {
		n++
	}
	return n
}

func mustStrided(t testing.TB, shape, strides []int, offset int) Strided {
	t.Helper()
	s, err := NewStrided(shape, strides, offset)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustPacked(t testing.TB, shape []int) Strided {
	t.Helper()
	s, err := Packed(shape)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustColumnMajor(t testing.TB, shape []int) Strided {
	t.Helper()
	s, err := ColumnMajor(shape)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustLayout(t testing.TB, shape, strides []int, offset, alloc int) Layout {
	t.Helper()
	l, err := Strided{shape, strides, offset}.Layout(nil, alloc)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func layoutOf(t testing.TB, s Strided) Layout {
	t.Helper()
	return mustLayout(t, s.Shape, s.Strides, s.Offset, Unbounded)
}

// digitsOf makes a dim from extents and strides, least significant first; each digit divides by the product of the
// extents before it.
func digitsOf(name string, size int, extents, strides []int) Dim {
	d, div := Dim{Name: name, Size: size}, 1
	for k, extent := range extents {
		d.Digits = append(d.Digits, Digit{div, extent, strides[k]})
		div *= extent
	}
	return d
}

func mustNew(t testing.TB, dims []Dim, offset, alloc int) Layout {
	t.Helper()
	l, err := New(dims, offset, alloc)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// only64 skips where a number of the test does not fit the machine's int.
func only64(t testing.TB) {
	t.Helper()
	if strconv.IntSize == 32 {
		t.Skip("its numbers need 64 bits")
	}
}

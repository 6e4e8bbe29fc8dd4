package relate

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// lens says when an element of B is one of A: their words are equal, or for an affine lens, near.
type lens struct {
	a, b    side
	raw     bool // bytes are equal where words are
	swapped bool
	viewed  bool
	scale   *scale // nil: words
}

// side is one tensor, and how to read an element of it.
type side struct {
	data []byte
	size int // bytes of an element
	n    int
	word func(item []byte) uint64
	// plain: the word is the element's bytes, in little-endian order.
	plain bool
}

func (s *side) item(i int) []byte { return s.data[i*s.size : (i+1)*s.size] }
func (s *side) at(i int) uint64   { return s.word(s.item(i)) }

// words reads the words of elements from one on.
func (s *side) words(dst []uint64, from int) {
	if s.plain && s.size == 4 {
		for i := range dst {
			dst[i] = uint64(binary.LittleEndian.Uint32(s.data[4*(from+i):]))
		}
		return
	}
	for i := range dst {
		dst[i] = s.at(from + i)
	}
}

// same reports whether element i of A is element j of B.
func (l *lens) same(i, j int) bool {
	if l.scale != nil {
		return l.scale.near(l.a.at(i), l.b.at(j))
	}
	return l.a.at(i) == l.b.at(j)
}

// lenses returns the ways to compare two tensors, the plainest first.
func lenses(a, b Values) []lens {
	look := func(x, y func([]byte) uint64) lens {
		return lens{a: sideOf(a, x), b: sideOf(b, y)}
	}
	var all []lens
	bits := look(bitsOf(a.Type, false), bitsOf(b.Type, false))
	bits.raw = a.Type.Equal(b.Type)
	bits.a.plain = a.Type.Order() != dtype.Big
	flipped := look(bits.a.word, bitsOf(b.Type, true))
	flipped.swapped = true
	alike := a.Type.LittleEndian().Equal(b.Type.LittleEndian())
	if alike {
		all = append(all, bits)
		if unit(b.Type) > 1 {
			all = append(all, flipped)
		}
	}
	single := isSingle(a.Type) || isSingle(b.Type)
	readA, readB, turned := valueOf(a.Type, false), valueOf(b.Type, false), valueOf(b.Type, true)
	if readA == nil || readB == nil {
		return all
	}
	if !alike {
		all = append(all, look(words(readA, single), words(readB, single)))
		if unit(b.Type) > 1 {
			flipped.a.word, flipped.b.word = words(readA, single), words(turned, single)
			all = append(all, flipped)
		}
		if a.Type.ItemSize() == b.Type.ItemSize() {
			bits.viewed = true
			all = append(all, bits)
		}
	}
	if isReal(a.Type) && isReal(b.Type) {
		l := look(words(readA, false), words(readB, false))
		l.scale = newScale(b.Type)
		all = append(all, l)
	}
	return all
}

func sideOf(v Values, word func([]byte) uint64) side {
	size := v.Type.ItemSize()
	return side{v.Bytes, size, len(v.Bytes) / size, word, false}
}

func isReal(t dtype.Type) bool { return dtype.IsNumber(t) && t.Kind() != dtype.Complex }

// unit returns the bytes that byte order reverses together; 1: it does not apply.
func unit(t dtype.Type) int {
	switch {
	case t.Order() == dtype.NoOrder:
		return 1
	case t.Kind() == dtype.Complex:
		return t.ItemSize() / 2
	case t.Kind() == dtype.Text:
		return 4
	}
	return t.ItemSize()
}

// bitsOf returns a function that reads the bits of an element, in little-endian order or, if flip, as if its type had the other order.
func bitsOf(t dtype.Type, flip bool) func([]byte) uint64 {
	swap, width := dtype.LittleEndian(t), unit(t)
	switch big := (t.Order() == dtype.Big) != flip; {
	case width > 1 && width == t.ItemSize() && width <= 8 && big:
		return func(item []byte) (x uint64) {
			for _, b := range item {
				x = x<<8 | uint64(b)
			}
			return x
		}
	case width > 1 && !big, swap == nil && !flip:
		return wide
	}
	return func(item []byte) uint64 {
		item = slices.Clone(item)
		if swap != nil {
			swap(item)
		}
		for k := 0; flip && k < len(item); k += width {
			slices.Reverse(item[k : k+width])
		}
		return wide(item)
	}
}

// valueOf returns a function that reads the parts of a number, rounded to float64 where it is longer; nil for other types.
func valueOf(t dtype.Type, flip bool) func(item []byte) (re, im float64) {
	size, half := t.ItemSize(), t.ItemSize()
	if !dtype.IsNumber(t) || size > 16 || t.Kind() == dtype.Float && size > 8 {
		return nil
	}
	read, _ := dtype.Float64(t)
	switch {
	case t.Kind() == dtype.Complex:
		half = size / 2
		plain, _ := dtype.Parse(map[int]string{2: "<f2", 4: "<f4", 8: "<f8"}[half])
		read, _ = dtype.Float64(plain)
	case t.Kind() == dtype.Int && size == 8:
		read = func(item []byte) float64 { return float64(int64(binary.LittleEndian.Uint64(item))) }
	case t.Kind() == dtype.Uint && size == 8:
		read = func(item []byte) float64 { return float64(binary.LittleEndian.Uint64(item)) }
	}
	part := read
	if (t.Order() == dtype.Big) != flip && half > 1 {
		part = func(item []byte) float64 {
			item = slices.Clone(item)
			slices.Reverse(item)
			return read(item)
		}
	}
	if half == size {
		return func(item []byte) (re, im float64) { return part(item), 0 }
	}
	return func(item []byte) (re, im float64) { return part(item[:half]), part(item[half:]) }
}

// words makes a word of a number's parts, rounded to float32 if single. −0 is 0, and NaN is NaN.
func words(read func([]byte) (re, im float64), single bool) func([]byte) uint64 {
	word := func(x float64) uint64 {
		switch {
		case x != x:
			return math.Float64bits(math.NaN())
		case single:
			x = float64(float32(x))
		}
		return math.Float64bits(x + 0)
	}
	return func(item []byte) uint64 {
		re, im := read(item)
		if im == 0 {
			return word(re)
		}
		return hash(word(re)) ^ word(im)
	}
}

// isSingle reports whether a type of floats has at most the precision of float32.
func isSingle(t dtype.Type) bool {
	return t.Kind() == dtype.Float && t.ItemSize() <= 4 || t.Kind() == dtype.Complex && t.ItemSize() <= 8
}

package relate

import (
	"math"
	"math/bits"
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
	noisy   bool   // the tolerance of scale is measured
	bound   *Near  // of a noisy lens: nil is its own
}

// side is one tensor, and how to read an element of it.
type side struct {
	Values
	size int // bytes of an element
	n    int
	word func(item []byte) uint64
}

func (s *side) at(i int) uint64 { return s.word(s.Bytes[i*s.size : (i+1)*s.size]) }

// same reports whether element i of A is element j of B.
func (l *lens) same(i, j int) bool {
	if l.scale != nil {
		return l.scale.near(l.a.at(i), l.b.at(j))
	}
	return l.a.at(i) == l.b.at(j)
}

// lenses returns the ways to compare two tensors, the plainest first: equal bits or numbers, with bytes swapped, bits under another type,
// and a constant factor and offset.
func lenses(a, b Values) (all []lens) {
	bitsA := bitsOf(a.Type)
	bitsB := bitsOf(b.Type)
	other := b.Type.OtherOrder()
	add := func(l lens, wordA, wordB func([]byte) uint64) {
		l.a = sideOf(a, wordA)
		l.b = sideOf(b, wordB)
		all = append(all, l)
	}
	numbers := dtype.IsNumber(a.Type) && dtype.IsNumber(b.Type)
	single := isSingle(a.Type) || isSingle(b.Type)
	sameType := a.Type.LittleEndian().Equal(b.Type.LittleEndian())
	ordered := b.Type.Order() != dtype.NoOrder
	if sameType {
		add(lens{raw: a.Type.Equal(b.Type)}, bitsA, bitsB)
		if ordered {
			add(lens{swapped: true}, bitsA, bitsOf(other))
		}
	} else if numbers {
		add(lens{}, valueOf(a.Type, single), valueOf(b.Type, single))
		if ordered {
			add(lens{swapped: true}, valueOf(a.Type, single), valueOf(other, single))
		}
	}
	if numbers && !sameType && a.Type.ItemSize() == b.Type.ItemSize() {
		add(lens{viewed: true}, bitsA, bitsB)
	}
	if isReal(a) && isReal(b) {
		add(lens{scale: newScale(b.Type)}, valueOf(a.Type, false), valueOf(b.Type, false))
	}
	return all
}

// noisyLenses returns the lens for numbers that are near, if there are numbers.
func noisyLenses(a, b Values, bound *Near) []lens {
	if !isReal(a) || !isReal(b) {
		return nil
	}
	return []lens{{a: sideOf(a, valueOf(a.Type, false)), b: sideOf(b, valueOf(b.Type, false)), scale: newScale(b.Type), noisy: true, bound: bound}}
}

// isReal reports whether elements are real numbers that float64 has: not integers beyond 2⁵³, of which a sample is read.
func isReal(v Values) bool {
	t := v.Type
	if !dtype.IsNumber(t) || t.Kind() == dtype.Complex {
		return false
	}
	if t.Kind() == dtype.Float || t.ItemSize() < 8 {
		return true
	}
	const sample = 1 << 12
	bits := bitsOf(t)
	n := len(v.Bytes) / 8
	for i := 0; i < n; i += n/sample | 1 {
		x := int64(bits(v.Bytes[8*i : 8*i+8]))
		if x >= 1<<53 || x <= -1<<53 {
			return false
		}
	}
	return true
}

func sideOf(v Values, word func([]byte) uint64) side {
	size := v.Type.ItemSize()
	return side{v, size, len(v.Bytes) / size, word}
}

// bitsOf returns a function that reads the bits of an element, in little-endian order.
func bitsOf(t dtype.Type) func([]byte) uint64 {
	swap := dtype.LittleEndian(t)
	if swap == nil {
		return wide
	}
	size := t.ItemSize()
	if isSwappedWhole(t) && size <= 8 {
		return func(item []byte) uint64 { return bits.ReverseBytes64(wide(item)) >> (64 - 8*size) }
	}
	return func(item []byte) uint64 {
		item = slices.Clone(item)
		swap(item)
		return wide(item)
	}
}

// isSwappedWhole reports whether the other byte order of an element is all of its bytes in reverse: not of complex numbers, texts and records,
// whose parts are reversed each.
func isSwappedWhole(t dtype.Type) bool {
	switch t.Kind() {
	case dtype.Complex, dtype.Text:
		return false
	}
	return t.Order() != dtype.NoOrder
}

// valueOf returns a function that makes a word of a number, rounded to float64 or, if single, to float32. −0 is 0, and NaN is NaN.
func valueOf(t dtype.Type, single bool) func([]byte) uint64 {
	read, ok := dtype.Float64(t)
	parts := dtype.Parts(t)
	swap := dtype.LittleEndian(t)
	word := func(x float64) uint64 {
		if single {
			x = float64(float32(x))
		}
		if x != x {
			x = math.NaN()
		}
		return math.Float64bits(x + 0)
	}
	return func(item []byte) uint64 {
		if swap != nil {
			item = slices.Clone(item)
			swap(item)
		}
		if ok {
			return word(read(item))
		}
		re, im := parts(item)
		if x := im.Float64(); x != 0 {
			return hash(word(re.Float64())) ^ word(x)
		}
		return word(re.Float64())
	}
}

// isSingle reports whether a type of floats has at most the precision of float32.
func isSingle(t dtype.Type) bool {
	switch t.Kind() {
	case dtype.Float:
		return t.ItemSize() <= 4
	case dtype.Complex:
		return t.ItemSize() <= 8
	}
	return false
}

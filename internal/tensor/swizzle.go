package tensor

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
)

// Swizzle permutes offsets by XOR of their bits, as CuTe's Swizzle<B,M,S> does: the Bits bits YYY are shifted by Shift onto
// the bits ZZZ, and the Base lowest bits stay (include/cute/swizzle.hpp of CUTLASS 3.5).
//
//	offset          0bxxxxYYYxxxZZZxxxx     Bits 3, Base 4, Shift 6
//	Apply(offset)   0bxxxxYYYxxxAAAxxxx     AAA = ZZZ ^ YYY
//
// With a positive Shift, YYY is above ZZZ, otherwise below. The zero Swizzle, and any with 0 Bits, changes nothing. Offsets count
// elements, as in CuTe's composition of a swizzle and a layout.
type Swizzle struct {
	Bits  int `json:"bits"`  // bits that the swizzle changes
	Base  int `json:"base"`  // lowest bit that the swizzle changes
	Shift int `json:"shift"` // distance from the bits it changes to those it reads; negative: below
}

// maxSwizzled is the number of low bits that a swizzle may read or change: those for which the period fits an int of 32 bits.
const maxSwizzled = 30

// NewSwizzle checks the numbers of Swizzle<B,M,S>: only s may be negative, |s| ≥ b, and the bits are among the 30 low ones. With 0 bits
// it returns the zero Swizzle.
func NewSwizzle(b, m, s int) (Swizzle, error) {
	z := Swizzle{b, m, s}
	if b < 0 || m < 0 {
		return Swizzle{}, fault.New(fault.Usage, "swizzle %s: bits and base cannot be negative", z)
	}
	if !z.inLowBits() {
		return Swizzle{}, fault.New(fault.Unsupported, "swizzle %s: bits + base + |shift| is over the limit of %d", z, maxSwizzled)
	}
	if ints.Abs(s) < b {
		return Swizzle{}, fault.New(fault.Usage, "swizzle %s: |shift| is less than the number of bits, so they would overlap", z)
	}
	if b == 0 {
		return Swizzle{}, nil
	}
	return z, nil
}

// inLowBits reports whether each number, and the sum of all if the swizzle has bits, is at most maxSwizzled.
func (z Swizzle) inLowBits() bool {
	if max(z.Bits, z.Base, z.Shift) > maxSwizzled || z.Shift < -maxSwizzled {
		return false
	}
	return z.Bits == 0 || z.Bits+z.Base+ints.Abs(z.Shift) <= maxSwizzled
}

// IsZero reports whether the swizzle changes nothing.
func (z Swizzle) IsZero() bool { return z.Bits == 0 }

// source returns the mask of YYY, target that of ZZZ.
func (z Swizzle) source() int { return (1<<z.Bits - 1) << (z.Base + max(0, z.Shift)) }

func (z Swizzle) target() int { return (1<<z.Bits - 1) << (z.Base + max(0, -z.Shift)) }

// Apply permutes an offset, which may be negative: its bits are those of two's complement.
//
//	offset ^ ((offset & YYY) >> Shift), or << -Shift
//
// Post: a bijection of every aligned block of 2^(Bits+Base+|Shift|) offsets; with Shift > 0, of 2^(Bits+Base).
func (z Swizzle) Apply(offset int) int {
	if z.Shift < 0 {
		return offset ^ offset&z.source()<<-z.Shift
	}
	return offset ^ offset&z.source()>>z.Shift
}

// Inverse undoes Apply, which is its own inverse: YYY does not change.
//
// Post: Inverse(Apply(offset)) = offset.
func (z Swizzle) Inverse(offset int) int { return z.Apply(offset) }

// Period returns the number of offsets after which Apply repeats: Apply(o + Period) = Apply(o) + Period.
func (z Swizzle) Period() int {
	if z.IsZero() {
		return 1
	}
	return 1 << bits.Len(uint(z.source()|z.target()))
}

// block returns the size of the aligned blocks of offsets that Apply permutes within.
func (z Swizzle) block() int {
	if z.IsZero() {
		return 1
	}
	return 1 << bits.Len(uint(z.target()))
}

// Recast returns the swizzle for elements of to bits that is the same in memory as z for elements of from bits, both powers of two.
// Bits inside an element are dropped. (recast_layout, upcast and downcast in include/cute/swizzle_layout.hpp)
//
//	Sw<3,4,3> of bytes is Sw<3,3,3> of 2-byte elements
func (z Swizzle) Recast(from, to int) Swizzle {
	if z.IsZero() {
		return z
	}
	z.Base += bits.Len(uint(from)) - bits.Len(uint(to))
	if z.Base < 0 {
		z.Bits = max(0, z.Bits+z.Base)
		z.Base = 0
	}
	if z.IsZero() {
		return Swizzle{}
	}
	return z
}

// String returns CuTe's spelling: Sw<3,4,3>.
func (z Swizzle) String() string { return fmt.Sprintf("Sw<%d,%d,%d>", z.Bits, z.Base, z.Shift) }

// Swizzled returns the layout with the offsets of l permuted: At(i) = Apply(l.At(i)), in a storage of alloc elements or Unbounded. l
// must not be swizzled.
func (l Layout) Swizzled(z Swizzle, alloc int) (Layout, error) {
	return newLayout(l.dims, l.offset, alloc, z)
}

// With returns a layout with other dims, offset and storage, and the swizzle of l. It checks them as New does.
func (l Layout) With(dims []Dim, offset, alloc int) (Layout, error) {
	return newLayout(dims, offset, alloc, l.swizzle)
}

// Renamed returns the layout with other dim names, over a storage of alloc elements or Unbounded.
func (l Layout) Renamed(names []string, alloc int) (Layout, error) {
	dims := slices.Clone(l.dims)
	for i := range dims {
		dims[i].Name = names[i]
	}
	return l.With(dims, l.offset, alloc)
}

// Swizzle returns the permutation of the offsets; the zero Swizzle for most layouts.
func (l Layout) Swizzle() Swizzle { return l.swizzle }

// Plain returns the layout without its swizzle, over the same storage: its offsets are those before the swizzle. They may be outside
// the storage.
//
// Post: l.At(i) = l.Swizzle().Apply(l.Plain().At(i))
func (l Layout) Plain() Layout {
	l.swizzle = Swizzle{}
	l.first = l.offset + l.low
	l.last = l.offset + l.high
	l.rough = false
	return l
}

// sweepSteps bounds the search for the ends of a swizzled layout.
const sweepSteps = 1 << 16

// permuted sets the lowest and the highest offset in use of a non-empty layout.
//
// The swizzle permutes within aligned blocks, so that they are in the blocks of the lowest and the highest plain offset. It visits all
// elements of these; if there are too many, it uses the ends of the blocks, which are only bounds.
func (l *Layout) permuted() {
	low, high := l.offset+l.low, l.offset+l.high
	inBlock := l.swizzle.block() - 1
	l.first = high | inBlock
	l.last = low &^ inBlock
	whole := l.sweep(low, low|inBlock, func(off int) { l.first = min(l.first, l.swizzle.Apply(off)) })
	whole = l.sweep(high&^inBlock, high, func(off int) { l.last = max(l.last, l.swizzle.Apply(off)) }) && whole
	if !whole {
		l.first = low &^ inBlock
		l.last = high | inBlock
		l.rough = true
	}
}

// sweep visits the plain offsets of the elements in [from, to]; it returns false if there are too many. Elements that differ only in
// digits of stride 0 are visited once.
func (l *Layout) sweep(from, to int, visit func(off int)) bool {
	s := sweeper{levels: l.levels(), dims: l.dims, coord: make([]int, len(l.dims)), steps: sweepSteps, to: to, visit: visit}
	s.search(0, from-l.offset, to-l.offset)
	return s.steps >= 0
}

type sweeper struct {
	levels []level
	dims   []Dim
	coord  []int
	steps  int
	to     int
	visit  func(off int)
}

// search chooses values for level k and all later ones that move the address by from to to.
func (s *sweeper) search(k, from, to int) {
	if s.steps--; s.steps < 0 {
		return
	}
	if k == len(s.levels) {
		s.visit(s.to - to)
		return
	}
	p := s.levels[k]
	first, last := p.values(from, to)
	if p.Stride == 0 {
		last = 0
	}
	for v := first; v <= last && s.steps >= 0; v++ {
		s.coord[p.dim] += v * p.Div
		if s.coord[p.dim] < s.dims[p.dim].Size {
			s.search(k+1, from-v*p.Stride, to-v*p.Stride)
		}
		s.coord[p.dim] -= v * p.Div
	}
}

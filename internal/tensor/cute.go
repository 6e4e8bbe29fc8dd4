package tensor

import "github.com/tlayout/tlayout/internal/ints"

// Cosize is CuTe's cosize of a layout: one past the highest index of a walk with |stride|, 1 + Σ (d−1)·|s|.
// (cute/layout.hpp; pycute answers differently for negative strides.)
func (s Strided) Cosize() int {
	low, high := s.reach()
	return 1 + high - low
}

// Swizzle is CuTe's Swizzle<Bits, Base, Shift>: it flips the bits of an offset at Base by those Shift above (or,
// where Shift is negative, the bits above by those at Base). It maps every aligned block of offsets onto itself and
// is its own inverse. (cute/swizzle.hpp)
//
//	0bxxxxxxxxxxxxxxxYYYxxxxxxxZZZxxxx    Bits = 3, Base = 4, Shift = 10
//	                  Z ^= Y
//
// Its constructor is NewSwizzle.
type Swizzle struct{ Bits, Base, Shift int }

// NewSwizzle checks Bits ≥ 0, Base ≥ 0, |Shift| ≥ Bits, and that the bits fit an offset.
func NewSwizzle(bits, base, shift int) (Swizzle, bool) {
	return Swizzle{bits, base, shift}, bits >= 0 && base >= 0 && ints.Abs(shift) >= bits && base < 31 && ints.Abs(shift) < 31 && bits < 31 &&
		base+ints.Abs(shift)+bits < 31
}

// Apply returns where the swizzle puts an offset of at least 0.
func (z Swizzle) Apply(off int) int {
	mask := (1<<z.Bits - 1) << (z.Base + max(0, z.Shift))
	if z.Shift < 0 {
		return off ^ (off&mask)<<-z.Shift
	}
	return off ^ (off&mask)>>z.Shift
}

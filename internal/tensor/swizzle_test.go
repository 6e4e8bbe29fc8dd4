package tensor

import (
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
)

// swizzles lists all that NewSwizzle accepts among small parameters, and checks the rule by which it does.
func swizzles(t *testing.T) []Swizzle {
	t.Helper()
	var all []Swizzle
	for bits := -1; bits <= 4; bits++ {
		for base := -1; base <= 4; base++ {
			for shift := -5; shift <= 5; shift++ {
				z, ok := NewSwizzle(bits, base, shift)
				if want := bits >= 0 && base >= 0 && ints.Abs(shift) >= bits; ok != want {
					t.Errorf("NewSwizzle(%d, %d, %d) is accepted: %v", bits, base, shift, ok)
				}
				if ok {
					all = append(all, z)
				}
			}
		}
	}
	return all
}

// TestSwizzle proves, bit by bit, that bit Base+k is flipped by bit Base+k+Shift (the other way round where Shift is
// negative), for k below Bits; that a swizzle undoes itself, and permutes each aligned block of offsets.
func TestSwizzle(t *testing.T) {
	for _, z := range swizzles(t) {
		block := 1 << (z.Base + ints.Abs(z.Shift) + z.Bits)
		hit := make([]bool, block)
		for off := range 2 * block {
			want := off
			for k := range z.Bits {
				target, source := z.Base+k, z.Base+k+z.Shift
				if z.Shift < 0 {
					target, source = z.Base+k-z.Shift, z.Base+k
				}
				want ^= (off >> source & 1) << target
			}
			got := z.Apply(off)
			if got != want || z.Apply(got) != off || got/block != off/block {
				t.Fatalf("%+v moves %d to %d and that to %d; by bits %d", z, off, got, z.Apply(got), want)
			}
			if off < block {
				hit[got] = true
			}
		}
		for off, ok := range hit {
			if !ok {
				t.Fatalf("%+v moves nothing to %d", z, off)
			}
		}
	}
}

// TestSwizzleLimits proves that bits past what a 32-bit offset holds are refused.
func TestSwizzleLimits(t *testing.T) {
	for _, c := range []struct {
		bits, base, shift int
		ok                bool
	}{{3, 4, 23, true}, {3, 4, 24, false}, {3, 4, -23, true}, {3, 4, -24, false}, {15, 0, 15, true}, {16, 0, 16, false},
		{0, 40, 0, false}, {0, 0, 1 << 30, false}, {40, 0, 40, false}} {
		if _, ok := NewSwizzle(c.bits, c.base, c.shift); ok != c.ok {
			t.Errorf("%+v: accepted %v", c, ok)
		}
	}
}

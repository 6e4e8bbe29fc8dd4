package shared

import (
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// mode is how TMA swizzles boxes in shared memory, whose rows have span bytes: boxDim[0]·itemsize must not exceed that.
type mode struct {
	name    string
	span    int
	swizzle tensor.Swizzle // of bytes
}

// modes are those of CUtensorMapSwizzle, of chunks of 16 bytes but for the last. (CUDA Driver API 13, cuTensorMapEncodeTiled;
// get_tma_swizzle_bits of copy_traits_sm90_tma_swizzle.hpp, CUTLASS 4.7)
var modes = [...]mode{
	{"SWIZZLE_128B", 128, tensor.Swizzle{Bits: 3, Base: 4, Shift: 3}},
	{"SWIZZLE_64B", 64, tensor.Swizzle{Bits: 2, Base: 4, Shift: 3}},
	{"SWIZZLE_32B", 32, tensor.Swizzle{Bits: 1, Base: 4, Shift: 3}},
	{"SWIZZLE_128B_ATOM_32B", 128, tensor.Swizzle{Bits: 2, Base: 5, Shift: 2}},
}

// box returns the tile that a mode writes: boxes with rows of its span, one behind the other. It fails with Usage if the tile has gaps, or
// its rows are no multiples of the span.
func (s *Search) box(m mode) (tensor.Layout, error) {
	plain, row := s.plain.Layout, m.span/s.size
	if s.row%row != 0 || plain.Offset() != 0 || plain.Alloc() != plain.Numel() {
		return tensor.Layout{}, fault.New(fault.Usage, "%s has no rows of %d bytes", plain, m.span)
	}
	l, err := s.restrided(row, row)
	if err == nil {
		l, err = l.Swizzled(m.swizzle.Recast(8, 8*s.size), tensor.Unbounded)
	}
	return l, err
}

// Mode returns the name of the mode that writes a swizzled layout of the tile; empty if none does.
func (s *Search) Mode(of tensor.Layout) string {
	for _, m := range modes {
		l, err := s.box(m)
		if err == nil && !of.Swizzle().IsZero() && slices.Equal(offsetsOf(l), offsetsOf(of)) {
			return m.name
		}
	}
	return ""
}

// TMA returns the cheapest tile that SWIZZLE_128B, 64B or 32B writes; ok is false if none does.
func (s *Search) TMA() (best Choice, ok bool) {
	for _, m := range modes[:3] {
		l, err := s.box(m)
		if err != nil {
			continue
		}
		c, err := s.choice("tma", l.Plain(), offsetsOf(l.Plain()), l.Swizzle(), s.row, nil)
		if c.Mode = m.name; err == nil && (!ok || c.Compare(best) < 0) {
			best, ok = c, true
		}
	}
	return best, ok
}

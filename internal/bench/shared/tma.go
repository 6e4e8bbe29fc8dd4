package shared

import (
	"math/bits"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TMA returns the cheapest tile that SWIZZLE_128B, 64B or 32B writes: boxes with rows of span bytes, one behind the other. same means that
// it is the layout of a choice. span is 0 if the tile has gaps, or its rows are no multiples of 32 bytes.
//
//	SWIZZLE_32B, _64B, _128B   Sw<1,4,3>, Sw<2,4,3>, Sw<3,4,3> of bytes
//
// A mode swizzles chunks of 16 bytes within its span, and boxDim[0]·itemsize must not exceed that. (CUDA Driver API 13,
// cuTensorMapEncodeTiled; get_tma_swizzle_bits of copy_traits_sm90_tma_swizzle.hpp, CUTLASS 4.7)
func (s *Search) TMA(of Choice) (best Choice, span int, same bool) {
	plain := s.plain.Layout
	for bytes := 128; bytes >= 32; bytes /= 2 {
		row := bytes / s.size
		if s.row%row != 0 || plain.Offset() != 0 || plain.Alloc() != plain.Numel() {
			continue
		}
		l, err := s.restrided(row, row)
		if err != nil {
			return best, 0, false
		}
		z := tensor.Swizzle{Bits: bits.Len(uint(bytes)) - 5, Base: 4, Shift: 3}
		offsets := offsetsOf(l)
		if l, err = l.Swizzled(z.Recast(8, 8*s.size), tensor.Unbounded); err != nil {
			return best, 0, false
		}
		c, err := s.choice("tma", l, offsets, s.row, nil)
		if err == nil && (span == 0 || c.Compare(best) < 0) {
			best, span = c, bytes
		}
		if err == nil && slices.Equal(offsetsOf(l), offsetsOf(of.Layout)) {
			return c, bytes, true
		}
	}
	return best, span, false
}

package shared

import (
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

// modes are the swizzles of TMA. Each permutes chunks of 16 bytes, or 32 for ATOM_32B, within its span, and boxDim[0]·itemsize must not
// exceed the span: a box with shorter rows has gaps. (CUDA Driver API 13, cuTensorMapEncodeTiled) The bits are those of CUTLASS 4.7,
// get_tma_swizzle_bits and get_tma_swizzle_base of copy_traits_sm90_tma_swizzle.hpp.
var modes = []struct {
	name string
	span int            // bytes
	z    tensor.Swizzle // of bytes
}{
	{"SWIZZLE_128B", 128, tensor.Swizzle{Bits: 3, Base: 4, Shift: 3}},
	{"SWIZZLE_64B", 64, tensor.Swizzle{Bits: 2, Base: 4, Shift: 3}},
	{"SWIZZLE_32B", 32, tensor.Swizzle{Bits: 1, Base: 4, Shift: 3}},
	{"SWIZZLE_128B_ATOM_32B", 128, tensor.Swizzle{Bits: 2, Base: 5, Shift: 2}},
}

// TMA returns the mode that writes a layout, with same true, or else the cheapest tile that SWIZZLE_128B, 64B or 32B writes: boxes with
// rows of span bytes, one behind the other. mode is "" if the tile has gaps, or its rows are no multiples of 32 bytes.
func (s *Search) TMA(of Choice) (c Choice, mode string, span int, same bool) {
	for _, m := range modes {
		row := m.span / s.size
		if plain := s.plain.Layout; s.row%row != 0 || plain.Offset() != 0 || plain.Alloc() != plain.Numel() {
			continue
		}
		l, err := s.restrided(row, row)
		if err != nil {
			continue
		}
		found, err := s.choice("tma", l, m.z.Recast(8, 8*s.size), s.row)
		switch {
		case err != nil:
		case slices.Equal(offsetsOf(found.Layout), offsetsOf(of.Layout)):
			return found, m.name, m.span, true
		case m.z.Base == 4 && (mode == "" || found.Compare(c) < 0):
			c, mode, span = found, m.name, m.span
		}
	}
	return c, mode, span, false
}

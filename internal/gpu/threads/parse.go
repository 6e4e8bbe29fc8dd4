package threads

import (
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/cute"
	"github.com/tlayout/tlayout/internal/gpu/triton"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Parse reads a thread-value layout in any spelling; tile are the sizes that it covers, nil if its text has them.
//
//	((4,8),(2,2)):((32,1),(16,8))            CuTe: (thread, value) → index into the tile, the first dim fastest
//	SM80_16x8x16_F32F16F16F32_TN:A           a part of an atom: see Atom
//	TiledCopy …, S[(8,4,2):(4@laneid,1@laneid,1)]   as CuTe and TIRx print them
//	#ttg.blocked<{…}>, gl.BlockedLayout(…)   Triton and Gluon; tensor<16x16xf16, #ttg.…> has its tile
//
// It fails with Usage if the text is not one, or the tile is missing or of other sizes.
func Parse(s string, tile []int) (Layout, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "(") {
		return parseCute(s, tile)
	}
	if triton.Is(s) {
		return parseTriton(s, tile)
	}
	if parse := printedBy(s); parse != nil {
		return parse(s, tile)
	}
	return parseAtom(s, tile)
}

// parseCute reads CuTe's layout of two modes, threads and values.
//
//	index = Σ thread digits·strides + Σ value digits·strides,   coord[d] = index / (tile[0]·…·tile[d-1]) mod tile[d]
func parseCute(s string, tile []int) (Layout, error) {
	c, err := cute.ParseLayout(s)
	if err != nil {
		return Layout{}, err
	}
	if c.Rank() != 2 {
		return Layout{}, fault.New(fault.Usage, "layout %s has %s, expected (threads,values)", c, text.Count(c.Rank(), "mode"))
	}
	if tile == nil {
		return Layout{}, fault.New(fault.Usage, "missing the sizes of the tile").
			WithHint("an index of %s counts the elements of a tile, the first dim fastest: --tile 16,8", c)
	}
	threads := c.Mode(0)
	values := c.Mode(1)
	return New(tile, threads.Size(), values.Size(), 32, func(thread, value int, coord []int) error {
		t, err := threads.At(thread)
		if err != nil {
			return err
		}
		v, err := values.At(value)
		if err != nil {
			return err
		}
		index := t + v
		for d, n := range tile {
			coord[d] = index % n
			index = index / n
		}
		if index != 0 {
			return fault.New(fault.Usage, "value %d of thread %d is element %d, outside of the tile %s", value, thread, t+v, tensor.Tuple(tile))
		}
		return nil
	})
}

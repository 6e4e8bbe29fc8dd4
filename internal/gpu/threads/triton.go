package threads

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/gpu/triton"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// parseTriton reads a layout of Triton or Gluon; the tile is the tensor's shape.
func parseTriton(s string, tile []int) (Layout, error) {
	a, err := triton.Parse(s)
	if err != nil {
		return Layout{}, err
	}
	if a.IsShared() {
		draw := "draw"
		if a.Element == "" {
			draw = "draw --shape " + cmp.Or(text.Ints(a.Shape, ","), "8,64") + " --dtype float16 --from"
		}
		return Layout{}, fault.New(fault.Usage, "%s is a layout of shared memory, not of threads", text.Quoted(text.Cut(s, 81))).
			WithHint("tlayout %s %s", draw, text.Shell(s))
	}
	if tile == nil {
		tile = a.Shape
	}
	if tile == nil {
		return Layout{}, fault.New(fault.Usage, "missing the sizes of the tile").
			WithHint("Triton's layouts repeat or wrap to cover a tensor of any shape: --tile 16,16")
	}
	if a.Element != "" && !slices.Equal(tile, a.Shape) {
		return Layout{}, fault.New(fault.Usage, "tile %s is not the shape %s of the type", tensor.Tuple(tile), tensor.Tuple(a.Shape)).
			WithHint("leave out --tile")
	}
	linear, err := a.Linear(tile)
	if err != nil {
		return Layout{}, err
	}
	l, err := New(tile, linear.Threads(), linear.Values(), linear.Warp(), func(thread, value int, coord []int) error {
		linear.At(thread, value, coord)
		return nil
	})
	l.Bits = a.ElementBits()
	if d, err := dtype.ParsePrinted(a.Element); err == nil { // not of pointers
		l.Bits = d.Bits()
	}
	if a.InTensorMemory() {
		l.InMemory = true
		l.Note = a.DataPath()
		l.lane = linear.Lane
		l.column = linear.Column
	}
	return l, err
}

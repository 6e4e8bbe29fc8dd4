package layout

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/convert/cast"
)

// Map is what [Convert] computes of each value: x·scale + shift.
type Map struct {
	dim  int // −1: all values have the same map
	maps []cast.Map
	err  error
}

// Scale maps x to x·scale + shift.
func Scale(scale, shift float64) Map {
	return Map{dim: -1, maps: []cast.Map{{Scale: scale, Shift: shift}}}
}

// ScaleDim maps x to x·scale[i] + shift[i], where i is the element's index in a dim of the destination's layout. A nil shift is 0. The scales and
// zero points of quantized channels are one: q maps to q·scale[i] + (−zero[i]·scale[i]).
func ScaleDim(dim int, scale, shift []float64) Map {
	m := Map{dim: dim, maps: make([]cast.Map, len(scale))}
	if shift == nil {
		shift = make([]float64, len(scale))
	}
	if dim < 0 {
		m.err = fmt.Errorf("%w: a map of dim %d", ErrShape, dim)
		return m
	}
	if len(shift) != len(scale) {
		m.err = fmt.Errorf("%w: %d factors and %d summands", ErrShape, len(scale), len(shift))
		return m
	}
	for i := range scale {
		m.maps[i] = cast.Map{Scale: scale[i], Shift: shift[i]}
	}
	return m
}

// Normalize maps x to (x − mean[i]) / std[i], where i is the element's index in a dim of the destination's layout, such as the channel. After
// Scale(1.0/255, 0), mean and std are those of pixels from 0 to 1.
func Normalize(dim int, mean, std []float64) Map {
	if len(mean) != len(std) {
		return Map{err: fmt.Errorf("%w: %d means and %d standard deviations", ErrShape, len(mean), len(std))}
	}
	scale := make([]float64, len(mean))
	shift := make([]float64, len(mean))
	for i := range mean {
		scale[i] = 1 / std[i]
		shift[i] = -mean[i] / std[i]
	}
	return ScaleDim(dim, scale, shift)
}

// combine returns one map for all values, or for each index of a dim of the shape, which is −1 otherwise; none if values are kept.
func combine(maps []Map, shape []int) (combined []cast.Map, dim int, err error) {
	dim = -1
	for _, m := range maps {
		if err := m.check(shape); err != nil {
			return nil, 0, err
		}
		if m.dim >= 0 && dim >= 0 && m.dim != dim {
			return nil, 0, fmt.Errorf("%w: maps of dim %d and of dim %d", ErrShape, dim, m.dim)
		}
		dim = max(dim, m.dim)
		combined = follow(combined, m.maps)
	}
	return combined, dim, nil
}

// check returns why the map does not fit a destination's shape.
func (m Map) check(shape []int) error {
	if m.err != nil {
		return m.err
	}
	if m.maps == nil {
		return errors.New("the zero Map maps nothing: use Scale, ScaleDim or Normalize")
	}
	if m.dim >= len(shape) {
		return fmt.Errorf("%w: a map of dim %d of a tensor of rank %d", ErrShape, m.dim, len(shape))
	}
	if m.dim >= 0 && len(m.maps) != shape[m.dim] {
		return fmt.Errorf("%w: %d maps for dim %d of size %d", ErrShape, len(m.maps), m.dim, shape[m.dim])
	}
	return nil
}

// follow returns the maps that apply second to the results of first; a nil list keeps values. A list of one map is for all indices, and
// others have one length, that of the dim, which may be 0.
func follow(first, second []cast.Map) []cast.Map {
	if first == nil {
		return slices.Clone(second)
	}
	n := len(first)
	if n == 1 {
		n = len(second)
	}
	both := make([]cast.Map, n)
	for i := range both {
		a := mapOf(first, i)
		b := mapOf(second, i)
		both[i] = cast.Map{Scale: a.Scale * b.Scale, Shift: float64(a.Shift*b.Scale) + b.Shift}
	}
	return both
}

// mapOf returns the map of an index.
func mapOf(maps []cast.Map, i int) cast.Map {
	if len(maps) == 1 {
		return maps[0]
	}
	return maps[i]
}

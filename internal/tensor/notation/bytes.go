package notation

import (
	"fmt"
	"math/bits"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// InElements returns the layout of a shape with strides and an offset, in elements.
func InElements(s tensor.Strided) (Layout, error) {
	exact, err := s.Layout(nil, tensor.Unbounded)
	return Layout{Exact: &exact}, err
}

// InBytes returns the layout of a shape with strides in bytes, once ForElements gives the size of an element. Strides that are guessed to be
// bytes, as NumPy prints them, are elements where they are multiples of no size above 1, and there the type is that of their largest common
// one of 2, 4, 8 and 16.
func InBytes(s tensor.Strided, guessed bool) (Layout, error) {
	l, err := InElements(s)
	if err != nil {
		return l, err
	}
	size := elementBytes(s.Strides)
	if guessed && size == 1 { // in elements, or the same in bytes
		return l, nil
	}
	l.inBytes = func(bits int) (Layout, error) { return numPyStrides(s, bits, guessed) }
	if guessed {
		l.DType = map[int]string{2: "float16", 4: "float32", 8: "float64", 16: "complex128"}[size]
	}
	return l, nil
}

// elementBytes returns the largest of 16, 8, 4, 2 and 1 that divides all strides.
func elementBytes(strides []int) int {
	all := 16
	for _, s := range strides {
		all |= s
	}
	return 1 << bits.TrailingZeros(uint(all))
}

// numPyStrides returns the layout of strides in bytes for elements of this many bits.
func numPyStrides(s tensor.Strided, bits int, guessed bool) (Layout, error) {
	list := tensor.Tuple(s.Shape) + " " + tensor.Tuple(s.Strides)
	item := bits / 8
	elements := make([]int, len(s.Strides))
	for i, step := range append(s.Strides[:len(elements):len(elements)], s.Offset) {
		if item == 0 || 8*item != bits || step%item != 0 {
			return Layout{}, fault.New(fault.Usage, "%s: strides of NumPy are bytes, and %d is no multiple of %s", list, step, text.Count(item, "byte")).
				WithHint("strides in elements: '(%s):(%s)'", text.Ints(s.Shape, ","), text.Ints(s.Strides, ","))
		}
		if i < len(elements) {
			elements[i] = step / item
		}
	}
	inElements, err := tensor.NewStrided(s.Shape, elements, s.Offset/max(1, item))
	if err != nil {
		return Layout{}, err
	}
	l, err := InElements(inElements)
	if guessed {
		l.Note = fmt.Sprintf("strides %s are read as NumPy's, in bytes; in elements, as PyTorch's: torch.Size([%s]) %s", tensor.Tuple(s.Strides),
			text.Ints(s.Shape, ", "), tensor.Tuple(s.Strides))
	}
	return l, err
}

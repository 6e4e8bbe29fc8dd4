package notation

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// shapeAndStrides matches two lists, and perhaps an offset, as print(x.shape, x.stride(), x.storage_offset()) writes them.
var shapeAndStrides = lazy.Regexp(`^((?:torch\.Size\(\[[0-9, ]*\]\))|\([0-9, ]*\))\s*,?\s+(\([-0-9, ]*\))(?:\s*,?\s+(\d+))?$`)

// pythonTuple matches the same as Python shows a tuple of them: (torch.Size([2, 3]), (3, 1)).
var pythonTuple = lazy.Regexp(`^\((torch\.Size\(\[[0-9, ]*\]\)), (\([-0-9, ]*\))(?:, (\d+))?\)$`)

// printedStrides splits such a text; nil for others.
func printedStrides(s string) []string {
	if m := shapeAndStrides.Get().FindStringSubmatch(s); m != nil {
		return m
	}
	return pythonTuple.Get().FindStringSubmatch(s)
}

// isPrintedStrides reports whether a text is the shape and strides of a tensor as PyTorch or NumPy print them.
func isPrintedStrides(s string) bool {
	if !strings.HasPrefix(s, "(") && !strings.HasPrefix(s, "t") { // no pattern is compiled
		return false
	}
	return printedStrides(s) != nil
}

// parsePrintedStrides reads the shape and strides of a tensor of PyTorch, in elements, or of an array of NumPy, in bytes:
//
//	torch.Size([2, 3]) (3, 1)     print(x.shape, x.stride()) of PyTorch
//	(2, 3) (24, 8)                print(x.shape, x.strides) of NumPy: bytes of elements of 8 bytes, (3, 1) in elements
//	(2, 3) (3, 1)                 in elements: a stride of 1 byte does not fit larger elements, and is the same for elements of 1 byte
//
// Of two plain lists, strides that are all multiples of 2, 4, 8 or 16 are bytes, and the largest of these is the size of an element unless
// a type has another.
func parsePrintedStrides(s string) (Layout, error) {
	m := printedStrides(s)
	shape, err := ParseInts(m[1])
	if err != nil {
		return Layout{}, err
	}
	strides, err := ParseInts(m[2])
	if err != nil {
		return Layout{}, err
	}
	offset := 0
	if m[3] != "" {
		offset, err = strconv.Atoi(m[3])
		if err != nil {
			return Layout{}, badInt(s, m[3], err)
		}
	}
	l, err := exactly(shape, strides, offset)
	if err != nil {
		return l, err
	}
	size := elementBytes(strides)
	torch := m[1][0] == 't' || offset > 0
	if torch || size == 1 { // in elements, or the same in bytes
		return l, nil
	}
	l.inBytes = func(bits int) (Layout, error) { return numPyStrides(shape, strides, bits) }
	l.DType = map[int]string{2: "float16", 4: "float32", 8: "float64", 16: "complex128"}[size]
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

// exactly returns the layout of a shape and strides, in elements.
func exactly(shape, strides []int, offset int) (Layout, error) {
	s, err := tensor.NewStrided(shape, strides, offset)
	if err != nil {
		return Layout{}, err
	}
	exact, err := s.Layout(nil, tensor.Unbounded)
	return Layout{Exact: &exact}, err
}

// numPyStrides returns the layout of strides in bytes for elements of this many bits.
func numPyStrides(shape, strides []int, bits int) (Layout, error) {
	list := tensor.Tuple(shape) + " " + tensor.Tuple(strides)
	item := bits / 8
	elements := make([]int, len(strides))
	for i, s := range strides {
		if item == 0 || 8*item != bits || s%item != 0 {
			return Layout{}, fault.New(fault.Usage, "%s: strides of NumPy are bytes, and %d is no multiple of %s", list, s, text.Count(item, "byte")).
				WithHint("strides in elements: '(%s):(%s)'", text.Ints(shape, ","), text.Ints(strides, ","))
		}
		elements[i] = s / item
	}
	l, err := exactly(shape, elements, 0)
	l.Note = fmt.Sprintf("strides %s are read as NumPy's, in bytes; in elements, as PyTorch's: torch.Size(%v) %s", tensor.Tuple(strides),
		"["+text.Ints(shape, ", ")+"]", tensor.Tuple(strides))
	return l, err
}

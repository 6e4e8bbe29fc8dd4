package mention

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// List matches what a framework prints around integers: (2, 3), [2, 3], torch.Size([2, 3]).
const List = `((?:torch\.)?Size\(\[[\d, ]*\]\)|\([-\d, ]*\)|\[[-\d, ]*\])`

// maxItemsize is the size of the largest element, in bytes: a message does not say it, and commands that its sizes are given must work.
const maxItemsize = 16

// Sizes reads a list; ok is false if it is malformed, or has a negative size, or more bytes than an address can count.
func Sizes(list string) ([]int, bool) {
	xs, err := notation.ParseInts(list)
	if err != nil {
		return nil, false
	}
	_, err = tensor.Numel(append([]int{maxItemsize}, xs...))
	return xs, err == nil
}

// Strided reads sizes and strides; ok is false if they are not those of a tensor of PyTorch, which has no negative strides.
func Strided(shape, strides []int) (tensor.Strided, bool) {
	if len(shape) != len(strides) {
		return tensor.Strided{}, false
	}
	for d, n := range shape {
		_, err := tensor.Numel([]int{maxItemsize, n, strides[d]})
		if err != nil {
			return tensor.Strided{}, false
		}
	}
	s, err := tensor.NewStrided(shape, strides, 0)
	return s, err == nil
}

// Spelled returns a list as a flag has it: 2,3; () for none.
func Spelled(xs []int) string { return cmp.Or(text.Ints(xs, ","), "()") }

// Closed returns a shape in which each size that may be any is 1.
func Closed(shape []int) []int {
	all := slices.Clone(shape)
	for d, n := range all {
		if n < 0 {
			all[d] = 1
		}
	}
	return all
}

// openList matches sizes of which one is any.
const openList = `([\[(](?:(?:None|\?|-1|\d+), ?)*(?:None|\?)(?:, ?(?:None|\?|-1|\d+))*,?[\])])`

var anySizeWord = lazy.Regexp(`None|\?|[A-Za-z]\w*`)

// OpenSizes reads sizes of which some are any, None, ? or a name, which are -1; ok is false as that of Sizes is.
func OpenSizes(list string) ([]int, bool) {
	xs, err := notation.ParseInts(anySizeWord.Get().ReplaceAllString(list, "-1"))
	if err != nil {
		return nil, false
	}
	if _, ok := Sizes(Spelled(Closed(xs))); !ok || len(xs) == 0 {
		return nil, false
	}
	return xs, true
}

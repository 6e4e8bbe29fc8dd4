package ask

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// readInts reads a list of sizes, (2,3,4) or torch.Size([2, 3, 4]), which may also be the strides of a dense tensor. A lone number needs
// parentheses.
func readInts(s string) []Reading {
	ints, err := notation.ParseInts(s)
	if err != nil || strings.HasPrefix(s, "{") {
		return nil
	}
	isSize := strings.HasPrefix(s, "torch.Size(")
	if len(ints) < 2 && !isSize && !strings.HasPrefix(s, "(") {
		return nil
	}
	shape := Reading{As: "a shape", Args: []string{"inspect", "--shape", text.Ints(ints, ",")}}
	sizes, ok := densify(ints)
	if isSize || !ok {
		shape.Sure = true
		return []Reading{shape}
	}
	strides := Reading{As: "strides", Args: []string{"inspect", "--shape", text.Ints(sizes, ","), "--strides", text.Ints(ints, ",")},
		Assumed: "the shape " + tensor.Tuple(sizes)}
	return []Reading{shape, strides}
}

// densify returns the sizes of the dense tensor that has these strides, of which the outermost is open and becomes 1; ok is false if there
// is none. Strides of a dense tensor, sorted, are 1, n₁, n₁·n₂, …: each is a multiple of the one before.
func densify(strides []int) (sizes []int, ok bool) {
	inner := make([]int, len(strides)) // dims, innermost first
	for d := range inner {
		inner[d] = d
	}
	slices.SortStableFunc(inner, func(a, b int) int { return cmp.Or(cmp.Compare(strides[a], strides[b]), b-a) })
	if len(strides) < 2 || strides[inner[0]] != 1 {
		return nil, false
	}
	sizes = make([]int, len(strides))
	for i, d := range inner {
		sizes[d] = 1
		if i == 0 {
			continue
		}
		below := inner[i-1]
		if strides[d]%strides[below] != 0 {
			return nil, false
		}
		sizes[below] = strides[d] / strides[below]
	}
	return sizes, true
}

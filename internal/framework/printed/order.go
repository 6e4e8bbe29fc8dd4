package printed

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// parseSigned reads the strides of MRtrix, -1,+2,+3: the rank of each dim from the one that varies fastest, and the direction in which it is
// stored. Those of a .mif file count from 0. ok is false for other texts.
//
// (https://mrtrix.readthedocs.io/en/latest/getting_started/image_data.html#strides; core/formats/mrtrix_utils.cpp)
func parseSigned(s string) (l notation.Layout, ok bool) {
	s = strings.TrimPrefix(strings.TrimSpace(s), "layout:")
	words := notation.SplitList(s)
	if len(words) < 2 || !strings.ContainsAny(s, "+-") {
		return l, false
	}
	ranks := make([]int, len(words))
	reversed := make([]bool, len(words))
	for d, word := range words {
		digits := strings.TrimLeft(word, "+-")
		n, err := strconv.Atoi(digits)
		if err != nil || len(word) > len(digits)+1 {
			return l, false
		}
		ranks[d] = n
		reversed[d] = word[0] == '-'
	}
	least := slices.Min(ranks)
	if least > 1 {
		return l, false
	}
	for d := range ranks {
		ranks[d] -= least
	}
	for rank := range ranks {
		if !slices.Contains(ranks, rank) {
			return l, false
		}
	}
	place := func(sizes []int) (tensor.Layout, error) { return placeSigned(sizes, ranks, reversed) }
	lacks := fault.New(fault.Usage, "the strides of MRtrix are an order: it has no sizes").
		WithHint("tlayout inspect --shape %s --from=%s", strings.TrimSuffix(strings.Repeat("8,", len(words)), ","), strings.Join(words, ","))
	return notation.Layout{Sized: place, Fits: func(int, string) error { return nil }, Lacks: lacks}, true
}

// placeSigned places dims by rank, and stores those that are reversed from their last index on.
func placeSigned(sizes, ranks []int, reversed []bool) (tensor.Layout, error) {
	if len(sizes) != len(ranks) {
		return tensor.Layout{}, fault.New(fault.Usage, "%d strides of MRtrix for sizes %s", len(ranks), tensor.Tuple(sizes))
	}
	ordered := make([]int, len(sizes))
	for d, rank := range ranks {
		ordered[rank] = sizes[d]
	}
	packed, err := tensor.ColumnMajor(ordered)
	if err != nil {
		return tensor.Layout{}, err
	}
	strides := make([]int, len(sizes))
	offset := 0
	for d, rank := range ranks {
		strides[d] = packed.Strides[rank]
		if reversed[d] {
			offset += strides[d] * max(0, sizes[d]-1)
			strides[d] = -strides[d]
		}
	}
	s, err := tensor.NewStrided(sizes, strides, offset)
	if err != nil {
		return tensor.Layout{}, err
	}
	return s.Layout(nil, tensor.Unbounded)
}

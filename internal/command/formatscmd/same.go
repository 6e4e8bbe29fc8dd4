package formatscmd

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// sameMemory is an order with the same strides as this one if all dims of one of the sets have size 1.
type sameMemory struct {
	As string     `json:"layout"`      // memory order by name, outermost axis first: NHWC; shape:strides without a name
	If [][]string `json:"if_size_one"` // sets of dims; if all sizes of one are 1, the memory is the same
	// the set of if_size_one that holds for this shape
	Here []string `json:"here" jsonschema:"null if none does, and without --shape"`
}

// maxSameSets bounds the sets of dims of a line.
const maxSameSets = 3

// newSame compares an order with row-major, or row-major with channels last; it returns nil for blocked orders and for too many sets.
func newSame(f notation.Format, shape []int) *sameMemory {
	if !f.Plain() {
		return nil
	}
	names := f.Names()
	other := notation.RowMajor(names)
	if other.Explicit() == f.Explicit() {
		at := slices.Index(names, "C")
		if at < 0 || len(names) < 3 {
			return nil
		}
		order := append(slices.Delete(ordered(f), at, at+1), at)
		other = notation.Order(names, order)
	}
	sets := tensor.SameMemory(ordered(f), ordered(other))
	if len(sets) == 0 || len(sets) > maxSameSets {
		return nil
	}
	same := &sameMemory{As: other.String()}
	for _, set := range sets {
		letters := make([]string, len(set))
		ones := shape != nil
		for i, d := range set {
			letters[i] = names[d]
			ones = ones && shape[d] == 1
		}
		same.If = append(same.If, letters)
		if ones && same.Here == nil {
			same.Here = letters
		}
	}
	return same
}

// ordered returns the dims of an order without blocks, outermost first.
func ordered(f notation.Format) []int {
	dims := make([]int, 0, f.Rank())
	for _, a := range f.Axes() {
		dims = append(dims, a.Dim)
	}
	return dims
}

// String returns "NCHW if C = 1, or H = W = 1: strides cannot tell".
func (s *sameMemory) String() string {
	ones := func(set []string) string { return strings.Join(set, " = ") + " = 1" }
	if s.Here != nil {
		return s.As + ", for " + ones(s.Here) + ": strides cannot tell"
	}
	var sets []string
	for _, set := range s.If {
		sets = append(sets, ones(set))
	}
	return s.As + " if " + strings.Join(sets, ", or ") + ": strides cannot tell"
}

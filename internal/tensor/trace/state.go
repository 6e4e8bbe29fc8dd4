package trace

import (
	"github.com/tlayout/tlayout/internal/tensor"
)

// Rules says whose operations these are.
type Rules string

// The rules. PyTorch's are those of 1.13 and 2.x, which agree; NumPy's those of 1.24 and 2.x.
const (
	PyTorch Rules = "pytorch"
	NumPy   Rules = "numpy"
)

// State is a tensor on its way through the steps.
type State struct {
	tensor.Strided
	Names    []string // of the dims; "" for a dim that no name has come down to
	Storage  *Storage
	ItemSize int // bytes
	Rules    Rules
}

// Storage is the memory that a tensor looks at: the source's own, or what a copy made.
type Storage struct {
	Elems int
	of    *State        // what a copy was made of; nil for the source's own
	made  tensor.Layout // where the copy has put the elements
}

// Start is a tensor before any step, over a storage of elems elements. names may be nil.
func Start(s tensor.Strided, names []string, elems, itemSize int, rules Rules) State {
	if names == nil {
		names = make([]string, s.Rank())
	}
	return State{s, names, &Storage{Elems: elems}, itemSize, rules}
}

// Origin follows the element at an offset back through all copies to its offset in the first storage; false where no
// copy has put an element.
func (s *Storage) Origin(off int) (int, bool) {
	for s.of != nil {
		coords, _ := s.made.Find(off, 1)
		if len(coords) == 0 {
			return 0, false
		}
		off = s.of.Offset
		for d, i := range coords[0] {
			off += i * s.of.Strides[d]
		}
		s = s.of.Storage
	}
	return off, true
}

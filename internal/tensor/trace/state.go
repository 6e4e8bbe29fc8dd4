package trace

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
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

// countable fails where an address, or size·stride of a dim, does not fit an int. What a step computes from one dim alone
// fits then: the dim's reach, the stride of a dim around it. Sums over dims are checked where they are made.
func (s State) countable() error {
	for d, n := range s.Shape {
		if _, ok := tensor.Mul(max(n, 1), s.Strides[d]); !ok {
			return uncountable("%s: size·stride = %d·%d", s.called(d), n, s.Strides[d])
		}
	}
	_, err := tensor.NewStrided(s.Shape, s.Strides, s.Offset)
	return err
}

// past is the offset i strides further on.
func (s State) past(i, stride int) (int, error) {
	by, fits := tensor.Mul(i, stride)
	to, near := tensor.Add(s.Offset, by)
	if !fits || !near {
		return 0, uncountable("offset %d + %d·%d", s.Offset, i, stride)
	}
	return to, nil
}

// stretched is stride·step.
func stretched(stride, step int) (int, error) {
	if far, ok := tensor.Mul(stride, step); ok {
		return far, nil
	}
	return 0, uncountable("stride %d·%d", stride, step)
}

func uncountable(format string, args ...any) error {
	return fault.New(fault.Unsupported, format+" is beyond what can be counted", args...)
}

// called is a dim with its name: "dim 2 (H)", or "dim 2".
func (s State) called(d int) string {
	if s.Names[d] == "" {
		return fmt.Sprint("dim ", d)
	}
	return fmt.Sprintf("dim %d (%s)", d, s.Names[d])
}

// short is a dim's name, or "dim 2".
func (s State) short(d int) string {
	if s.Names[d] == "" {
		return fmt.Sprint("dim ", d)
	}
	return s.Names[d]
}

// calledAll is "dims 1 (C) and 2 (H)", or "dim 1 (C)".
func (s State) calledAll(dims []int) string {
	named := make([]string, len(dims))
	for i, d := range dims {
		named[i] = strings.TrimPrefix(s.called(d), "dim ")
	}
	if len(named) == 1 {
		return "dim " + named[0]
	}
	return "dims " + words.And(named)
}

// price is what a copy of the tensor writes.
func (s State) price() string {
	text := words.Count(s.Numel(), "element")
	if bytes, ok := s.bytes(); ok {
		text += ", " + words.Count(bytes, "byte")
	}
	return text
}

// bytes is the size of a copy, and whether an int can hold it.
func (s State) bytes() (int, bool) { return tensor.Mul(s.Numel(), s.ItemSize) }

// spelled is the sizes as a call writes them: "3,20"; "()" for none.
func spelled(sizes []int) string {
	if len(sizes) == 0 {
		return "()"
	}
	return strings.ReplaceAll(words.Product(sizes), "·", ",")
}

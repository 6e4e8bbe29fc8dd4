package trace

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// Rules is the framework whose rules the operations follow.
type Rules string

// The rules: PyTorch's and NumPy's. Versions 1.13 and 1.24 have the same ones, except that 2.15 refuses narrow(d, -1, 0) for a size of
// 0; messages are those of PyTorch 2.15 and NumPy 2.5.
const (
	PyTorch Rules = "pytorch"
	NumPy   Rules = "numpy"
)

// State is a tensor between steps.
type State struct {
	tensor.Strided
	Names    []string // of the dims; "" for an unnamed dim
	Guessed  bool     // the names follow from the rank alone; sentences omit them
	Storage  *Storage
	ItemSize int // bytes
	DType    dtype.Type
	Rules    Rules
}

// Storage is the memory of a tensor: the source's, or a copy's.
type Storage struct {
	Elems  int
	source *State        // what was copied; nil for the source's storage
	isNone bool          // of Nothing
	isNew  bool          // holds new values, or copies of those, of which no element of the source is the origin
	placed tensor.Layout // where the copy put the elements

	origins map[int]int // of offsets, as far as they were traced; -1 for none
}

// Start returns a tensor before any step, over a storage of elems elements. names may be nil.
func Start(s tensor.Strided, names []string, elems, itemSize int, rules Rules) State {
	if names == nil {
		names = make([]string, s.Rank())
	}
	return State{Strided: s, Names: names, Storage: &Storage{Elems: elems}, ItemSize: itemSize, Rules: rules}
}

// Nothing returns the start of steps that make their own tensors, whose storages are then the first ones.
func Nothing(rules Rules) State {
	return State{Storage: &Storage{isNone: true}, Rules: rules}
}

// HasOrigin reports whether the elements are those of the first storage, directly or through copies. It is false after an operator
// that computes values, and after view(dtype), which reads other elements in the same bytes.
func (s *Storage) HasOrigin() bool { return !s.isNew }

// Origin traces the element at an offset back through all copies to its offset in the first storage; ok is false if a copy left the
// offset empty, and for a new value.
//
// Each copy remembers the offsets that were asked for, so that tracing the same elements after every step of a chain is linear in its steps.
func (s *Storage) Origin(off int) (int, bool) {
	type lookup struct {
		storage *Storage
		off     int
	}
	var path []lookup
	for s.source != nil && off != nowhere {
		if first, known := s.origins[off]; known {
			off = first
			break
		}
		path = append(path, lookup{s, off})
		off = s.copiedFrom(off)
		s = s.source.Storage
	}
	for _, a := range path {
		if a.storage.origins == nil {
			a.storage.origins = map[int]int{}
		}
		a.storage.origins[a.off] = off
	}
	if off == nowhere {
		return 0, false
	}
	return off, !s.isNew
}

// nowhere is the origin of an offset that a copy left empty.
const nowhere = -1

// copiedFrom returns the offset, in the storage that was copied, of the element at an offset.
func (s *Storage) copiedFrom(off int) int {
	coords, _ := s.placed.Find(off, 1)
	if len(coords) == 0 {
		return nowhere
	}
	from := s.source.Offset
	for d, i := range coords[0] {
		from += i * s.source.Strides[d]
	}
	return from
}

// checkOverflow fails if an offset, or size·stride of a dim, overflows an int. What a step computes from a single dim then fits: the
// dim's reach, the stride of the dim around it. Sums over dims are checked where they are made.
func (s State) checkOverflow() error {
	for d, n := range s.Shape {
		if _, ok := tensor.Mul(max(n, 1), s.Strides[d]); !ok {
			return overflow("%s: size·stride = %d·%d", s.called(d), n, s.Strides[d])
		}
	}
	_, err := tensor.NewStrided(s.Shape, s.Strides, s.Offset)
	return err
}

// offsetBy returns offset + i·stride.
func (s State) offsetBy(i, stride int) (int, error) {
	to, ok := tensor.MulAdd(s.Offset, i, stride)
	if !ok {
		return 0, overflow("offset %d + %d·%d", s.Offset, i, stride)
	}
	return to, nil
}

// strideTimes returns stride·step.
func strideTimes(stride, step int) (int, error) {
	if product, ok := tensor.Mul(stride, step); ok {
		return product, nil
	}
	return 0, overflow("stride %d·%d", stride, step)
}

func overflow(format string, args ...any) error {
	return fault.New(fault.Unsupported, format+" overflows 64 bits", args...)
}

// called returns a dim with its name: "dim 2 (H)", or "dim 2".
func (s State) called(d int) string { return "dim " + s.numbered(d) }

// numbered returns the same without the word: "2 (H)", or "2".
func (s State) numbered(d int) string {
	if name := s.shownNames()[d]; name != "" {
		return fmt.Sprintf("%d (%s)", d, name)
	}
	return strconv.Itoa(d)
}

// shownNames returns the names for sentences: none if they are guessed.
func (s State) shownNames() []string {
	if s.Guessed {
		return make([]string, len(s.Names))
	}
	return s.Names
}

// label returns a dim's name, or its number if sentences omit names.
func (s State) label(d int) string { return cmp.Or(s.shownNames()[d], strconv.Itoa(d)) }

// calledAll returns "dims 1 (C) and 2 (H)", or "dim 1 (C)".
func (s State) calledAll(dims []int) string {
	named := make([]string, len(dims))
	for i, d := range dims {
		named[i] = s.numbered(d)
	}
	if len(named) == 1 {
		return "dim " + named[0]
	}
	return "dims " + text.And(named)
}

// copySize returns what a copy of the tensor writes: "12 elements, 48 bytes".
func (s State) copySize() string {
	size := text.Count(s.Numel(), "element")
	if bytes, ok := s.bytes(); ok {
		size += ", " + text.Count(bytes, "byte")
	}
	return size
}

// bytes returns the size of a copy, and whether an int can hold it.
func (s State) bytes() (int, bool) { return tensor.Mul(s.Numel(), s.ItemSize) }

// spelled returns the sizes as in a call: "3,20"; "()" for none.
func spelled(sizes []int) string {
	if len(sizes) == 0 {
		return "()"
	}
	return strings.ReplaceAll(text.Product(sizes), "·", ",")
}

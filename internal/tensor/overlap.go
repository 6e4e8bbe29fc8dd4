package tensor

import (
	"cmp"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
)

// Answer is yes, no, or unknown where an exact answer would cost too much.
type Answer string

// The answers.
const (
	No      Answer = "no"
	Yes     Answer = "yes"
	Unknown Answer = "unknown"
)

// Occupancy is how many elements share addresses.
type Occupancy struct {
	Overlapping Answer // whether two elements share an address
	Unique      int    // distinct addresses; -1: unknown
}

// EnumerationLimit is the number of elements up to which Occupancy counts addresses one by one.
const EnumerationLimit = 1 << 24

// Occupancy is exact if the strides nest, if only broadcast dims repeat, and for up to EnumerationLimit elements (a sixteenth of that
// if their extent is more than 16 times as large). Beyond that it is Yes if there are more elements than addresses, and Unknown
// otherwise.
//
// Strides nest if each exceeds the reach of all smaller ones. Then an address is a unique number in mixed radix:
//
//	sorted by |stride|:  |s_k| > Σ_{j<k} (d_j − 1)·|s_j|
//
// Post: Overlapping is Yes if Unique < Numel, No if Unique = Numel, whenever Unique is known; an Unknown is never a
// wrong answer. A swizzle moves no two elements to the same address, so the answer is that of Plain.
func (l Layout) Occupancy() Occupancy { return l.Plain().occupancy(EnumerationLimit) }

func (l Layout) occupancy(limit int) Occupancy {
	if l.numel == 0 {
		return Occupancy{No, 0}
	}
	repeated := 1
	moving := make([]Digit, 0, 16)
	for _, d := range l.dims {
		for _, g := range d.Digits {
			if g.Extent <= 1 {
				continue
			}
			if g.Stride != 0 {
				moving = append(moving, g)
				continue
			}
			if len(d.Digits) > 1 { // with a padded last digit, values repeat unevenly
				return l.enumerate(limit)
			}
			repeated *= g.Extent
		}
	}
	if nested(moving) {
		if repeated > 1 {
			return Occupancy{Yes, l.numel / repeated}
		}
		return Occupancy{No, l.numel}
	}
	return l.enumerate(limit)
}

// nested reports whether each stride exceeds the reach of all smaller ones. It sorts the digits, which have extents over 1, by
// |stride|.
func nested(digits []Digit) bool {
	slices.SortFunc(digits, func(a, b Digit) int { return cmp.Compare(ints.Abs(a.Stride), ints.Abs(b.Stride)) })
	reach := 0
	for _, g := range digits {
		if ints.Abs(g.Stride) <= reach {
			return false
		}
		reach += (g.Extent - 1) * ints.Abs(g.Stride)
	}
	return true
}

// enumerate counts distinct addresses: in a bit set if the extent is small, by sorting otherwise.
func (l Layout) enumerate(limit int) Occupancy {
	if l.numel > limit {
		if l.numel > l.Extent() {
			return Occupancy{Yes, -1}
		}
		return Occupancy{Unknown, -1}
	}
	if l.Extent() <= 16*limit {
		return l.counted(l.countInBits())
	}
	if l.numel <= limit/16 {
		return l.counted(l.countSorted())
	}
	return Occupancy{Unknown, -1}
}

// counted returns the occupancy with this number of distinct addresses.
func (l Layout) counted(unique int) Occupancy {
	if unique < l.numel {
		return Occupancy{Yes, unique}
	}
	return Occupancy{No, unique}
}

func (l Layout) countInBits() int {
	seen := make([]uint64, l.Extent()/64+1)
	unique := 0
	for _, off := range l.Logical() {
		bit := off - l.offset - l.low
		if word, mask := &seen[bit/64], uint64(1)<<(bit%64); *word&mask == 0 {
			*word |= mask
			unique++
		}
	}
	return unique
}

func (l Layout) countSorted() int {
	offs := make([]int, 0, l.numel)
	for _, off := range l.Logical() {
		offs = append(offs, off)
	}
	slices.Sort(offs)
	return len(slices.Compact(offs))
}

// Gaps returns the number of addresses between the lowest and the highest without an element; -1: unknown.
func (l Layout) Gaps() int {
	if o := l.Occupancy(); o.Unique >= 0 && !l.rough {
		return l.Extent() - o.Unique
	}
	return -1
}

// Packed is DirectML's term: as many addresses as elements, none shared. PyTorch's term is non-overlapping and dense, except that an
// empty tensor is not packed. (learn.microsoft.com/windows/ai/directml/dml-strides)
func (l Layout) Packed() bool {
	return l.numel > 0 && l.Extent() == l.numel && l.Occupancy().Overlapping == No
}

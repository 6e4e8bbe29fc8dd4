package cute

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Limits on a layout: the total number of leaves, and the nesting depth.
const (
	maxModes = 256
	maxDepth = 32
)

// Layout is a tree of modes with a size and a stride at each leaf. Sizes are at least 1, strides arbitrary. Its size, its cosize and
// size·stride of each mode fit an int.
type Layout struct {
	modes []Layout // nil: a leaf
	leaf  mode
	size  int // of all modes
}

// mode is a leaf: size indices, stride apart.
type mode struct{ size, stride int }

func (m mode) String() string { return strconv.Itoa(m.size) + ":" + strconv.Itoa(m.stride) }

// single returns a layout of one leaf.
func single(size, stride int) Layout { return Layout{leaf: mode{size, stride}, size: size} }

// join returns a layout whose modes are these layouts, which CuTe calls concatenation. The error is of class Unsupported: a limit or an
// overflow.
func join(modes ...Layout) (Layout, error) {
	l := Layout{modes: slices.Clone(modes), size: 1}
	reach := 1
	for _, m := range l.leaves() {
		size, sizeFits := tensor.Mul(l.size, m.size)
		end, endFits := tensor.Mul(m.size, m.stride)
		next, reachFits := tensor.Add(reach, ints.Abs(end-m.stride))
		if !sizeFits || !endFits || !reachFits {
			return Layout{}, overflow("layout " + l.String())
		}
		l.size = size
		reach = next
	}
	if n := len(l.leaves()); n > maxModes {
		return Layout{}, fault.New(fault.Unsupported, "layout has %d modes: the limit is %d", n, maxModes)
	}
	if l.depth() > maxDepth {
		return Layout{}, fault.New(fault.Unsupported, "layout nests more than %d levels deep", maxDepth)
	}
	return l, nil
}

// flat returns a layout of leaves; a single one is itself, as in CuTe's coalesce.
func flat(modes []mode) (Layout, error) {
	all := make([]Layout, len(modes))
	for k, m := range modes {
		all[k] = single(m.size, m.stride)
	}
	l, err := join(all...)
	if err == nil && len(all) == 1 {
		return all[0], nil
	}
	return l, err
}

func overflow(what string) error {
	return fault.New(fault.Unsupported, "%s overflows 64 bits", clip(what))
}

// leaves returns the leaves, leftmost first.
func (l Layout) leaves() []mode {
	if l.modes == nil {
		return []mode{l.leaf}
	}
	var all []mode
	for _, m := range l.modes {
		all = append(all, m.leaves()...)
	}
	return all
}

func (l Layout) depth() int {
	deepest := -1
	for _, m := range l.modes {
		deepest = max(deepest, m.depth())
	}
	return deepest + 1
}

// children returns the modes; a leaf is its own only mode.
func (l Layout) children() []Layout {
	if l.modes == nil {
		return []Layout{l}
	}
	return l.modes
}

// Rank returns the number of modes; 1 for a leaf.
func (l Layout) Rank() int { return len(l.children()) }

// Mode returns the k-th mode; the layout itself for a leaf.
func (l Layout) Mode(k int) Layout { return l.children()[k] }

// Size returns the number of coordinates.
func (l Layout) Size() int { return l.size }

// Cosize returns one more than the distance between the smallest and the largest index: 1 + Σ (size-1)·|stride|, as in layout.hpp's
// cosize. pycute has L(size-1) + 1, which is the same unless a stride is negative.
func (l Layout) Cosize() int {
	n := 1
	for _, m := range l.leaves() {
		n += (m.size - 1) * ints.Abs(m.stride)
	}
	return n
}

// At returns the index of the i-th coordinate, leftmost mode fastest. Beyond the size, the last mode continues; i must not be negative.
func (l Layout) At(i int) (int, error) {
	sum := 0
	all := l.leaves()
	for k, m := range all {
		digit := i
		if k < len(all)-1 {
			digit = i % m.size
			i = i / m.size
		}
		next, ok := tensor.MulAdd(sum, digit, m.stride)
		if !ok {
			return 0, overflow("index of " + l.String())
		}
		sum = next
	}
	return sum, nil
}

// String returns the layout as CuTe prints it, without the marks of static integers: (4,(2,2)):(2,(1,8)).
func (l Layout) String() string {
	return l.write(func(m mode) int { return m.size }) + ":" + l.write(func(m mode) int { return m.stride })
}

// Nested is a tuple in JSON: a number for a leaf, otherwise a list.
type Nested = any

// Shape returns the tree of sizes.
func (l Layout) Shape() Nested { return l.nest(func(m mode) int { return m.size }) }

// Strides returns the tree of strides, congruent with Shape.
func (l Layout) Strides() Nested { return l.nest(func(m mode) int { return m.stride }) }

func (l Layout) nest(number func(mode) int) Nested {
	if l.modes == nil {
		return number(l.leaf)
	}
	list := make([]Nested, len(l.modes))
	for k, m := range l.modes {
		list[k] = m.nest(number)
	}
	return list
}

func (l Layout) write(number func(mode) int) string {
	if l.modes == nil {
		return strconv.Itoa(number(l.leaf))
	}
	parts := make([]string, len(l.modes))
	for k, m := range l.modes {
		parts[k] = m.write(number)
	}
	return "(" + strings.Join(parts, ",") + ")"
}

// equal reports whether two layouts have the same modes; other layouts can be the same function.
func (l Layout) equal(o Layout) bool { return l.String() == o.String() }

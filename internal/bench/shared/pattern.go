package shared

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// maxElements bounds the elements of a tile, and of all accesses to it.
const maxElements = 1 << 20

// maxVector is the number of bytes that a thread accesses at once: a power of two up to this.
const maxVector = 16

// Pattern is how the threads of warps access a tile; make one with Parse. Each thread takes a vector of consecutive elements; an access
// has the threads that are served together.
type Pattern struct {
	Text string // as written

	about    string    // what the threads do
	shape    []int     // of the tile
	steps    []int     // its row-major strides
	size     int       // bytes per element
	n        int       // elements per vector
	accesses [][]int32 // row-major indices of the elements, vector after vector
}

// String describes the pattern in words.
func (p *Pattern) String() string {
	return fmt.Sprintf("%s access %s each; a warp is served %s at a time", p.about, text.Count(p.n*p.size, "byte"),
		text.Count(Served(p.n*p.size), "thread"))
}

// Cost is what a pattern costs in one layout.
type Cost struct {
	Pattern
	BankCounts

	words []int // by element
}

// Words returns the number of words that an access needs of the bank in which the element begins, at most over its accesses; 0 if no
// thread accesses the element. element is its row-major index.
func (c *Cost) Words(element int) int { return c.words[element] }

// Simulate parses a pattern and counts what it costs in the layout.
func Simulate(pattern string, l tensor.Layout, size int) (Cost, error) {
	p, err := Parse(pattern, l, size)
	if err != nil {
		return Cost{}, err
	}
	c := Cost{Pattern: p, words: make([]int, l.Numel())}
	offsets := offsetsOf(l)
	c.BankCounts, err = p.count(l, offsets, func(access []int32, words *[Banks]int) {
		for _, e := range access {
			bank := offsets[e] * size / WordBytes % Banks
			c.words[e] = max(c.words[e], words[bank])
		}
	})
	return c, err
}

// Count counts what the pattern costs in a layout of its tile. It fails with Usage if a vector is not one aligned run.
func (p *Pattern) Count(l tensor.Layout) (BankCounts, error) { return p.count(l, offsetsOf(l), nil) }

// count counts the accesses at the offsets of l, by row-major index, and calls visit, unless that is nil, after each.
func (p *Pattern) count(l tensor.Layout, offsets []int, visit func(access []int32, words *[Banks]int)) (BankCounts, error) {
	var counts BankCounts
	starts := make([]int, 0, Warp)
	for _, access := range p.accesses {
		starts = starts[:0]
		for k := 0; k < len(access); k += p.n {
			if !whole(access[k:k+p.n], offsets) {
				return counts, p.broken(l, int(access[k]))
			}
			starts = append(starts, offsets[access[k]]*p.size)
		}
		words := counts.Access(starts, p.n*p.size)
		if visit != nil {
			visit(access, &words)
		}
	}
	return counts, nil
}

// offsetsOf returns the offsets of all elements, by row-major index.
func offsetsOf(l tensor.Layout) []int {
	offsets := make([]int, 0, l.Numel())
	for _, off := range l.Logical() {
		offsets = append(offsets, off)
	}
	return offsets
}

// whole reports whether a vector is one aligned run.
func whole(vector []int32, offsets []int) bool {
	first := offsets[vector[0]]
	for k, e := range vector {
		if offsets[e] != first+k {
			return false
		}
	}
	return first%len(vector) == 0
}

// broken is the error for a vector that begins with an element.
func (p *Pattern) broken(l tensor.Layout, element int) error {
	coord := make([]int, len(p.shape))
	for d, step := range p.steps {
		coord[d], element = element/step, element%step
	}
	return fault.New(fault.Usage, "the %d bytes from %s on are not consecutive and aligned in %s", p.n*p.size, tensor.Tuple(coord), l).
		WithHint("a swizzle keeps vectors of 2^base elements whole")
}

package shared

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Limits of a pattern.
const (
	maxElements = 1 << 20 // of a tile, and of all accesses to it
	maxVector   = 16      // bytes that a thread accesses at once
)

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
	Words []int // by row-major index of an element: most words that an access of it needs of its bank; 0 without an access
}

// Simulate parses a pattern and counts what it costs in the layout.
func Simulate(pattern string, l tensor.Layout, size int) (Cost, error) {
	p, err := Parse(pattern, l, size)
	if err != nil {
		return Cost{}, err
	}
	c := Cost{Pattern: p, Words: make([]int, l.Numel())}
	c.BankCounts, err = p.count(offsetsOf(l.Plain()), l.Swizzle(), c.Words, math.MaxInt)
	return c, err
}

// fill sets the accesses of threads that each take values, n at a time, warp by warp; at returns the element of a value.
func (p *Pattern) fill(threads, values int, at func(thread, value int) int) {
	for warp := 0; warp < threads; warp += Warp {
		for v := 0; v < values; v += p.n {
			for t := range min(Warp, threads-warp) {
				if t%Served(p.n*p.size) == 0 {
					p.accesses = append(p.accesses, nil)
				}
				access := &p.accesses[len(p.accesses)-1]
				for k := range p.n {
					*access = append(*access, int32(at(warp+t, v+k)))
				}
			}
		}
	}
}

// count counts the accesses at the offsets of the elements, swizzled by z, and sets words unless that is nil. It stops, with a lower bound
// of the transactions, when they exceed limit. It fails with Usage if a vector is not one aligned run.
func (p *Pattern) count(offsets []int, z tensor.Swizzle, words []int, limit int) (BankCounts, error) {
	var counts BankCounts
	starts := make([]int, 0, Warp)
	for k, access := range p.accesses {
		if left := len(p.accesses) - k; counts.Transactions+left > limit {
			counts.Transactions += left
			break
		}
		starts = starts[:0]
		last := 0
		for k, e := range access {
			at := z.Apply(offsets[e])
			want := last + 1
			if k%p.n == 0 { // the first of a vector, which is aligned
				want = at - at%p.n
				starts = append(starts, at*p.size)
			}
			if at != want {
				return counts, p.broken(int(access[k-k%p.n]))
			}
			last = at
		}
		needed := counts.Access(starts, p.n*p.size)
		for _, e := range access {
			if words != nil {
				words[e] = max(words[e], needed[z.Apply(offsets[e])*p.size/WordBytes%Banks])
			}
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

// broken is the error for the vector from an element on.
func (p *Pattern) broken(element int) error {
	coord := make([]int, len(p.shape))
	for d, step := range p.steps {
		coord[d] = element / step
		element = element % step
	}
	return fault.New(fault.Usage, "the %d bytes from %s on are not consecutive and aligned", p.n*p.size, tensor.Tuple(coord)).
		WithHint("strides and the offset need to be multiples of %d, the base of a swizzle at least %d", p.n, bits.Len(uint(p.n))-1)
}

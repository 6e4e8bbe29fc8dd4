package shared

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// Warps are threads that read the elements of a tensor in shared memory. Each reads a vector of consecutive elements; threads are numbered
// along Dim first, then along the other dims from the last to the first. A warp has 32 of them.
//
//	(8,64) of float16, Dim H, Bytes 16    thread 0 reads (0, 0…7), thread 1 (1, 0…7), …, thread 8 (0, 8…15)
type Warps struct {
	Dim   string // "" for none
	Bytes int    // bytes per vector; 0 for one element
}

// maxThreads bounds the number of threads to simulate.
const maxThreads = 1 << 20

// Walk simulates Warps in one layout.
type Walk struct {
	layout tensor.Layout
	size   int   // bytes per element
	order  []int // dims in the order that numbers threads, fastest first
	along  int   // dim of a vector's elements
	n      int   // elements per vector
	served int   // threads per access
	words  [][Banks]int

	Counts BankCounts
}

// Count counts the bank conflicts of reading all elements of a layout, by at most 2²⁰ threads. It fails with Usage if the dim does
// not exist, or vectors are not consecutive, aligned elements.
func Count(l tensor.Layout, size int, w Warps) (BankCounts, error) {
	c, err := New(l, size, w)
	return c.Counts, err
}

// New simulates the threads; its errors are those of Count.
func New(l tensor.Layout, size int, w Warps) (Walk, error) {
	c := Walk{layout: l, size: size, along: -1}
	dim := slices.IndexFunc(l.Names(), func(name string) bool { return strings.EqualFold(name, w.Dim) })
	bytes := cmp.Or(w.Bytes, size)
	switch {
	case dim < 0:
		return c, fault.New(fault.Usage, "no dim %s for threads to read along", text.Quoted(w.Dim)).
			WithHint("dims are %s", strings.Join(l.Names(), ", "))
	case bytes < size || bytes%size != 0 || bytes&(bytes-1) != 0 || bytes > 16:
		return c, fault.New(fault.Usage, "a thread cannot access %d bytes of %d-byte elements at once", bytes, size).
			WithHint("threads access 1, 2, 4, 8 or 16 bytes")
	case !l.InBounds():
		return c, fault.New(fault.Usage, "layout %s exceeds its storage", l)
	}
	c.n, c.served = bytes/size, Served(bytes)
	c.order = []int{dim}
	for d := l.Rank() - 1; d >= 0; d-- {
		if d != dim {
			c.order = append(c.order, d)
		}
	}
	if err := c.vectors(); err != nil {
		return c, err
	}
	return c, c.count()
}

// vectors finds the dim whose elements are consecutive.
func (c *Walk) vectors() error {
	if c.n == 1 {
		return nil
	}
	c.along = slices.IndexFunc(c.order, func(d int) bool { return c.layout.Dim(d).Digits[0].Stride == 1 && c.layout.Dim(d).Size > 1 })
	if c.along < 0 {
		return fault.New(fault.Usage, "a thread cannot access %d elements at once: no dim of %s has stride 1", c.n, c.layout)
	}
	c.along = c.order[c.along]
	if d := c.layout.Dim(c.along); d.Size%c.n != 0 {
		return fault.New(fault.Usage, "size %d of %s is not a multiple of the vector length %d", d.Size, d.Name, c.n)
	}
	return nil
}

// step returns how many indices of a dim a thread reads.
func (c *Walk) step(d int) int {
	if d == c.along {
		return c.n
	}
	return 1
}

// count simulates the threads, access by access.
func (c *Walk) count() error {
	coord, starts := make([]int, c.layout.Rank()), make([]int, 0, c.served)
	for range min(c.layout.Numel()/c.n, maxThreads) {
		at := c.layout.At(coord...)
		if err := c.checkVector(coord, at); err != nil {
			return err
		}
		if starts = append(starts, at*c.size); len(starts) == c.served {
			c.words = append(c.words, c.Counts.Access(starts, c.n*c.size))
			starts = starts[:0]
		}
		for _, d := range c.order {
			if coord[d] += c.step(d); coord[d] < c.layout.Dim(d).Size {
				break
			}
			coord[d] = 0
		}
	}
	if len(starts) > 0 {
		c.words = append(c.words, c.Counts.Access(starts, c.n*c.size))
	}
	return nil
}

// checkVector returns an error unless the vector is one aligned run.
func (c *Walk) checkVector(coord []int, at int) error {
	for k := 1; k < c.n; k++ {
		coord[c.along] += k
		next := c.layout.At(coord...)
		coord[c.along] -= k
		if next != at+k || at%c.n != 0 {
			return fault.New(fault.Usage, "the %d bytes from %s on are not consecutive and aligned in %s", c.n*c.size, tensor.Tuple(coord), c.layout).
				WithHint("a swizzle keeps vectors of 2^base elements whole")
		}
	}
	return nil
}

// Needs returns how many words of an element's bank its access needs; 0 if not counted.
func (c *Walk) Needs(coord []int, bank int) int {
	thread := 0
	for _, d := range slices.Backward(c.order) {
		thread = thread*(c.layout.Dim(d).Size/c.step(d)) + coord[d]/c.step(d)
	}
	if access := thread / c.served; access < len(c.words) {
		return c.words[access][bank]
	}
	return 0
}

// String describes the walk in words.
func (c *Walk) String() string {
	each := text.Count(c.n*c.size, "byte")
	return fmt.Sprintf("threads along %s read %s each; a warp is served %d threads at a time", c.layout.Dim(c.order[0]).Name, each, c.served)
}

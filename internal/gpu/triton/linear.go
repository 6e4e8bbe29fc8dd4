package triton

import (
	"math/bits"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// The inputs of a layout of threads. One of shared memory has the offset alone.
const (
	register = iota
	lane
	warp
	offset
	inputs
)

// Linear is a linear layout of threads: per input, the bases of its bits, least significant first. In tensor memory, lanes hold what
// threads hold elsewhere, columns what registers hold, and CTAs what warps hold.
type Linear struct {
	bases [inputs][][]int
	held  [inputs]int // in tensor memory: the bits of a lane and of a column that the bases are of
}

// Threads returns the number of threads.
func (l Linear) Threads() int { return 1 << (len(l.bases[lane]) + len(l.bases[warp])) }

// Values returns the number of registers of a thread.
func (l Linear) Values() int { return 1 << len(l.bases[register]) }

// Warp returns the number of lanes of a warp.
func (l Linear) Warp() int { return 1 << len(l.bases[lane]) }

// At sets the coordinate of a register of a thread: the XOR of the bases of the set bits.
func (l Linear) At(thread, value int, coord []int) {
	clear(coord)
	for i, x := range [inputs]int{value, thread % l.Warp(), thread / l.Warp()} {
		for k, b := range l.bases[i] {
			for d := range coord {
				coord[d] ^= b[d] * (x >> k & 1)
			}
		}
	}
}

// builder builds the bases of an attribute over a shape. After the first error, err, they mean nothing.
type builder struct {
	Attribute
	Linear
	shape   []int
	size    []int          // of what the bases reach, by dim
	swizzle tensor.Swizzle // of a layout of shared memory
	err     error
}

func newBuilder(a Attribute, shape []int) *builder {
	b := &builder{Attribute: a, shape: shape, size: slices.Repeat([]int{1}, len(shape))}
	if len(shape) == 0 || slices.ContainsFunc(shape, func(n int) bool { return !isPower(n) || n > maxValue }) {
		b.fail(fault.Usage, "sizes %s: those of Triton's tensors are powers of two, here up to %d", tensor.Tuple(shape), maxValue)
	}
	return b
}

// build runs the function of the kind, if its layouts are supported here.
func (b *builder) build(supported bool) {
	if !supported || b.kind.build == nil {
		b.fail(fault.Unsupported, "%s is a layout of %s", b.kind.name, b.kind.domain)
	}
	if b.err == nil {
		b.kind.build(b)
	}
}

func (b *builder) fail(class fault.Class, format string, args ...any) {
	if b.err == nil {
		b.err = fault.New(class, format, args...)
	}
}

func isPower(n int) bool { return n > 0 && bits.OnesCount(uint(n)) == 1 }

func log2(n int) int { return bits.Len(uint(n)) - 1 }

// extend multiplies by an identity: an input walks n steps along dim d, from the end of what the bases reach. Sizes stop above those of
// all tensors.
func (b *builder) extend(input, d, n int) {
	if !isPower(n) {
		b.fail(fault.Usage, "%s has %d elements in dim %d, which is not a power of two", b.kind.name, n, d)
	}
	for k := 1; k < n; k *= 2 {
		basis := make([]int, len(b.size))
		basis[d] = b.size[d]
		if b.size[d] <= maxValue {
			b.size[d] *= 2
		}
		b.bases[input] = append(b.bases[input], basis)
	}
}

// extendAll multiplies by an identity of several dims, the fastest first.
func (b *builder) extendAll(input int, order, sizes []int) {
	for _, d := range order {
		b.extend(input, d, sizes[d])
	}
}

// cover extends an input along a dim up to the size of the tensor.
func (b *builder) cover(input, d int) { b.extend(input, d, max(1, b.shape[d]/b.size[d])) }

// fit makes the layout cover the shape exactly: an input repeats it along smaller dims, in an order, and in larger ones it wraps.
//
//	basis[d] mod shape[d]
func (b *builder) fit(input int, order []int) {
	for _, d := range order {
		b.cover(input, d)
	}
	for _, basis := range slices.Concat(b.bases[:]...) {
		for d, n := range b.shape {
			basis[d] %= n
		}
	}
}

// dropWrapped drops registers that reach beyond the shape: of blocked and linear layouts, they do not repeat elements.
func (b *builder) dropWrapped() {
	b.bases[register] = slices.DeleteFunc(b.bases[register], func(basis []int) bool {
		return slices.ContainsFunc(matrixOrder(len(basis), true), func(d int) bool { return basis[d] >= b.shape[d] })
	})
}

// vectors returns a list of vectors of n numbers.
func (b *builder) vectors(name string, n int) (list [][]int) {
	rows, ok := b.fields[fold(name)]
	if !ok {
		b.fail(fault.Usage, "%s lacks its field %s", b.kind.name, name)
	}
	for _, row := range rows {
		if len(row) != n {
			b.fail(fault.Usage, "%s of %s has %d numbers in a row, expected %d", name, b.kind.name, len(row), n)
			return nil
		}
		list = append(list, slices.Clone(row))
	}
	return list
}

// numbers returns a list of n numbers; ones after an error.
func (b *builder) numbers(name string, n int) []int {
	if rows := b.vectors(name, n); len(rows) == 1 {
		return rows[0]
	}
	b.fail(fault.Usage, "%s of %s is not a list of %d", name, b.kind.name, n)
	return slices.Repeat([]int{1}, n)
}

// option returns a number, or absent if it is not given.
func (b *builder) option(name string, absent int) int {
	if b.fields[fold(name)] == nil {
		return absent
	}
	return b.numbers(name, 1)[0]
}

// order returns the dims, fastest first.
func (b *builder) order() []int {
	rows := matrixOrder(len(b.shape), true)
	if given := b.fields["order"]; len(given) == 1 && len(given[0]) != len(rows) {
		b.fail(fault.Usage, "%s has %s, the tensor %d", b.kind.name, text.Count(len(given[0]), "dim"), len(rows))
	}
	order := b.numbers("order", len(rows))
	for _, d := range rows {
		if !slices.Contains(order, d) {
			b.fail(fault.Usage, "order of %s lacks dim %d", b.kind.name, d)
			return rows
		}
	}
	return order
}

// matrixOrder returns the dims, fastest first: the last two, then the batches.
func matrixOrder(rank int, rowMajor bool) []int {
	order := make([]int, rank)
	for d := range order {
		order[d] = rank - 1 - d
	}
	if !rowMajor {
		order[0], order[1] = order[1], order[0]
	}
	return order
}

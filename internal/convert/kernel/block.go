package kernel

import "math/bits"

// block is the argument of a transposition kernel. _asm relies on the order of the fields, one word each.
type block struct {
	dst        *byte
	dstRows    *int
	src        *byte
	srcRows    *int
	rows, cols int // of the source; multiples of the kernel's tile
}

// matrix is a transposition to be cut into blocks: the arguments of Transpose.
type matrix struct {
	dst     []byte
	dstRows []int
	src     []byte
	srcRows []int
	size    int
}

// square is the number of elements in a vector of 16 bytes: a power of two, computed without a division, which would take
// as long as a line of a block.
func (m *matrix) square() int { return 16 >> bits.TrailingZeros(uint(m.size)) }

// transpose cuts a matrix of at least lanes·n rows and n columns into tiles of that size, where n = 16/size. The
// remainder at the right and at the bottom is a tile that overlaps finished ones and writes the same bytes again.
func (m *matrix) transpose(lanes int, stream bool) {
	rows, n := len(m.srcRows), m.square()
	whole := rows &^ (lanes*n - 1)
	m.panel(0, whole, lanes, stream)
	if whole == rows {
		return
	}
	for lanes > 1 && lanes/2*n >= rows-whole {
		lanes /= 2
	}
	m.panel(rows-lanes*n, lanes*n, lanes, false)
}

// panel transposes all columns of the rows from first on.
func (m *matrix) panel(first, rows, lanes int, stream bool) {
	cols, n := len(m.dstRows), m.square()
	whole := cols &^ (n - 1)
	b := block{
		dst: &m.dst[first*m.size], dstRows: &m.dstRows[0], src: &m.src[0], srcRows: &m.srcRows[first],
		rows: rows, cols: whole,
	}
	b.run(m.size, lanes, stream)
	if whole < cols {
		b.dstRows, b.src, b.cols = &m.dstRows[cols-n], &m.src[(cols-n)*m.size], n
		b.run(m.size, lanes, stream)
	}
}

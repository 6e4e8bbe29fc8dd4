package kernel

import "math/bits"

// block is what a transposition kernel works on. _asm knows the order of the fields, which are words.
type block struct {
	dst        *byte
	dstRows    *int
	src        *byte
	srcRows    *int
	rows, cols int // of the source; multiples of what the kernel does at once
}

// matrix is a transposition that is cut into blocks: the arguments of Transpose.
type matrix struct {
	dst     []byte
	dstRows []int
	src     []byte
	srcRows []int
	size    int
}

// square is how many items a vector of 16 bytes has: a power of two, found without a division, which takes as long as
// a line of a block.
func (m *matrix) square() int { return 16 >> bits.TrailingZeros(uint(m.size)) }

// transpose cuts a matrix of at least step rows and n columns, where step = lanes·n and n = 16/size. What is left
// over at the right and below is done together with a part of what is done already, which gives the same bytes again.
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

// panel transposes all columns of some rows.
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

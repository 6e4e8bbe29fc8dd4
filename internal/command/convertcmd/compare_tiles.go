//go:build !js

package convertcmd

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/tlayout/tlayout/internal/convert"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
)

// batchBytes is the size of what a thread compares in one piece.
const batchBytes = 1 << 20

// blockSide is the number of rows, and of columns, compared at once, whose lines stay in a core's cache.
const blockSide = 64

// byAddresses compares all elements, tile by tile.
func (c *comparison) byAddresses() error {
	size := c.dtype.ItemSize()
	unit := c.swap
	if unit == 0 {
		unit = min(8, size&-size)
	}
	dims := sameDims(c.from.Names(), c.to.Names())
	p := newAddresses(c.from, c.to, dims, size, unit)
	each := max(1, batchBytes/(p.rows.len()*p.columns.len()*unit))
	var done atomic.Int64
	return convert.Parallel(c.threads, (p.tiles+each-1)/each, c.guard, func(int) func(int) error {
		var rows, columns table
		rows.part = -1
		columns.part = -1
		return func(k int) error {
			for n := k * each; n < min(p.tiles, (k+1)*each); n++ {
				src, dst := p.tile(n, &rows, &columns)
				if !c.tile(src, dst, unit, &rows, &columns) {
					return c.find(p, n, src, dst, unit, &rows, &columns)
				}
				compared := len(rows.src) * len(columns.src) * unit
				c.elements.Add(int64(compared / size))
				if read := 2 * int64(compared); crosses(done.Add(read), read) && c.release != nil {
					c.release()
				}
			}
			return nil
		}
	})
}

// tile compares the numbers of a tile: runs of both sides as bytes, others one by one, in blocks.
func (c *comparison) tile(src, dst, unit int, rows, columns *table) bool {
	if c.swap == 0 {
		if n := runOf(columns, unit); n > 1 {
			return c.runs(src, dst, n, unit, rows, columns)
		}
	}
	compare := equalOf[unit]
	for i := 0; i < len(rows.src); i += blockSide {
		block := rows.cut(i)
		for j := 0; j < len(columns.src); j += blockSide {
			if !compare(c.want, c.got, src, dst, block, columns.cut(j), c.swap > 0) {
				return false
			}
		}
	}
	return true
}

// cut returns a block of a table from an index on.
func (t *table) cut(from int) table {
	to := min(len(t.src), from+blockSide)
	return table{src: t.src[from:to], dst: t.dst[from:to]}
}

// runOf returns the largest number of indices that divides the table into runs of both sides.
func runOf(t *table, unit int) int {
	n := 1
	for n < len(t.src) && t.src[n] == n*unit && t.dst[n] == n*unit {
		n++
	}
	for ; n > 1; n-- {
		if len(t.src)%n == 0 && isRuns(t, n, unit) {
			return n
		}
	}
	return 1
}

func isRuns(t *table, n, unit int) bool {
	for i := range t.src {
		first := i - i%n
		if t.src[i]-t.src[first] != (i-first)*unit || t.dst[i]-t.dst[first] != (i-first)*unit {
			return false
		}
	}
	return true
}

// runs compares a tile whose columns are runs of n numbers.
func (c *comparison) runs(src, dst, n, unit int, rows, columns *table) bool {
	for i := range rows.src {
		for j := 0; j < len(columns.src); j += n {
			s, d := src+rows.src[i]+columns.src[j], dst+rows.dst[i]+columns.dst[j]
			if !bytes.Equal(c.want[s:s+n*unit], c.got[d:d+n*unit]) {
				return false
			}
		}
	}
	return true
}

// find returns the error for the first element of a tile that differs.
func (c *comparison) find(p *addresses, n, src, dst, unit int, rows, columns *table) error {
	for j := range columns.src {
		for i := range rows.src {
			s, d := src+rows.src[i]+columns.src[j], dst+rows.dst[i]+columns.dst[j]
			if !c.same(c.want[s:s+unit], c.got[d:d+unit]) {
				return differs(p.coord(n, i, j, c.from.Rank()))
			}
		}
	}
	return fault.New(fault.Negative, "a tile differs, none of its elements does")
}

// equalOf are the functions that compare the numbers of a block, by their size in bytes. swap reverses the bytes of those in want.
// They are one loop, written out for each size: a generic one that calls its loads takes 2.5 times as long.
var equalOf = map[int]func(want, got []byte, src, dst int, rows, columns table, swap bool) bool{1: equal1, 2: equal2, 4: equal4, 8: equal8}

func equal1(want, got []byte, src, dst int, rows, columns table, _ bool) bool {
	var other byte
	for j, s := range columns.src {
		s, d := src+s, dst+columns.dst[j]
		to := rows.dst[:len(rows.src)]
		for i, r := range rows.src {
			other |= want[s+r] ^ got[d+to[i]]
		}
	}
	return other == 0
}

func equal2(want, got []byte, src, dst int, rows, columns table, swap bool) bool {
	var other uint16
	for j, s := range columns.src {
		s, d := src+s, dst+columns.dst[j]
		to := rows.dst[:len(rows.src)]
		for i, r := range rows.src {
			x, y := binary.LittleEndian.Uint16(want[s+r:]), binary.LittleEndian.Uint16(got[d+to[i]:])
			if swap {
				x = bits.ReverseBytes16(x)
			}
			other |= x ^ y
		}
	}
	return other == 0
}

func equal4(want, got []byte, src, dst int, rows, columns table, swap bool) bool {
	var other uint32
	for j, s := range columns.src {
		s, d := src+s, dst+columns.dst[j]
		to := rows.dst[:len(rows.src)]
		for i, r := range rows.src {
			x, y := binary.LittleEndian.Uint32(want[s+r:]), binary.LittleEndian.Uint32(got[d+to[i]:])
			if swap {
				x = bits.ReverseBytes32(x)
			}
			other |= x ^ y
		}
	}
	return other == 0
}

func equal8(want, got []byte, src, dst int, rows, columns table, swap bool) bool {
	var other uint64
	for j, s := range columns.src {
		s, d := src+s, dst+columns.dst[j]
		to := rows.dst[:len(rows.src)]
		for i, r := range rows.src {
			x, y := binary.LittleEndian.Uint64(want[s+r:]), binary.LittleEndian.Uint64(got[d+to[i]:])
			if swap {
				x = bits.ReverseBytes64(x)
			}
			other |= x ^ y
		}
	}
	return other == 0
}

// gaps compares what is between the elements of a result, in the order of their offsets: its nested digits count them, the innermost as runs.
func (c *comparison) gaps(digits []digit) error {
	g := &gapWalk{comparison: c, digits: digits, index: make([]int, c.to.Rank())}
	base := c.to.Offset()
	for _, x := range digits {
		if x.Stride < 0 {
			base += (x.Extent - 1) * x.Stride // the smallest offset of any combination
		}
	}
	g.pads = bytes.Repeat(c.inFile(c.pad), max(1, 4096/c.dtype.ItemSize()))
	walk := func() error {
		if err := g.walk(0, base); err != nil {
			return err
		}
		return g.pad(g.next, c.to.Alloc())
	}
	if c.guard == nil {
		return walk()
	}
	return c.guard(walk)
}

// inFile returns an element of the source in the byte order of the result.
func (c *comparison) inFile(item []byte) []byte {
	item = slices.Clone(item)
	if c.swap > 0 {
		for number := range slices.Chunk(item, c.swap) {
			slices.Reverse(number)
		}
	}
	return item
}

// gapWalk is a walk over the elements of a result by increasing offsets.
type gapWalk struct {
	*comparison
	digits []digit
	index  []int // of each dim
	next   int   // first offset not visited
	pads   []byte
	read   int // offsets since memory was released
}

// walk visits the elements that digits k and further count, whose smallest offset is base.
func (g *gapWalk) walk(k, base int) error {
	if k == len(g.digits) {
		return g.run(base, 1)
	}
	x := g.digits[k]
	at := &g.index[x.dim]
	size := g.to.Dim(x.dim).Size
	first := *at
	if k == len(g.digits)-1 && x.Stride == 1 { // indices increase with offsets: the first ones below the size
		return g.run(base, max(0, min(x.Extent, (size-first+x.Div-1)/x.Div)))
	}
	for n := range x.Extent {
		i := n
		if x.Stride < 0 {
			i = x.Extent - 1 - n
		}
		*at = first + i*x.Div
		if *at >= size {
			continue
		}
		if err := g.walk(k+1, base+n*ints.Abs(x.Stride)); err != nil {
			return err
		}
	}
	*at = first
	return nil
}

// run visits n consecutive elements.
func (g *gapWalk) run(at, n int) error {
	if n == 0 {
		return nil
	}
	if at > g.next {
		if err := g.pad(g.next, at); err != nil {
			return err
		}
	}
	g.next = at + n
	if g.release != nil && (g.next-g.read)*g.dtype.ItemSize() > maxMapped {
		g.release()
		g.read = g.next
	}
	return nil
}

// pad compares the offsets [from, to) with the pad value.
func (g *gapWalk) pad(from, to int) error {
	size := g.dtype.ItemSize()
	for at := from; at < to; {
		n := min(to-at, len(g.pads)/size)
		if !bytes.Equal(g.got[at*size:(at+n)*size], g.pads[:n*size]) {
			return g.padding(at, at+n)
		}
		at += n
	}
	return nil
}

package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tileShape is the shape of a tile in lanes of 16 bytes, n = 16/size elements each: rows·n rows and cols·n columns of the
// source. Its columns become rows of rows·16 bytes.
type tileShape struct{ rows, cols int }

// tileShapes are those of an instruction set. Where a destination row has 16 or 32 bytes, shapes of 1 and 2 rows write a
// line at once: several destination rows, which must be adjacent. 4x4 reads each line once.
var tileShapes = map[isa][]tileShape{
	sse2:   {{1, 1}},
	avx2:   {{4, 1}, {2, 1}},
	avx512: {{4, 4}, {4, 2}, {4, 1}, {2, 2}, {1, 4}},
}

func tiles(c *build.Context) {
	for _, s := range []isa{sse2, avx2, avx512} {
		for _, shape := range tileShapes[s] {
			for _, size := range []int{1, 2, 4, 8, 16} {
				if shape == (tileShape{4, 4}) && size == 1 {
					continue // 64 lines are too many for the registers, in halves too
				}
				tile(c, s, shape, size, cached)
				if s != sse2 && shape != (tileShape{2, 1}) {
					tile(c, s, shape, size, streaming)
				}
				if s == avx512 && shape.rows == 4 {
					tile(c, s, shape, size, shifting)
					tile(c, s, shape, size, masking)
				}
			}
		}
	}
}

// stores says how a kernel writes: through the caches, lines past them, lines past them of rows that do not begin with one, or through the
// caches, only the first elements of a vector.
type stores int

const (
	cached stores = iota
	streaming
	shifting
	masking
)

func (s stores) String() string { return []string{"", "Stream", "Shift", "Mask"}[s] }

// past reports whether stores go past the caches.
func (s stores) past() bool { return s == streaming || s == shifting }

// tiler is the state of a kernel that transposes blocks tile by tile:
//
//	for job in jobs: for tile in tiles:
//	    rows = the tile's row group: where it goes in a destination row, then the offsets of its source rows
//	    cols = the tile's column group: where it is in a source row, how many columns to skip if lines go past the caches, then the offsets of its destination rows
//	    for i in cols, from skip on, but those that are no row: for j in rows: dst[job.dst + cols[i] + rows.at + j·size] = src[job.src + rows[j] + cols.at + i·size]
//	    prefetch the next lines of the next job's source, unless ahead is nil
//
// Where it shifts, a column's vector v of 64 bytes from any byte p of a line on is written as the line that begins p bytes before:
// the last p bytes of the vector before, which is in the column's carry, and the first of v. Then v is the carry.
//
//	line      |               |               |
//	      |   before      |       v       |
//	                  |carry→ written |
type tiler struct {
	*build.Context
	isa    isa
	shape  tileShape
	size   int
	stores stores

	b              reg.Register  // argument; jobs and many move in memory
	jobDst, jobSrc reg.GPVirtual // of the job
	to, from       reg.GPVirtual // of the tile
	rows, cols     reg.GPVirtual
	tiles, left    reg.GPVirtual
	nextSrc, ahead reg.GPVirtual   // the next job's source, and the offset of its next line
	carry          reg.GPVirtual   // of the tile's column group, where it shifts
	mask           reg.Register    // of the elements of a vector that are stored, where not all are
	lane           [4]reg.Register // masks of quadwords of AVX-512 registers: those of a lane, or from that lane on where rows have two
	part           string          // suffix of labels
}

// Fields of the argument, in bytes.
const (
	tilesDst, tilesSrc, tilesJobs, tilesMany, tilesTiles, tilesCount, tilesRows, tilesCols, tilesAhead = 0, 8, 16, 24, 32, 40, 48, 56, 64
	tilesCarry, tilesCounting, tilesMask                                                               = 72, 80, 88
)

// joined reports whether several destination rows, which must be adjacent, are written as one line.
func (t *tiler) joined() bool { return t.isa == avx512 && t.shape.rows < 4 }

// n is the number of elements in a lane.
func (t *tiler) n() int { return 16 / t.size }

// lines is the number of source lines in a tile.
func (t *tiler) lines() int { return t.shape.rows * t.n() * t.shape.cols / 4 }

// fetches reports whether the kernel fetches ahead: where it writes lines.
func (t *tiler) fetches() bool { return t.isa == avx512 || t.isa == avx2 && t.shape.rows == 4 }

func tile(c *build.Context, s isa, shape tileShape, size int, how stores) {
	name := fmt.Sprintf("tile%dx%dof%d%s%s", shape.rows, shape.cols, size, isaNames[s], how)
	t := &tiler{Context: c, isa: s, shape: shape, size: size, stores: how}
	begin(c, name, "tiles", fmt.Sprintf("transposes tiles of %d rows and %d columns.", shape.rows*t.n(), shape.cols*t.n()))
	t.b = c.Load(c.Param("b"), c.GP64())
	for _, r := range []*reg.GPVirtual{&t.jobDst, &t.jobSrc, &t.to, &t.from, &t.rows, &t.cols, &t.tiles, &t.left, &t.nextSrc, &t.ahead} {
		*r = c.GP64()
	}
	switch how {
	case shifting:
		t.carry = c.GP64()
	case masking:
		t.mask = c.K()
		c.KMOVQ(Mem{Base: t.b, Disp: tilesMask}, t.mask)
	}
	t.laneMasks()
	t.jobs()
	s.end(c)
}

// laneMasks makes the masks with which loads fill the lanes of a register: on AMD's Zen 4 an insertion takes a shuffle's place, a masked
// load does not.
func (t *tiler) laneMasks() {
	if t.isa != avx512 || t.shape.cols == 4 {
		return
	}
	bits := []uint64{0, 0xc, 0x30, 0xc0}
	if t.shape.cols == 2 {
		bits = []uint64{0, 0xf0}
	}
	for l := 1; l < len(bits); l++ {
		b := t.GP32()
		t.lane[l] = t.K()
		t.MOVL(U32(bits[l]), b)
		t.KMOVW(b, t.lane[l])
	}
}

func (t *tiler) jobs() {
	field := func(at int) Mem { return Mem{Base: t.b, Disp: at} }
	t.Label("job")
	t.MOVQ(field(tilesJobs), t.to)
	t.MOVQ(Mem{Base: t.to}, t.jobDst)
	t.ADDQ(field(tilesDst), t.jobDst)
	t.MOVQ(Mem{Base: t.to, Disp: 8}, t.jobSrc)
	t.ADDQ(field(tilesSrc), t.jobSrc)
	t.MOVQ(Mem{Base: t.to, Disp: 24}, t.nextSrc)
	t.ADDQ(field(tilesSrc), t.nextSrc)
	t.MOVQ(field(tilesAhead), t.ahead)
	t.MOVQ(field(tilesTiles), t.tiles)
	t.MOVQ(field(tilesCount), t.left)
	t.Label("tile")
	t.MOVQ(Mem{Base: t.tiles}, t.rows)
	t.ADDQ(field(tilesRows), t.rows)
	t.MOVQ(Mem{Base: t.tiles, Disp: 8}, t.cols)
	if t.stores == shifting { // a line for each word of the column groups
		t.MOVQ(t.cols, t.carry)
		t.SHLQ(Imm(3), t.carry)
		t.ADDQ(field(tilesCarry), t.carry)
	}
	t.ADDQ(field(tilesCols), t.cols)
	t.MOVQ(Mem{Base: t.rows}, t.to)
	t.ADDQ(t.jobDst, t.to)
	t.MOVQ(Mem{Base: t.cols}, t.from)
	t.ADDQ(t.jobSrc, t.from)
	if t.fetches() {
		t.prefetch()
	}
	t.tile()
	t.ADDQ(U32(16), t.tiles)
	t.DECQ(t.left)
	t.JNZ(LabelRef("tile"))
	t.ADDQ(U32(16), field(tilesJobs))
	t.DECQ(field(tilesMany))
	t.JNZ(LabelRef("job"))
}

// prefetch asks for as many lines of the next job's source as the tile has.
func (t *tiler) prefetch() {
	t.TESTQ(t.ahead, t.ahead)
	t.JZ(LabelRef("fetched"))
	for k := range t.lines() {
		off := t.GP64()
		t.MOVQ(Mem{Base: t.ahead, Disp: 8 * k}, off)
		t.PREFETCHT0(Mem{Base: t.nextSrc, Index: off, Scale: 1})
	}
	t.ADDQ(U32(8*t.lines()), t.ahead)
	t.Label("fetched")
}

// sourceRow is 16 bytes or more of a row of the tile, from its column on.
func (t *tiler) sourceRow(row, col int) Mem {
	off := t.GP64()
	t.MOVQ(Mem{Base: t.rows, Disp: 8 + 8*row}, off)
	return Mem{Base: t.from, Index: off, Scale: 1, Disp: col * t.size}
}

// vectors are registers by the row or column that they hold.
type vectors map[int]reg.VecVirtual

// tile transposes a tile. Registers hold n rows, or n rows of several groups in their lanes; n-by-n transpositions in every
// lane make n columns of them:
//
//	          lane 0     lane 1        lane 2        lane 3
//	4x1       row k      row n+k       row 2n+k      row 3n+k
//	2x2       row k      row k, col n  row n+k       row n+k, col n          4x2: two of them, for rows from 0 and from 2n on
//	1x4       row k      row k, col n  row k, col 2n row k, col 3n     4x4: four of them, for rows from 0, n, 2n and 3n on
//
// If registers cannot hold all rows and their results, it works in halves: the first half of the columns of each lane, then
// the other.
func (t *tiler) tile() {
	n, sets := t.n(), 1
	if t.isa == avx512 && t.shape.rows == 4 {
		sets = t.shape.cols
	}
	parts := 1 // of a destination row
	if t.isa == avx2 {
		parts = t.shape.rows / 2
	}
	halves := t.halves(sets)
	for odd := range halves {
		for part := range parts {
			var columns []vectors
			for set := range sets {
				columns = append(columns, t.columns(n*4/sets*set+n*2*part, odd, halves))
			}
			t.part = fmt.Sprintf("%d_%d", odd, part)
			t.store(columns, 16*int(t.isa)*part)
		}
	}
}

// halves is 2 if as many sets of n rows and their results are more than the registers hold, or their lines more than a
// processor writes together, else 1.
func (t *tiler) halves(sets int) int {
	if n := t.n(); n > 1 && (sets+1)*n > t.isa.registers() || t.isa == avx2 && n > 8 {
		return 2
	}
	return 1
}

// columns loads rows from the given one on and transposes them; of halves, every other column from odd on.
func (t *tiler) columns(first, odd, halves int) vectors {
	n := t.n()
	if halves == 1 {
		rows := vectors{}
		for k := range n {
			rows[k] = t.load(first, k)
		}
		return t.network(rows, n)
	}
	rows := vectors{}
	for r := range n / 2 {
		rows[2*r+odd] = t.isa.unpack(t.Context, t.size, odd, t.load(first, r), t.load(first, r+n/2))
	}
	return t.network(rows, n/2)
}

// load loads what register k of the rows from first on holds.
func (t *tiler) load(first, k int) reg.VecVirtual {
	n := t.n()
	switch {
	case t.shape.cols == 4: // of AVX-512 only, as that of 2
		return t.isa.load(t.Context, t.sourceRow(first+k, 0))
	case t.shape.cols == 2:
		v := t.ZMM()
		t.VBROADCASTI64X4(t.sourceRow(first+k, 0), v)
		t.VBROADCASTI64X4(t.sourceRow(first+n+k, 0), t.lane[1], v)
		return v
	case t.isa == avx512:
		v := t.ZMM()
		t.VBROADCASTI64X2(t.sourceRow(first+k, 0), v)
		for l := 1; l < 4; l++ {
			t.VBROADCASTI64X2(t.sourceRow(first+l*n+k, 0), t.lane[l], v)
		}
		return v
	}
	var v reg.VecVirtual
	for l := range int(t.isa) {
		v = t.isa.lane(t.Context, v, l, t.sourceRow(first+l*n+k, 0))
	}
	return v
}

// network transposes n-by-n elements in every lane. A stage is a perfect shuffle of the elements of all rows,
//
//	b[2i] = unpack(low, a[i], a[i+n/2]), b[2i+1] = unpack(high, a[i], a[i+n/2])
//
// which rotates the bits of an element's position (row, column) by one; log2(n) of them swap row and column:
//
//	a0 = 00 01 02 03      00 20 01 21      00 10 20 30
//	a1 = 10 11 12 13  →   02 22 03 23  →   01 11 21 31
//	a2 = 20 21 22 23      10 30 11 31      02 12 22 32
//	a3 = 30 31 32 33      12 32 13 33      03 13 23 33
//
// rest is 2 to the power of the remaining stages.
func (t *tiler) network(rows vectors, rest int) vectors {
	n := t.n()
	for ; rest > 1; rest /= 2 {
		next := vectors{}
		for i := range n / 2 {
			if a, ok := rows[i]; ok {
				next[2*i] = t.isa.unpack(t.Context, t.size, low, a, rows[i+n/2])
				next[2*i+1] = t.isa.unpack(t.Context, t.size, high, a, rows[i+n/2])
			}
		}
		rows = next
	}
	return rows
}

// store writes what the sets of columns make, at bytes from where the tile's rows begin. Columns of
// whole lines past the caches are written once: those that belong to the group before are skipped. Others are written again.
func (t *tiler) store(sets []vectors, at int) {
	type written struct {
		first int // column
		v     reg.VecVirtual
	}
	var all []written
	n := t.n()
	for j := range n {
		v, ok := sets[0][j]
		if !ok {
			continue
		}
		switch {
		case t.isa == avx512 && t.shape == (tileShape{4, 4}):
			for l, v := range t.corner(v, sets[1][j], sets[2][j], sets[3][j]) {
				all = append(all, written{l*n + j, v})
			}
		case t.isa == avx512 && t.shape == (tileShape{4, 2}):
			all = append(all, written{j, t.lanes(0x88, v, sets[1][j])}, written{n + j, t.lanes(0xdd, v, sets[1][j])})
		case t.isa == avx512 && t.shape == (tileShape{2, 2}) && n == 1:
			all = append(all, written{0, t.lanes(0xd8, v, v)})
		case t.isa == avx512 && t.shape == (tileShape{2, 2}):
			if next, ok := sets[0][j+1]; ok && j%2 == 0 {
				all = append(all, written{j, t.lanes(0x88, v, next)}, written{n + j, t.lanes(0xdd, v, next)})
			}
		case t.isa == avx512 && t.shape == (tileShape{1, 4}) && n == 1:
			all = append(all, written{0, v})
		case t.isa == avx512 && t.shape == (tileShape{1, 4}) && n == 2:
			if j == 0 {
				for half, pick := range []uint64{0x44, 0xee} {
					both := t.lanes(pick, v, sets[0][1])
					all = append(all, written{4 * half, t.lanes(0xd8, both, both)})
				}
			}
		case t.isa == avx512 && t.shape == (tileShape{1, 4}):
			if j%4 == 0 {
				for l, v := range t.corner(v, sets[0][j+1], sets[0][j+2], sets[0][j+3]) {
					all = append(all, written{l*n + j, v})
				}
			}
		default:
			all = append(all, written{j, v})
		}
	}
	joined := t.joined()
	skips := t.stores.past() && !joined
	skip := t.GP64()
	if skips {
		t.MOVQ(Mem{Base: t.cols, Disp: 8}, skip)
	}
	for _, w := range all {
		next := fmt.Sprintf("after%s_%d", t.part, w.first)
		if skips {
			t.CMPQ(skip, Imm(uint64(w.first)))
			t.JHI(LabelRef(next))
		}
		off := t.GP64()
		t.MOVQ(Mem{Base: t.cols, Disp: 16 + 8*w.first}, off)
		if !joined { // only the highest number minus -1 overflows
			t.CMPQ(off, I8(-1))
			t.JO(LabelRef(next))
		}
		to := Mem{Base: t.to, Index: off, Scale: 1, Disp: at}
		switch t.stores {
		case shifting:
			t.shift(w.v, off, t.carry, 16+8*w.first)
		case masking:
			t.storeMasked(w.v, to)
		default:
			t.isa.store(t.Context, w.v, to, t.stores == streaming)
		}
		if !joined {
			t.Label(next)
		}
	}
}

// storeMasked stores the first elements of a vector.
func (t *tiler) storeMasked(v reg.VecVirtual, to Mem) {
	switch t.size {
	case 1:
		t.VMOVDQU8(v, t.mask, to)
	case 2:
		t.VMOVDQU16(v, t.mask, to)
	case 4:
		t.VMOVDQU32(v, t.mask, to)
	default:
		t.VMOVDQU64(v, t.mask, to)
	}
}

// shift writes the line that v completes, a column at off from where the tile's rows begin, whose word is at so many bytes of its group.
func (t *tiler) shift(v reg.VecVirtual, off, carry reg.GPVirtual, word int) {
	past, line, before := t.GP64(), t.ZMM(), Mem{Base: carry, Disp: 8 * word}
	t.ADDQ(t.to, off)
	t.MOVQ(off, past)
	t.ANDQ(Imm(63), past)
	t.SUBQ(past, off)
	t.NEGQ(past)
	t.ADDQ(Mem{Base: t.b, Disp: tilesCounting}, past)
	t.VMOVDQU64(Mem{Base: past, Disp: 64}, line) // 64-past and so on: bytes of both
	carried := t.ZMM()
	t.VMOVDQU64(before, carried)
	t.VPERMI2B(v, carried, line)
	t.VMOVDQU64(v, before)
	t.VMOVNTDQ(line, Mem{Base: off})
}

// lanes takes two lanes of low and two of high, as the two-bit fields of pick say.
func (t *tiler) lanes(pick uint64, low, high reg.VecVirtual) reg.VecVirtual {
	v := t.ZMM()
	t.VSHUFI64X2(Imm(pick), high, low, v)
	return v
}

// corner transposes the lanes of four vectors: the i-th lane of each makes the i-th vector.
func (t *tiler) corner(a, b, c, d reg.VecVirtual) [4]reg.VecVirtual {
	lowAB, lowCD := t.lanes(0x44, a, b), t.lanes(0x44, c, d)
	highAB, highCD := t.lanes(0xee, a, b), t.lanes(0xee, c, d)
	return [4]reg.VecVirtual{t.lanes(0x88, lowAB, lowCD), t.lanes(0xdd, lowAB, lowCD), t.lanes(0x88, highAB, highCD), t.lanes(0xdd, highAB, highCD)}
}

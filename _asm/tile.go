package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tileShape is the shape of a tile in lanes of 16 bytes, n = 16/size elements each: rows·n rows and cols·n columns of the source. The
// columns become destination rows of rows·16 bytes.
type tileShape struct{ rows, cols int }

// tileShapes lists the shapes per instruction set: each writes destination rows of another length, which must be adjacent if they are shorter than
// a vector.
//
// To add a shape: a row here; its row in dispatch_amd64.go, before the shapes that fit more blocks; load and finish below; cost, fits and order in
// internal/convert/kernel/tile.go; blocks of its size in TestBlock. It counts lanes of 16 bytes, for all element sizes.
// TLAYOUT_TEST_REQUIRE=avx512 go test proves that it ran.
var tileShapes = map[isa][]tileShape{
	avx2:   {{4, 1}, {2, 1}, {1, 2}},
	avx512: {{4, 1}, {2, 2}, {1, 4}},
}

func tiles(c *build.Context) {
	for _, s := range []isa{avx2, avx512} {
		for _, shape := range tileShapes[s] {
			for _, size := range []int{1, 2, 4, 8, 16} {
				tile(c, s, shape, size, false)
			}
		}
	}
	for _, size := range evenSizes {
		tile(c, avx2, tileShape{4, 1}, size, true)
	}
}

// evenSizes are the element sizes with a kernel for evenly spaced source rows, which AVX2 reads without their table: a load for each row less,
// of what limits it. Other sizes have too many rows or too few.
var evenSizes = []int{2, 4, 8}

// tiler is the state of a kernel that transposes blocks tile by tile:
//
//	for job in jobs: for tile in tiles:
//	    rows = the tile's row group: where it goes in a destination row, then the offsets of its source rows
//	    cols = the tile's column group: where it is in a source row, how many of its columns the group before has, how many there are up to the
//	           last that is a row, then the offsets of its destination rows
//	    prefetch the next lines of the next job's source
//	    for i in cols, but those that are no row: for j in rows: dst[job.dst + cols[i] + rows.at + j·size] = src[job.src + rows[j] + cols.at + i·size]
//
// If it streams, vectors are lines, which are written past the caches, and once: columns that the group before has are skipped.
type tiler struct {
	*build.Context
	isa   isa
	shape tileShape
	size  int

	b              reg.Register  // argument; jobs and many move in memory
	jobDst, jobSrc reg.GPVirtual // of the job
	to, from       reg.GPVirtual // of the tile
	rows, cols     reg.GPVirtual
	tiles, left    reg.GPVirtual
	nextSrc, ahead reg.GPVirtual         // next job's source, and the offset of its next line
	even           bool                  // source rows are evenly spaced,
	step, step3    reg.GPVirtual         // by step, of which step3 is the triple
	fourth         map[int]reg.GPVirtual // every fourth row of the tile
	waiting        Mem                   // first vectors of columns, on the stack
	lane           [4]reg.Register       // masks of quadwords in AVX-512 registers: those of a lane, or from that lane on if rows have two
}

// Fields of the argument, in bytes.
const (
	tilesDst, tilesSrc, tilesJobs, tilesMany, tilesTiles, tilesCount = 0, 8, 16, 24, 32, 40
	tilesRows, tilesCols, tilesAhead, tilesStream, tilesLast         = 48, 56, 64, 72, 80
	tilesStep                                                        = 88
)

// Words of a column group, in bytes; the first is where it is in a source row.
const colsShared, colsCount, colsTable = 8, 16, 24

// joined reports whether a vector has several destination rows, which must be adjacent.
func (t *tiler) joined() bool { return t.shape.rows < int(t.isa) }

// n returns the number of elements in a lane.
func (t *tiler) n() int { return 16 / t.size }

// lines returns the number of source lines in a tile.
func (t *tiler) lines() int { return t.shape.rows * t.n() * t.shape.cols / 4 }

func tile(c *build.Context, s isa, shape tileShape, size int, even bool) {
	t := &tiler{Context: c, isa: s, shape: shape, size: size, even: even}
	name := fmt.Sprintf("tile%dx%dof%d%s", shape.rows, shape.cols, size, isaNames[s])
	rows := "rows"
	if even {
		name = fmt.Sprintf("even%dx%dof%d%s", shape.rows, shape.cols, size, isaNames[s])
		rows = "evenly spaced rows"
	}
	begin(c, name, "tiles", fmt.Sprintf("transposes tiles of %d %s and %d columns.", shape.rows*t.n(), rows, shape.cols*t.n()))
	t.b = c.Load(c.Param("b"), c.GP64())
	for _, r := range []*reg.GPVirtual{&t.jobDst, &t.jobSrc, &t.to, &t.from, &t.rows, &t.cols, &t.tiles, &t.left, &t.nextSrc, &t.ahead} {
		*r = c.GP64()
	}
	t.laneMasks()
	if even {
		t.step = c.GP64()
		t.step3 = c.GP64()
		t.MOVQ(t.field(tilesStep), t.step)
		t.LEAQ(Mem{Base: t.step, Index: t.step, Scale: 2}, t.step3)
	}
	t.jobs()
	end(c)
}

// laneMasks makes the masks with which loads fill the lanes of a register: on AMD's Zen 4, an insertion occupies a shuffle port, a masked
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

func (t *tiler) field(at int) Mem { return Mem{Base: t.b, Disp: at} }

func (t *tiler) jobs() {
	t.Label("job")
	t.MOVQ(t.field(tilesJobs), t.to)
	t.MOVQ(Mem{Base: t.to}, t.jobDst)
	t.ADDQ(t.field(tilesDst), t.jobDst)
	t.MOVQ(Mem{Base: t.to, Disp: 8}, t.jobSrc)
	t.ADDQ(t.field(tilesSrc), t.jobSrc)
	t.MOVQ(t.field(tilesTiles), t.tiles)
	t.MOVQ(t.field(tilesCount), t.left)
	t.nextJob()
	t.Label("tile")
	t.MOVQ(Mem{Base: t.tiles}, t.rows)
	t.ADDQ(t.field(tilesRows), t.rows)
	t.MOVQ(Mem{Base: t.tiles, Disp: 8}, t.cols)
	t.ADDQ(t.field(tilesCols), t.cols)
	t.MOVQ(Mem{Base: t.rows}, t.to)
	t.ADDQ(t.jobDst, t.to)
	t.MOVQ(Mem{Base: t.cols}, t.from)
	t.ADDQ(t.jobSrc, t.from)
	if t.even {
		t.ADDQ(Mem{Base: t.rows, Disp: 8}, t.from)
		t.fourth = map[int]reg.GPVirtual{0: t.from}
	}
	t.prefetch()
	t.tile()
	t.ADDQ(U32(16), t.tiles)
	t.DECQ(t.left)
	t.JNZ(LabelRef("tile"))
	t.DECQ(t.field(tilesMany))
	t.JZ(LabelRef("done"))
	t.ADDQ(U32(16), t.field(tilesJobs)) // not past the last job, where the garbage collector could see it
	t.JMP(LabelRef("job"))
	t.Label("done")
}

// nextJob finds what to prefetch: nothing after the last job.
func (t *tiler) nextJob() {
	t.MOVQ(t.field(tilesMany), t.nextSrc)
	t.XORQ(t.ahead, t.ahead)
	t.CMPQ(t.nextSrc, t.field(tilesLast))
	t.JE(LabelRef("tile"))
	t.MOVQ(Mem{Base: t.to, Disp: 24}, t.nextSrc)
	t.ADDQ(t.field(tilesSrc), t.nextSrc)
	t.MOVQ(t.field(tilesAhead), t.ahead)
}

// prefetch prefetches as many lines of the next job's source as the tile has.
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

// sourceRow returns 16 bytes or more of a row of the tile, from column col on.
func (t *tiler) sourceRow(row, col int) Mem {
	if t.even {
		return t.evenRow(row).Offset(col * t.size)
	}
	off := t.GP64()
	t.MOVQ(Mem{Base: t.rows, Disp: 8 + 8*row}, off)
	return Mem{Base: t.from, Index: off, Scale: 1, Disp: col * t.size}
}

// evenRow returns an evenly spaced row: up to three steps after a fourth one.
func (t *tiler) evenRow(row int) Mem {
	k := row / 4
	if _, ok := t.fourth[k]; !ok {
		t.fourth[k] = t.GP64()
		if before, ok := t.fourth[k-1]; ok {
			t.LEAQ(Mem{Base: before, Index: t.step, Scale: 4}, t.fourth[k])
		} else {
			t.LEAQ(Mem{Base: t.fourth[k-2], Index: t.step, Scale: 8}, t.fourth[k])
		}
	}
	return []Mem{{Base: t.fourth[k]}, {Base: t.fourth[k], Index: t.step, Scale: 1}, {Base: t.fourth[k], Index: t.step, Scale: 2},
		{Base: t.fourth[k], Index: t.step3, Scale: 1}}[row%4]
}

// vectors maps a row or column to its register.
type vectors map[int]reg.VecVirtual

// tile transposes a tile. Registers hold n rows, or n rows of several groups in their lanes; n-by-n transpositions in every
// lane make n columns of them:
//
//	     lane 0  lane 1         lane 2         lane 3
//	4x1  row k   row n+k        row 2n+k       row 3n+k
//	2x2  row k   row k, col n   row n+k        row n+k, col n
//	1x4  row k   row k, col n   row k, col 2n  row k, col 3n
//
// AVX2's have the first two lanes: those of 2x1 are row k and row n+k, of 1x2 row k and row k, col n; 4x1 has two registers for a row. Registers
// of AVX2 hold half of a tile of bytes: the first half of the columns of each lane, then the other.
func (t *tiler) tile() {
	halves := 1
	if t.isa == avx2 && t.n() > 8 {
		halves = 2
	}
	for odd := range halves {
		if odd == 1 {
			t.CMPQ(Mem{Base: t.cols, Disp: colsCount}, Imm(uint64(t.n()/2)))
			t.JLE(LabelRef("firstHalf"))
		}
		if t.isa == avx2 && t.shape.rows == 4 {
			t.twoParts(odd, halves)
			continue
		}
		t.store(t.finish(t.columns(0, odd, halves)), fmt.Sprint(odd))
	}
	t.Label("firstHalf")
}

// twoParts makes columns of two vectors and stores both before the next column: AMD's Zen 3 and 4 stream lines whose halves come one after the
// other, in half of the time. Where registers do not hold all vectors, the first halves wait on the stack.
func (t *tiler) twoParts(odd, halves int) {
	first := t.finish(t.columns(0, odd, halves))
	if len(first) <= 4 {
		second := t.finish(t.columns(2*t.n(), odd, halves))
		for k := range first {
			first[k].rest = second[k].v
		}
		t.store(first, fmt.Sprint(odd))
		return
	}
	if t.waiting.Base == nil {
		at := t.GP64()
		t.LEAQ(t.AllocLocal(32*len(first)+32), at)
		t.ADDQ(Imm(31), at)
		t.ANDQ(I8(-32), at)
		t.waiting = Mem{Base: at}
	}
	for k := range first {
		t.VMOVDQU(first[k].v, t.waiting.Offset(32*k))
	}
	second := t.finish(t.columns(2*t.n(), odd, halves))
	for k := range second {
		second[k].rest = second[k].v
		second[k].waiting = t.waiting.Offset(32 * k)
	}
	t.store(second, fmt.Sprint(odd))
}

// columns loads rows starting at first and transposes them; with halves, every other column from odd on.
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

// load loads register k of the rows starting at first.
func (t *tiler) load(first, k int) reg.VecVirtual {
	n := t.n()
	switch t.shape.cols {
	case int(t.isa):
		return t.isa.load(t.Context, t.sourceRow(first+k, 0))
	case 2:
		v := t.ZMM()
		t.VBROADCASTI64X4(t.sourceRow(first+k, 0), v)
		t.VBROADCASTI64X4(t.sourceRow(first+n+k, 0), t.lane[1], v)
		return v
	}
	if t.isa == avx512 {
		v := t.ZMM()
		t.VBROADCASTI64X2(t.sourceRow(first+k, 0), v)
		for l := 1; l < 4; l++ {
			t.VBROADCASTI64X2(t.sourceRow(first+l*n+k, 0), t.lane[l], v)
		}
		return v
	}
	v := t.YMM() // a broadcast, because avo's allocator treats an unwritten part as live
	t.VBROADCASTI128(t.sourceRow(first+k, 0), v)
	t.VINSERTI128(Imm(1), t.sourceRow(first+n+k, 0), v, v)
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

// column is a destination row of the tile: a vector, or two, of which the first may wait on the stack.
type column struct {
	at      int // index in the column group
	v, rest reg.VecVirtual
	waiting Mem
}

// store writes columns. part distinguishes its labels.
func (t *tiler) store(columns []column, part string) {
	bothStores(t.Context, t.field(tilesStream), part, func(stream bool) { t.storeColumns(columns, part, stream) })
}

// finish moves the lanes of transposed vectors to their destination rows: with joined shapes, a vector holds several rows.
func (t *tiler) finish(v vectors) (all []column) {
	if t.joined() {
		return t.finishJoined(v)
	}
	for j := range t.n() {
		if v, ok := v[j]; ok {
			all = append(all, column{at: j, v: v})
		}
	}
	return all
}

// storeColumns stores the columns that are rows; if it streams, except those that the previous group also has.
func (t *tiler) storeColumns(columns []column, part string, stream bool) {
	joined := t.joined() // joined shapes have no such columns
	skip := t.GP64()
	if stream && !joined {
		t.MOVQ(Mem{Base: t.cols, Disp: colsShared}, skip)
	}
	for _, c := range columns {
		next := fmt.Sprintf("after%s_%d_%t", part, c.at, stream)
		off := t.GP64()
		if stream && !joined {
			t.CMPQ(skip, Imm(uint64(c.at)))
			t.JHI(LabelRef(next))
		}
		t.MOVQ(Mem{Base: t.cols, Disp: colsTable + 8*c.at}, off)
		if !joined {
			t.CMPQ(off, I8(-1)) // overflows only for the highest number minus -1
			t.JO(LabelRef(next))
		}
		to := Mem{Base: t.to, Index: off, Scale: 1}
		t.storeColumn(c, to, stream)
		if !stream && t.isa == avx2 && t.shape.rows == 4 { // a later tile's line of that row, if it is long
			t.PREFETCHT0(to.Offset(2 * 64))
		}
		if !joined {
			t.Label(next)
		}
	}
}

// storeColumn writes the vectors of a column.
func (t *tiler) storeColumn(c column, to Mem, stream bool) {
	v := c.v
	if c.waiting.Base != nil {
		v = t.isa.load(t.Context, c.waiting)
	}
	t.isa.store(t.Context, v, to, stream)
	if c.rest != nil {
		t.isa.store(t.Context, c.rest, to.Offset(32), stream)
	}
}

package main

import "fmt"

func neonTiles(c *neon) {
	for _, shape := range []tileShape{{4, 1}, {1, 1}} {
		for _, size := range []int{1, 2, 4, 8, 16} {
			neonTile(c, shape, size)
		}
	}
}

// neonTiler makes kernels like tiler's, but through the caches and without prefetching: arm64 has only hints for streaming stores.
type neonTiler struct {
	*neon
	shape tileShape
	size  int
}

// General registers of a tile kernel. The argument is in R0 until its fields are loaded.
const (
	armDst, armSrc, armJobs, armMany  = "R1", "R2", "R3", "R4"
	armAllTiles, armCount, armAllRows = "R5", "R6", "R7"
	armAllCols                        = "R8"
	armJobDst, armJobSrc              = "R10", "R11" // of the job
	armTiles, armLeft                 = "R13", "R14"
	armRows, armCols, armTo, armFrom  = "R16", "R17", "R19", "R20" // of the tile
	armOff0, armOff1, armPtr          = "R21", "R22", "R23"
)

// n returns the number of elements in a vector.
func (t *neonTiler) n() int { return 16 / t.size }

func neonTile(c *neon, shape tileShape, size int) {
	t := &neonTiler{c, shape, size}
	c.begin(fmt.Sprintf("tile%dx%dof%dNEON", shape.rows, shape.cols, size), "tiles",
		fmt.Sprintf("transposes tiles of %d rows and %d columns.", shape.rows*t.n(), shape.cols*t.n()))
	c.words(0, armDst, armSrc, armJobs, armMany, armAllTiles, armCount, armAllRows, armAllCols)
	t.jobs()
	c.end()
}

func (t *neonTiler) jobs() {
	t.label("job")
	t.op("LDP", offset(0, armJobs), pair(armJobDst, armJobSrc))
	t.op("ADD", armDst, armJobDst)
	t.op("ADD", armSrc, armJobSrc)
	t.op("MOVD", armAllTiles, armTiles)
	t.op("MOVD", armCount, armLeft)
	t.label("tile")
	t.op("LDP.P", offset(16, armTiles), pair(armRows, armCols))
	t.op("ADD", armAllRows, armRows)
	t.op("ADD", armAllCols, armCols)
	t.op("MOVD.P", offset(8, armRows), armTo)
	t.op("ADD", armJobDst, armTo)
	t.op("MOVD", offset(0, armCols), armFrom)
	t.op("ADD", armJobSrc, armFrom)
	t.tile()
	t.op("SUBS", "$1", armLeft)
	t.op("BNE", "tile")
	t.op("ADD", "$16", armJobs)
	t.op("SUBS", "$1", armMany)
	t.op("BNE", "job")
}

// tile transposes a tile: n rows by n columns for each vector of the destination rows, which are then stored whole. Of 16 columns, it
// transposes half at a time. Four vectors of 8 columns fill all registers, but transposing needs more: if they run out, the first halves of
// some destination rows are stored before the last vectors are made.
func (t *neonTiler) tile() {
	n := t.n()
	halves := 1
	if t.shape.rows*n > neonRegisters {
		halves = 2
	}
	count := n / halves
	for half := range halves {
		var vectors [][]int // by position in a destination row, and by column
		begun := 0          // columns with their first two vectors stored
		for part := range t.shape.rows {
			for ; len(t.free) < count+2 && part == 3; begun++ {
				t.store(vectors[:2], 0, half*count, begun)
			}
			vectors = append(vectors, t.columns(part*n, half, halves))
		}
		for j := range count {
			from := 0
			if j < begun {
				from = 2
			}
			t.store(vectors[from:], from, half*count, j)
		}
	}
}

// columns loads n rows starting at first and transposes them; with halves, as in tiler, the first half of the columns, or the second if odd
// is 1.
func (t *neonTiler) columns(first, odd, halves int) []int {
	n := t.n()
	if halves == 1 {
		return t.network(t.rows(first, n))
	}
	var rows []int
	for r := 0; r < n/2; r += 2 {
		above := t.rows(first+r, 2)
		below := t.rows(first+r+n/2, 2)
		for i, a := range above {
			t.zip(1+odd, a, below[i], a)
		}
		rows = append(rows, above...)
		t.drop(below...)
	}
	return t.network(rows)
}

// rows loads 16 bytes of adjacent rows of the tile.
func (t *neonTiler) rows(first, count int) (loaded []int) {
	for r := first; r < first+count; r += 2 {
		offsets := []string{armOff0, armOff1}[:min(2, first+count-r)]
		if len(offsets) == 2 {
			t.op("LDP", offset(8*r, armRows), pair(armOff0, armOff1))
		} else {
			t.op("MOVD", offset(8*r, armRows), armOff0)
		}
		for _, off := range offsets {
			t.op("ADD", armFrom, off)
			loaded = append(loaded, t.load(off))
		}
	}
	return loaded
}

// network transposes the rows of a square like tiler's; for half of the rows, it skips the first stage.
func (t *neonTiler) network(rows []int) []int {
	half := len(rows) / 2
	for rest := len(rows); rest > 1; rest /= 2 {
		next := make([]int, len(rows))
		for i := range half {
			a, b := rows[i], rows[i+half]
			next[2*i], next[2*i+1] = t.vector(), a
			t.zip(1, a, b, next[2*i])
			t.zip(2, a, b, a)
			t.drop(b)
		}
		rows = next
	}
	return rows
}

// zip interleaves the elements of the low halves (1) or high halves (2) of two vectors: a0 b0 a1 b1 …
func (t *neonTiler) zip(half, a, b, to int) {
	t.op(fmt.Sprintf("VZIP%d", half), elementsOf(b, t.size), elementsOf(a, t.size), elementsOf(to, t.size))
}

// store writes vectors of a column next to each other, starting at the given position in its row, unless the column is not a row.
func (t *neonTiler) store(vectors [][]int, at, first, column int) {
	next := fmt.Sprintf("after%d_%d", at, first+column)
	defer t.label(next)
	t.op("MOVD", offset(colsTable+8*(first+column), armCols), armPtr)
	t.op("CMN", "$1", armPtr) // overflows only for the highest number plus 1
	t.op("BVS", next)
	t.op("ADD", armTo, armPtr)
	if len(vectors) == 1 {
		t.op("VST1", "["+bytesOf(vectors[0][column])+"]", offset(0, armPtr))
		t.drop(vectors[0][column])
	}
	for ; len(vectors) > 1; at, vectors = at+2, vectors[2:] {
		a, b := vectors[0][column], vectors[1][column]
		t.op("FSTPQ", fmt.Sprintf("(F%d, F%d)", a, b), offset(16*at, armPtr))
		t.drop(a, b)
	}
}

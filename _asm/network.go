package main

import (
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// row loads the rows r, r+n, r+2n … into the lanes of one register.
func (t *transposer) row(r int) (v reg.VecVirtual) {
	for l := range int(t.isa) {
		v = t.isa.lane(t.Context, v, l, Mem{Base: t.from, Index: t.offset(t.srcRows, r+l*t.n()), Scale: 1})
	}
	return v
}

// step transposes n columns. If the registers cannot hold n rows and their results, it works in halves: the low halves of
// the rows give the first n/2 columns, the high halves the others.
func (t *transposer) step() {
	if 2*t.n() > t.isa.registers() {
		t.finish(t.half(t.isa.unpackLow, 0), t.n()/2)
		t.finish(t.half(t.isa.unpackHigh, 1), t.n()/2)
		return
	}
	rows := make(map[int]reg.VecVirtual)
	for r := range t.n() {
		rows[r] = t.row(r)
	}
	t.finish(rows, t.n())
}

// half is the first stage of the network; it keeps every other result.
func (t *transposer) half(unpack func(*build.Context, int, reg.VecVirtual, reg.VecVirtual) reg.VecVirtual,
	odd int) map[int]reg.VecVirtual {
	rows := make(map[int]reg.VecVirtual)
	for r := range t.n() / 2 {
		rows[2*r+odd] = unpack(t.Context, t.size, t.row(r), t.row(r+t.n()/2))
	}
	return rows
}

// finish runs the network to its end and stores the columns. A stage is a perfect shuffle of the elements of all rows,
//
//	b[2i] = unpackLow(a[i], a[i+n/2]), b[2i+1] = unpackHigh(a[i], a[i+n/2])
//
// which rotates the bits of an element's position (row, column) by one; log2(n) of them swap row and column:
//
//	a0 = 00 01 02 03      00 20 01 21      00 10 20 30
//	a1 = 10 11 12 13  →   02 22 03 23  →   01 11 21 31
//	a2 = 20 21 22 23      10 30 11 31      02 12 22 32
//	a3 = 30 31 32 33      12 32 13 33      03 13 23 33
//
// rest is 2 to the power of the remaining stages.
func (t *transposer) finish(rows map[int]reg.VecVirtual, rest int) {
	for ; rest > 1; rest /= 2 {
		next := make(map[int]reg.VecVirtual)
		for i := range t.n() / 2 {
			if a, ok := rows[i]; ok {
				b := rows[i+t.n()/2]
				next[2*i] = t.isa.unpackLow(t.Context, t.size, a, b)
				next[2*i+1] = t.isa.unpackHigh(t.Context, t.size, a, b)
			}
		}
		rows = next
	}
	for i := range t.n() {
		if v, ok := rows[i]; ok {
			to := Mem{Base: t.dst, Index: t.offset(t.to, i), Scale: 1}
			t.isa.store(t.Context, v, to, t.stream)
		}
	}
}

package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func reads(c *build.Context) {
	for _, add := range []func(*build.Context, int){addRows, addListed} {
		for _, row := range []int{1, 2, 4, 8, 16, 32, 64} {
			add(c, row)
		}
	}
	loadLines(c)
	loadPages(c)
}

// adder is the state of a kernel that xors rows:
//
//	for n iterations, at = first, first + step, …: the rows at `at`
//
// Rows go to several sums in turn: an xor waits for the previous one into the same sum, so a single sum takes one row per
// cycle, although two or three can be loaded. Sums of up to 8 bytes are general registers.
type adder struct {
	*build.Context
	row   int // bytes
	parts int // registers of a row

	lanes, first, n, step reg.Register // arguments; first moves by step, n counts down
	at, left              reg.Register // of the loop over rows: position, rows left
	sums                  []reg.Virtual
}

func newAdder(c *build.Context, row int) *adder {
	return &adder{Context: c, row: row, parts: (row + 31) / 32}
}

// addRows xors rows a step apart:
//
//	for n0 iterations, at `at`, `at` + step0, …: a row
func addRows(c *build.Context, row int) {
	a := newAdder(c, row)
	begin(c, fmt.Sprintf("add%d", row), "rows", fmt.Sprintf("xors rows of %d bytes into the lanes.", row))
	var n0, step0 reg.Register
	words(c, &a.lanes, &a.first, &a.n, &a.step, &n0, &step0)
	a.at = c.GP64()
	a.left = c.GP64()
	four := c.GP64()
	step3 := c.GP64()
	c.LEAQ(Mem{Base: step0, Index: step0, Scale: 2}, step3)
	quad := func(at reg.Register) {
		for i, m := range []Mem{{Base: at}, {Base: at, Index: step0, Scale: 1}, {Base: at, Index: step0, Scale: 2}, {Base: at, Index: step3, Scale: 1}} {
			a.add(m, i)
		}
	}
	a.repeat(func() {
		c.MOVQ(a.first, a.at)
		c.MOVQ(n0, a.left)
		c.LEAQ(Mem{Base: a.at, Index: step0, Scale: 4}, four)
		counted(c, a.left, 8, func() {
			quad(a.at)
			quad(four)
			c.LEAQ(Mem{Base: a.at, Index: step0, Scale: 8}, a.at)
			c.LEAQ(Mem{Base: four, Index: step0, Scale: 8}, four)
		}, func() {
			a.add(Mem{Base: a.at}, 0)
			c.ADDQ(step0, a.at)
		})
	})
}

// addListed xors rows at listed offsets:
//
//	for count iterations, offset = list[0], list[1], …: the row at `at` + offset
func addListed(c *build.Context, row int) {
	a := newAdder(c, row)
	begin(c, fmt.Sprintf("addAt%d", row), "listed", fmt.Sprintf("xors rows of %d bytes at listed offsets into the lanes.", row))
	var list, count reg.Register
	words(c, &a.lanes, &a.first, &a.n, &a.step, &list, &count)
	a.at = c.GP64()
	a.left = c.GP64()
	listed := func(i int) Mem {
		offset := c.GP64()
		c.MOVQ(Mem{Base: a.at, Disp: 8 * i}, offset)
		return Mem{Base: a.first, Index: offset, Scale: 1}
	}
	a.repeat(func() {
		c.MOVQ(list, a.at)
		c.MOVQ(count, a.left)
		counted(c, a.left, 4, func() {
			for i := range 4 {
				a.add(listed(i), i)
			}
			c.ADDQ(Imm(4*8), a.at)
		}, func() {
			a.add(listed(0), 0)
			c.ADDQ(Imm(8), a.at)
		})
	})
}

// repeat makes the loop over n, with the loads and stores around it.
func (a *adder) repeat(rows func()) {
	for range 4 {
		a.sums = append(a.sums, a.zero())
	}
	a.Label("rows")
	rows()
	a.ADDQ(a.step, a.first)
	a.DECQ(a.n)
	a.JNZ(LabelRef("rows"))
	a.fold()
	end(a.Context)
}

// add xors a row into the next sums.
func (a *adder) add(m Mem, turn int) {
	for part := range a.parts {
		a.xor(m.Offset(32*part), a.sums[(turn*a.parts+part)%len(a.sums)])
	}
}

// xor xors a register's part of a row into a register, or from a general register into memory.
func (a *adder) xor(from, to Op) {
	if a.row > 8 {
		a.VPXOR(from, to, to)
		return
	}
	sized := func(o Op) Op {
		g, ok := o.(reg.GPVirtual)
		if !ok {
			return o
		}
		return map[int]Op{1: g.As8(), 2: g.As16(), 4: g.As32(), 8: g.As64()}[a.row]
	}
	map[int]func(Op, Op){1: a.XORB, 2: a.XORW, 4: a.XORL, 8: a.XORQ}[a.row](sized(from), sized(to))
}

// fold xors the sums together and into the lanes.
func (a *adder) fold() {
	for n := len(a.sums) / 2; n >= a.parts; n /= 2 {
		for i := range n {
			a.xor(a.sums[n+i], a.sums[i])
		}
	}
	for part, sum := range a.sums[:a.parts] {
		lane := Mem{Base: a.lanes, Disp: 32 * part}
		if a.row <= 8 {
			a.xor(sum, lane)
			continue
		}
		a.xor(lane, sum)
		a.VMOVDQU(sum, lane)
	}
}

// zero returns a new sum.
func (a *adder) zero() reg.Virtual {
	if a.row <= 8 {
		v := a.GP64()
		a.XORQ(v, v)
		return v
	}
	var v reg.Virtual = a.YMM()
	if a.row == 16 {
		v = a.XMM()
	}
	a.VPXOR(v, v, v)
	return v
}

package reader

import "github.com/tlayout/tlayout/internal/convert/kernel"

// Reader reads with one instruction set.
type Reader struct{ level kernel.Level }

// For returns the Reader of the level that k has.
func For(k *kernel.Kernels) Reader { return Reader{k.Level} }

// rows is what a kernel works on that adds. _asm knows the order of the fields, which are words.
type rows struct {
	lanes     *Lanes
	first     *byte
	n1, step1 int // at least one row
	n0, step0 int
}

// places is what a kernel works on that adds rows at listed places. _asm knows the order of the fields, which are words.
type places struct {
	lanes   *Lanes
	first   *byte
	n, step int // at least once
	list    *int
	count   int // at least one
}

// lines is what a kernel works on that only reads. _asm knows the order of the fields, which are words.
type lines struct {
	first *byte
	n     int // of 64 bytes
}

// Add adds rows of mem to the lanes, in this order:
//
//	for i in 0…N1: for j in 0…N0: for k in 0…Row: lanes[k] ⊕= mem[At + i·Step1 + j·Step0 + k]
//
// It reads no other byte. The loop over j is the fast one; a turn of the one over i costs some cycles. Add panics where a
// row lies outside of mem or g is not a Grid.
func (r Reader) Add(lanes *Lanes, mem []byte, g Grid) {
	if g.N1 == 0 || g.N0 == 0 {
		return
	}
	g.check(len(mem))
	if r.level == kernel.Generic {
		genericAdd(lanes, mem, g)
		return
	}
	b := rows{lanes: lanes, first: &mem[g.At], n1: g.N1, step1: g.Step1, n0: g.N0, step0: g.Step0}
	b.add(r.level, g.Row)
}

// AddAt adds rows at listed places to the lanes, in this order:
//
//	for i in 0…N: for place in List: for k in 0…Row: lanes[k] ⊕= mem[At + i·Step + place + k]
//
// It reads no other byte of mem. AddAt panics where a row lies outside of mem or p are not Places.
func (r Reader) AddAt(lanes *Lanes, mem []byte, p Places) {
	if p.N == 0 || len(p.List) == 0 {
		return
	}
	p.check(len(mem))
	if r.level == kernel.Generic {
		genericAddAt(lanes, mem, p)
		return
	}
	b := places{lanes: lanes, first: &mem[p.At], n: p.N, step: p.Step, list: &p.List[0], count: len(p.List)}
	b.add(r.level, p.Row)
}

// Load reads every whole 64 bytes of mem, as fast as it can be done, and drops them.
func (r Reader) Load(mem []byte) {
	n := len(mem) / 64
	if n == 0 {
		return
	}
	if r.level == kernel.Generic {
		genericLoad(mem[:n*64])
		return
	}
	b := lines{first: &mem[0], n: n}
	b.load(r.level)
}

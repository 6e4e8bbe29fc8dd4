package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// finishJoined is finish for vectors of several rows.
func (t *tiler) finishJoined(v vectors) (all []column) {
	switch t.shape {
	case tileShape{1, 2}:
		return t.finishPairs(v)
	case tileShape{1, 4}:
		return t.finishFour(v)
	}
	return t.finishTwo(v)
}

// finishPairs is finish for vectors of AVX2 with two rows: those of columns j and n+j become those of j and j+1, and of n+j and n+j+1.
func (t *tiler) finishPairs(v vectors) (all []column) {
	n := t.n()
	if n == 1 {
		return []column{{at: 0, v: v[0]}}
	}
	for half, pick := range []uint64{0x20, 0x31} {
		for j := 0; j < n; j += 2 {
			if v[j] == nil {
				continue
			}
			both := t.YMM()
			t.VPERM2I128(Imm(pick), v[j+1], v[j], both)
			all = append(all, column{at: half*n + j, v: both})
		}
	}
	return all
}

// finishFour is finish for vectors of four rows.
func (t *tiler) finishFour(v vectors) (all []column) {
	n := t.n()
	switch n {
	case 1:
		return []column{{at: 0, v: v[0]}}
	case 2:
		for half, pick := range []uint64{0x44, 0xee} {
			both := t.lanes(pick, v[0], v[1])
			all = append(all, column{at: 4 * half, v: t.lanes(0xd8, both, both)})
		}
		return all
	}
	for j := 0; j < n; j += 4 {
		for l, v := range t.corner(v[j], v[j+1], v[j+2], v[j+3]) {
			all = append(all, column{at: l*n + j, v: v})
		}
	}
	return all
}

// finishTwo is finish for vectors of two rows.
func (t *tiler) finishTwo(v vectors) (all []column) {
	n := t.n()
	if n == 1 {
		return []column{{at: 0, v: t.lanes(0xd8, v[0], v[0])}}
	}
	for j := 0; j < n; j += 2 {
		all = append(all, column{at: j, v: t.lanes(0x88, v[j], v[j+1])}, column{at: n + j, v: t.lanes(0xdd, v[j], v[j+1])})
	}
	return all
}

// lanes selects two lanes of low and two of high, by the two-bit fields of pick.
func (t *tiler) lanes(pick uint64, low, high reg.VecVirtual) reg.VecVirtual {
	v := t.ZMM()
	t.VSHUFI64X2(Imm(pick), high, low, v)
	return v
}

// corner transposes the lanes of four vectors: the i-th lanes form the i-th vector.
func (t *tiler) corner(a, b, c, d reg.VecVirtual) [4]reg.VecVirtual {
	lowAB := t.lanes(0x44, a, b)
	lowCD := t.lanes(0x44, c, d)
	highAB := t.lanes(0xee, a, b)
	highCD := t.lanes(0xee, c, d)
	return [4]reg.VecVirtual{t.lanes(0x88, lowAB, lowCD), t.lanes(0xdd, lowAB, lowCD), t.lanes(0x88, highAB, highCD), t.lanes(0xdd, highAB, highCD)}
}

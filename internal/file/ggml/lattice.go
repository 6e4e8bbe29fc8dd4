package ggml

import (
	_ "embed"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"sync"
)

// grid is a table of points, whose coordinates are the levels of consecutive values. A code is the index of a point and, above it, the bits of a
// sign, which is minus if an odd number of them are ones.
type grid struct {
	name   string
	levels []float64 // by digit of a point
	values int       // of a point
	shifts bool      // signs are those of 1/8, which is added to the level
}

// The grids of src/ggml-common.h; iq1_m has that of iq1_s.
var (
	gridIQ1S   = &grid{name: "iq1_s", levels: []float64{-1, 0, 1}, values: 8, shifts: true}
	gridIQ2XXS = &grid{name: "iq2_xxs", levels: []float64{8, 25, 43}, values: 8}
	gridIQ2XS  = &grid{name: "iq2_xs", levels: []float64{8, 25, 43}, values: 8}
	gridIQ2S   = &grid{name: "iq2_s", levels: []float64{8, 25, 43}, values: 8}
	gridIQ3XXS = &grid{name: "iq3_xxs", levels: []float64{4, 12, 20, 28, 36, 44, 52, 62}, values: 4}
	gridIQ3S   = &grid{name: "iq3_s", levels: []float64{1, 3, 5, 7, 9, 11, 13, 15}, values: 4}
)

//go:embed grids.txt
var gridsText string

// points are those of each grid, as numbers whose digits are levels, value 0 first. Two digits of base 3 are one of base 9 in grids.txt, which
// testdata/grids.py wrote.
var points = sync.OnceValue(func() map[string][]int {
	all := map[string][]int{}
	name := ""
	for _, word := range strings.Fields(gridsText) {
		base := 9
		if strings.HasPrefix(name, "iq3") {
			base = 8
		}
		n, err := strconv.ParseInt(word, base, 0)
		if err != nil {
			name = word
			continue
		}
		all[name] = append(all[name], int(n))
	}
	return all
})

// level returns the level of value k: coordinate k mod values of point code mod n of the grid's n, a power of two,
// with the sign of code div n.
func (g *grid) level(code, k int) float64 {
	all := points()[g.name]
	point := all[code%len(all)]
	for range g.values - 1 - k%g.values {
		point /= len(g.levels)
	}
	level := g.levels[point%len(g.levels)]
	minuses := bits.OnesCount(uint(code / len(all)))
	sign := 1 - 2*float64(minuses%2)
	if g.shifts {
		return level + sign/8
	}
	return sign * level
}

// bitField is consecutive bits of a part that hold bits of the code of value k. They begin at bit first + Σ steps of the part.
type bitField struct {
	name   string
	first  int
	bits   int
	shift  int  // of the bits in the code
	parity bool // where k mod 8 is 7, they are the 7 bits before
	steps  []step
}

// step is (k div div mod mod) · times; mod is 0 for none, times is 1 without div and mod.
type step struct{ div, mod, times int }

// bitsOf is bits of the index of a point, or the sign of 1/8.
func bitsOf(name string, first, width, shift int, steps ...step) bitField {
	return bitField{name: name, first: first, bits: width, shift: shift, steps: steps}
}

// signs are a bit of each value; with parity, of seven of eight: the number of minuses is even, which gives the sign of the eighth.
func signs(first, shift int, parity bool, steps ...step) bitField {
	return bitField{name: "sign", first: first, bits: 1, shift: shift, parity: parity, steps: steps}
}

// pieces returns where the bits of value k are, byte by byte; part is the first byte of the part.
func (f bitField) pieces(part, k int) (all []Piece) {
	at := 8*part + f.first
	n := f.bits
	for _, s := range f.steps {
		i := k / s.div
		if s.mod > 0 {
			i %= s.mod
		}
		at += i * s.times
	}
	if f.parity && k%8 == 7 {
		at = at - 7
		n = 7
	}
	for shift := f.shift; n > 0; {
		here := min(n, 8-at%8)
		all = append(all, Piece{Byte: at / 8, First: at % 8, Bits: here, Shift: shift})
		at = at + here
		n = n - here
		shift = shift + here
	}
	return all
}

// where is the place of the bits of value k: "index: 8 bits of qs from bit (k div 8)·8".
func (f bitField) where(part string) string {
	terms := []string{fmt.Sprint(f.first)}
	for _, s := range f.steps {
		terms = append(terms, s.String())
	}
	at := strings.TrimPrefix(strings.Join(terms, " + "), "0 + ")
	if f.bits > 1 {
		return fmt.Sprintf("%s: %d bits of %s from bit %s", f.name, f.bits, part, at)
	}
	where := fmt.Sprintf("%s: bit %s of %s", f.name, at, part)
	if f.parity {
		where += ", for k mod 8 = 7 parity of the 7 bits before"
	}
	return where
}

func (s step) String() string {
	term := "k"
	if s.div > 1 {
		term += fmt.Sprintf(" div %d", s.div)
	}
	if s.mod > 0 {
		term += fmt.Sprintf(" mod %d", s.mod)
	}
	if s.times == 1 {
		return term
	}
	return fmt.Sprintf("(%s)·%d", term, s.times)
}

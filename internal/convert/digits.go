package convert

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// splitter splits dims; what it makes are parts of two slices.
type splitter struct {
	boxes []Box
	loops []Loop
}

// splitDim splits the index range of one dim into boxes in which both layouts move evenly.
//
// Where the digits of both have divisors that divide each other, these are common digits: one nest of loops, and one
// more for each ragged end. 5 channels from a plain dim into blocks of 4 are 1×4 and 1:
//
//	src 5:(9)   dst (4,2)<5:(1,24)   →   {1, 36→24}{4, 9→1}  and, from 4 on,  {1, 9→1}
//
// Otherwise (blocks of 4 into blocks of 6) the range repeats after the least common multiple, 12, and is cut there at
// every end of a block: 0–4, 4–6, 6–8, 8–12.
//
// Post: the boxes visit (src(i), dst(i)) of every index i of the dim once.
func (s *splitter) splitDim(size int, src, dst []tensor.Digit) ([]Box, error) {
	if size == 0 {
		return nil, nil
	}
	divs := commonDivisors(make([]int, 0, 8), src, dst)
	if nests(divs) {
		return s.splitNested(size, divs, src, dst), nil
	}
	return splitPeriodic(size, divs, src, dst)
}

// commonDivisors appends the divisors of both digit lists to an empty one, rising.
func commonDivisors(divs []int, src, dst []tensor.Digit) []int {
	for _, g := range src {
		divs = append(divs, g.Div)
	}
	for _, g := range dst {
		divs = append(divs, g.Div)
	}
	slices.Sort(divs)
	return slices.Compact(divs)
}

func nests(divs []int) bool {
	for k := 1; k < len(divs); k++ {
		if divs[k]%divs[k-1] != 0 {
			return false
		}
	}
	return true
}

// splitNested cuts off the whole blocks of the largest divisor, then continues with the rest and the smaller divisors.
func (s *splitter) splitNested(size int, divs []int, src, dst []tensor.Digit) []Box {
	first, start := len(s.boxes), 0
	for k := len(divs) - 1; k >= 0 && start < size; k-- {
		whole := (size - start) / divs[k]
		if whole == 0 {
			continue
		}
		b := boxAt(start, src, dst)
		at := len(s.loops)
		s.loops = append(s.loops, loopOver(whole, divs[k], src, dst))
		for j := k - 1; j >= 0; j-- {
			s.loops = append(s.loops, loopOver(divs[j+1]/divs[j], divs[j], src, dst))
		}
		b.Loops = s.loops[at:]
		s.boxes = append(s.boxes, b)
		start += whole * divs[k]
	}
	return s.boxes[first:]
}

// splitPeriodic cuts one period at every end of a block of either layout and repeats it.
func splitPeriodic(size int, divs []int, src, dst []tensor.Digit) ([]Box, error) {
	period := 1
	for _, d := range divs {
		period = min(size, ints.LCM(period, d))
	}
	periods := size / period
	boxes, err := splitRuns(0, period, src, dst)
	if err != nil {
		return nil, err
	}
	for i := range boxes {
		boxes[i].Loops = append([]Loop{loopOver(periods, period, src, dst)}, boxes[i].Loops...)
	}
	rest, err := splitRuns(periods*period, size, src, dst)
	return append(boxes, rest...), err
}

// splitRuns cuts [from, to) into runs in which only the least significant digit of each layout moves.
func splitRuns(from, to int, src, dst []tensor.Digit) ([]Box, error) {
	var boxes []Box
	for i := from; i < to; {
		n := min(to-i, blockRest(i, src), blockRest(i, dst))
		b := boxAt(i, src, dst)
		b.Loops = []Loop{loopOver(n, 1, src, dst)}
		if boxes = append(boxes, b); len(boxes) > maxBoxes {
			return nil, tooManyPieces()
		}
		i += n
	}
	return boxes, nil
}

// blockRest is how far index i is from the end of the innermost block.
func blockRest(i int, digits []tensor.Digit) int {
	if len(digits) == 1 {
		return math.MaxInt
	}
	block := digits[1].Div
	return block - i%block
}

func boxAt(i int, src, dst []tensor.Digit) Box {
	return Box{Src: tensor.Dim{Digits: src}.At(i), Dst: tensor.Dim{Digits: dst}.At(i)}
}

// loopOver repeats a step of div over the index, which stays inside one digit of either layout.
func loopOver(n, div int, src, dst []tensor.Digit) Loop {
	return Loop{n, stepOf(div, src), stepOf(div, dst)}
}

// stepOf is how far an index step of div moves the address: it moves the last digit whose divisor divides it.
func stepOf(div int, digits []tensor.Digit) int {
	step := 0
	for _, g := range digits {
		if div%g.Div == 0 {
			step = div / g.Div * g.Stride
		}
	}
	return step
}

// NamedLoop is a loop and the digits that it counts, outermost first: several once loops are folded.
type NamedLoop struct {
	Loop
	Digits []Digit
}

// Name is that of its digits: N, C//4 or, folded, H·W.
func (l NamedLoop) Name() string {
	names := make([]string, len(l.Digits))
	for i, d := range l.Digits {
		names[i] = d.String()
	}
	return strings.Join(names, "·")
}

// Digit is a digit of a dim's index: index / Div, mod Mod unless that is 0.
type Digit struct {
	Dim      string
	Div, Mod int
}

// String prints the digit as C, C//4 or C%4.
func (d Digit) String() string {
	s := d.Dim
	if d.Div > 1 {
		s += fmt.Sprintf("//%d", d.Div)
	}
	if d.Mod > 0 {
		s += fmt.Sprintf("%%%d", d.Mod)
	}
	return s
}

// Part is the indices of a dim that a box holds, if it does not hold all: From to To-1, the same in each period of Every
// indices unless Every is 0.
type Part struct {
	Dim      string
	From, To int
	Every    int
	Rest     bool // what whole blocks or periods leave
}

// String prints the indices as C 0..47, C 4..5 of every 12 or C 48.
func (p Part) String() string {
	s := fmt.Sprintf("%s %d..%d", p.Dim, p.From, p.To-1)
	if p.To == p.From+1 {
		s = fmt.Sprintf("%s %d", p.Dim, p.From)
	}
	switch {
	case p.Every > 0:
		s += fmt.Sprintf(" of every %d", p.Every)
	case p.Rest:
		s += ", a partial last block"
	}
	return s
}

// namedPart is one of the parts that splitDim makes, its loops named.
type namedPart struct {
	loops []NamedLoop
	held  Part
}

// nameParts names the loops of a dim's parts: those of splitNested, or else of splitPeriodic.
func nameParts(dim string, parts []Box, nested bool) []namedPart {
	named := make([]namedPart, len(parts))
	switch {
	case len(parts) == 0: // an empty dim
	case nested:
		nameNested(dim, parts, named)
	default:
		namePeriodic(dim, parts, named)
	}
	if len(named) == 1 {
		named[0].held = Part{}
	}
	return named
}

// nameNested names consecutive parts, of loops that each count what the inner ones make together.
func nameNested(dim string, parts []Box, named []namedPart) {
	start := 0
	for i, b := range parts {
		n := elemsOf(b.Loops)
		named[i].held = Part{Dim: dim, From: start, To: start + n, Rest: i > 0}
		start += n
		for j, l := range b.Loops {
			d := Digit{Dim: dim, Div: elemsOf(b.Loops[j+1:])}
			if j > 0 {
				d.Mod = l.N
			}
			named[i].loops = append(named[i].loops, NamedLoop{l, []Digit{d}})
		}
	}
}

// namePeriodic names the parts of a period, of two loops each, and those of the rest after the last one.
func namePeriodic(dim string, parts []Box, named []namedPart) {
	period := 0
	for _, b := range parts {
		if len(b.Loops) == 2 {
			period += b.Loops[1].N
		}
	}
	start, periods := 0, parts[0].Loops[0].N
	for i, b := range parts {
		n := b.Loops[len(b.Loops)-1].N
		p := Part{Dim: dim, From: start, To: start + n, Every: period}
		start += n
		run := Digit{dim, 1, period}
		if len(b.Loops) == 1 {
			p = Part{Dim: dim, From: p.From + (periods-1)*period, To: p.To + (periods-1)*period, Rest: true}
			run.Mod = 0
		} else {
			named[i].loops = []NamedLoop{{b.Loops[0], []Digit{{Dim: dim, Div: period}}}}
		}
		if periods == 1 {
			p.Every, run.Mod = 0, 0
		}
		named[i].loops = append(named[i].loops, NamedLoop{b.Loops[len(b.Loops)-1], []Digit{run}})
		named[i].held = p
	}
}

package convert

import (
	"fmt"
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// splitter splits dims. Its results are parts of two slices.
type splitter struct {
	boxes []Box
	loops []Loop
	named bool // for an explanation

	dim tensor.Dim     // the source's dim to split
	dst []tensor.Digit // digits of the same dim in the destination
}

// splitDim splits the index range of one dim into boxes in which both layouts move by constant steps.
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
func (s *splitter) splitDim(d tensor.Dim, dst []tensor.Digit) ([]Box, error) {
	s.dim = d
	s.dst = dst
	if d.Size == 0 {
		return nil, nil
	}
	divs := commonDivisors(make([]int, 0, 8), s.dim.Digits, s.dst)
	if nests(divs) {
		return s.splitNested(divs), nil
	}
	return s.splitPeriodic(divs)
}

// commonDivisors appends the divisors of both digit lists to divs, which is empty, in rising order.
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

// splitNested splits off the whole blocks of the largest divisor, then continues with the rest and the smaller divisors.
func (s *splitter) splitNested(divs []int) []Box {
	first := len(s.boxes)
	start := 0
	for k := len(divs) - 1; k >= 0 && start < s.dim.Size; k-- {
		whole := (s.dim.Size - start) / divs[k]
		if whole == 0 {
			continue
		}
		at := len(s.loops)
		end := start + whole*divs[k]
		s.loops = append(s.loops, s.loopOver(whole, divs[k], 0))
		for j := k - 1; j >= 0; j-- {
			n := divs[j+1] / divs[j]
			s.loops = append(s.loops, s.loopOver(n, divs[j], n))
		}
		b := s.boxOf(start, end, 0, start > 0)
		b.Loops = s.loops[at:]
		s.boxes = append(s.boxes, b)
		start = end
	}
	return s.boxes[first:]
}

// splitPeriodic splits one period at every end of a block of either layout and repeats it.
func (s *splitter) splitPeriodic(divs []int) ([]Box, error) {
	period := 1
	for _, d := range divs {
		period = min(s.dim.Size, ints.LCM(period, d))
	}
	periods := s.dim.Size / period
	every := period
	if periods == 1 {
		every = 0
	}
	boxes, err := s.splitRuns(0, period, every)
	if err != nil {
		return nil, err
	}
	for i := range boxes {
		boxes[i].Loops = append([]Loop{s.loopOver(periods, period, 0)}, boxes[i].Loops...)
	}
	rest, err := s.splitRuns(periods*period, s.dim.Size, 0)
	return append(boxes, rest...), err
}

// splitRuns splits [from, to) into runs in which only the least significant digit of each layout moves. They repeat every every indices,
// unless that is 0.
func (s *splitter) splitRuns(from, to, every int) ([]Box, error) {
	var boxes []Box
	for i := from; i < to; {
		n := min(to-i, blockRest(i, s.dim.Digits), blockRest(i, s.dst))
		b := s.boxOf(i, i+n, every, from > 0)
		b.Loops = []Loop{s.loopOver(n, 1, every)}
		boxes = append(boxes, b)
		if len(boxes) > maxBoxes {
			return nil, tooManyPieces()
		}
		i += n
	}
	return boxes, nil
}

// blockRest returns the distance of index i from the end of the innermost block.
func blockRest(i int, digits []tensor.Digit) int {
	if len(digits) == 1 {
		return math.MaxInt
	}
	block := digits[1].Div
	return block - i%block
}

// boxOf returns a box without loops for the indices from, …, to-1, repeated every every indices unless that is 0. A rest is what remains
// after whole blocks or periods. Named: C 0..47, C 4..5 of every 12 or C 48, a partial last block.
func (s *splitter) boxOf(from, to, every int, rest bool) Box {
	b := Box{Src: s.dim.At(from), Dst: tensor.Dim{Digits: s.dst}.At(from)}
	if !s.named || to-from == s.dim.Size {
		return b
	}
	part := fmt.Sprintf("%s %d", s.dim.Name, from)
	if to > from+1 {
		part += fmt.Sprintf("..%d", to-1)
	}
	if every > 0 {
		part += fmt.Sprintf(" of every %d", every)
	} else if rest {
		part += ", a partial last block"
	}
	b.held = []string{part}
	return b
}

// loopOver returns a loop of n steps of div over the index, within one digit of either layout. Named, it counts index / div, mod mod unless
// that is 0: C, C//4 or C%4.
func (s *splitter) loopOver(n, div, mod int) Loop {
	l := Loop{N: n, Src: stepOf(div, s.dim.Digits), Dst: stepOf(div, s.dst)}
	if !s.named {
		return l
	}
	l.name = s.dim.Name
	if div > 1 {
		l.name += fmt.Sprintf("//%d", div)
	}
	if mod > 0 {
		l.name += fmt.Sprintf("%%%d", mod)
	}
	return l
}

// stepOf returns how far an index step of div moves the address: it moves the last digit whose divisor divides it.
func stepOf(div int, digits []tensor.Digit) int {
	step := 0
	for _, g := range digits {
		if div%g.Div == 0 {
			step = div / g.Div * g.Stride
		}
	}
	return step
}

package convert

import (
	"math"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
)

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
func splitDim(size int, src, dst []tensor.Digit) ([]Box, error) {
	if size == 0 {
		return nil, nil
	}
	divs := commonDivisors(src, dst)
	if nests(divs) {
		return splitNested(size, divs, src, dst), nil
	}
	return splitPeriodic(size, divs, src, dst)
}

// commonDivisors returns the divisors of both digit lists, rising.
func commonDivisors(src, dst []tensor.Digit) []int {
	var divs []int
	for _, g := range slices.Concat(src, dst) {
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

// splitNested cuts off the whole blocks of the largest divisor, then goes on with the rest and the smaller ones.
func splitNested(size int, divs []int, src, dst []tensor.Digit) []Box {
	var boxes []Box
	start := 0
	for k := len(divs) - 1; k >= 0 && start < size; k-- {
		whole := (size - start) / divs[k]
		if whole == 0 {
			continue
		}
		b := boxAt(start, src, dst)
		b.Loops = append(b.Loops, loopOver(whole, divs[k], src, dst))
		for j := k - 1; j >= 0; j-- {
			b.Loops = append(b.Loops, loopOver(divs[j+1]/divs[j], divs[j], src, dst))
		}
		boxes = append(boxes, b)
		start += whole * divs[k]
	}
	return boxes
}

// splitPeriodic cuts one period at every end of a block of either layout and repeats it.
func splitPeriodic(size int, divs []int, src, dst []tensor.Digit) ([]Box, error) {
	period := 1
	for _, d := range divs {
		if period = lcm(period, d); period >= size {
			period = size
			break
		}
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

// lcm is the least common multiple; it stays under 2⁴⁰ for divisors of at most 2²⁰, and the caller stops at the size.
func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	if c := a / x; c <= int(^uint(0)>>1)/b {
		return c * b
	}
	return math.MaxInt
}

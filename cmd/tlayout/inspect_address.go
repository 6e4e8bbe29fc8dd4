package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// explainAddress works out the address of one element.
func (r *inspectReport) explainAddress(t *source.Tensor, places []place) explained {
	e := explained{Title: "Where an element lies"}
	coord := exampleCoord(t.Layout)
	switch {
	case r.Numel == 0:
		e.Lines = []string{"the tensor is empty: there is none"}
		return e
	case len(coord) == 0:
		e.Lines = []string{r.Formula}
		return e
	}
	steps := r.exampleSteps(t.Layout, coord, places)
	e.Lines = append(e.Lines, r.Formula)
	e.Lines = append(e.Lines, steps...)
	at := t.Layout.At(coord...)
	in := fmt.Sprintf("in bytes: %d · %d = %s", at, r.ItemSize, inBytes(at, r.ItemSize))
	if r.Container != nil {
		in += fmt.Sprintf(" from the first byte of the data, byte %d%s", r.Container.DataOffset+int64(at)*int64(r.ItemSize),
			cmp.Or(r.Container.within(), " of the file"))
	}
	e.Lines = append(e.Lines, in)
	return e
}

// exampleCoord is a coordinate that shows how addresses add up: {1,0,1} of seed 001's (2,2,3), {1,2} of seed 004's
// (2,5). Of a dim in blocks it takes the second lane of the second block.
func exampleCoord(l tensor.Layout) []int {
	coord, on := make([]int, l.Rank()), true
	if l.Rank() == 2 {
		return []int{max(0, min(l.Dim(0).Size-1, 1)), max(0, min(l.Dim(1).Size-1, 2))}
	}
	for i := l.Rank() - 1; i >= 0; i-- {
		d := l.Dim(i)
		switch {
		case len(d.Digits) > 1:
			coord[i] = min(d.Size-1, d.Digits[0].Extent+1)
		case d.Size > 1:
			if on {
				coord[i] = 1
			}
			on = !on
		}
	}
	return coord
}

// exampleSteps: the digits of a split index first, then the dot product.
func (r *inspectReport) exampleSteps(l tensor.Layout, coord []int, places []place) []string {
	var lines []string
	index, strides, terms := []int{}, []int{}, []string{}
	inOrder := slices.Clone(places)
	if _, plain := l.Strided(); plain {
		slices.SortFunc(inOrder, func(a, b place) int { return a.dim - b.dim })
	}
	for _, p := range inOrder {
		i := coord[p.dim]
		if p.name != l.Dim(p.dim).Name {
			i = i / p.digit.Div % p.digit.Extent
			lines = append(lines, fmt.Sprintf("%s = %d%s = %d", p.name, coord[p.dim], p.taken(), i))
		}
		index, strides = append(index, i), append(strides, p.stride)
		terms = append(terms, fmt.Sprintf("%d·%d", i, p.stride))
	}
	sum, start := strings.Join(terms, " + "), ""
	if r.Offset != 0 {
		sum = fmt.Sprintf("%d + %s", r.Offset, sum)
		start = fmt.Sprintf("%d + ", r.Offset)
	}
	return append(lines, fmt.Sprintf("at %s: %s%s · %s = %s = %d", braces(coord), start, braces(index), braces(strides), sum, l.At(coord...)))
}

// taken says how a digit's index is taken from its dim's: div 16, mod 4, or both.
func (p place) taken() string {
	text := ""
	if p.digit.Div > 1 {
		text = fmt.Sprintf(" div %d", p.digit.Div)
	}
	if strings.Contains(p.name, "%") {
		text += fmt.Sprintf(" mod %d", p.digit.Extent)
	}
	return text
}

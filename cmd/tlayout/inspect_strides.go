package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/words"
)

// place is a digit of the layout, or a dim that is not split: one step of it moves the address by its stride.
type place struct {
	dim       int
	name      string
	digit     tensor.Digit
	n, stride int
}

// placesOf lists the places from the outermost to the innermost: in the memory order, or by falling stride where none
// is known.
func placesOf(t *source.Tensor) []place {
	l := t.Layout
	s, plain := l.Strided()
	var places []place
	for i := range l.Rank() {
		d := l.Dim(i)
		if plain {
			places = append(places, place{i, d.Name, tensor.Digit{Div: 1, Extent: d.Size, Stride: s.Strides[i]}, d.Size, s.Strides[i]})
			continue
		}
		for k, g := range slices.Backward(d.Digits) {
			places = append(places, place{i, digitName(d, k), g, g.Extent, g.Stride})
		}
	}
	rank := func(p place) int {
		if !t.HasFormat {
			return 0
		}
		axes := t.Format.Axes()
		for k, a := range axes {
			if a.Dim == p.dim && a.Div == p.digit.Div {
				return k
			}
		}
		return len(axes)
	}
	slices.SortStableFunc(places, func(a, b place) int {
		if t.HasFormat && (t.Format.Plain() || !plain) {
			return rank(a) - rank(b)
		}
		return cmp.Compare(b.reach(), a.reach())
	})
	return places
}

// reach orders places whose order is not known: a place that does not move lies outside of all others.
func (p place) reach() int {
	if p.stride == 0 {
		return math.MaxInt
	}
	return absolute(p.stride)
}

func absolute(n int) int { return max(n, -n) }

// explainStrides tells of each stride from which sizes it comes, as seeds 000 and 001 list them.
func (r *inspectReport) explainStrides(l tensor.Layout, places []place) explained {
	e := explained{Title: "How the strides come about, outermost first, in elements"}
	switch {
	case len(places) == 0:
		e.Lines = []string{"a scalar has no dims, and so no strides"}
		return e
	case r.Numel == 0:
		e.Lines = []string{"the tensor is empty: no stride is ever used"}
		return e
	}
	for i, p := range places {
		e.Lines = append(e.Lines, p.story(places[i+1:]))
	}
	e.Lines = append(e.Lines, paddedLanes(l)...)
	if r.StridesBytes != nil {
		e.Lines = append(e.Lines, fmt.Sprintf("in bytes, as NumPy counts: itemsize · stride, %d · %s = %s", r.ItemSize, tensor.Tuple(r.Strides),
			tensor.Tuple(r.StridesBytes)))
	}
	return e
}

// story tells of one stride how it follows from what lies inside it.
//
//	packed: stride = ∏ extents inside;   otherwise compared with extent · stride of the next place that moves
func (p place) story(inner []place) string {
	packed, formula := 1, ""
	for _, q := range inner {
		packed *= q.n
	}
	if formula = sizeNames(inner); len(inner) > 1 {
		formula += " = " + sizeValues(inner)
	}
	if formula != "" {
		formula += " = "
	}
	head := p.name + "-stride = "
	switch {
	case p.n == 1 && p.stride == packed:
		return head + formula + fmt.Sprint(packed) + ", never used: its index is always 0"
	case p.n == 1:
		return head + fmt.Sprintf("%d, never used: its index is always 0; packed it would be %s%d", p.stride, formula, packed)
	case p.stride == 0:
		return head + fmt.Sprintf("0: broadcast, all %d indices lead to the same elements", p.n)
	case p.stride == packed && len(inner) == 0:
		return head + "1: neighbours lie side by side"
	case p.stride == packed:
		return head + formula + fmt.Sprint(packed)
	case p.stride == -packed && len(inner) == 0:
		return head + "-1: neighbours lie side by side, run backwards: index 0 lies last"
	case p.stride == -packed:
		return head + fmt.Sprintf("%d: %s%d, run backwards: index 0 lies last", p.stride, formula, packed)
	}
	return head + p.apart(inner)
}

// apart tells of a stride that is not the packed one.
func (p place) apart(inner []place) string {
	i := slices.IndexFunc(inner, func(q place) bool { return q.n > 1 && q.stride != 0 })
	backwards := ""
	if p.stride < 0 {
		backwards = ", run backwards"
	}
	if i < 0 {
		return fmt.Sprintf("%d: neighbours lie %d apart, with %d %s of padding between%s", p.stride, absolute(p.stride),
			absolute(p.stride)-1, words.Plural(absolute(p.stride)-1, "element", "elements"), backwards)
	}
	q := inner[i]
	reach := q.n * absolute(q.stride)
	inside := fmt.Sprintf("%s · %s-stride = %d · %d = %d", q.name, q.name, q.n, absolute(q.stride), reach)
	if q.stride == 1 {
		inside = fmt.Sprintf("%s · 1 = %d", q.name, reach)
	}
	switch gap := absolute(p.stride) - reach; {
	case gap == 0 && backwards == "":
		return inside
	case gap == 0:
		return fmt.Sprintf("%d: %s%s", p.stride, inside, backwards)
	case gap > 0:
		return fmt.Sprintf("%d: %s and %d %s of padding%s", p.stride, inside, gap, words.Plural(gap, "element", "elements"), backwards)
	}
	return fmt.Sprintf("%d: less than %s, so its steps fall among those of %s%s", p.stride, inside, q.name, backwards)
}

func sizeNames(places []place) string {
	names := make([]string, len(places))
	for i, p := range places {
		names[i] = p.name
	}
	return strings.Join(names, " · ")
}

func sizeValues(places []place) string {
	sizes := make([]int, len(places))
	for i, p := range places {
		sizes[i] = p.n
	}
	return product(sizes)
}

// paddedLanes tells of each dim that ends inside a block what the rest of the block holds.
func paddedLanes(l tensor.Layout) []string {
	var lines []string
	for i := range l.Rank() {
		d := l.Dim(i)
		last := d.Digits[len(d.Digits)-1]
		if spare := last.Div*last.Extent - d.Size; spare > 0 && last.Div > 1 {
			lines = append(lines, fmt.Sprintf("%s is %d, in %d %s of %d: the last %s padding", d.Name, d.Size, last.Extent,
				words.Plural(last.Extent, "block", "blocks"), last.Div, lanes(spare)))
		}
	}
	return lines
}

func lanes(n int) string {
	if n == 1 {
		return "lane is"
	}
	return fmt.Sprintf("%d lanes are", n)
}

package main

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
)

// explainWalks walks the senses of contiguous that have a meaning for the rank, each from the innermost dim out.
func (r *inspectReport) explainWalks(s tensor.Strided) []explained {
	rank := s.Rank()
	down := make([]int, rank)
	for i := range down {
		down[i] = rank - 1 - i
	}
	walks := []explained{}
	if !s.Empty() {
		walks = append(walks, r.walk(s, "C-contiguous?", down))
	}
	if order := lastOrder(rank); order != nil {
		walks = append(walks, r.walk(s, r.lastFormat()+" contiguous?", order))
	}
	return walks
}

// lastOrder is the order of dims of channels_last and channels_last_3d, innermost first; nil for other ranks.
func lastOrder(rank int) []int {
	return map[int][]int{4: {1, 3, 2, 0}, 5: {1, 4, 3, 2, 0}}[rank]
}

// walk asks each dim for the packed stride, the product of the sizes walked so far, and ends at the first "no".
//
//	expect = 1; for i in order: if d_i ≠ 1 { need s_i = expect; expect *= d_i }
func (r *inspectReport) walk(s tensor.Strided, title string, order []int) explained {
	e := explained{Title: title}
	expect, sizes := 1, []int{}
	for _, i := range order {
		name, n, found := r.Dims[i], s.Shape[i], s.Strides[i]
		if n == 1 {
			e.Lines = append(e.Lines, fmt.Sprintf("%s: size 1, skipped: its stride of %d is never used", name, found))
			continue
		}
		line := fmt.Sprintf("%s: expected %d", name, expect)
		if len(sizes) > 1 {
			line += " = " + product(sizes)
		}
		line += fmt.Sprintf(", found %d", found)
		if found != expect {
			e.Title += " no"
			e.Lines = append(e.Lines, line+": no")
			return e
		}
		e.Lines = append(e.Lines, line)
		expect *= n
		sizes = append([]int{n}, sizes...)
	}
	e.Title += " yes"
	if len(order) == 0 {
		e.Lines = []string{"a scalar is contiguous in every sense"}
	}
	return e
}

// explainPyTorch puts the three questions side by side, with the reason where they part, and says which of them each
// call asks.
func (r *inspectReport) explainPyTorch(s tensor.Strided) (e explained, asked bool) {
	p, format := r.PyTorch, r.lastFormat()
	if p == nil || lastOrder(s.Rank()) == nil {
		return e, false
	}
	last := r.Contiguous.CL || r.Contiguous.CL3D
	e = explained{Title: "What PyTorch's three questions answer", Lines: []string{
		fmt.Sprintf("is_contiguous(): %s", yesNo(p.Contiguous)),
		fmt.Sprintf("is_contiguous(%s): %s", format, yesNo(last)),
		fmt.Sprintf("suggest_memory_format(): %s; %s", p.Suggested, r.hintWalk(s)),
	}}
	if why := r.suggestionText(); why != "" {
		e.Lines = append(e.Lines, "they differ: "+why)
	}
	return explained{e.Title, append(e.Lines,
		fmt.Sprintf(".contiguous(%s) asks the second: %s", format, p.MakeChannelsLast.text()),
		fmt.Sprintf(".to(memory_format=%s) asks the third: %s", format, p.ToChannelsLast.text()))}, true
}

func (c *copyReport) text() string {
	if c.Self {
		return "it returns the tensor itself"
	}
	return "it returns a copy of strides " + tensor.Tuple(c.Strides)
}

// hintWalk tells why suggest_memory_format says what it says. It walks outwards too, but looks at size-1 dims, and
// wants no packed stride, only one of at least what lies inside (semantics.md 1.3):
//
//	least = 0; for i in order: need d_i ≠ 0 and s_i ≥ least; least = s_i · d_i
//	and not: s_N reached with least = s_C
func (r *inspectReport) hintWalk(s tensor.Strided) string {
	if s.Strides[1] == 0 {
		return "the stride of C is 0"
	}
	least := 0
	for _, i := range lastOrder(s.Rank()) {
		name := r.Dims[i]
		switch {
		case s.Shape[i] == 0:
			return fmt.Sprintf("%s has size 0", name)
		case s.Strides[i] < least:
			return fmt.Sprintf("the stride of %s, %d, is less than %d, what lies inside it in %s order", name, s.Strides[i], least, r.lastFormat())
		case i == 0 && least == s.Strides[1]:
			return fmt.Sprintf("all but N have size 1, which stays %s", tensor.ContiguousFormat)
		}
		least = s.Strides[i] * s.Shape[i]
	}
	return fmt.Sprintf("no stride is less than what lies inside it in %s order, size-1 dims included", r.lastFormat())
}

package convert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Explanation is a plan and how it came about.
type Explanation struct {
	Plan  *Plan
	Boxes []Story // of the plan's first boxes, at most maxStories
}

// maxStories bounds what is told of a plan of many boxes.
const maxStories = 64

// Story is what became of one box.
type Story struct {
	Parts  []Part // of the dims that the box does not hold wholly
	Steps  []Step // the loops as the layouts pair them, then after each pass
	Kernel Kernel
}

// Step is a nest of loops and the pass that left it, which is "pair" at first.
type Step struct {
	Pass  string
	Loops []NamedLoop
}

// NamedLoop is a loop and the digits that it counts, outermost first: several once they are folded.
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

// Digit is a place of a dim's index: index / Div, mod Mod where that is not 0.
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

// Kernel is how a box is run. Its zero value copies nothing.
type Kernel struct {
	Kind       string // copy, transpose, interleave or deinterleave
	Item       int    // bytes that move as one
	Rows, Cols int    // of a matrix of the source; 1 for a copy
	BlockRows  int    // how much of it is moved at a time, with rows of padding and columns that nobody wants
	BlockCols  int
	Times      int // how many such matrices there are
	Pad        int // items of padding written behind each run
}

var kindNames = map[kind]string{copied: "copy", transposed: "transpose", interleaved: "interleave", deinterleaved: "deinterleave"}

// Explain makes the plan that NewPlan makes and tells how. It fails as NewPlan does.
//
// Post: the last step of each box is what the plan has, and every step visits the same pairs of offsets.
func Explain(dst, src tensor.Layout, itemSize int) (Explanation, error) {
	dims, err := pairDims(dst, src)
	if err != nil {
		return Explanation{}, err
	}
	plan := planOf(dims, dst, src, itemSize)
	parts := make([][]namedPart, len(dims))
	for i := range dims {
		d := src.Dim(i)
		divs := commonDivisors(d.Digits, dst.Dim(slices.Index(dst.Names(), d.Name)).Digits)
		parts[i] = nameParts(d.Name, dims[i], nests(divs))
	}
	e := Explanation{Plan: plan}
	for k := range min(len(plan.Boxes), maxStories) {
		e.Boxes = append(e.Boxes, newStory(plan, chosen(parts, k), plan.Boxes[k], src.Alloc()*itemSize))
	}
	return e, nil
}

// chosen returns the parts that the k-th box has: product counts the last dim fastest.
func chosen(dims [][]namedPart, k int) []namedPart {
	parts := make([]namedPart, len(dims))
	for i := len(dims) - 1; i >= 0; i-- {
		n := len(dims[i])
		parts[i] = dims[i][k%n]
		k /= n
	}
	return parts
}

func newStory(p *Plan, parts []namedPart, b Box, srcBytes int) Story {
	var s Story
	var loops []NamedLoop
	for _, part := range parts {
		loops = append(loops, part.loops...)
		if part.held != (Part{}) {
			s.Parts = append(s.Parts, part.held)
		}
	}
	s.Steps = []Step{{"pair", loops}}
	for _, pass := range passes {
		loops = renamed(loops, pass.run(bare(loops)))
		s.Steps = append(s.Steps, Step{pass.name, loops})
	}
	if p.ItemSize > 0 {
		s.Kernel = newKernel(p.matrixOf(b, srcBytes), b.Pad)
	}
	return s
}

func newKernel(m *matrix, pad int) Kernel {
	k := Kernel{Kind: kindNames[m.kind], Item: m.item, Rows: 1, Cols: 1, BlockRows: 1, BlockCols: 1, Times: 1, Pad: pad}
	for _, l := range m.around {
		if l.over == noAxis {
			k.Times *= l.N
		}
	}
	if m.kind != copied {
		k.Rows, k.Cols, k.BlockRows, k.BlockCols = m.rows.wanted(), m.cols.wanted(), len(m.rows.table), len(m.cols.table)
	}
	return k
}

// wanted is how many entries there are in all that are somewhere.
func (a axis) wanted() int {
	nowhere := 0
	for _, t := range a.table {
		if t == kernel.NoRow {
			nowhere++
		}
	}
	return a.n - nowhere*ints.CeilDiv(a.n, len(a.table))
}

// InPlace reports whether every element lies at the same offset on both sides, so that nothing need be moved.
func (p *Plan) InPlace() bool {
	return !slices.ContainsFunc(p.Boxes, func(b Box) bool {
		return b.Src != b.Dst || slices.ContainsFunc(b.Loops, func(l Loop) bool { return l.Src != l.Dst })
	})
}

package convert

import (
	"slices"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Explanation is a plan with its derivation.
type Explanation struct {
	Plan  *Plan
	Boxes []BoxExplanation // first boxes of the plan, at most maxExplained
}

// maxExplained bounds the boxes that are explained.
const maxExplained = 64

// BoxExplanation is the derivation of one box.
type BoxExplanation struct {
	Steps  []Step // the loops as paired, then after each pass
	Kernel Kernel
	// A swizzle cuts the loops into Pieces boxes; this is number Piece, from 1; 0 without a swizzle. The last step has only this piece's
	// loops.
	Piece, Pieces int

	Held []string // dims that the box holds only partly
}

// Step is a nest of loops after a pass, "pair" for the initial nest, and Before it.
type Step struct {
	Pass          string
	Loops, Before []Loop
	Src, Dst      tensor.Swizzle // of the pass "swizzle"
}

// Explain makes the plan that NewPlan makes and explains it, for kernels k. It fails as NewPlan does.
func Explain(dst, src tensor.Layout, itemSize int, k *kernel.Kernels) (Explanation, error) {
	dims, err := pairDims(dst, src, true)
	if err != nil {
		return Explanation{}, err
	}
	plan, ends, err := planOf(dims, dst, src, itemSize)
	if err != nil {
		return Explanation{}, err
	}
	e := Explanation{Plan: plan}
	permute := swizzles{src.Swizzle(), dst.Swizzle()}
	first := 0
	for nest, end := range ends {
		for at := first; at < min(end, maxExplained); at++ {
			b := plan.explain(plan.Boxes[at], Box{}.nest(dims, nest, len(ends)), permute, k)
			if !permute.none() {
				b.Piece = at - first + 1
				b.Pieces = end - first
			}
			e.Boxes = append(e.Boxes, b)
		}
		first = end
	}
	return e, nil
}

// explain repeats the passes on the nest from which a box was made.
func (p *Plan) explain(b, nest Box, permute swizzles, k *kernel.Kernels) BoxExplanation {
	e := BoxExplanation{Held: nest.held, Steps: []Step{{Pass: "pair", Loops: nest.Loops}}}
	loops := nest.Loops
	for _, pass := range passes {
		before := loops
		loops = pass.run(slices.Clone(before))
		e.Steps = append(e.Steps, Step{Pass: pass.name, Loops: loops, Before: before})
	}
	if !permute.none() {
		e.Steps = append(e.Steps, Step{Pass: "swizzle", Loops: b.Loops, Before: loops, Src: permute.src, Dst: permute.dst})
	}
	if p.ItemSize > 0 && p.Alloc > 0 {
		if m := p.together(p.Boxes); m != nil {
			e.Kernel = newKernel(m, 0, k)
			e.Kernel.Boxes = len(p.Boxes)
		} else {
			e.Kernel = newKernel(p.matrixOf([]Box{b}), b.Pad, k)
		}
	}
	return e
}

// Elems returns the number of elements in the box.
func (e BoxExplanation) Elems() int { return elemsOf(e.Steps[len(e.Steps)-1].Loops) }

// Kernel describes how a box is run. Its zero value copies nothing.
type Kernel struct {
	Kind string `json:"kind" jsonschema:"copy, transpose, interleave, deinterleave or permute"`
	// how a block is moved: tiles 4x1, program (permutes bytes), elements or copy
	Method    string `json:"moved_by"`
	Item      int    `json:"unit_bytes"`    // what moves as one: an element, or a run
	What      string `json:"why"`           // the reason
	Rows      int    `json:"matrix_rows"`   // rows of the source's matrix; 1 for a copy
	Cols      int    `json:"matrix_cols"`   // columns of the matrix
	BlockRows int    `json:"block_rows"`    // rows moved at a time, padding included
	BlockCols int    `json:"block_cols"`    // columns moved at a time
	Times     int    `json:"matrices"`      // such matrices
	Pad       int    `json:"pad_units"`     // units of padding after each run
	Boxes     int    `json:"boxes_at_once"` // small boxes that the kernel moves together
}

// The kinds of kernels.
const (
	Copies        = "copy"
	Permutes      = "permute" // several small matrices at once
	transposes    = "transpose"
	interleaves   = "interleave"   // few rows merge into one: planes to pixels
	deinterleaves = "deinterleave" // one row splits into few: pixels to planes
)

// kind returns the matrix's effect on memory.
func (m *matrix) kind() string {
	if m.copied {
		return Copies
	}
	if m.chunked {
		return Permutes
	}
	if !m.few() {
		return transposes
	}
	if m.rows.n < m.cols.n && m.cols.step() == m.rows.n*m.item {
		return interleaves
	}
	if m.cols.n < m.rows.n && m.rows.step() < maxItem {
		return deinterleaves
	}
	return transposes
}

// step returns the distance from the first entry to the second on the far side, in bytes.
func (a axis) step() int {
	if len(a.table) < 2 || a.table[1] == kernel.NoRow {
		return 0
	}
	return ints.Abs(a.table[1] - a.table[0])
}

func newKernel(m *matrix, pad int, kernels *kernel.Kernels) Kernel {
	k := Kernel{Kind: m.kind(), Method: Copies, Item: m.item, Rows: 1, Cols: 1, BlockRows: 1, BlockCols: 1, Times: m.times(), Pad: pad, Boxes: 1}
	if !m.copied {
		k.Rows = m.rows.wanted()
		k.Cols = m.cols.wanted()
		k.BlockRows = len(m.rows.table)
		k.BlockCols = len(m.cols.table)
		k.Method = m.block(kernels, k.BlockRows, k.BlockCols).Method()
	}
	return k
}

// wanted returns the number of entries, without those that are not a row.
func (a axis) wanted() int {
	count := func(table []int) int {
		n := 0
		for _, t := range table {
			if t != kernel.NoRow {
				n++
			}
		}
		return n
	}
	return a.n/len(a.table)*count(a.table) + count(a.table[:a.n%len(a.table)])
}

package main

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/explain"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// axesOf lists what moves the address, from the outermost to the innermost.
func axesOf(t *source.Tensor) []explain.Axis {
	if t.HasFormat {
		return explain.InMemory(t.Layout, &t.Format)
	}
	return explain.InMemory(t.Layout, nil)
}

// explainStrides tells of each stride from which sizes it comes, as seeds 000 and 001 list them.
func (r *inspectReport) explainStrides(t *source.Tensor) explained {
	e := explained{Title: "How the strides come about, outermost first, in elements"}
	switch {
	case len(r.Shape) == 0:
		e.Lines = []string{"a scalar has no dims, and so no strides"}
		return e
	case r.Numel == 0:
		e.Lines = []string{"the tensor is empty: no stride is ever used"}
		return e
	}
	for _, s := range explain.NewStrides(axesOf(t)) {
		e.Lines = append(e.Lines, s.String())
	}
	e.Lines = append(e.Lines, paddedLanes(t.Layout)...)
	if r.StridesBytes != nil {
		e.Lines = append(e.Lines, fmt.Sprintf("in bytes, as NumPy counts: itemsize · stride, %d · %s = %s", r.ItemSize, tensor.Tuple(r.Strides),
			tensor.Tuple(r.StridesBytes)))
	}
	return e
}

// paddedLanes tells of each dim that ends inside a block what the rest of the block holds.
func paddedLanes(l tensor.Layout) []string {
	var lines []string
	for _, b := range explain.NewBlocks(l) {
		lines = append(lines, b.String())
	}
	return lines
}

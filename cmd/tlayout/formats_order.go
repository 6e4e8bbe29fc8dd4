package main

import (
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/tensor/source"
)

// formatsOrder is what is known of a memory order without sizes. Symbols and Axes are memory's, outermost first.
type formatsOrder struct {
	Layout   string        `json:"layout"`
	Explicit string        `json:"explicit"`
	Dims     []string      `json:"dims"`
	Symbols  []string      `json:"physical_symbols"`
	Axes     []formatsAxis `json:"axes"` // with numbers where there are sizes

	format  notation.Format
	ordered bool // there is an order of axes; strides may be in none
	blocked bool // the order has blocks, even where a size needs one only, so that strides could say it
}

func newFormatsOrder(t *source.Tensor) formatsOrder {
	o := formatsOrder{Symbols: []string{}, Axes: []formatsAxis{}}
	if !t.HasFormat {
		o.Dims = t.Layout.Names()
		return o
	}
	o.format, o.ordered, o.blocked = t.Format, true, !t.Format.Plain()
	o.Layout, o.Explicit, o.Dims = layoutName(t), t.Format.Explicit(), t.Format.Names()
	return o
}

package main

import (
	"cmp"
	"fmt"

	"github.com/tlayout/tlayout/internal/explain"
	"github.com/tlayout/tlayout/internal/tensor"
)

// explainAddress works out the address of one element.
func (r *inspectReport) explainAddress(l tensor.Layout) explained {
	e := explained{Title: "Where an element lies"}
	coord := explain.Example(l)
	switch {
	case r.Numel == 0:
		e.Lines = []string{"the tensor is empty: there is none"}
		return e
	case len(coord) == 0:
		e.Lines = []string{explain.Formula(l)}
		return e
	}
	address := explain.NewAddress(l, coord)
	e.Lines = append(append(e.Lines, explain.Formula(l)), address.DigitLines()...)
	e.Lines = append(e.Lines, fmt.Sprintf("at %s: %s", brackets(coord), address))
	in := fmt.Sprintf("in bytes: %d · %d = %s", address.Total, r.ItemSize, explain.InBytes(address.Total, r.ItemSize))
	if r.Container != nil {
		in += fmt.Sprintf(" from the first byte of the data, byte %d%s",
			r.Container.DataOffset+int64(address.Total)*int64(r.ItemSize), cmp.Or(r.Container.within(), " of the file"))
	}
	e.Lines = append(e.Lines, in)
	return e
}

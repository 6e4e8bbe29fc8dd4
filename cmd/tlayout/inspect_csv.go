package main

import (
	"fmt"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/words"
)

// csv is the report in one line.
func (r screen) csv() render.Table {
	t := render.Table{Header: strings.Split("source,dtype,file_shape,dims,shape,layout,layout_assumed,strides,offset,numel,nbytes,"+
		"c,f,channels_last,channels_last_3d,packed,padded,overlapping,extent_elems,suggested_memory_format", ",")}
	suggested, padded := "", ""
	if r.Padded != nil {
		padded = fmt.Sprint(*r.Padded)
	}
	if r.Suggested != nil {
		suggested = *r.Suggested
	}
	c, list := r.Contiguous, func(xs []int) string { return words.Ints(xs, ", ") }
	row := []any{fault.Quote(r.Source), r.DType, list(r.FileShape), strings.Join(r.Dims, ""), list(r.Shape), r.Layout, r.LayoutAssumed,
		list(r.Strides), r.Offset, r.Numel, r.NBytes, c.C, c.F, c.CL, c.CL3D, r.Packed, padded, r.Overlapping, r.Extent, suggested}
	cells := make([]string, len(row))
	for i, x := range row {
		cells[i] = fmt.Sprint(x)
	}
	t.Add(cells...)
	return t
}

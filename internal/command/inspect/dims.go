package inspect

import (
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/render"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/explain"
)

// dimTable lists the dims with their strides, or the digits of split dims.
func (r report) dimTable() render.Table {
	if r.Strides == nil {
		return r.digitTable()
	}
	t := render.Table{Title: "Dims, in logical order", Header: []string{"dim", "size", "stride", "bytes"}, Numbers: []int{1, 2, 3}}
	for i, name := range r.Dims {
		t.Add(name, strconv.Itoa(r.Shape[i]), strconv.Itoa(r.Strides[i]), explain.InBytes(r.Strides[i], r.ItemSize))
	}
	return t
}

func (r report) digitTable() render.Table {
	t := render.Table{Title: "Dims and their digits, most significant first",
		Header: []string{"dim", "size", "digit", "extent", "stride", "bytes"}, Numbers: []int{1, 3, 4, 5}}
	for i, name := range r.Dims {
		d := tensor.Dim{Name: name, Size: r.Shape[i], Digits: r.Digits[name]}
		size := strconv.Itoa(d.Size)
		for k, g := range slices.Backward(d.Digits) {
			t.Add(name, size, explain.DigitName(d, k), strconv.Itoa(g.Extent), strconv.Itoa(g.Stride), explain.InBytes(g.Stride, r.ItemSize))
			name, size = "", ""
		}
	}
	return t
}

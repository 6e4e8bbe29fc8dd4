package picture

import (
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/explain"
	"github.com/tlayout/tlayout/internal/tensor"
)

// address writes how addresses of a layout come about. It is explain.Address for many elements: what all of them have in
// common is written once.
type address struct {
	axes   []explain.Axis
	plain  bool
	left   string // the strides, or where there are blocks the whole formula
	offset int
}

func newAddress(l tensor.Layout) address {
	a := address{axes: explain.Logical(l), offset: l.Offset()}
	_, a.plain = l.Strided()
	var strides, formula []string
	for _, x := range a.axes {
		stride := strconv.Itoa(x.Stride)
		strides, formula = append(strides, stride), append(formula, x.Name()+"·"+stride)
	}
	a.left = strings.Join(formula, " + ")
	if a.plain {
		a.left = " · {" + strings.Join(strides, ",") + "}"
	}
	if a.offset != 0 || len(a.axes) == 0 {
		a.left += " + " + strconv.Itoa(a.offset)
	}
	return a
}

// append writes the sum for a coordinate that lies at an offset.
//
// Post: it is explain.NewAddress(l, coord).String().
func (a address) append(b []byte, coord []int, off int) []byte {
	if a.plain {
		b = append(appendInts(append(b, '{'), coord), '}')
	}
	b = append(b, a.left...)
	for k, x := range a.axes {
		sign := " + "
		if k == 0 {
			sign = " = "
		}
		b = append(b, sign...)
		v := coord[x.Dim] / x.Div
		if !x.Last {
			v %= x.Extent
		}
		b = strconv.AppendInt(b, int64(v), 10)
		b = append(b, "·"...)
		b = strconv.AppendInt(b, int64(x.Stride), 10)
	}
	if a.offset != 0 && len(a.axes) > 0 {
		b = strconv.AppendInt(append(b, " + "...), int64(a.offset), 10)
	}
	return strconv.AppendInt(append(b, " = "...), int64(off), 10)
}

func appendInts(b []byte, xs []int) []byte {
	for k, x := range xs {
		if k > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(x), 10)
	}
	return b
}

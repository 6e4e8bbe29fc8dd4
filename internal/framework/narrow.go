package framework

import (
	"fmt"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Values below a byte: which strides and offsets a framework accepts of them.

// refusesParts returns why the framework refuses values that share a byte with memory before or after the tensor; empty if it accepts
// them. A pointer, and an offset in bytes, cannot point into a byte.
func (f *Framework) refusesParts(o Offer) clause {
	d := o.DType
	each := o.DType.PerByte()
	if first := o.Layout.Offset(); first%each != 0 {
		return uncut("it starts inside a byte, at " + d.In(first) + ": no pointer expresses that")
	}
	if n := o.Layout.Numel(); f.Packed == PackedFilled && n%each != 0 {
		return uncut(fmt.Sprintf("%d values of %d bits do not fill whole bytes", n, d.Bits()))
	}
	return clause{}
}

// refusesHalves returns why the framework refuses the strides of values of 4 bits: the rows of each dim begin at a byte. The innermost of
// several may end inside one.
func (f *Framework) refusesHalves(o Offer) clause {
	if f.Packed != PackedEven || o.DType.Bits() != 4 {
		return clause{}
	}
	s, plain := o.Layout.Strided()
	if !plain || s.Empty() {
		return clause{}
	}
	for d, stride := range s.Strides {
		if stride%2 != 0 && stride != 1 && s.Shape[d] > 1 {
			return uncut(fmt.Sprintf("%s-stride is %d values of %d bits: rows must start at a byte", o.Layout.Dim(d).Name, stride, o.DType.Bits()))
		}
	}
	return clause{}
}

// acceptsPairs answers for PyTorch, whose only type of packed values is a byte of two: a dim of stride 1 has half as many of them.
func acceptsPairs(o Offer) Answer {
	s, plain := o.asStored().Layout.Strided()
	if !plain {
		return no("%s", unsupported+" "+o.DType.String()+" in blocks; its "+pairOfFloat4+" is a byte of two values")
	}
	half := tensor.Strided{Shape: append([]int{}, s.Shape...), Strides: append([]int{}, s.Strides...), Offset: s.Offset / 2}
	halved := false
	for d, stride := range s.Strides {
		if !halved && stride == 1 && s.Shape[d]%2 == 0 {
			half.Shape[d] = s.Shape[d] / 2
			halved = true
			continue
		}
		if stride%2 != 0 && s.Shape[d] > 1 {
			return no("%s is a byte of two values, %s-stride %d values", pairOfFloat4, o.asStored().Layout.Dim(d).Name, stride)
		}
		half.Strides[d] = stride / 2
	}
	whole, err := half.Layout(nil, (o.asStored().Layout.Alloc()+1)/2)
	if err != nil || !halved || s.Offset%2 != 0 {
		return no("%s is a byte of two values: no dim of stride 1 has whole bytes", pairOfFloat4)
	}
	o.DType, err = dtype.Parse(pairOfFloat4)
	if err != nil {
		panic(err) // a type of package dtype
	}
	o.Layout = whole
	o.Stored = whole
	o.Orders = nil
	o.Order = nil
	a := PyTorch.Accepts(o)
	if !a.OK {
		return a
	}
	view := "as " + pairOfFloat4 + ", shape " + tensor.Tuple(half.Shape) + ", a byte of two values"
	return Answer{OK: true, As: a.As}.and(clause{view, "as " + pairOfFloat4}, clause{full: a.Why})
}

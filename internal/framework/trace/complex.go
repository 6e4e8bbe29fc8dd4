package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// viewAsReal views complex numbers as pairs, and view_as_complex pairs as complex numbers.
func (s State) viewAsReal(a arguments) (Step, error) {
	isComplex := s.DType.Kind() == dtype.Complex
	to := tensor.Strided{Shape: slices.Clone(s.Shape), Strides: slices.Clone(s.Strides), Offset: s.Offset}
	names := slices.Clone(s.Names)
	if a.call.Name == "view_as_real" {
		if !isComplex {
			return Step{}, refuse("view_as_real is only supported for complex tensors")
		}
		bits := s.DType.Bits() / 2
		for d := range to.Strides {
			to.Strides[d] *= 2
		}
		to.Offset *= 2
		to.Shape = append(to.Shape, 2)
		to.Strides = append(to.Strides, 1)
		s.DType = typed(fmt.Sprintf("float%d", bits))
		s.ItemSize = bits / 8
		s.Storage = &Storage{Elems: 2 * s.Storage.Elems, isNew: true}
		return s.view(to, append(names, ""), "real and imaginary parts are a new last dim; strides and offset count real numbers")
	}
	if s.DType.Kind() != dtype.Float {
		return Step{}, refuse("view_as_complex is only supported for floating point tensors")
	}
	last := s.Rank() - 1
	if last < 0 || s.Shape[last] != 2 {
		return Step{}, refuse("Tensor must have a last dimension of size 2")
	}
	if s.Strides[last] != 1 {
		return Step{}, refuse("Tensor must have a last dimension with stride 1").because("%s has stride %d", s.called(last), s.Strides[last])
	}
	for d := range last {
		if s.Strides[d]%2 != 0 {
			return Step{}, refuse("Tensor must have a stride divisible by 2 for all but last dimension").because("%s has stride %d", s.called(d), s.Strides[d])
		}
		to.Strides[d] /= 2
	}
	if s.Offset%2 != 0 {
		return Step{}, refuse("Tensor must have a storage_offset divisible by 2").because("the offset is %d", s.Offset)
	}
	to.Offset /= 2
	to.Shape = to.Shape[:last]
	to.Strides = to.Strides[:last]
	s.DType = typed(fmt.Sprintf("complex%d", 2*s.DType.Bits()))
	s.ItemSize *= 2
	s.Storage = &Storage{Elems: s.Storage.Elems / 2, isNew: true}
	return s.view(to, names[:last], "pairs of the last dim are complex numbers; strides and offset count those")
}

// complexOf makes complex numbers of real and imaginary parts, or of absolute values and angles.
func (s State) complexOf(a arguments) (Step, error) {
	step, err := typing(promotes).elementwise(s, a)
	if err != nil || s.DType.Kind() != dtype.Float {
		return step, err
	}
	return s.computed(step.State.Strided, step.State.Names, typed(fmt.Sprintf("complex%d", 2*s.DType.Bits())), step.Why...)
}

// part is the real or imaginary part of complex numbers, a view; real numbers are their own real part.
func (s State) part(a arguments) (Step, error) {
	isReal := s.DType.Kind() != dtype.Complex
	if isReal && a.call.Name == "imag" {
		return Step{}, refuse("imag is not implemented for tensors with non-complex dtypes.")
	}
	if isReal {
		return s.itself("the numbers are real: returns the tensor itself")
	}
	if a.call.Name == "conj" {
		return s.view(s.Strided, s.Names, "a view that conjugates when it is read")
	}
	isImaginary := a.call.Name == "imag"
	a.call.Name = "view_as_real"
	step, err := s.viewAsReal(a)
	if err != nil {
		return step, err
	}
	last := s.Rank()
	to := step.State.Strided
	to.Shape = to.Shape[:last]
	to.Strides = to.Strides[:last]
	if isImaginary {
		to.Offset++
	}
	return step.State.view(to, s.Names, "strides and offset count real numbers")
}

package trace

import (
	"slices"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// isInf compares the absolute value with infinity; integers are never infinite. (isinf in PyTorch's
// aten/src/ATen/native/TensorCompare.cpp)
func (s State) isInf(a arguments) (Step, error) {
	if isIntegral(s.DType.Kind()) {
		a.given["dtype"] = Arg{Kind: Word, Word: "bool"}
		return s.like(a)
	}
	if s.DType.Kind() == dtype.Complex {
		return Step{}, stop("isinf", "its strides for complex numbers are not known")
	}
	to := elementwise(elementwise(s.Strided), tensor.Strided{})
	return s.computed(to, s.Names, typed("bool"), "abs, and a comparison with infinity")
}

func (s State) isFinite(a arguments) (Step, error) {
	if s.DType.Kind() != dtype.Float {
		return s.isInf(a)
	}
	to := elementwise(elementwise(s.Strided, s.Strided), elementwise(elementwise(s.Strided), tensor.Strided{}))
	return s.computed(to, s.Names, typed("bool"), "the product of x == x and abs(x) != inf")
}

// square is pow(2).
func (s State) square(a arguments) (Step, error) {
	a.params = signature("exponent:bound")
	a.given = map[string]Arg{"exponent": {Kind: Int, Int: 2}}
	return typing(promotes).elementwise(s, a)
}

// divide keeps integers if it rounds.
func (s State) divide(a arguments) (Step, error) {
	if a.has("rounding_mode") {
		return typing(promotes).elementwise(s, a)
	}
	return typing(toFloat).elementwise(s, a)
}

// rpow is a number to the power of the tensor.
func (s State) rpow(a arguments) (Step, error) {
	return s.fresh(s.Shape, s.Names, s.commonType([]Arg{{Kind: Tensor, Of: &s}, a.given["base"]}))
}

// whereNumbers is where of two numbers, by the tensor as condition.
func (s State) whereNumbers(a arguments) (Step, error) {
	typ := promote(a.given["input"].numberType(), a.given["other"].numberType())
	to, why, err := s.iterate([]tensor.Strided{s.Strided, {}, {}})
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, s.Names, typ, why...)
}

// dropout returns the tensor itself unless it trains; then it multiplies by a mask with the strides of empty_like. (dropout in PyTorch's
// aten/src/ATen/native/Dropout.cpp)
func (s State) dropout(a arguments) (Step, error) {
	training := a.given["training"]
	isFunction := a.call.Module == PyTorch
	if training.Kind != Word || training.Word != "True" {
		why := "without training, dropout returns the tensor itself"
		if a.has("training") && training.Word != "False" {
			why = "assumed: no training; dropout returns the tensor itself"
		}
		if a.has("training") || !isFunction {
			return s.itself(why)
		}
	}
	if a.given["inplace"].Word == "True" {
		return s.written(a)
	}
	if a.call.Name != "dropout" {
		return Step{}, stop(a.call.Name, "its strides in training are not known")
	}
	noise := tensor.Strided{Shape: s.Shape, Strides: s.CloneStrides()}
	to, why, err := s.iterate([]tensor.Strided{s.Strided, noise})
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, s.Names, s.DType, append([]string{"in training, the product with a mask"}, why...)...)
}

// combined computes an element of the tensor's dtype from one of each operand.
func (s State) combined(operands ...tensor.Strided) (Step, error) {
	to, why, err := s.iterate(operands)
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, s.Names, s.DType, why...)
}

// normalize divides by the norm along a dim. (normalize in PyTorch's torch/nn/functional.py)
func (s State) normalize(a arguments) (Step, error) {
	d, err := s.axis(a.number("dim", 1), s.Rank(), "")
	if err != nil {
		return Step{}, err
	}
	shape := slices.Clone(s.Shape)
	if s.Rank() > 0 {
		shape[d] = 1
	}
	norm, err := tensor.Packed(shape)
	if err != nil {
		return Step{}, err
	}
	norm, err = norm.Expand(s.Shape)
	if err != nil {
		return Step{}, err
	}
	return s.combined(s.Strided, norm)
}

// glu multiplies a half by the sigmoid of the other.
func (s State) glu(a arguments) (Step, error) {
	d, err := s.axis(a.number("dim", -1), s.Rank(), "")
	if err != nil {
		return Step{}, err
	}
	if s.Rank() == 0 {
		return Step{}, refuse("glu does not support 0-dimensional tensors")
	}
	n := s.Shape[d]
	if n%2 != 0 {
		return Step{}, refuse("Halving dimension must be even, but dimension %d is size %d", d, n)
	}
	half := tensor.Strided{Shape: slices.Clone(s.Shape), Strides: s.Strides}
	half.Shape[d] = n / 2
	return s.combined(half, half)
}

// roll joins the two parts of each dim by cat, one dim after the other; without dims it rolls the flat tensor.
// (roll_cpu in PyTorch's aten/src/ATen/native/TensorTransformations.cpp)
func (s State) roll(a arguments) (Step, error) {
	shifts := a.numbers("shifts")
	dims, err := s.axes(a.numbers("dims"), s.Rank(), "", nil)
	if err != nil {
		return Step{}, err
	}
	if s.Empty() {
		return s.preserved(a)
	}
	if len(dims) == 0 && len(shifts) == 1 {
		return s.fresh(s.Shape, s.Names, s.DType)
	}
	if len(dims) != len(shifts) {
		return Step{}, refuse("shifts and dimensions must align. shifts: %d, dims:%d", len(shifts), len(dims))
	}
	if s.Rank() == 0 {
		return Step{}, stop("roll", "what it returns for a scalar is not known")
	}
	to := s.Strided
	for k, d := range dims {
		n := to.Shape[d]
		start := ((n-shifts[k])%n + n) % n
		first := tensor.Strided{Shape: slices.Clone(to.Shape), Strides: to.Strides}
		second := tensor.Strided{Shape: slices.Clone(to.Shape), Strides: to.Strides}
		first.Shape[d] = n - start
		second.Shape[d] = start
		to, _, err = concat([]tensor.Strided{first, second}, d)
		if err != nil {
			return Step{}, err
		}
	}
	return s.computed(to, s.Names, s.DType, "cat of the parts of each dim")
}

// flipSide is fliplr and flipud.
func (s State) flipSide(a arguments) (Step, error) {
	d := map[string]int{"fliplr": 1, "flipud": 0}[a.call.Name]
	if s.Rank() <= d {
		return Step{}, refuse("Input must be >= %d-d.", d+1)
	}
	a.given = map[string]Arg{"dims": {Kind: Int, Int: d}}
	return s.flip(a)
}

// diff subtracts each element of a dim from the next.
func (s State) diff(a arguments) (Step, error) {
	d, err := s.axis(a.number("dim", -1), s.Rank(), "")
	if err != nil {
		return Step{}, err
	}
	if s.Rank() == 0 {
		return Step{}, refuse("diff expects input to be at least one-dimensional")
	}
	if a.number("n", 1) != 1 || s.Shape[d] == 0 {
		return Step{}, stop("diff", "its strides are known for n=1 alone")
	}
	part := tensor.Strided{Shape: slices.Clone(s.Shape), Strides: s.Strides}
	part.Shape[d]--
	return s.combined(part, part)
}

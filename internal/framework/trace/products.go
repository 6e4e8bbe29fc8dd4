package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// ownWords begins a refusal in our own words: PyTorch's name the function that strides and backend choose.
const ownWords = "sizes do not match: "

// matmul returns a contiguous tensor, whatever the strides of its operands. (_matmul_impl in PyTorch's
// aten/src/ATen/native/LinearAlgebra.cpp)
func (s State) matmul(a arguments) (Step, error) {
	other, err := s.operand("matmul", a.given["other"])
	if err != nil {
		return Step{}, err
	}
	m := s.Rank()
	n := other.Rank()
	if m == 0 || n == 0 {
		return Step{}, refuse("both arguments to matmul need to be at least 1D, but they are %dD and %dD", m, n)
	}
	shape, err := broadcast(s.Shape[:max(0, m-2)], other.Shape[:max(0, n-2)])
	if err != nil {
		return Step{}, err
	}
	inner := s.Shape[m-1]
	found := other.Shape[max(0, n-2)]
	if inner != found {
		r := refuse(ownWords+"the last size, %d, is not the size of dim %d of the other, %d", inner, max(0, n-2), found)
		if m <= 2 && n == 2 {
			rows := append([]int{1}, s.Shape...)[m-1]
			r.Text = fmt.Sprintf("mm: mat1 and mat2 shapes cannot be multiplied (%dx%d and %dx%d)", rows, inner, found, other.Shape[1])
		}
		return Step{}, r
	}
	if m > 1 {
		shape = append(shape, s.Shape[m-2])
	}
	if n > 1 {
		shape = append(shape, other.Shape[n-1])
	}
	to, err := tensor.Packed(shape)
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, make([]string, len(shape)), s.DType, "contiguous, whatever the strides of the operands")
}

// cdist is a matrix of distances.
func (s State) cdist(a arguments) (Step, error) {
	x, err := s.operand("cdist", a.given["x2"])
	if err != nil {
		return Step{}, err
	}
	if s.Rank() < 2 || x.Rank() < 2 {
		return Step{}, refuse("cdist only supports at least 2D tensors, X1 got: %dD", s.Rank())
	}
	shape, err := broadcast(s.Shape[:s.Rank()-2], x.Shape[:x.Rank()-2])
	if err != nil {
		return Step{}, err
	}
	return s.fresh(append(shape, s.Shape[s.Rank()-2], x.Shape[x.Rank()-2]), nil, s.DType)
}

func (s State) cosineSimilarity(a arguments) (Step, error) {
	x, err := s.operand("cosine_similarity", a.given["x2"])
	if err != nil {
		return Step{}, err
	}
	shape, err := broadcast(s.Shape, x.Shape)
	if err != nil {
		return Step{}, err
	}
	d, err := s.axis(a.number("dim", 1), len(shape), "")
	if err != nil {
		return Step{}, err
	}
	return s.fresh(slices.Delete(shape, d, d+1), nil, s.DType)
}

// outer is a matrix of products.
func (s State) outer(a arguments) (Step, error) {
	x, err := s.operand("outer", a.given["vec2"])
	if err != nil {
		return Step{}, err
	}
	if s.Rank() != 1 || x.Rank() != 1 {
		return Step{}, refuse("outer: Expected 1-D argument self, but got %d-D", max(s.Rank(), x.Rank()))
	}
	return s.fresh([]int{s.Shape[0], x.Shape[0]}, nil, s.commonType([]Arg{{Kind: Tensor, Of: &s}, a.given["vec2"]}))
}

// linear multiplies by the transposed weight.
func (s State) linear(a arguments) (Step, error) {
	w, err := s.operand("linear", a.given["weight"])
	if err != nil {
		return Step{}, err
	}
	if w.Rank() != 2 || s.Rank() < 1 {
		return Step{}, stop("linear", "the weight is not a matrix")
	}
	last := s.Rank() - 1
	if s.Shape[last] != w.Shape[1] {
		rows := ints.Product(s.Shape[:last])
		return Step{}, refuse("mat1 and mat2 shapes cannot be multiplied (%dx%d and %dx%d)", rows, s.Shape[last], w.Shape[1], w.Shape[0]).
			because("the last size is %d, and the weight has %d columns", s.Shape[last], w.Shape[1])
	}
	names := append(slices.Clone(s.Names[:last]), "")
	return s.fresh(append(slices.Clone(s.Shape[:last]), w.Shape[0]), names, s.DType)
}

// addmm adds the product of two matrices, or of batches, to the tensor.
func (s State) addmm(a arguments) (Step, error) {
	left, err := s.operand(a.call.Name, a.given["mat1"])
	if err != nil {
		return Step{}, err
	}
	product := s
	product.Strided = left
	product.Names = make([]string, left.Rank())
	a.given["other"] = a.given["mat2"]
	if a.call.Name == "addbmm" || a.call.Name == "addmv" {
		return Step{}, stop(a.call.Name, "what it returns is not known")
	}
	step, err := product.matmul(a)
	if err != nil {
		return Step{}, err
	}
	shape, err := broadcast(step.State.Shape, s.Shape)
	if err != nil {
		return Step{}, err
	}
	return s.fresh(shape, nil, s.DType)
}

// attention on a CPU has the strides of empty_like of the query where flash attention computes it, else it is contiguous.
// (use_flash_attention_cpp in PyTorch's aten/src/ATen/native/transformers/sdp_utils_cpp.cpp)
func (s State) attention(a arguments) (Step, error) {
	key, err := s.operand("key", a.given["key"])
	if err != nil {
		return Step{}, err
	}
	value, err := s.operand("value", a.given["value"])
	if err != nil {
		return Step{}, err
	}
	if s.Rank() != 4 || key.Rank() != 4 || value.Rank() != 4 {
		return Step{}, stop(a.call.Name, "its strides are known for four dims alone")
	}
	shape := slices.Clone(s.Shape)
	shape[3] = value.Shape[3]
	if s.Shape[3] != key.Shape[3] || key.Shape[2] != value.Shape[2] {
		return Step{}, refuse("sizes of query %s, key %s and value %s do not match", tensor.Tuple(s.Shape), tensor.Tuple(key.Shape), tensor.Tuple(value.Shape))
	}
	sameBatch := slices.Equal(s.Shape[:2], key.Shape[:2]) && slices.Equal(s.Shape[:2], value.Shape[:2])
	isEmpty := s.Empty() || key.Empty()
	if !sameBatch || isEmpty || s.DType.Kind() != dtype.Float {
		return Step{}, stop(a.call.Name, "its strides are known for equal batches and heads of floats alone")
	}
	unit := s.Strides[3] == 1 && key.Strides[3] == 1 && value.Strides[3] == 1
	if !unit || s.Shape[3] != value.Shape[3] {
		return s.fresh(shape, s.Names, s.DType, "contiguous, because flash attention on a CPU needs a last stride of 1 and equal sizes of heads")
	}
	to := tensor.Strided{Shape: shape, Strides: s.CloneStrides()}
	return s.computed(to, s.Names, s.DType, "flash attention on a CPU: the strides of empty_like of the query")
}

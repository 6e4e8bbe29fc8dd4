package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// reductions maps einops' reductions, which are NumPy's methods, to PyTorch's. (TorchBackend.reduce in einops/_backends.py, 0.8.2)
var reductions = map[string]string{"min": "amin", "max": "amax", "sum": "sum", "mean": "mean", "prod": "prod", "any": "any", "all": "all"}

// reduced reduces the last dims. PyTorch's result is C-contiguous (resize_reduction in aten/src/ATen/native/ReduceOpsUtils.h), NumPy's is
// dense in the order in which its iterator walks memory (PyUFunc_ReduceWrapper in numpy/_core/src/umath/reduction.c).
func (s State) reduced(a arguments) (Step, error) {
	name := a.call.Name
	dims := a.numbers("axis")
	rest, names := s.without(dims)
	if err := s.cannotReduce(name, dims); err != nil {
		return Step{}, err
	}
	typ, err := s.reducedType(name)
	if err != nil {
		return Step{}, err
	}
	to, err := tensor.Packed(rest.Shape)
	if err != nil {
		return Step{}, err
	}
	order := ints.Range(rest.Rank())
	why := "the result is C-contiguous, whatever the memory order was"
	if s.Rules == NumPy {
		order = slices.DeleteFunc(s.iteration(), func(d int) bool { return d >= rest.Rank() })
		why = "the result keeps the memory order of the other dims"
		to.Strides = npReducedStrides(to, order, name == "mean" && typ.Bits() == 16)
	}
	sizes := s.Shape[rest.Rank():]
	lines := []string{fmt.Sprintf("%s: %s elements become one", s.calledAll(dims), equals(sizes, ints.Product(sizes))), why}
	if !typ.Equal(s.DType) {
		lines = append(lines, fmt.Sprintf("%s of %s is %s", name, s.DType, typ))
	}
	return s.computed(to, names, typ, append(lines, packedLines(to, names, order)...)...)
}

// npReducedStrides returns the strides of a result whose dims are in this memory order. It is converted if a mean of float16, which NumPy
// computes in float32. (_mean in numpy/_core/_methods.py)
func npReducedStrides(to tensor.Strided, order []int, converted bool) []int {
	s := State{Strided: to, Names: make([]string, to.Rank()), Storage: &Storage{}, Rules: NumPy}
	s.Strides = s.packedBy(order)
	if s.Empty() { // NumPy's new empty arrays have strides of 0
		return make([]int, s.Rank())
	}
	if step, err := s.npCopyIn("K", ""); converted && err == nil {
		return step.State.Strides
	}
	return s.Strides
}

// cannotReduce refuses einops' mean of ints, and the minimum and maximum of no elements.
func (s State) cannotReduce(name string, dims []int) error {
	empty := slices.IndexFunc(dims, func(d int) bool { return s.Shape[d] == 0 })
	if name == "mean" && !s.isFloat() {
		return refuse("reduce_mean is not available for non-floating tensors").because("the dtype is %s", s.DType)
	}
	if empty >= 0 && (name == "amin" || name == "amax") {
		return refuse("%s(): Expected reduction dim %d to have non-zero size.", name, dims[empty])
	}
	if empty >= 0 && (name == "min" || name == "max") {
		return refuse("zero-size array to reduction operation %simum which has no identity", name)
	}
	return nil
}

// reducedType returns the dtype of a reduction: sums of ints have 64 bits.
func (s State) reducedType(name string) (dtype.Type, error) {
	kind := s.DType.Kind()
	isSum := name == "sum" || name == "prod"
	if !isReducible(s.DType, isSum) {
		return s.DType, fault.New(fault.Unsupported, "reductions of %s are not supported", s.DType)
	}
	isLogical := name == "any" || name == "all"
	if isLogical && (s.Rules == NumPy || s.DType.String() != "uint8") {
		return dtype.Parse("bool")
	}
	if isSum && kind == dtype.Uint && s.Rules == NumPy {
		return dtype.Parse("uint64")
	}
	if isSum && isIntegral(kind) {
		return dtype.Parse("int64")
	}
	return s.DType, nil
}

// isReducible reports whether the result of a reduction of these values is known. Complex numbers have sums and products alone.
func isReducible(d dtype.Type, isSum bool) bool {
	switch d.Kind() {
	case dtype.Bool, dtype.Int, dtype.Uint:
		return true
	case dtype.Float:
		return d.Bits() >= 16
	case dtype.Complex:
		return isSum
	}
	return false
}

// isFloat reports whether einops takes a mean of the tensor: in NumPy's native byte order. (is_float_type in einops/_backends.py, 0.8.2)
func (s State) isFloat() bool {
	names := []string{"float16", "float32", "float64", map[Rules]string{PyTorch: "bfloat16", NumPy: "float128"}[s.Rules]}
	return slices.Contains(names, s.DType.String()) && s.DType.Order() != dtype.Big
}

// npTile repeats dims of size 1, always in a copy. (tile in numpy/lib/_shape_base_impl.py)
func (s State) npTile(a arguments) (Step, error) {
	repeats := a.numbers("reps")
	shape := slices.Clone(s.Shape)
	for d, n := range repeats {
		shape[d] *= n
	}
	to, err := s.Expand(shape)
	if err != nil {
		return Step{}, err
	}
	if slices.Max(repeats) == 1 {
		return s.npCopyIn("K", "tile always copies")
	}
	if s.Empty() {
		return s.npReshaped(shape, false)
	}
	s.Strided = to
	return s.npCopyIn("C", "tile always copies")
}

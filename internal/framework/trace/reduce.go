package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// reducing are operators that reduce dims, and their kind that returns several tensors.
func reducing() []operation {
	one := func(run func(State, arguments) (Step, error), example, names, params string) operation {
		all := strings.Fields(names)
		return operation{Usage: Usage{Name: all[0], Also: all[1:], Example: example}, params: signature(params), run: run}
	}
	pair := func(tuple func(State, arguments) ([]Step, error), example, names, params string) operation {
		all := strings.Fields(names)
		return operation{Usage: Usage{Name: all[0], Also: all[1:], Example: example}, params: signature(params), tuple: tuple}
	}
	return []operation{
		one(State.reduction, "sum(1)", "sum mean nansum nanmean prod", "dim=axis:ints? keepdim:flag? dtype:word?"),
		one(State.reduction, "amax(1)", "amax amin logsumexp any all count_nonzero argmax argmin", "dim=axis:ints? keepdim:flag?"),
		one(State.reduction, "std(1)", "std var", "dim:ints? unbiased=correction:any? keepdim:flag?"),
		one(State.reduction, "norm(dim=1)", "norm", "p:any? dim:ints? keepdim:flag? dtype:word?"),
		one(State.reduction, "quantile(0.5,1)", "quantile nanquantile", "q:number dim:ints? keepdim:flag? interpolation:any?"),
		one(State.reduction, "dist(x)", "dist dot trace equal allclose", "other:operand? rtol:any? atol:any? equal_nan:any?"),
		pair(State.extreme, "max(1)", "max min median", "dim=other:operand? keepdim:flag?"),
		pair(State.valuesIndices, "mode(1)", "mode", "dim:ints? keepdim:flag?"),
		pair(State.valuesIndices, "kthvalue(1,1)", "kthvalue", "k:int dim:ints? keepdim:flag?"),
		pair(State.meanAnd, "std_mean(1)", "std_mean var_mean", "dim:ints? unbiased=correction:any? keepdim:flag?"),
		pair(State.aMinMax, "aminmax(dim=1)", "aminmax", "dim:ints? keepdim:flag?"),
		pair(State.topK, "topk(2,1)", "topk", "k:int dim:int? largest:any? sorted:any?"),
		pair(State.sorts, "sort(1)", "sort msort", "dim:int? descending:any? stable:any?"),
		pair(State.meshGrid, "meshgrid(x)", "meshgrid", "tensors:tensors? indexing:word?"),
		pair(State.cumulativePair, "cummax(1)", "cummax cummin", "dim:int"),
	}
}

// remaining returns the shape after a reduction of dims, all if none are given.
func (s State) remaining(a arguments) (shape []int, names []string, err error) {
	dims := s.inOrder()
	if a.has("dim") && len(a.numbers("dim")) > 0 {
		dims, err = s.axes(a.numbers("dim"), s.Rank(), "", func(d int) string { return fmt.Sprintf("dim %d appears multiple times in the list of dims", d) })
		if err != nil {
			return nil, nil, err
		}
	}
	if a.word("keepdim", "False") == "True" {
		shape = slices.Clone(s.Shape)
		for _, d := range dims {
			if s.Rank() > 0 {
				shape[d] = 1
			}
		}
		return shape, s.Names, nil
	}
	rest, names := s.without(dims)
	return rest.Shape, names, nil
}

// alwaysBool, alwaysIndices, floatsOnly and scalars are reductions by what they return.
var (
	alwaysBool    = []string{"any", "all"}
	alwaysIndices = []string{"argmax", "argmin", "count_nonzero"}
	floatsOnly    = []string{"mean", "std", "var", "norm", "nanmean", "quantile", "nanquantile", "std_mean", "var_mean"}
	sums          = []string{"sum", "prod", "nansum", "cumsum", "cumprod", "trace"}
	scalars       = []string{"dist", "dot", "trace"}
)

// reducedDType returns the dtype of a reduction.
func (s State) reducedDType(a arguments) (dtype.Type, error) {
	name := a.call.Name
	isInt := isIntegral(s.DType.Kind())
	if a.has("dtype") {
		return s.newType(a)
	}
	if slices.Contains(alwaysBool, name) && s.DType.String() != "uint8" {
		return typed("bool"), nil
	}
	if slices.Contains(alwaysIndices, name) {
		return typed("int64"), nil
	}
	if isInt && name == "logsumexp" {
		return typed("float32"), nil
	}
	if isInt && slices.Contains(sums, name) {
		return typed("int64"), nil
	}
	if isInt && slices.Contains(floatsOnly, name) {
		return s.DType, refuse("%s(): could not infer output dtype. Input dtype must be either a floating point or complex dtype", name).
			because("the dtype is %s", s.DType).withHint("float() first")
	}
	isReal := map[string]bool{"std": true, "var": true, "norm": true}[name]
	if s.DType.Kind() == dtype.Complex && isReal {
		return typed(fmt.Sprintf("float%d", s.DType.Bits()/2)), nil
	}
	return s.DType, nil
}

// reduction is a sum and its kind: its result is contiguous. (resize_reduction in PyTorch's aten/src/ATen/native/ReduceOpsUtils.h)
func (s State) reduction(a arguments) (Step, error) {
	name := a.call.Name
	if name == "equal" || name == "allclose" {
		return Step{}, stop(name, "it returns True or False, not a tensor")
	}
	typ, err := s.reducedDType(a)
	if err != nil {
		return Step{}, err
	}
	if slices.Contains(scalars, name) {
		return s.fresh([]int{}, nil, typ)
	}
	shape, names, err := s.remaining(a)
	if err != nil {
		return Step{}, err
	}
	return s.fresh(shape, names, typ, "a reduction is contiguous, whatever the memory order was")
}

// valuesIndices returns the values of a reduction, and their indices.
func (s State) valuesIndices(a arguments) ([]Step, error) {
	if !a.has("dim") {
		a.given["dim"] = Arg{Kind: Int, Int: -1}
	}
	shape, names, err := s.remaining(a)
	if err != nil {
		return nil, err
	}
	return s.both(shape, names, s.DType, typed("int64"))
}

// both returns two new contiguous tensors of a shape.
func (s State) both(shape []int, names []string, first, second dtype.Type) ([]Step, error) {
	a, err := s.fresh(shape, names, first)
	if err != nil {
		return nil, err
	}
	b, err := s.fresh(shape, names, second)
	return []Step{a, b}, err
}

// extreme is max, min and median: of all elements, of a dim, or of two tensors.
func (s State) extreme(a arguments) ([]Step, error) {
	g, ok := a.given["dim"]
	if ok && g.Kind == Int {
		return s.valuesIndices(a)
	}
	if !ok {
		step, err := s.fresh([]int{}, nil, s.DType)
		return []Step{step}, err
	}
	if g.Kind == Word {
		return nil, unknownNumber(g.Word)
	}
	if a.has("keepdim") {
		return nil, stop(a.call.Name, "a dim that is a tensor is not known")
	}
	a.params = signature("other:operand")
	a.given = map[string]Arg{"other": g}
	step, err := typing(promotes).elementwise(s, a)
	return []Step{step}, err
}

func (s State) meanAnd(a arguments) ([]Step, error) {
	typ, err := s.reducedDType(a)
	if err != nil {
		return nil, err
	}
	shape, names, err := s.remaining(a)
	if err != nil {
		return nil, err
	}
	return s.both(shape, names, typ, typ)
}

func (s State) aMinMax(a arguments) ([]Step, error) {
	shape, names, err := s.remaining(a)
	if err != nil {
		return nil, err
	}
	return s.both(shape, names, s.DType, s.DType)
}

func (s State) topK(a arguments) ([]Step, error) {
	d, err := s.axis(a.number("dim", -1), s.Rank(), "")
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(s.Shape)
	k := a.number("k", 1)
	if s.Rank() > 0 {
		if k < 0 || k > s.Shape[d] {
			return nil, refuse("selected index k out of range").because("%s has size %d", s.called(d), s.Shape[d])
		}
		shape[d] = k
	}
	return s.both(shape, s.Names, s.DType, typed("int64"))
}

// sorts returns values and indices with the strides of clone. (sort in PyTorch's aten/src/ATen/native/Sorting.cpp)
func (s State) sorts(a arguments) ([]Step, error) {
	if _, err := s.axis(a.number("dim", -1), s.Rank(), ""); err != nil {
		return nil, err
	}
	values, err := s.preserved(a)
	if err != nil {
		return nil, err
	}
	indices, err := s.sortedIndices(a)
	return []Step{values, indices}, err
}

func (s State) cumulativePair(a arguments) ([]Step, error) {
	if _, err := s.axis(a.number("dim", 0), s.Rank(), ""); err != nil {
		return nil, err
	}
	return s.both(s.Shape, s.Names, s.DType, typed("int64"))
}

func (s State) cumulative(a arguments) (Step, error) {
	if _, err := s.axis(a.number("dim", 0), s.Rank(), ""); err != nil {
		return Step{}, err
	}
	typ, err := s.reducedDType(a)
	if err != nil {
		return Step{}, err
	}
	return s.fresh(s.Shape, s.Names, typ)
}

func (s State) softmax(a arguments) (Step, error) {
	if _, err := s.axis(a.number("dim", -1), s.Rank(), ""); err != nil {
		return Step{}, err
	}
	typ, err := s.newType(a)
	if err != nil {
		return Step{}, err
	}
	if isIntegral(typ.Kind()) && !s.Empty() {
		return Step{}, refuse(`"softmax_lastdim_kernel_impl" not implemented for '%s'`, messageType(typ)).withHint("float() first")
	}
	return s.fresh(s.Shape, s.Names, typ)
}

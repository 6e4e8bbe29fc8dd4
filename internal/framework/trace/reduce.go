package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// whyContiguous is why the strides of an operand do not matter.
const whyContiguous = "contiguous, whatever the strides of the operand"

// fresh returns a new contiguous tensor.
func (s State) fresh(shape []int, names []string, typ dtype.Type, why ...string) (Step, error) {
	to, err := tensor.Packed(shape)
	if err != nil {
		return Step{}, err
	}
	if names == nil {
		names = make([]string, len(shape))
	}
	if len(why) == 0 {
		why = []string{whyContiguous}
	}
	return s.computed(to, names, typ, why...)
}

// typed returns a dtype that exists.
func typed(name string) dtype.Type {
	d, _ := dtype.Parse(name)
	return d
}

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
	if isIntegral(typ.Kind()) {
		return Step{}, refuse(`"softmax_lastdim_kernel_impl" not implemented for '%s'`, messageType(typ)).withHint("float() first")
	}
	return s.fresh(s.Shape, s.Names, typ)
}

func messageType(d dtype.Type) string {
	_, message := torchType(d.String())
	return message
}

// dense returns a new contiguous tensor of the shape and dtype.
func (s State) dense(a arguments) (Step, error) {
	if a.has("dim") {
		if _, err := s.axis(a.number("dim", 0), s.Rank(), ""); err != nil {
			return Step{}, err
		}
	}
	return s.fresh(s.Shape, s.Names, s.DType)
}

// preserved returns a new tensor with the strides of clone.
func (s State) preserved(arguments) (Step, error) {
	return s.computed(tensor.Strided{Shape: s.Shape, Strides: s.CloneStrides()}, s.Names, s.DType, strings.ReplaceAll(s.whyPreserved(), "copy", "new tensor"))
}

// angles returns a new float tensor with the strides of clone.
func (s State) angles(arguments) (Step, error) {
	_, typ := toFloat(s.DType)
	return s.computed(tensor.Strided{Shape: s.Shape, Strides: s.CloneStrides()}, s.Names, typ, strings.ReplaceAll(s.whyPreserved(), "copy", "new tensor"))
}

// sortedIndices returns indices with the strides of clone.
func (s State) sortedIndices(arguments) (Step, error) {
	return s.computed(tensor.Strided{Shape: s.Shape, Strides: s.CloneStrides()}, s.Names, typed("int64"), strings.ReplaceAll(s.whyPreserved(), "copy", "new tensor"))
}

// loss is a number, unless reduction is none.
func (s State) loss(a arguments) (Step, error) {
	if a.word("reduction", "mean") == "none" {
		return Step{}, stop(a.call.Name, "the strides without a reduction are not known")
	}
	return s.fresh([]int{}, nil, s.DType)
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

func (s State) typeAs(a arguments) (Step, error) {
	typ := s.typeOf(a.given["other"])
	if typ.Equal(s.DType) {
		return s.itself("the dtype is " + typ.String() + " already: returns the tensor itself")
	}
	a.given["dtype"] = Arg{Kind: Word, Word: typ.String()}
	return s.like(a)
}

// shapedAs is view_as, reshape_as and expand_as.
func (s State) shapedAs(a arguments) (Step, error) {
	x, err := s.operand(a.call.Name, a.given["other"])
	if err != nil {
		return Step{}, err
	}
	list := Arg{Kind: List}
	for _, n := range x.Shape {
		list.List = append(list.List, Arg{Kind: Int, Int: n})
	}
	a.given = map[string]Arg{"size": list}
	switch a.call.Name {
	case "view_as":
		return s.torchView(a)
	case "reshape_as":
		return s.reshapedTo(x.Shape)
	}
	return s.expand(a)
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
	to, why, err := s.iterate([]tensor.Strided{s.Strided, norm})
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, s.Names, s.DType, why...)
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
	to, why, err := s.iterate([]tensor.Strided{half, half})
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, s.Names, s.DType, why...)
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

func (s State) multinomial(a arguments) (Step, error) {
	if s.Rank() < 1 || s.Rank() > 2 {
		return Step{}, refuse("prob_dist must be 1 or 2 dim")
	}
	return s.fresh(append(slices.Clone(s.Shape[:s.Rank()-1]), a.number("num_samples", 1)), nil, typed("int64"))
}

// toNumPy returns an array of the storage, whose steps follow NumPy's rules.
func (s State) toNumPy(arguments) (Step, error) {
	if name := s.DType.String(); name == "bfloat16" {
		return Step{}, refuse("Got unsupported ScalarType BFloat16").withHint("float() first")
	}
	s.Rules = NumPy
	return s.view(s.Strided, s.Names, "an array of the same storage; the next steps follow NumPy's rules")
}

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

// lengthOf returns an int argument; a usage error for another value.
func (a arguments) lengthOf(name string) (int, error) {
	g := a.given[name]
	if g.Kind == Word && isName(g.Word) {
		return 0, unknownNumber(g.Word)
	}
	if g.Kind != Int || g.Int < 0 {
		return 0, fault.New(fault.Usage, "%s: %s must be an int that is not negative", a.call.Name, name)
	}
	return g.Int, nil
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

// histc counts values in bins.
func (s State) histc(a arguments) (Step, error) {
	return s.fresh([]int{max(a.number("bins", 100), 0)}, nil, s.DType)
}

// complexOf makes complex numbers of real and imaginary parts, or of absolute values and angles.
func (s State) complexOf(a arguments) (Step, error) {
	step, err := typing(promotes).elementwise(s, a)
	if err != nil || s.DType.Kind() != dtype.Float {
		return step, err
	}
	return s.computed(step.State.Strided, step.State.Names, typed(fmt.Sprintf("complex%d", 2*s.DType.Bits())), step.Why...)
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
	to, why, err := s.iterate([]tensor.Strided{part, part})
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, s.Names, s.DType, why...)
}

// meshGrid views each vector in the shape of the grid. (meshgrid in PyTorch's aten/src/ATen/native/TensorShape.cpp)
func (s State) meshGrid(a arguments) ([]Step, error) {
	all := []State{s}
	for _, g := range a.given["tensors"].List {
		x, err := s.operand("meshgrid", g)
		if err != nil {
			return nil, err
		}
		next := s
		if g.Of != nil {
			next = *g.Of
		}
		next.Strided = x
		all = append(all, next)
	}
	swaps := a.word("indexing", "ij") == "xy" && len(all) > 1
	if swaps {
		all[0], all[1] = all[1], all[0]
	}
	shape := make([]int, len(all))
	for d, x := range all {
		if x.Rank() > 1 {
			return nil, refuse("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: %dD", x.Rank())
		}
		shape[d] = x.Numel()
	}
	var steps []Step
	for d, x := range all {
		one := slices.Repeat([]int{1}, len(all))
		one[d] = shape[d]
		row, err := x.View(one)
		if err != nil {
			return nil, err
		}
		grid, err := row.Expand(shape)
		if err != nil {
			return nil, err
		}
		step, err := x.view(grid, make([]string, len(all)), "a view of the vector in the shape of the grid, with stride 0 along the other dims")
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	if swaps {
		steps[0], steps[1] = steps[1], steps[0]
	}
	return steps, nil
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

// atLeast adds dims to a tensor of fewer.
func (s State) atLeast(a arguments) (Step, error) {
	n := int(a.call.Name[len("atleast_")] - '0')
	if s.Rank() >= n {
		return s.itself("has enough dims: returns the tensor itself")
	}
	if n > 1 {
		return Step{}, stop(a.call.Name, "its strides for fewer dims are not known")
	}
	return s.reshapedTo([]int{1})
}

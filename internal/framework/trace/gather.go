package trace

import (
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// gathered is an index with lists or tensors of integers: x[[0, 1]], x[:, ids]. The other entries are applied first, as a view; then dims
// without an index and the shape of the indices are iterated together, with stride 0 where an operand does not have the dim.
// (AdvancedIndex in PyTorch's aten/src/ATen/native/TensorAdvancedIndexing.cpp)
func (s State) gathered(a arguments) (Step, error) {
	if s.Rules == NumPy {
		return Step{}, stop("an index by a list", "NumPy's strides of the copy are not known here")
	}
	plain := a
	plain.call.Args = slices.Clone(a.call.Args)
	var indices []tensor.Strided
	var lists []Arg
	for i, e := range plain.call.Args {
		if !e.isIndices() {
			continue
		}
		x, err := s.indexOperand(e)
		if err != nil {
			return Step{}, err
		}
		lists = append(lists, e)
		indices = append(indices, x)
		plain.call.Args[i] = Arg{Kind: Range}
	}
	base, err := s.index(plain)
	if err != nil {
		return Step{}, err
	}
	dims := indexedDims(a.call.Args, base.State.Rank())
	for i, d := range dims {
		if err := lists[i].within(base.State.Shape[d], d); err != nil {
			return Step{}, err
		}
	}
	shape := []int{}
	for _, x := range indices {
		shape, err = broadcast(shape, x.Shape)
		if err != nil {
			return Step{}, refuse("shape mismatch: indexing tensors could not be broadcast together")
		}
	}
	to, err := base.State.gather2(dims, shape, indices)
	if err != nil {
		return Step{}, err
	}
	step, err := s.computed(to, make([]string, to.Rank()), s.DType, fmt.Sprintf("an index by a list or a tensor copies: the dims of the index, %s, replace %s",
		tensor.Tuple(shape), base.State.calledAll(dims)))
	step.Kind = Copy
	step.Copied, _ = step.State.bytes()
	step.Reason = "an index by a list or a tensor always copies"
	return step, err
}

// gather2 returns what an index of these dims makes, by indices that broadcast to a shape.
func (s State) gather2(dims, shape []int, indices []tensor.Strided) (tensor.Strided, error) {
	at := dims[0]
	source := s.Strided
	if !slices.Equal(dims, ints.Range(dims[0] + len(dims))[dims[0]:]) { // not adjacent: the dims go first
		rest := slices.DeleteFunc(s.inOrder(), func(d int) bool { return slices.Contains(dims, d) })
		moved, err := s.reorder(slices.Concat(dims, rest))
		if err != nil {
			return source, err
		}
		source = moved.State.Strided
		at = 0
	}
	n := len(dims)
	from := tensor.Strided{Shape: slices.Concat(source.Shape[:at], shape, source.Shape[at+n:]),
		Strides: slices.Concat(source.Strides[:at], make([]int, len(shape)), source.Strides[at+n:])}
	operands := []tensor.Strided{from}
	for _, x := range indices {
		wide, err := x.Expand(shape)
		if err != nil {
			return from, err
		}
		ones := slices.Repeat([]int{1}, source.Rank()-n)
		reshaped, _, err := wide.Reshape(slices.Concat(ones[:at], shape, ones[at:]))
		if err != nil {
			return from, err
		}
		operands = append(operands, reshaped)
	}
	to, _, err := s.iterate(operands)
	return to, err
}

// within refuses a list with an index that a dim does not have.
func (g Arg) within(n, d int) error {
	for _, x := range g.List {
		if g.Kind != List {
			return nil
		}
		if err := x.within(n, d); err != nil {
			return err
		}
		if x.Kind == Int && (x.Int < -n || x.Int >= n) {
			return refuse("index %d is out of bounds for dimension %d with size %d", x.Int, d, n).withHint("%s", valid(n))
		}
	}
	return nil
}

// isIndices reports whether an entry of an index is a list or a tensor.
func (g Arg) isIndices() bool { return g.Kind == List || g.Kind == Tensor }

// indexOperand returns the tensor of indices that an entry is.
func (s State) indexOperand(e Arg) (tensor.Strided, error) {
	if e.Of != nil {
		switch e.Of.DType.Kind() {
		case dtype.Bool:
			return tensor.Strided{}, stop("an index by a mask", "its size depends on the data")
		case dtype.Int, dtype.Uint:
			isMask := e.Of.DType.String() == "uint8"
			if isMask {
				return tensor.Strided{}, stop("an index by a mask", "its size depends on the data")
			}
			return e.Of.Strided, nil
		}
		return tensor.Strided{}, refuse("tensors used as indices must be long, int, byte or bool tensors").because("the dtype is %s", e.Of.DType)
	}
	shape := []int{len(e.List)}
	for _, x := range e.List {
		if x.Kind == Word && isName(x.Word) {
			return tensor.Strided{}, unknownNumber(x.Word)
		}
		if x.Kind == Word {
			return tensor.Strided{}, stop("an index by a mask", "its size depends on the data")
		}
		if x.Kind == List {
			shape = []int{len(e.List), len(x.List)}
			continue
		}
		if x.Kind != Int {
			return tensor.Strided{}, fault.New(fault.Usage, "an index by %s is not followed", x)
		}
	}
	return tensor.Packed(shape)
}

// indexedDims returns the dims, after the view, that entries index by lists.
func indexedDims(entries []Arg, rank int) []int {
	used := 0
	for _, e := range entries {
		if e.Kind != Ellipsis && e.Kind != Int {
			used++
		}
	}
	var dims []int
	d := 0
	for _, e := range entries {
		switch {
		case e.Kind == Ellipsis:
			d += rank - used
		case e.Kind == Int:
		default:
			if e.isIndices() {
				dims = append(dims, d)
			}
			d++
		}
	}
	return dims
}

// indexTensor returns the tensor of indices of a call.
func (s State) indexTensor(a arguments, name string) (tensor.Strided, error) {
	g := a.given[name]
	if g.Of != nil && g.Of.DType.Kind() != dtype.Int {
		return tensor.Strided{}, refuse("%s(): Expected dtype int64 for index", a.call.Name).because("the dtype is %s", g.Of.DType)
	}
	return s.operand(a.call.Name, g)
}

func (s State) gather(a arguments) (Step, error) {
	x, err := s.indexTensor(a, "index")
	if err != nil {
		return Step{}, err
	}
	if _, err := s.axis(a.number("dim", 0), s.Rank(), ""); err != nil {
		return Step{}, err
	}
	if max(s.Rank(), 1) != max(x.Rank(), 1) {
		return Step{}, refuse("Index tensor must have the same number of dimensions as input tensor").because("the index has %d, the tensor %d", x.Rank(), s.Rank())
	}
	return s.fresh(x.Shape, nil, s.DType, "contiguous, with the shape of the index")
}

func (s State) takeAlong(a arguments) (Step, error) {
	x, err := s.indexTensor(a, "indices")
	if err != nil {
		return Step{}, err
	}
	if !a.has("dim") {
		return s.fresh([]int{x.Numel()}, nil, s.DType)
	}
	d, err := s.axis(a.number("dim", 0), s.Rank(), "")
	if err != nil {
		return Step{}, err
	}
	if s.Rank() != x.Rank() || s.Rank() == 0 {
		return Step{}, refuse("torch.take_along_dim(): input and indices should have the same number of dimensions, but got %d dimensions for input, "+
			"and %d dimensions for indices", s.Rank(), x.Rank())
	}
	from := slices.Clone(s.Shape)
	from[d] = 1
	index := slices.Clone(x.Shape)
	index[d] = 1
	shape, err := broadcast(from, index)
	if err != nil {
		return Step{}, err
	}
	shape[d] = x.Shape[d]
	return s.fresh(shape, nil, s.DType)
}

func (s State) indexSelect(a arguments) (Step, error) {
	x, err := s.indexTensor(a, "index")
	if err != nil {
		return Step{}, err
	}
	d, err := s.axis(a.number("dim", 0), s.Rank(), "")
	if err != nil {
		return Step{}, err
	}
	if x.Rank() > 1 {
		return Step{}, refuse("index_select(): Index is supposed to be a vector, but got dim: %d with type: Long and size: %s", x.Rank(), tensor.List(x.Shape))
	}
	shape := slices.Clone(s.Shape)
	if s.Rank() > 0 {
		shape[d] = x.Numel()
	}
	return s.fresh(shape, s.Names, s.DType)
}

func (s State) take(a arguments) (Step, error) {
	x, err := s.indexTensor(a, "index")
	if err != nil {
		return Step{}, err
	}
	return s.fresh(x.Shape, nil, s.DType)
}

// embedding looks up rows of a weight.
func (s State) embedding(a arguments) (Step, error) {
	w, err := s.operand("embedding", a.given["weight"])
	if err != nil {
		return Step{}, err
	}
	if w.Rank() != 2 {
		return Step{}, refuse("'weight' must be 2-D")
	}
	typ := s.typeOf(a.given["weight"])
	if a.given["weight"].Of == nil && isIntegral(typ.Kind()) {
		typ = typed("float32")
	}
	return s.fresh(append(slices.Clone(s.Shape), w.Shape[1]), append(slices.Clone(s.Names), ""), typ)
}

func (s State) oneHot(a arguments) (Step, error) {
	n := a.number("num_classes", -1)
	if n < 0 {
		return Step{}, stop("one_hot", "without num_classes, its size depends on the data")
	}
	return s.fresh(append(slices.Clone(s.Shape), n), append(slices.Clone(s.Names), ""), typed("int64"))
}

func (s State) bucketize(a arguments) (Step, error) {
	return s.fresh(s.Shape, s.Names, typed("int64"))
}

func (s State) searchSorted(a arguments) (Step, error) {
	x, err := s.operand("searchsorted", a.given["input"])
	if err != nil {
		return Step{}, err
	}
	return s.fresh(x.Shape, nil, typed("int64"))
}

func (s State) isIn(arguments) (Step, error) {
	if !s.IsContiguous(tensor.ContiguousFormat) {
		return Step{}, stop("isin", "the strides of its result depend on the sizes of both")
	}
	return s.fresh(s.Shape, s.Names, typed("bool"))
}

// maskedFill clones to a contiguous tensor of the shape of both. (masked_fill in PyTorch's
// aten/src/ATen/native/TensorAdvancedIndexing.cpp)
func (s State) maskedFill(a arguments) (Step, error) {
	m, err := s.operand(a.call.Name, a.given["mask"])
	if err != nil {
		return Step{}, err
	}
	shape, err := broadcast(s.Shape, m.Shape)
	if err != nil {
		return Step{}, err
	}
	if g := a.given["mask"]; g.Of != nil && g.Of.DType.Kind() != dtype.Bool {
		return Step{}, refuse("%s only supports boolean masks, but got mask with dtype %s", a.call.Name, g.Of.DType)
	}
	return s.fresh(shape, s.namesFromEnd(len(shape)), s.DType)
}

// repeat is PyTorch's: each size times its factor, in a contiguous copy.
func (s State) repeat(a arguments) (Step, error) {
	factors := a.numbers("repeats")
	extra := len(factors) - s.Rank()
	if extra < 0 {
		return Step{}, refuse("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor").
			because("the tensor has %d dims, (%s) has %d", s.Rank(), spelled(factors), len(factors))
	}
	shape := slices.Concat(slices.Repeat([]int{1}, extra), s.Shape)
	for d, n := range factors {
		if n < 0 {
			return Step{}, refuse("Trying to create tensor with negative dimension %d", n*shape[d])
		}
		size, ok := tensor.Mul(shape[d], n)
		if !ok {
			return Step{}, overflow("repeat: %d·%d", shape[d], n)
		}
		shape[d] = size
	}
	return s.fresh(shape, s.namesFromEnd(len(shape)), s.DType, "contiguous: repeat always copies")
}

// tile is repeat with 1 for the factors of leading dims that are missing.
func (s State) tile(a arguments) (Step, error) {
	factors := a.numbers("dims")
	for len(factors) < s.Rank() {
		factors = append([]int{1}, factors...)
	}
	list := Arg{Kind: List}
	for _, n := range factors {
		list.List = append(list.List, Arg{Kind: Int, Int: n})
	}
	a.given = map[string]Arg{"repeats": list}
	return s.repeat(a)
}

func (s State) repeatInterleave(a arguments) (Step, error) {
	if a.given["repeats"].Kind != Int && !a.has("output_size") {
		if g := a.given["repeats"]; g.Kind == Word {
			return Step{}, unknownNumber(g.Word)
		}
		return Step{}, stop("repeat_interleave", "with a tensor of repeats, its size depends on the data")
	}
	shape := []int{s.Numel()}
	d := 0
	if a.has("dim") {
		shape = slices.Clone(s.Shape)
		var err error
		d, err = s.axis(a.number("dim", 0), s.Rank(), "")
		if err != nil {
			return Step{}, err
		}
	}
	n, err := a.lengthOf("repeats")
	if a.has("output_size") {
		n, err = a.lengthOf("output_size")
		if len(shape) > 0 {
			shape[d] = 1
		}
	}
	if err != nil {
		return Step{}, err
	}
	if len(shape) > 0 {
		size, ok := tensor.Mul(shape[d], n)
		if !ok {
			return Step{}, overflow("repeat_interleave: %d·%d", shape[d], n)
		}
		shape[d] = size
	}
	return s.fresh(shape, nil, s.DType, "contiguous: repeat_interleave always copies")
}

// diagEmbed fills a new contiguous tensor, and returns a view of it if the dims are not the last two.
func (s State) diagEmbed(a arguments) (Step, error) {
	if a.has("dim1") || a.has("dim2") || s.Rank() == 0 {
		return Step{}, stop("diag_embed", "its strides with dim1 and dim2 are not known")
	}
	n := s.Shape[s.Rank()-1] + max(a.number("offset", 0), -a.number("offset", 0))
	return s.fresh(append(slices.Clone(s.Shape[:s.Rank()-1]), n, n), nil, s.DType)
}

// diag makes a matrix of a vector, or copies the diagonal of a matrix.
func (s State) diag(a arguments) (Step, error) {
	k := a.number("diagonal", 0)
	switch s.Rank() {
	case 1:
		n := s.Shape[0] + max(k, -k)
		return s.fresh([]int{n, n}, nil, s.DType)
	case 2:
		n := min(s.Shape[0]+min(k, 0), s.Shape[1]-max(k, 0))
		return s.fresh([]int{max(n, 0)}, nil, s.DType)
	}
	return Step{}, refuse("diag(): Supports 1D or 2D tensors. Got %dD", s.Rank())
}

func (s State) cross(a arguments) (Step, error) {
	x, err := s.operand("cross", a.given["other"])
	if err != nil {
		return Step{}, err
	}
	shape, err := broadcast(s.Shape, x.Shape)
	if err != nil {
		return Step{}, err
	}
	return s.fresh(shape, nil, s.DType)
}

package trace

import (
	"math"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// factories are methods that make a new tensor with the dtype of this one.
func factories() []operation {
	const rest = " dtype:word? device:any? requires_grad:any? layout:any? pin_memory:any?"
	row := func(run func(State, arguments) (Step, error), example, names, params string) operation {
		all := strings.Fields(names)
		return operation{Usage: Usage{Name: all[0], Also: all[1:], Example: example}, params: signature(params + rest), run: run}
	}
	return []operation{
		row(State.newOf, "new_zeros(2,3)", "new_zeros new_ones new_empty new", "size:sizes"),
		row(State.newOf, "new_full((2,3),0)", "new_full", "size:ints fill_value:any"),
		row(State.newTensor, "new_tensor([1,2])", "new_tensor", "data:any"),
	}
}

func (s State) newOf(a arguments) (Step, error) {
	typ, err := s.newType(a)
	if err != nil {
		return Step{}, err
	}
	shape := a.numbers("size")
	if slices.ContainsFunc(shape, isNegative) {
		return Step{}, refuse("Trying to create tensor with negative dimension %d: [%s]", slices.Min(shape), spelled(shape))
	}
	return s.fresh(shape, nil, typ, "a new tensor is contiguous")
}

func (s State) newTensor(a arguments) (Step, error) {
	data := a.given["data"]
	typ, err := s.newType(a)
	if err != nil {
		return Step{}, err
	}
	shape, err := shapeOf(data)
	if err != nil {
		return Step{}, err
	}
	return s.fresh(shape, nil, typ, "a new tensor is contiguous")
}

// shapeOf returns the shape of nested lists of numbers.
func shapeOf(g Arg) ([]int, error) {
	if g.Of != nil {
		return g.Of.Shape, nil
	}
	if g.Kind == Word && isName(g.Word) {
		return nil, unknownNumber(g.Word)
	}
	if g.Kind == Ellipsis {
		return nil, stop("tensor", "the print leaves out elements, so its sizes are not known")
	}
	if g.Kind != List {
		return []int{}, nil
	}
	if len(g.List) == 0 {
		return []int{0}, nil
	}
	shape, err := shapeOf(g.List[0])
	for _, item := range g.List[1:] {
		if err != nil {
			return nil, err
		}
		var other []int
		other, err = shapeOf(item)
		if err == nil && !slices.Equal(shape, other) {
			return nil, refuse("lists of different lengths are no tensor")
		}
	}
	return append([]int{len(g.List)}, shape...), err
}

// makers are the functions that make a tensor, by framework, and by which values.
var makers = map[Rules]map[string]string{
	PyTorch: {
		"zeros": "sizes", "ones": "sizes", "empty": "sizes", "rand": "sizes", "randn": "sizes", "full": "full", "arange": "arange", "range": "arange",
		"linspace": "linspace", "logspace": "linspace", "eye": "eye", "tensor": "data", "as_tensor": "data", "randint": "randint", "randperm": "count",
		"scalar_tensor": "data", "empty_strided": "sizes",
	},
	NumPy: {
		"zeros": "sizes", "ones": "sizes", "empty": "sizes", "full": "full", "arange": "arange", "linspace": "linspace", "eye": "eye", "identity": "eye",
		"array": "data",
	},
}

// printers are the functions as which a framework prints a tensor, without its module: tensor([[1., 2.]]), array([1, 2]).
var printers = map[Rules]string{PyTorch: "tensor", NumPy: "array"}

// makes reports whether a call makes a tensor.
func (c Call) makes(r Rules) bool {
	if c.Module == "" {
		return printers[r] == c.Name
	}
	return c.Module == r && makers[r][c.Name] != ""
}

// factory is a function that makes a tensor: torch.zeros(2, 3), np.arange(8), and a print, tensor([[1., 2.]]).
func (sc *script) factory(n node, c Call) (prepared, error) {
	args, keywords, err := sc.arguments(n, 0)
	if err != nil {
		return prepared{}, err
	}
	for _, g := range args {
		if g.Of != nil {
			return valued(g, nil)
		}
	}
	rules := sc.now.Rules
	shape, typ, err := filled(makers[rules][c.Name], c, args, keywords)
	if err != nil {
		return prepared{}, err
	}
	if isDefault := typ == typed("float32"); isDefault && rules == NumPy {
		typ = typed("float64")
	}
	blank := State{Rules: rules, DType: typ, ItemSize: typ.ItemSize(), Storage: &Storage{isNew: true}}
	a := arguments{call: c, given: map[string]Arg{}}
	if d, ok := keywords["dtype"]; ok && d.Kind == Word {
		a.given["dtype"] = d
	}
	typ, err = blank.newType(a)
	if err != nil {
		return prepared{}, err
	}
	step, err := blank.fresh(shape, nil, typ, "a new tensor is contiguous")
	if err == nil && c.Name == "empty_strided" {
		step, err = blank.strided(args, typ)
	}
	if order := keywords["order"]; err == nil && order.Word == "F" {
		step, err = blank.columnMajor(shape, typ)
	}
	if err != nil {
		return prepared{}, err
	}
	step.Call = c
	step.State.Storage.isNew = !sc.start.Storage.isNone
	sc.made[&step.State] = step
	return valued(Arg{Kind: Tensor, Of: &step.State}, nil)
}

// columnMajor returns a new array in Fortran order.
func (s State) columnMajor(shape []int, typ dtype.Type) (Step, error) {
	to, err := tensor.ColumnMajor(shape)
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, make([]string, to.Rank()), typ, "the order is F")
}

// strided returns a new tensor with these strides.
func (s State) strided(args []Arg, typ dtype.Type) (Step, error) {
	if len(args) != 2 || !args[1].isIntList() {
		return Step{}, fault.New(fault.Usage, "torch.empty_strided takes size, stride")
	}
	to, err := tensor.NewStrided(args[0].all(), args[1].all(), 0)
	if err != nil {
		return Step{}, err
	}
	return s.computed(to, make([]string, to.Rank()), typ, "the strides are given")
}

// filled returns the shape and dtype of a new tensor that is made by a kind of values; the dtype is PyTorch's.
func filled(by string, c Call, args []Arg, keywords map[string]Arg) ([]int, dtype.Type, error) {
	typ := typed("float32")
	misuse := func() error { return fault.New(fault.Usage, "%s: sizes must be ints", c.Name) }
	for _, g := range args {
		if g.Kind == Word && isName(g.Word) {
			return nil, typ, unknownNumber(g.Word)
		}
	}
	sizes := Arg{Kind: List, List: args}
	if len(args) > 0 && args[0].Kind == List {
		sizes = args[0]
	}
	for _, name := range []string{"size", "shape"} {
		if g, ok := keywords[name]; ok {
			sizes = g
		}
	}
	switch by {
	case "full":
		if len(args) < 1 {
			return nil, typ, misuse()
		}
		sizes = Arg{Kind: List, List: args[0].List}
		if len(args) > 1 {
			typ = promoteData(args[1])
		}
		if g, ok := keywords["fill_value"]; ok {
			typ = promoteData(g)
		}
	case "data":
		if len(args) == 0 {
			return nil, typ, misuse()
		}
		shape, err := shapeOf(args[0])
		return shape, promoteData(args[0]), err
	case "arange":
		return counted(args)
	case "linspace":
		steps := keywords["steps"]
		if len(args) > 2 {
			steps = args[2]
		}
		sizes = Arg{Kind: List, List: []Arg{steps}}
	case "eye":
		if len(args) == 1 {
			sizes = Arg{Kind: List, List: []Arg{args[0], args[0]}}
		}
	case "count":
		typ = typed("int64")
	case "randint":
		typ = typed("int64")
		sizes = keywords["size"]
		if len(args) > 0 && args[len(args)-1].Kind == List {
			sizes = args[len(args)-1]
		}
	}
	negative := slices.ContainsFunc(sizes.all(), isNegative)
	if !sizes.isIntList() || negative {
		for _, g := range sizes.List {
			if g.Kind == Word && isName(g.Word) {
				return nil, typ, unknownNumber(g.Word)
			}
		}
		return nil, typ, misuse()
	}
	return sizes.all(), typ, nil
}

// promoteData returns the dtype of numbers.
func promoteData(g Arg) dtype.Type {
	if g.Kind != List {
		return g.numberType()
	}
	if len(g.List) == 0 {
		return typed("float32")
	}
	d := promoteData(g.List[0])
	for _, x := range g.List[1:] {
		d = promote(d, promoteData(x))
	}
	return d
}

// counted returns the size of arange: ⌈(end - start) / step⌉.
func counted(args []Arg) ([]int, dtype.Type, error) {
	typ := typed("int64")
	bounds := [3]float64{0, 0, 1}
	at := 0
	if len(args) == 1 {
		at = 1
	}
	for k, g := range args {
		x, ok := g.float()
		if !ok || k+at > 2 {
			return nil, typ, fault.New(fault.Usage, "torch.arange: %s is not a number", g)
		}
		if g.Kind == Number {
			typ = typed("float32")
		}
		bounds[k+at] = x
	}
	if bounds[2] == 0 {
		return nil, typ, refuse("step must be nonzero")
	}
	n := math.Ceil((bounds[1] - bounds[0]) / bounds[2])
	if math.IsNaN(n) || n < 0 || n > 1<<40 {
		return nil, typ, refuse("upper bound and lower bound inconsistent with step sign")
	}
	return []int{int(n)}, typ, nil
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

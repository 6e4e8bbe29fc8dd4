package trace

import (
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
)

// fields are the names of the tensors of a tuple.
var fields = map[string]int{"values": 0, "indices": 1}

// indexed returns an index of a tensor, of the sizes of x.shape, or of the tensors of a tuple.
func (sc *script) indexed(n node) (Arg, error) {
	if n.isPart() && n.of[0].kind == called {
		return sc.part(n.of[0], n.args[0].value.Int, n.text)
	}
	v, err := sc.operandOf(n.of[0])
	if err != nil {
		return Arg{}, err
	}
	entries, err := sc.evaluateAll(n.args)
	if err != nil {
		return Arg{}, err
	}
	if v.Kind == List && len(entries) == 1 {
		return item(v, entries[0], n)
	}
	s, err := sc.asTensor(v)
	if err != nil {
		return Arg{}, err
	}
	return sc.follow(s, Call{Name: Index, Args: entries, Text: sc.textOf(n, s)})
}

// operandOf returns the value of an expression, of which the tensor may be the name.
func (sc *script) operandOf(n node) (Arg, error) {
	if sc.isFree(n) {
		name, _ := n.path()
		sc.nameTensor(name)
	}
	return sc.evaluate(n)
}

// item returns an entry of a list.
func item(list, index Arg, n node) (Arg, error) {
	size := len(list.List)
	if index.Kind == Int {
		k := index.Int
		if k < 0 {
			k += size
		}
		if k < 0 || k >= size {
			return Arg{}, refuse("tuple index out of range").because("%s has %d entries", n.of[0].text, size)
		}
		return list.List[k], nil
	}
	if index.Kind != Range || index.Step != nil {
		return Arg{}, fault.New(fault.Usage, "%s%s is not followed: the index of a list is an integer or a slice", n.of[0].text, n.text)
	}
	start, _, count := sliceRange(index.Start, index.Stop, 1, size)
	return Arg{Kind: List, List: list.List[start : start+count]}, nil
}

// part returns one tensor of those that a call returns, or an index of the one that it returns.
func (sc *script) part(call node, k int, text string) (Arg, error) {
	p, err := sc.prepare(call)
	if err != nil {
		return Arg{}, err
	}
	if p.s == nil && p.value.Of == nil {
		return item(p.value, Arg{Kind: Int, Int: k}, node{of: []node{call}, text: text})
	}
	index := Call{Name: Index, Args: []Arg{{Kind: Int, Int: k}}, Text: text}
	if p.s == nil {
		return sc.follow(p.value.Of, index)
	}
	if p.s.returnsSeveral(p.call) {
		p.call.Part = &k
		p.call.Text += text
		return sc.follow(p.s, p.call)
	}
	v, err := sc.follow(p.s, p.call)
	if err != nil {
		return Arg{}, err
	}
	return sc.follow(v.Of, index)
}

// infix maps Python's operators to operations.
var infix = map[string]string{
	"+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floor_divide", "%": "remainder", "**": "pow", "@": "matmul", "&": "bitwise_and",
	"|": "bitwise_or", "^": "bitwise_xor", "<<": "bitwise_left_shift", ">>": "bitwise_right_shift", "==": "eq", "!=": "ne", "<": "lt", "<=": "le",
	">": "gt", ">=": "ge",
}

// mirrored are the operators whose left operand is a number and whose operation is another then.
var mirrored = map[string]string{"-": "rsub", "**": "rpow", "//": "floor_divide", "<": "gt", "<=": "ge", ">": "lt", ">=": "le"}

// operator returns the result of an operator of one or two operands.
func (sc *script) operator(n node) (Arg, error) {
	left, err := sc.operandOf(n.of[0])
	if err != nil {
		return Arg{}, err
	}
	if len(n.of) == 1 {
		return sc.sign(n, left)
	}
	right, err := sc.operandOf(n.of[1])
	if err != nil {
		return Arg{}, err
	}
	if left.Of == nil && right.Of == nil {
		return arithmetic(n, left, right)
	}
	for _, v := range []Arg{left, right} {
		if v.Kind == Word && v.Word != "True" && v.Word != "False" {
			return Arg{}, unknownName(v.Word)
		}
	}
	c := Call{Name: infix[n.name], Text: n.name + " " + n.of[1].whole}
	if _, ok := n.of[0].path(); ok {
		c.Text = n.text
	}
	if left.isNumber() {
		c.Text = n.text
		return sc.mirrored(n, c, left, right)
	}
	s, err := sc.asTensor(left)
	if err != nil {
		return Arg{}, err
	}
	c.Args = []Arg{right}
	return sc.follow(s, c)
}

// mirrored returns the result of an operator whose left operand is a number. A number by a tensor is the reciprocal times the number.
// (Tensor.__rtruediv__ in PyTorch's torch/_tensor.py)
func (sc *script) mirrored(n node, c Call, left, right Arg) (Arg, error) {
	s := right.Of
	if name := mirrored[n.name]; name != "" {
		c.Name = name
	}
	if n.name == "/" {
		var err error
		right, err = sc.follow(s, Call{Name: "reciprocal", Text: "1 / " + n.of[1].whole})
		if err != nil {
			return Arg{}, err
		}
		s = right.Of
		c.Name = "mul"
	}
	c.Args = []Arg{left}
	return sc.follow(s, c)
}

// sign returns -x, +x or ~x.
func (sc *script) sign(n node, v Arg) (Arg, error) {
	if v.Of == nil && v.isNumber() {
		return arithmetic(n, Arg{Kind: Int}, v)
	}
	s, err := sc.asTensor(v)
	if err != nil {
		return Arg{}, err
	}
	c := Call{Name: map[string]string{"-": "neg", "+": "positive", "~": "bitwise_not"}[n.name], Text: n.text}
	return sc.follow(s, c)
}

// queries are attributes and methods that describe a tensor.
var queries map[string]func(State, []Arg) (Arg, error)

func init() {
	list := func(values []int) Arg {
		g := Arg{Kind: List}
		for _, n := range values {
			g.List = append(g.List, Arg{Kind: Int, Int: n})
		}
		return g
	}
	oneOf := func(values func(State) []int) func(State, []Arg) (Arg, error) {
		return func(s State, args []Arg) (Arg, error) {
			if len(args) == 0 {
				return list(values(s)), nil
			}
			d, err := s.axis(args[0].Int, s.Rank(), "")
			if err != nil {
				return Arg{}, err
			}
			return Arg{Kind: Int, Int: values(s)[d]}, nil
		}
	}
	number := func(count func(State) int) func(State, []Arg) (Arg, error) {
		return func(s State, _ []Arg) (Arg, error) { return Arg{Kind: Int, Int: count(s)}, nil }
	}
	word := func(name func(State) string) func(State, []Arg) (Arg, error) {
		return func(s State, _ []Arg) (Arg, error) { return Arg{Kind: Word, Word: name(s)}, nil }
	}
	sizes := func(s State) []int { return s.Shape }
	queries = map[string]func(State, []Arg) (Arg, error){
		"shape": func(s State, _ []Arg) (Arg, error) { return list(s.Shape), nil }, "size": oneOf(sizes),
		"stride": oneOf(func(s State) []int { return s.Strides }),
		"ndim":   number(State.rank), "dim": number(State.rank), "numel": number(State.numel),
		"storage_offset": number(func(s State) int { return s.Offset }), "element_size": number(func(s State) int { return s.ItemSize }),
		"dtype": word(func(s State) string { return s.DType.String() }), "device": word(func(State) string { return "cpu" }),
		"item":          func(State, []Arg) (Arg, error) { return Arg{Kind: Number, Word: "item()"}, nil },
		"is_contiguous": isContiguous, "strides": numpyStrides,
		"itemsize": number(func(s State) int { return s.ItemSize }), "nbytes": number(func(s State) int { return s.Numel() * s.ItemSize }),
	}
}

// isContiguous is x.is_contiguous(), and of a memory format.
func isContiguous(s State, args []Arg) (Arg, error) {
	format := tensor.ContiguousFormat
	if len(args) > 0 {
		named, ok := formats[args[0].Word]
		if !ok || named == preserve {
			return Arg{}, fault.New(fault.Usage, "is_contiguous: %s is not a memory format", args[0])
		}
		format = named
	}
	return Arg{Kind: Word, Word: pythonBool(s.IsContiguous(format))}, nil
}

// numpyStrides is x.strides of NumPy, in bytes.
func numpyStrides(s State, _ []Arg) (Arg, error) {
	if s.Rules != NumPy {
		return Arg{}, fault.New(fault.Usage, "a tensor of PyTorch has no attribute strides").WithHint("write stride()")
	}
	g := Arg{Kind: List}
	for _, bytes := range tensor.InBytes(s.Strides, s.ItemSize) {
		g.List = append(g.List, Arg{Kind: Int, Int: bytes})
	}
	return g, nil
}

func (s State) rank() int { return s.Rank() }

func (s State) numel() int { return s.Numel() }

func pythonBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

// evaluateAll returns the values of expressions; *sizes are several.
func (sc *script) evaluateAll(nodes []node) ([]Arg, error) {
	var all []Arg
	for _, n := range nodes {
		if n.kind != starred {
			v, err := sc.evaluate(n)
			if err != nil {
				return nil, err
			}
			all = append(all, v)
			continue
		}
		v, err := sc.evaluate(n.of[0])
		if err != nil {
			return nil, err
		}
		if v.Kind == Word {
			return nil, unknownNumber("*" + v.Word)
		}
		all = append(all, v.List...)
	}
	return all, nil
}

// evaluate returns the value of an expression, whose steps are followed.
func (sc *script) evaluate(n node) (Arg, error) {
	switch n.kind {
	case current:
		sc.Reads = sc.Reads || sc.now == sc.start
		return Arg{Kind: Tensor, Of: sc.now}, nil
	case named:
		return sc.valueOf(n)
	case attribute:
		return sc.attribute(n)
	case called:
		return sc.called(n)
	case indexed:
		return sc.indexed(n)
	case operator:
		return sc.operator(n)
	case listed:
		items, err := sc.evaluateAll(n.of)
		return Arg{Kind: List, List: items}, err
	case sliced:
		return sc.slice(n)
	case starred:
		return Arg{}, fault.New(fault.Usage, "%s stands for several values", n.text)
	}
	return n.value, nil
}

// valueOf returns the value of a name, or the name itself as a word.
func (sc *script) valueOf(n node) (Arg, error) {
	if v, ok := sc.names[n.name]; ok {
		return v, nil
	}
	switch n.name {
	case "None", "newaxis":
		return Arg{Kind: None}, nil
	case "Ellipsis":
		return Arg{Kind: Ellipsis}, nil
	}
	return Arg{Kind: Word, Word: n.name}, nil
}

// slice returns the bounds of a slice.
func (sc *script) slice(n node) (Arg, error) {
	r := Arg{Kind: Range}
	for i, to := range []**int{&r.Start, &r.Stop, &r.Step} {
		v, err := sc.evaluate(n.of[i])
		if err != nil {
			return r, err
		}
		switch v.Kind {
		case Int:
			*to = &v.Int
		case None:
		case Word:
			return r, unknownNumber(v.Word)
		default:
			return r, fault.New(fault.Usage, "slice bound %s is not an integer", n.of[i].text).WithHint("bounds are integers: [1:3], [::2], [:-1]")
		}
	}
	return r, nil
}

// attribute returns x.shape and its kind, the result of x.T, a word of a module, or the value of a name with dots.
func (sc *script) attribute(n node) (Arg, error) {
	if name, ok := n.path(); ok {
		if v, bound := sc.names[name]; bound {
			return v, nil
		}
		first, _, _ := strings.Cut(name, ".")
		if isModule(first) && !sc.isBound(first) {
			return constantOf(n.name), nil
		}
		isOtherDevice := n.name == "device" && sc.isFree(n.of[0])
		if isOtherDevice || sc.isFree(n) {
			return Arg{Kind: Word, Word: name}, nil
		}
	}
	if n.of[0].kind == called && strings.HasSuffix(n.of[0].of[0].name, "info") { // torch.finfo(x.dtype).min
		return Arg{Kind: Number, Word: n.name}, nil
	}
	if _, ok := fields[n.name]; ok && n.of[0].kind == called {
		return sc.part(n.of[0], fields[n.name], "."+n.name)
	}
	s, err := sc.receiver(n.of[0])
	if err != nil {
		return Arg{}, err
	}
	if n.name == "size" && s.Rules == NumPy {
		return Arg{Kind: Int, Int: s.Numel()}, nil
	}
	if query, ok := queries[n.name]; ok {
		return query(*s, nil)
	}
	return sc.follow(s, Call{Name: n.name, Text: sc.textOf(n, s)})
}

// textOf returns a step as it is written, with the name of the tensor if that is not the result of the step before.
func (sc *script) textOf(n node, s *State) string {
	before := n
	if len(n.of) > 0 {
		before = n.of[0]
	}
	if before.kind == attribute && n.kind == called {
		before = before.of[0]
	}
	name, ok := before.path()
	isFirst := sc.tensor == name && len(sc.Steps) == 0
	if !ok || s == sc.now || isFirst {
		return n.text
	}
	if n.kind == indexed {
		return name + n.text
	}
	return name + "." + n.text
}

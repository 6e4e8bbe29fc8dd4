package trace

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
)

// prefixes are the modules that a name may start with; F is torch.nn.functional.
var prefixes = map[string]Rules{"torch": PyTorch, "F": PyTorch, "nn": PyTorch, "np": NumPy, "numpy": NumPy, "einops": "", "math": ""}

func isModule(name string) bool {
	_, ok := prefixes[name]
	return ok
}

// prepared is a call whose arguments are known: of a tensor, or one that is a value already.
type prepared struct {
	s     *State
	call  Call
	value Arg // unless s is given
}

func valued(v Arg, err error) (prepared, error) { return prepared{value: v}, err }

// called returns the value of a call.
func (sc *script) called(n node) (Arg, error) {
	p, err := sc.prepare(n)
	if err != nil || p.s == nil {
		return p.value, err
	}
	v, err := sc.follow(p.s, p.call)
	if err == nil && strings.HasSuffix(p.call.Name, "_") {
		sc.rebind(p.s, v)
	}
	return v, err
}

// prepare evaluates what a call stands behind, and its arguments.
func (sc *script) prepare(n node) (prepared, error) {
	callee := n.of[0]
	name, isPath := callee.path()
	first, _, dotted := strings.Cut(name, ".")
	isOwn := dotted && isModule(first) && !sc.isBound(first)
	isBare := isPath && !dotted && !sc.isBound(name)
	if isOwn || isBare {
		return sc.function(n, name)
	}
	if callee.kind != attribute {
		before := callee.result()
		sc.Last = Call{Name: before, Text: before + n.name}
		return prepared{}, stop(before, "what this function returns is not known")
	}
	isOfTensor := isSmallLetter(first) || !sc.isFree(callee)
	if isPath && (!isOfTensor || sc.isOfModule(n)) {
		sc.Last = Call{Name: name, Text: name + n.name}
		return prepared{}, stop(name, "what this function returns is not known")
	}
	s, err := sc.receiver(callee.of[0])
	if err != nil {
		return prepared{}, err
	}
	c := Call{Name: callee.name, Text: sc.textOf(n, s)}
	c.Args, c.Keywords, err = sc.arguments(n, 0)
	if err != nil {
		return prepared{}, err
	}
	if query, ok := queries[c.Name]; ok {
		if s.Rules == NumPy {
			return prepared{}, fault.New(fault.Usage, "an array of NumPy has no method %s", c.Name)
		}
		return valued(query(*s, c.queried()))
	}
	return prepared{s: s, call: c}, nil
}

// queried returns the arguments of a query, whose only parameter may be named.
func (c Call) queried() []Arg {
	for _, name := range []string{"dim", "memory_format"} {
		if g, ok := c.Keywords[name]; ok {
			return []Arg{g}
		}
	}
	return c.Args
}

// arguments returns the values of a call's arguments from the one at an index on.
func (sc *script) arguments(n node, from int) ([]Arg, map[string]Arg, error) {
	positional := len(n.args) - len(n.keys)
	args, err := sc.evaluateAll(n.args[min(from, positional):positional])
	if err != nil || len(n.keys) == 0 {
		return args, nil, err
	}
	keywords := map[string]Arg{}
	for i, key := range n.keys {
		keywords[key], err = sc.evaluate(n.args[positional+i])
		if err != nil {
			return nil, nil, err
		}
	}
	return args, keywords, nil
}

// function returns the value of a function of a module, or of a name alone: torch.flip(x, (0,)), softmax(x, -1), int(2.5).
func (sc *script) function(n node, path string) (prepared, error) {
	first, _, dotted := strings.Cut(path, ".")
	name := path[strings.LastIndexByte(path, '.')+1:]
	c := Call{Name: name, Text: path + n.name}
	if dotted {
		c.Module = prefixes[first]
	}
	if c.Module == NumPy && strings.HasSuffix(path, ".random."+name) {
		c.Name = "random." + name
	}
	if renamed, ok := ofImages[name]; ok && (first == "F" || strings.Contains(path, "functional.")) {
		c.Name = renamed
		name = renamed
	}
	if first == "einops" {
		if _, ok := einopsFunction(name); !ok {
			return prepared{}, fault.New(fault.Usage, "unsupported function einops.%s", name).WithHint("supported: rearrange, repeat, reduce")
		}
	}
	if !dotted {
		p, ok, err := sc.ofPython(n, c)
		if ok {
			return p, err
		}
	}
	if compute, ok := builtins[name]; ok && (!dotted || ofNumbers(first, name)) {
		args, err := sc.evaluateAll(n.args)
		ofTensor := len(args) > 0 && args[0].Of != nil
		if err != nil || len(args) > 0 && !ofTensor {
			return valued(computed(compute, args, err))
		}
	}
	if first == "math" {
		return valued(Arg{Kind: Number, Word: c.Text}, nil)
	}
	sc.Last = c
	if c.makes(sc.now.Rules, n) {
		return sc.factory(n, c)
	}
	if err := c.misplaced(sc.now.Rules); err != nil {
		return prepared{}, err
	}
	if op, ok := selecting[name]; ok && c.Module == PyTorch {
		return op(sc, n, c)
	}
	return sc.ofTensor(n, c)
}

// ofImages are functions of torch.nn.functional that have the name of another method.
var ofImages = map[string]string{"unfold": "im2col", "fold": "col2im"}

// ofNumbers reports whether a function of a module is of numbers, not of tensors.
func ofNumbers(module, name string) bool {
	return module == "math" || name == "finfo" || name == "iinfo"
}

// numbersInWords are what float('inf') and its kind take, and the arguments of finfo.
func isNumberInWords(word string) bool {
	return slices.Contains([]string{"inf", "-inf", "nan"}, word) || isTorchType(word)
}

func computed(compute func([]Arg) Arg, args []Arg, err error) (Arg, error) {
	if err != nil {
		return Arg{}, err
	}
	for _, a := range args {
		if a.Kind == Word && !isNumberInWords(a.Word) {
			return Arg{}, unknownNumber(a.Word)
		}
	}
	return compute(args), nil
}

// ofTensor calls a function whose first argument is the tensor, or a list of tensors.
func (sc *script) ofTensor(n node, c Call) (prepared, error) {
	positional := len(n.args) - len(n.keys)
	at := 0
	if positional == 0 {
		at = slices.IndexFunc(n.keys, func(key string) bool {
			return slices.Contains([]string{"input", "x", "tensor", "tensors", "query", "self", "a"}, key)
		})
	}
	if at < 0 || len(n.args) == 0 {
		return prepared{}, sc.unknownFunction(c, n)
	}
	_, err := find(sc.now.Rules, c)
	if err != nil && !isEinopsName(c.Name) {
		return prepared{}, sc.unknownFunction(c, n)
	}
	first := n.args[at]
	var rest []Arg
	if first.kind == listed {
		items, err := sc.tensorsOf(first)
		if err != nil {
			return prepared{}, err
		}
		if len(items) == 0 {
			return prepared{}, fault.New(fault.Usage, "%s: the first argument must be the tensor", c.Name).WithHint("%s(x, …), or just %s(…)", functionText(c), c.Name)
		}
		if err := onlyTensors(items); err != nil {
			sc.Last = c
			return prepared{}, err
		}
		rest = items[1:]
		first = node{kind: literal, value: items[0], text: n.args[at].text}
	}
	v, err := sc.operandOf(first)
	if err != nil {
		return prepared{}, err
	}
	if items := v.tensors(); items != nil {
		rest = v.List[1:]
		v = v.List[0]
	}
	if v.isNumber() && positional > at+1 {
		return sc.ofNumber(n, c, v)
	}
	s, err := sc.asTensor(v)
	if err != nil {
		return prepared{}, err
	}
	rest2, keywords, err := sc.arguments(n, at+1)
	if err != nil {
		return prepared{}, err
	}
	if positional == 0 {
		delete(keywords, n.keys[at])
	}
	c.Args = append(rest, rest2...)
	c.Keywords = keywords
	_, isPath := n.args[at].path()
	if !isPath && first.kind != literal {
		c.Text = functionText(c) + "(…" + strings.TrimPrefix(n.name[1:], n.args[at].whole)
	}
	if isEinopsName(c.Name) {
		c.Module = ""
	}
	return prepared{s: s, call: c}, nil
}

// ofNumber calls a function of a number and a tensor: torch.pow(2, x).
func (sc *script) ofNumber(n node, c Call, number Arg) (prepared, error) {
	s, err := sc.receiver(n.args[1])
	if err != nil {
		return prepared{}, err
	}
	swapped, ok := map[string]string{"pow": "rpow", "sub": "rsub", "add": "add", "mul": "mul", "remainder": "remainder", "bitwise_and": "bitwise_and",
		"bitwise_or": "bitwise_or"}[c.Name]
	if !ok {
		return prepared{}, stop(functionText(c), "what it returns for a number is not known")
	}
	c.Name = swapped
	c.Module = ""
	c.Args = []Arg{number}
	return prepared{s: s, call: c}, nil
}

func isEinopsName(name string) bool {
	_, ok := einopsFunction(name)
	return ok
}

func functionText(c Call) string { return c.Text[:strings.IndexByte(c.Text+"(", '(')] }

// unknownFunction returns the error for a function that is not one of the tensor.
func (sc *script) unknownFunction(c Call, n node) error {
	sc.Last = c
	if len(n.args) == 0 && sc.isOperation(c.Name) {
		return fault.New(fault.Usage, "%s: the first argument must be the tensor", functionText(c)).WithHint("%s(x, …), or just %s(…)", functionText(c), c.Name)
	}
	if sc.takesTensor(n) { // a function of the program, out = model(x), and not a misspelt step
		c.Module = sc.now.Rules
	}
	if _, err := find(sc.now.Rules, c); err != nil {
		return err
	}
	return stop(functionText(c), "what this function returns is not known")
}

// tensorsOf returns the tensors of a list, of which the first may be the start.
func (sc *script) tensorsOf(list node) ([]Arg, error) {
	var all []Arg
	for _, item := range list.of {
		if item.kind == starred {
			some, err := sc.evaluateAll([]node{item})
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
			continue
		}
		v, err := sc.operandOf(item)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// onlyTensors refuses numbers among the tensors of a list.
func onlyTensors(items []Arg) error {
	for i, g := range items {
		if g.isNumber() {
			kind := map[ArgKind]string{Int: "int", Number: "float", Word: "bool"}[g.Kind]
			return refuse("expected Tensor as element %d in argument 0, but got %s", i, kind)
		}
		if g.Kind == Word {
			return unknownTensor(g.Word)
		}
	}
	return nil
}

// selecting are functions whose first argument is not the tensor.
var selecting map[string]func(*script, node, Call) (prepared, error)

func init() {
	selecting = map[string]func(*script, node, Call) (prepared, error){"where": (*script).where, "einsum": (*script).einsum, "from_numpy": (*script).shared}
}

// shared is torch.from_numpy(a), a tensor in the memory of an array, with its strides.
func (sc *script) shared(n node, c Call) (prepared, error) {
	if !sc.takesTensor(n) {
		free := len(n.args) == 1 && sc.isFree(n.args[0])
		if !free || sc.tensor != "" {
			return prepared{}, sc.unknownFunction(c, n)
		}
	}
	v, err := sc.operandOf(n.args[0])
	if err == nil && v.Of == nil {
		err = stop("from_numpy", "it takes an array")
	}
	return prepared{value: v}, err
}

// where is torch.where(condition, x, y), of which x or y may be a number.
func (sc *script) where(n node, c Call) (prepared, error) {
	for _, item := range n.args {
		if sc.isFree(item) && item.name != "True" && item.name != "False" {
			name, _ := item.path()
			sc.nameTensor(name)
		}
	}
	args, keywords, err := sc.arguments(n, 0)
	if err != nil {
		return prepared{}, err
	}
	for _, name := range []string{"condition", "input", "self", "other"} {
		if v, ok := keywords[name]; ok {
			args = append(args, v)
		}
	}
	if len(args) == 1 {
		sc.Last = c
		return prepared{}, stop("where", "how many elements are not zero depends on the data")
	}
	if len(args) != 3 {
		return prepared{}, fault.New(fault.Usage, "torch.where takes condition, input, other")
	}
	for _, a := range args {
		if a.Kind == Word {
			return prepared{}, unknownTensor(a.Word)
		}
	}
	c.Module = ""
	condition, x, y := args[0], args[1], args[2]
	if x.isNumber() && y.isNumber() {
		s, err := sc.asTensor(condition)
		if err != nil {
			return prepared{}, err
		}
		c.Name = "where_numbers"
		c.Args = []Arg{x, y}
		return prepared{s: s, call: c}, nil
	}
	if x.isNumber() {
		x, y = y, x
	}
	s, err := sc.asTensor(x)
	if err != nil {
		return prepared{}, err
	}
	c.Args = []Arg{condition, y}
	return prepared{s: s, call: c}, nil
}

// einsum is torch.einsum(equation, x, …).
func (sc *script) einsum(n node, c Call) (prepared, error) {
	if len(n.args) < 2 {
		return prepared{}, fault.New(fault.Usage, "torch.einsum takes equation, tensors")
	}
	equation, err := sc.evaluate(n.args[0])
	if err != nil {
		return prepared{}, err
	}
	operands := n.args[1:]
	if operands[0].kind == listed {
		operands = operands[0].of
	}
	s, err := sc.receiver(operands[0])
	if err != nil {
		return prepared{}, err
	}
	rest, err := sc.evaluateAll(operands[1:])
	if err != nil {
		return prepared{}, err
	}
	c.Args = append([]Arg{equation}, rest...)
	return prepared{s: s, call: c}, nil
}

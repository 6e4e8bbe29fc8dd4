package trace

import (
	"maps"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// rootName returns the name of the tensor that an expression follows: that of x.T, F.relu(x) and x + 1 is the result for the next step.
func (sc *script) rootName(n node) string {
	path, isPath := n.path()
	if isPath && sc.isBound(path) {
		return path
	}
	switch n.kind {
	case current:
		return sc.tensor
	case called:
		if name := sc.rootName(n.of[0]); name != "" || len(n.args) == 0 {
			return name
		}
		return sc.rootName(n.args[0])
	case attribute, indexed, operator, listed:
		if len(n.of) > 0 {
			return sc.rootName(n.of[0])
		}
	}
	return ""
}

// rooted returns the expression with the tensor before a step that is written without one: view(12), T, relu(…).
func (sc *script) rooted(n node) node {
	root := &n
	var parent *node
	for len(root.of) > 0 && root.kind != listed && root.kind != starred {
		parent = root
		root.of = slices.Clone(root.of)
		root = &root.of[0]
	}
	if root.kind == current {
		sc.nameResult()
	}
	inModule := isModule(root.name) && parent != nil && parent.kind == attribute
	if root.kind != named || sc.isBound(root.name) || inModule {
		return n
	}
	isCalled := parent != nil && parent.kind == called
	if isCalled && printers[sc.now.Rules] == root.name {
		return n
	}
	if isCalled && pythonFunctions[root.name] != nil && sc.takesTensor(*parent) {
		return n
	}
	isStep := isCalled || sc.isOperation(root.name) || parent == nil && !isSmallLetter(root.name)
	if isSmallLetter(root.name) && parent != nil && !isCalled {
		isStep = false
	}
	if !isStep || isCalled && sc.isFunction(root.name, *parent) {
		return n
	}
	sc.nameResult()
	*root = node{kind: attribute, name: root.name, of: []node{{kind: current}}, text: root.text}
	return n
}

// isFunction reports whether a call by a name alone has the tensor as its first argument: softmax(x, -1), and not transpose(0, 1).
func (sc *script) isFunction(name string, call node) bool {
	if len(call.args) == len(call.keys) {
		return false
	}
	first := call.args[0]
	if isEinopsName(name) {
		return first.kind != literal && first.kind != listed
	}
	op, err := find(sc.now.Rules, Call{Name: name})
	takesTensor := err == nil && len(op.params) > 0 && op.params[0].takesTensor()
	if takesTensor || strings.HasSuffix(name, "_") {
		return false
	}
	path, _ := first.root().path()
	root, _, _ := strings.Cut(path, ".")
	isOther := isConstant(root) || isModule(root) && first.kind == attribute
	if isOther && first.kind != operator {
		return false
	}
	isUnknown := err != nil && first.kind == named // f(name): of a function that is not a step
	return isUnknown || sc.mayBeTensor(first)
}

// isConstant reports whether a name is a constant of Python.
func isConstant(name string) bool {
	return slices.Contains([]string{"True", "False", "None", "Ellipsis"}, name)
}

// isNumeric reports whether an expression has no names.
func (n node) isNumeric() bool {
	if n.kind == named {
		return false
	}
	return !slices.ContainsFunc(slices.Concat(n.of, n.args), func(x node) bool { return !x.isNumeric() })
}

func (p param) takesTensor() bool {
	return slices.Contains([]paramKind{operand, bound, mask, tensorOnly, operands}, p.kind)
}

// isSmallLetter reports whether a name can be the tensor's before it is assigned.
func isSmallLetter(name string) bool { return len(name) == 1 && name >= "a" }

func (sc *script) isOperation(name string) bool {
	return operationNames(sc.now.Rules)[name] || unsupported()[name] != ""
}

func (sc *script) isBound(name string) bool {
	_, ok := sc.names[name]
	return ok
}

// nameTensor gives the start its name, unless it has one.
func (sc *script) nameTensor(name string) {
	if sc.tensor == "" && !sc.isBound(name) {
		sc.tensor = name
		sc.Reads = true
		sc.names[name] = Arg{Kind: Tensor, Of: sc.start}
	}
}

// nameResult gives the result of the step before the name x, unless the start has a name.
func (sc *script) nameResult() {
	if sc.tensor == "" && !sc.isBound("x") {
		sc.tensor = "x"
		sc.Reads = sc.Reads || sc.begun == sc.start
		sc.names["x"] = Arg{Kind: Tensor, Of: sc.begun}
	}
}

// named returns the call with the start for the first name without a value among its tensors: torch.ones(8).mul(x).
func (sc *script) named(c Call) Call {
	op, err := find(sc.now.Rules, c)
	if err != nil || sc.tensor != "" {
		return c
	}
	value := func(g Arg, p param) Arg {
		if g.Kind != Word || !isName(g.Word) || !p.takesTensor() {
			return g
		}
		sc.nameTensor(g.Word)
		if v, ok := sc.names[g.Word]; ok {
			return v
		}
		return g
	}
	if len(op.params) == 0 {
		return c
	}
	c.Args = slices.Clone(c.Args)
	c.Keywords = maps.Clone(c.Keywords)
	for i, p := range op.params {
		if i < len(c.Args) {
			c.Args[i] = value(c.Args[i], p)
		}
		for _, key := range []string{p.name, p.alias} {
			if g, ok := c.Keywords[key]; ok {
				c.Keywords[key] = value(g, p)
			}
		}
	}
	for i := len(op.params); i < len(c.Args); i++ {
		c.Args[i] = value(c.Args[i], op.params[len(op.params)-1])
	}
	return c
}

// root returns the expression that steps stand behind.
func (n node) root() node {
	if _, ok := n.path(); ok {
		return n
	}
	if len(n.of) > 0 && n.kind != listed && n.kind != operator {
		return n.of[0].root()
	}
	return n
}

// path returns names with dots between them: self.weight.
func (n node) path() (string, bool) {
	switch n.kind {
	case named:
		return n.name, true
	case attribute:
		before, ok := n.of[0].path()
		return before + "." + n.name, ok
	}
	return "", false
}

// isFree reports whether an expression is a name without a value.
func (sc *script) isFree(n node) bool {
	name, ok := n.path()
	if !ok || sc.isBound(name) {
		return false
	}
	first, _, _ := strings.Cut(name, ".")
	if isModule(first) {
		return false
	}
	return n.kind == named || sc.isFree(n.of[0]) && !sc.isMember(n.name)
}

// result returns f(2) or self.layers[0], which is called, as it is written.
func (n node) result() string {
	if len(n.of) == 0 {
		return n.text
	}
	path, _ := n.of[0].path()
	if n.kind == called {
		return path + n.name
	}
	return path + n.text
}

// isOfModule reports whether a call is one of a module, not of a tensor: of self, which no step gives, or of a member of self that takes a tensor.
func (sc *script) isOfModule(call node) bool {
	path, ok := call.of[0].of[0].path()
	if !ok || sc.isBound("self") || sc.isBound(path) {
		return false
	}
	takesTensor := slices.ContainsFunc(call.args, sc.namesTensor)
	return path == "self" || takesTensor && strings.HasPrefix(path, "self.")
}

// namesTensor reports whether an expression is the name of a tensor, or a small letter, which may be that of the tensor whose name is not known.
func (sc *script) namesTensor(n node) bool {
	return n.kind == named && (isSmallLetter(n.name) || sc.names[n.name].Of != nil)
}

// mayBeTensor reports whether an expression may be a tensor: the name of one, or what is computed from names.
func (sc *script) mayBeTensor(n node) bool {
	switch n.kind {
	case named:
		return sc.namesTensor(n)
	case called, indexed, attribute:
		return true
	case operator:
		return !n.isNumeric()
	}
	return false
}

// isMember reports whether tensors have an attribute of that name.
func (sc *script) isMember(name string) bool {
	_, isQuery := queries[name]
	return isQuery || sc.isOperation(name)
}

// receiver returns the tensor that an expression is.
func (sc *script) receiver(n node) (*State, error) {
	v, err := sc.operandOf(n)
	if err != nil {
		return nil, err
	}
	return sc.asTensor(v)
}

// asTensor returns the tensor that a value is: also a shape that was assigned to a name.
func (sc *script) asTensor(v Arg) (*State, error) {
	if v.Of != nil {
		return v.Of, nil
	}
	if v.Kind == Word {
		return nil, unknownTensor(v.Word)
	}
	if !v.isTensor() && !v.isNumber() {
		return nil, fault.New(fault.Usage, "%s is not a tensor", v)
	}
	x, err := sc.now.operand("the tensor", v)
	if err != nil {
		return nil, err
	}
	s := Start(x, nil, x.StorageElems(), sc.now.ItemSize, sc.now.Rules)
	s.Storage.isNew = true
	s.DType = sc.now.DType
	return &s, nil
}

func unknownTensor(name string) error {
	return fault.New(fault.Usage, "the shape of %s is not known", text.Quote(name)).WithHint("give it in a step before: %s", text.Shell(name+"=(2,3)"))
}

func unknownName(name string) error {
	return fault.New(fault.Usage, "the value of %s is not known", text.Quote(name)).
		WithHint("give it in a step before: %s for a tensor, %s for a number", text.Shell(name+"=(2,3)"), text.Shell(name+"=2"))
}

func unknownNumber(name string) error {
	return fault.New(fault.Usage, "the value of %s is not known", text.Quote(name)).WithHint("give it in a step before: %s", text.Shell(name+"=2"))
}

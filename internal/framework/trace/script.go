package trace

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// Stop is a call whose result is not known: the claim ends before it.
type Stop struct {
	Name string // of the function or method
	Why  string
}

func (e *Stop) Error() string { return e.Name + ": " + e.Why }

// stop returns the error that a result is not known, and why.
func stop(name, format string, args ...any) error {
	return &Stop{Name: name, Why: fmt.Sprintf(format, args...)}
}

// Followed is what is known of a tensor: the steps, and the call that ends them, if one does.
type Followed struct {
	Steps   []Step
	Last    Call     // the call that is refused or unknown
	Refusal *Refusal // nil unless it is refused
	Stop    *Stop    // nil unless its result is unknown
}

// script follows statements.
type script struct {
	now    *State // the result of the last step
	begun  *State // the same before the statement
	names  map[string]Arg
	tensor string // the name that the start has in the text; empty until it is read
	steps  []Step
	last   Call
}

// FollowAll follows statements in order, up to the first call that is refused or unknown. The tensor is the first name that is read and
// not assigned before.
func (s State) FollowAll(all []Statement) (Followed, error) {
	sc := &script{now: &s, begun: &s, names: map[string]Arg{}}
	for i, statement := range all {
		err := sc.statement(statement, i == len(all)-1)
		f := Followed{Steps: sc.steps, Last: sc.last}
		if errors.As(err, &f.Refusal) || errors.As(err, &f.Stop) {
			return f, nil
		}
		if err != nil {
			return f, err
		}
	}
	if len(sc.steps) == 0 {
		return Followed{}, fault.New(fault.Usage, "no step follows the tensor").WithHint("add one: view(12), T or [0]")
	}
	return Followed{Steps: sc.steps}, nil
}

// statement follows a statement.
func (sc *script) statement(st Statement, last bool) error {
	sc.begun = sc.now
	if st.augmented != "" {
		return sc.inPlace(st)
	}
	n := st.value
	if len(st.targets) == 0 {
		n = sc.rooted(n)
	}
	if sc.isFree(n) && len(st.targets) == 0 && sc.tensor == "" {
		return fault.New(fault.Usage, `step "%s" is only the tensor`, st.Text).WithHint("add a step: %s.view(12), or just view(12)", n.text)
	}
	v, err := sc.evaluate(n)
	if err != nil {
		return err
	}
	if len(st.targets) > 0 {
		return sc.assign(st, v)
	}
	if several := v.tensors(); several != nil {
		sc.now = several[len(several)-1]
		if last {
			return nil
		}
		return severalThen(sc.last, len(several))
	}
	if v.Of == nil {
		return fault.New(fault.Usage, `step "%s" is %s, not a tensor`, st.Text, v).WithHint("steps look like view(12), T or [0]")
	}
	sc.now = v.Of
	if name := sc.rootName(n); name != "" {
		sc.names[name] = v
	}
	return nil
}

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

// tensors returns the tensors of a tuple; nil for other values.
func (g Arg) tensors() []*State {
	var all []*State
	for _, x := range g.List {
		if g.Kind != List || x.Of == nil {
			return nil
		}
		all = append(all, x.Of)
	}
	return all
}

// assign gives the value of a statement to its targets.
func (sc *script) assign(st Statement, v Arg) error {
	values := []Arg{v}
	if st.tuple {
		var err error
		values, err = sc.unpacked(v)
		if err != nil {
			return err
		}
		if len(values) != len(st.targets) {
			return fault.New(fault.Usage, "%s unpacks %s into %d names", st.Text, text.Count(len(values), "value"), len(st.targets))
		}
	}
	for i, target := range st.targets {
		name, ok := target.path()
		if !ok {
			return fault.New(fault.Usage, "%s assigns to %s, which is not a name", st.Text, target.text)
		}
		sc.names[name] = values[min(i, len(values)-1)]
	}
	if all := v.tensors(); all != nil {
		sc.now = all[len(all)-1]
	}
	if v.Of != nil {
		sc.now = v.Of
	}
	return nil
}

// unpacked returns the values of a tuple, or the tensors along dim 0 of a tensor.
func (sc *script) unpacked(v Arg) ([]Arg, error) {
	if v.Kind == List {
		return v.List, nil
	}
	if v.Of == nil {
		return nil, fault.New(fault.Usage, "%s is not a tuple", v)
	}
	parts, err := sc.follow(v.Of, Call{Name: "unbind", Text: "unbind(0)"})
	return parts.List, err
}

// inPlace follows x += y and x[…] = y, which write into the storage of x.
func (sc *script) inPlace(st Statement) error {
	target := st.targets[0]
	var entries []node
	for target.kind == indexed {
		entries = target.args
		target = target.of[0]
	}
	s, err := sc.receiver(target)
	if err != nil {
		return err
	}
	c := Call{Name: "copy_", Text: st.Text}
	if entries != nil {
		selected, err := sc.evaluateAll(entries)
		if err != nil {
			return err
		}
		_, err = s.Apply(Call{Name: Index, Args: selected, Text: st.Text})
		var unknown *Stop
		if err != nil && !errors.As(err, &unknown) {
			sc.last = c
			return err
		}
	}
	v, err := sc.evaluate(st.value)
	if err != nil {
		return err
	}
	if entries != nil {
		c.Name = "write"
	} else {
		c.Name = infix[st.augmented] + "_"
		c.Args = []Arg{v}
	}
	if c.Name == "matmul_" { // a new tensor
		c.Name = "matmul"
	}
	v, err = sc.follow(s, c)
	if err != nil {
		return err
	}
	sc.now = v.Of
	if name, ok := target.path(); ok {
		sc.names[name] = v
	}
	return nil
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
		sc.nameTensor("x")
	}
	inModule := isModule(root.name) && parent != nil && parent.kind == attribute
	if root.kind != named || sc.isBound(root.name) || inModule {
		return n
	}
	isCalled := parent != nil && parent.kind == called
	isStep := isCalled || sc.isOperation(root.name) || parent == nil && !isSmallLetter(root.name)
	if isSmallLetter(root.name) && parent != nil && !isCalled {
		isStep = false
	}
	if !isStep || isCalled && sc.isFunction(root.name, *parent) {
		return n
	}
	sc.nameTensor("x")
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
	switch first.kind {
	case called, indexed, attribute, named:
		isOther := isConstant(root) || isModule(root) && first.kind == attribute
		isTensor := err != nil || isSmallLetter(first.name) || sc.names[first.name].Of != nil || first.kind != named
		return isTensor && !isOther
	case operator:
		return !first.isNumeric()
	}
	return false
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
		sc.names[name] = Arg{Kind: Tensor, Of: sc.begun}
	}
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

// isMember reports whether tensors have an attribute of that name.
func (sc *script) isMember(name string) bool {
	_, isQuery := queries[name]
	return isQuery || sc.isOperation(name)
}

// receiver returns the tensor that an expression is.
func (sc *script) receiver(n node) (*State, error) {
	if sc.isFree(n) {
		name, _ := n.path()
		sc.nameTensor(name)
	}
	v, err := sc.evaluate(n)
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

// follow applies a call to a tensor and returns its result.
func (sc *script) follow(s *State, c Call) (Arg, error) {
	if len(sc.steps) >= maxSteps {
		return Arg{}, fault.New(fault.Usage, "more than %d steps", maxSteps).WithHint("start another trace from the shape and strides of the last step")
	}
	sc.last = c
	steps, err := s.Follow(c)
	if err != nil {
		return Arg{}, err
	}
	return sc.append(steps), nil
}

// maxSteps limits the steps of a text.
const maxSteps = 10_000

// append adds steps, and returns the tensor of the last, or those of all if one call returns them.
func (sc *script) append(steps []Step) Arg {
	sc.steps = append(sc.steps, steps...)
	list := Arg{Kind: List}
	for i := range steps {
		state := steps[i].State
		list.List = append(list.List, Arg{Kind: Tensor, Of: &state})
	}
	last := list.List[len(steps)-1]
	sc.now = last.Of
	if steps[0].Parts > 0 {
		return list
	}
	return last
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
		if sc.isFree(n) {
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
	isFirst := sc.tensor == name && len(sc.steps) == 0
	if !ok || s == sc.now || isFirst {
		return n.text
	}
	if n.kind == indexed {
		return name + n.text
	}
	return name + "." + n.text
}

package trace

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
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
	Last    Call     // the last call, which Refusal and Stop are about
	Refusal *Refusal // nil unless it is refused
	Other   bool     // the last call is of another tensor than the result of the last step
	Stop    *Stop    // nil unless its result is unknown
	Reads   bool     // the statements read the tensor; false if they make their own
	Value   string   // of a last statement that is not a step, as Python prints it: (60, 20, 5, 1); a tensor in words; empty for a step
	Asked   string   // the statement that has the value: x.stride()
	Loaded  string   // the statement whose value is not known, and is the tensor: img = cv2.imread(path)
}

// script follows statements.
type script struct {
	Followed
	start  *State
	now    *State // the result of the last statement
	begun  *State // the same before the statement
	newest *State // the result of the last of Steps
	names  map[string]Arg
	tensor string          // the name that the start has in the text; empty until it is read
	made   map[*State]Step // tensors of functions such as torch.zeros, until a step follows them
}

// FollowAll follows statements in order, up to the first call that is refused or unknown. The tensor is the first name that is read and
// not assigned before.
func (s State) FollowAll(all []Statement) (Followed, error) {
	sc := &script{start: &s, now: &s, begun: &s, names: map[string]Arg{}, made: map[*State]Step{}}
	for i, statement := range all {
		err := sc.statement(statement, i == len(all)-1)
		if errors.As(err, &sc.Refusal) || errors.As(err, &sc.Stop) {
			sc.showOnly()
			return sc.Followed, nil
		}
		if err != nil {
			return sc.Followed, err
		}
	}
	sc.showOnly()
	if len(sc.Steps) == 0 && sc.Value == "" {
		return Followed{}, fault.New(fault.Usage, "no step follows the tensor").WithHint("add one: view(12), T or [0]")
	}
	return sc.Followed, nil
}

// showMade adds the step that made a tensor, once.
func (sc *script) showMade(s *State) {
	step, ok := sc.made[s]
	if !ok {
		return
	}
	sc.Steps = append(sc.Steps, step)
	sc.newest = s
	delete(sc.made, s)
}

// showOnly adds the step that made a tensor, if that is the only one and nothing follows it.
func (sc *script) showOnly() {
	for s := range sc.made {
		if len(sc.Steps) == 0 && len(sc.made) == 1 {
			sc.showMade(s)
		}
	}
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
	isBare := st.inScript && len(st.targets) == 0 && n.root().kind != current // x.t() of a script, whose value nothing takes
	shows := st.shows || isBare
	isDiscarded := shows && !last
	isTensor := sc.isFree(n) && len(st.targets) == 0 && sc.tensor == ""
	if isTensor && !shows {
		return fault.New(fault.Usage, `step "%s" is only the tensor`, st.Text).WithHint("add a step: %s.view(12), or just view(12)", n.text)
	}
	v, err := sc.assigned(st, n)
	var unknown *Stop
	if errors.As(err, &unknown) {
		return sc.unknownValue(st, n, unknown, isDiscarded)
	}
	if err != nil {
		return err
	}
	if len(st.targets) > 0 {
		return sc.assign(st, v)
	}
	if isDiscarded {
		sc.now = sc.begun
		sc.names["_"] = v
		return nil
	}
	if several := v.tensors(); several != nil {
		sc.now = several[len(several)-1]
		if last {
			return nil
		}
		return severalThen(sc.Last, len(several))
	}
	if v.isShown() { // the value of an earlier statement changes nothing
		if last {
			sc.Value = v.String()
			sc.Asked = st.Text
		}
		return nil
	}
	if v.Of == nil {
		return fault.New(fault.Usage, `step "%s" is %s, not a tensor`, st.Text, v).WithHint("steps look like view(12), T or [0]")
	}
	sc.now = v.Of
	if last && len(sc.Steps) > 0 && v.Of != sc.newest {
		sc.Value = fmt.Sprintf("a tensor, %s with strides %s", tensor.Tuple(v.Of.Shape), tensor.Tuple(v.Of.Strides))
		sc.Asked = st.Text
	}
	if name := sc.rootName(n); name != "" {
		sc.names[name] = v
	}
	return nil
}

// unknownValue follows a statement whose value is not known: one that loads the tensor, or one without a tensor, torch.manual_seed(0), whose
// value is discarded. Others end the claim.
func (sc *script) unknownValue(st Statement, n node, unknown *Stop, isDiscarded bool) error {
	if sc.isLoad(st) {
		name, _ := st.targets[0].path()
		sc.nameTensor(name)
		sc.Loaded = st.Text
		return nil
	}
	if isDiscarded && !sc.readsTensor(n) {
		return nil
	}
	return unknown
}

// rebind gives each name of a tensor that changed in place its new state.
func (sc *script) rebind(from *State, to Arg) {
	for name, v := range sc.names {
		if v.Of == from {
			sc.names[name] = to
		}
	}
	if sc.begun == from {
		sc.begun = to.Of
	}
}

// readsTensor reports whether an expression has a name that is a tensor, or may be the one whose name is not known yet.
func (sc *script) readsTensor(n node) bool {
	return sc.namesTensor(n) || slices.ContainsFunc(slices.Concat(n.of, n.args), sc.readsTensor)
}

// isLoad reports whether a statement whose value is not known gives the tensor its name: img = cv2.imread(path), before another tensor is
// read. In out = model(x) that is x.
func (sc *script) isLoad(st Statement) bool {
	isFirst := sc.tensor == "" && len(sc.Steps) == 0 && len(sc.made) == 0
	isOneName := len(st.targets) == 1 && !st.tuple && st.targets[0].kind == named
	if !isFirst || !isOneName {
		return false
	}
	return !st.value.takesNumbers() && !sc.readsTensor(st.value)
}

// takesNumbers reports whether a call has a number or a list as its first argument: rand(3, 4) makes a tensor and loads none.
func (n node) takesNumbers() bool {
	if n.kind == called && len(n.args) > 0 {
		first := n.args[0]
		isText := first.kind == literal && first.value.Kind == Word
		if first.isNumeric() && !isText {
			return true
		}
	}
	return slices.ContainsFunc(n.of, node.takesNumbers)
}

// assigned returns the value of a statement; in y = x and q, k = x, x.T the first name without a value is the tensor.
func (sc *script) assigned(st Statement, n node) (Arg, error) {
	isWord := isConstant(n.name) || isTorchType(n.name) || formats[n.name] != ""
	if st.targets == nil || isWord || n.kind == starred {
		return sc.evaluate(n)
	}
	if !st.tuple || n.kind != listed {
		return sc.operandOf(n)
	}
	v := Arg{Kind: List}
	for _, item := range n.of {
		value, err := sc.assigned(Statement{targets: st.targets}, item)
		if err != nil {
			return v, err
		}
		v.List = append(v.List, value)
	}
	return v, nil
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
		isOfTensor := target.kind == attribute && sc.mayBeTensor(target.of[0])
		if isOfTensor && isLayoutAttribute(target.name) {
			return sc.assignLayout(st, target, v)
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

func isLayoutAttribute(name string) bool {
	return slices.Contains([]string{"shape", "strides", "dtype", "data"}, name)
}

// assignLayout follows a.shape = (2, 3) of NumPy, which changes the array itself; the claim ends at other attributes.
func (sc *script) assignLayout(st Statement, target node, v Arg) error {
	s, err := sc.receiver(target.of[0])
	if err != nil {
		return err
	}
	c := Call{Name: "reshape", Args: []Arg{v}, Text: st.Text}
	sc.Last = c
	if target.name != "shape" || s.Rules != NumPy {
		return stop(st.Text, "what assigning the attribute %s changes is not known", target.name)
	}
	steps, err := s.Follow(c)
	if err != nil {
		return err
	}
	if steps[0].Kind == Copy {
		return refuse("Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.").
			because("%s", steps[0].Reason).withHint("%s.reshape(…) copies", target.of[0].text)
	}
	sc.showMade(s)
	sc.rebind(s, sc.append(steps))
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
			sc.Last = c
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
	if c.Name != "matmul" {
		sc.rebind(s, v)
	}
	if name, ok := target.path(); ok {
		sc.names[name] = v
	}
	return nil
}

// follow applies a call to a tensor and returns its result.
func (sc *script) follow(s *State, c Call) (Arg, error) {
	if len(sc.Steps) >= maxSteps {
		return Arg{}, fault.New(fault.Usage, "more than %d steps", maxSteps).WithHint("start another trace from the shape and strides of the last step")
	}
	c = sc.named(c)
	sc.Last = c
	sc.showMade(s)
	sc.Other = sc.newest != nil && s != sc.newest
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
	sc.Steps = append(sc.Steps, steps...)
	list := Arg{Kind: List}
	for i := range steps {
		state := steps[i].State
		list.List = append(list.List, Arg{Kind: Tensor, Of: &state})
	}
	last := list.List[len(steps)-1]
	sc.now = last.Of
	sc.newest = last.Of
	if steps[0].Parts > 0 {
		return list
	}
	return last
}

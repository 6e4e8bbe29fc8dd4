package trace

import (
	"slices"
)

// pythonFunctions are the functions of Python that take a tensor, whatever methods of tensors have their names: sum(x) adds the rows x[0], x[1], …, and
// x.sum() all elements.
var pythonFunctions map[string]pythonFunction

// pythonFunction follows a call, n in the text, whose first argument is the tensor s.
type pythonFunction func(sc *script, s *State, n node, c Call) (prepared, error)

func init() {
	pythonFunctions = map[string]pythonFunction{
		"abs": (*script).method, "pow": (*script).method, "round": (*script).rounded,
		"len": (*script).length, "sum": (*script).sumOfRows,
	}
	for _, name := range []string{"max", "min", "all", "any", "sorted", "set"} {
		pythonFunctions[name] = unfollowed("Python compares rows of the tensor, and the result depends on the data")
	}
	for _, name := range []string{"list", "tuple", "reversed", "enumerate", "zip", "iter", "map", "filter"} {
		pythonFunctions[name] = unfollowed("Python loops over the rows x[0], x[1], …")
	}
}

// unfollowed stops the claim.
func unfollowed(reason string) pythonFunction {
	return func(sc *script, _ *State, _ node, c Call) (prepared, error) {
		sc.Last = c
		return prepared{}, stop(c.Name, "%s", reason)
	}
}

// ofPython calls a function of Python with a tensor; ok is false if the call is of other values, or of a method.
func (sc *script) ofPython(n node, c Call) (p prepared, ok bool, err error) {
	call, known := pythonFunctions[c.Name]
	if !known || !sc.takesTensor(n) {
		return p, false, nil
	}
	v, err := sc.operandOf(n.args[0])
	if err != nil {
		return p, true, err
	}
	n.args = slices.Clone(n.args)
	n.args[0] = node{kind: literal, value: v, text: n.args[0].text, whole: n.args[0].whole}
	if v.Of != nil {
		p, err = call(sc, v.Of, n, c)
		return p, true, err
	}
	compute := builtins[c.Name]
	if c.Name == "sum" {
		compute = total
	}
	if compute == nil || v.tensors() != nil {
		sc.Last = c
		return p, true, stop(c.Name, "what it returns is not known")
	}
	args, err := sc.evaluateAll(n.args)
	p.value, err = computed(compute, args, err)
	return p, true, err
}

// takesTensor reports whether the first argument of a call may be a tensor.
func (sc *script) takesTensor(n node) bool {
	if len(n.args) == len(n.keys) {
		return false
	}
	return sc.mayBeTensor(n.args[0])
}

// method is the method of that name: abs(x) is x.abs().
func (sc *script) method(s *State, n node, c Call) (prepared, error) {
	var err error
	c.Args, c.Keywords, err = sc.arguments(n, 1)
	return prepared{s: s, call: c}, err
}

// rounded refuses round(x): tensors and arrays have the method round, and not __round__, which Python calls.
func (sc *script) rounded(s *State, n node, c Call) (prepared, error) {
	sc.Last = c
	typ := "Tensor"
	if s.Rules == NumPy {
		typ = "numpy.ndarray"
	}
	return prepared{}, refuse("type %s doesn't define __round__ method", typ).withHint("%s.round()", n.args[0].text)
}

func (sc *script) length(s *State, _ node, c Call) (prepared, error) {
	if s.Rank() == 0 {
		sc.Last = c
		return prepared{}, refuse("len() of a 0-d tensor")
	}
	return prepared{value: Arg{Kind: Int, Int: s.Shape[0]}}, nil
}

// sumOfRows is 0 + x[0] + x[1] + …: a new tensor, in the order of the dims of x[0].
func (sc *script) sumOfRows(s *State, n node, c Call) (prepared, error) {
	sc.Last = c
	isEmpty := s.Rank() == 0 || s.Shape[0] == 0
	if isEmpty || len(n.args) > 1 {
		return prepared{}, stop("sum", "Python adds the rows x[0], x[1], … to a number")
	}
	row, err := s.Apply(Call{Name: Index, Args: []Arg{{Kind: Int}}, Text: "[0]"})
	if err != nil {
		return prepared{}, err
	}
	sc.showMade(s)
	c.Name = "add"
	c.Args = []Arg{{Kind: Int}}
	return prepared{s: &row.State, call: c}, nil
}

// total is the sum of numbers, of which one may be unknown.
func total(args []Arg) Arg {
	sum := Arg{Kind: Int}
	for _, x := range args[0].List {
		if x.Kind != Int {
			return Arg{Kind: Number, Word: "sum"}
		}
		sum.Int += x.Int
	}
	return sum
}

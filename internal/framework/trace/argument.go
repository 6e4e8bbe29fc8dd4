package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/text"
)

// param is a parameter of an operation.
type param struct {
	name     string // its keyword in PyTorch or NumPy
	kind     paramKind
	optional bool
	alias    string // alternative keyword
}

type paramKind int

const (
	integer  paramKind = iota // an int
	integers                  // an int or a tuple
	variadic                  // a tuple, or consecutive ints
	word
	anyValue
	operand    // a tensor beside x, or a number, which then has rank 0
	bound      // a tensor beside x, or a number that is part of the operator
	mask       // a tensor of bool, before x
	tensorOnly // a tensor beside x
	operands   // consecutive tensors
	flag       // True or False
	number     // an int or another number
)

// kindNames are the kinds of params in signatures.
var kindNames = map[string]paramKind{
	"int": integer, "ints": integers, "sizes": variadic, "word": word, "any": anyValue, "operand": operand, "bound": bound, "mask": mask,
	"tensor": tensorOnly, "tensors": operands, "flag": flag, "number": number,
}

// numpyKeywords are keywords that PyTorch accepts by NumPy's name too.
var numpyKeywords = map[string]string{"dim": "axis", "keepdim": "keepdims", "input": "x1", "other": "x2"}

// signature returns the params of an operation: "dim:ints? keepdim:flag?", where ? is optional, and = another keyword: "size=shape:sizes".
func signature(s string) []param {
	var all []param
	for word := range strings.FieldsSeq(s) {
		name, kind, _ := strings.Cut(word, ":")
		kind, optional := strings.CutSuffix(kind, "?")
		name, alias, _ := strings.Cut(name, "=")
		if other, ok := numpyKeywords[name]; ok && alias == "" {
			alias = other
		}
		all = append(all, param{name: name, kind: kindNames[kind], optional: optional, alias: alias})
	}
	return all
}

// arguments holds a call's values for the params by name; an index reads call.Args itself.
type arguments struct {
	call   Call
	params []param
	given  map[string]Arg
}

func (a arguments) has(name string) bool {
	_, ok := a.given[name]
	return ok
}

// number returns an int argument, or its default.
func (a arguments) number(name string, byDefault int) int {
	if g, ok := a.given[name]; ok {
		return g.Int
	}
	return byDefault
}

// numbers returns an argument as a list, whether it is an int or a tuple.
func (a arguments) numbers(name string) []int {
	return a.given[name].all()
}

// all returns an int, or a list of ints, as a list.
func (g Arg) all() []int {
	if g.Kind == Int {
		return []int{g.Int}
	}
	list := make([]int, len(g.List))
	for i, x := range g.List {
		list[i] = x.Int
	}
	return list
}

func (a arguments) word(name, byDefault string) string {
	if g, ok := a.given[name]; ok {
		return g.Word
	}
	return byDefault
}

// bind binds each argument of the call to its param.
func (o operation) bind(c Call) (arguments, error) {
	a := arguments{c, o.params, map[string]Arg{}}
	if c.Name == Index || o.free {
		return a, nil
	}
	rest := c.Args
	for _, p := range o.params {
		if len(rest) == 0 {
			break
		}
		if err := o.requireTuple(c, p, rest); err != nil {
			return a, err
		}
		var value Arg
		value, rest = p.take(rest)
		if err := o.set(a, p, value); err != nil {
			return a, err
		}
	}
	if len(rest) > 0 && rest[0].Kind == Word && isName(rest[0].Word) {
		if slices.ContainsFunc(o.params, func(p param) bool { return p.kind == operands }) {
			return a, unknownTensor(rest[0].Word)
		}
		return a, unknownName(rest[0].Word)
	}
	if len(rest) > 0 {
		return a, o.misuse("%s too many", text.Count(len(rest), "argument"))
	}
	for _, key := range slices.Sorted(maps.Keys(c.Keywords)) {
		if err := o.setKeyword(a, key, c.Keywords[key]); err != nil {
			return a, err
		}
	}
	if o.is("view") && a.has("dtype") {
		if a.has("size") {
			return a, o.misuse("size and dtype exclude each other")
		}
		return a, nil
	}
	for _, p := range o.params {
		if !p.optional && !a.has(p.name) {
			return a, o.misuse("missing %s", p.name)
		}
	}
	return a, nil
}

// take splits the param's arguments off the front: one, or all consecutive ints, or tensors.
func (p param) take(args []Arg) (Arg, []Arg) {
	n := 0
	for n < len(args) && p.gathers(args[n]) {
		n++
	}
	if p.kind == operands && n == 0 && args[0].Kind == List { // of tensors, which set refuses
		n = 1
	}
	if n > 0 || p.kind == operands {
		return Arg{Kind: List, List: args[:n]}, args[n:]
	}
	return args[0], args[1:]
}

// gathers reports whether the argument is one of several that the param takes.
func (p param) gathers(g Arg) bool {
	switch p.kind {
	case variadic:
		return g.Kind == Int || g.Kind == Word && isName(g.Word) && !isTorchType(g.Word)
	case anyValue: // of NumPy's view, which has no sizes
		return g.Kind == Int && p.name == "dtype"
	case operands:
		return g.isTensor()
	}
	return false
}

// requireTuple refuses separate ints in a function, which takes a tuple; NumPy accepts a single int.
func (o operation) requireTuple(c Call, p param, args []Arg) error {
	if c.Module == "" || p.kind != variadic || args[0].Kind != Int {
		return nil
	}
	single := len(args) == 1 || args[1].Kind != Int
	if c.Module == NumPy && single {
		return nil
	}
	return fault.New(fault.Usage, "%s.%s requires %s as a tuple", modules[c.Module], o.Name, p.name).
		WithHint("the method %s(…) also accepts separate ints", o.Name)
}

func (o operation) setKeyword(a arguments, key string, g Arg) error {
	names := make([]string, len(o.params))
	for i, p := range o.params {
		if p.kind == operands {
			continue
		}
		names[i] = p.name
		if key != p.name && key != p.alias {
			continue
		}
		return o.set(a, p, g)
	}
	if near := text.Nearest(key, names); near != "" {
		return o.misuse("unknown argument %s; did you mean %s?", text.Quoted(key), near)
	}
	return o.misuse("unknown argument %s", text.Quoted(key))
}

// set checks the kind of an argument and stores it. An optional argument may be None.
func (o operation) set(a arguments, p param, g Arg) error {
	if g.Kind == None && p.optional {
		return nil
	}
	if err := p.unknown(g); err != nil {
		return err
	}
	switch p.kind {
	case integer:
		if g.Kind != Int {
			return o.misuse("%s must be an int", p.name)
		}
	case number:
		if !g.isNumber() {
			return o.misuse("%s must be a number", p.name)
		}
	case word:
		if g.Of != nil {
			g = Arg{Kind: Word, Word: g.Of.DType.String()}
		}
		if g.Kind != Word {
			return o.misuse("%s must be a name or a string", p.name)
		}
	case integers, variadic:
		if g.Kind == Word && o.is("view") { // of another dtype
			return o.set(a, o.params[1], g)
		}
	}
	if a.has(p.name) {
		return o.misuse("%s is given twice", p.name)
	}
	if err := o.checkValues(p, g); err != nil {
		return err
	}
	a.given[p.name] = g
	return nil
}

// unknown returns the error for a name without a value where a number or a tensor is needed.
func (p param) unknown(g Arg) error {
	names := []Arg{g}
	if g.Kind == List {
		names = g.List
	}
	for _, x := range names {
		if x.Kind != Word || !isName(x.Word) {
			continue
		}
		switch p.kind {
		case integer, integers, variadic, number:
			if isTorchType(x.Word) {
				continue
			}
			return unknownNumber(x.Word)
		case operand, bound, mask, tensorOnly, operands:
			return unknownTensor(x.Word)
		}
	}
	return nil
}

// isName reports whether a word can be the name of a variable.
func isName(word string) bool {
	return word != "" && word != "True" && word != "False" && scan.IsLetter(word[0])
}

// checkValues refuses an argument whose values are not those of the param's kind.
func (o operation) checkValues(p param, g Arg) error {
	switch p.kind {
	case integers, variadic:
		if !g.ints() {
			return o.misuse("%s must be ints", p.name)
		}
	case operands:
		if slices.ContainsFunc(g.List, func(x Arg) bool { return !x.isTensor() }) {
			return o.misuse("%s must be tensors: x, (2,3):(3,1)", p.name)
		}
	case tensorOnly, mask:
		if !g.isTensor() {
			return o.misuse("%s must be x or a tensor: (2,3):(3,1)", p.name)
		}
	case operand, bound:
		if !g.isNumber() && !g.isTensor() {
			return o.misuse("%s must be a number, x, or a tensor: (2,3):(3,1)", p.name)
		}
	}
	return nil
}

func (g Arg) isNumber() bool {
	return g.Kind == Int || g.Kind == Number || g.Kind == Word && (g.Word == "True" || g.Word == "False")
}

// isTensor reports whether the argument can be an operand: a tensor, or a shape with strides or without.
func (g Arg) isTensor() bool {
	return g.Kind == Tensor || g.Kind == List && g.ints()
}

// ints reports whether the argument is an int or a list of ints.
func (g Arg) ints() bool {
	no := func(x Arg) bool { return x.Kind != Int }
	return g.Kind == Int || g.Kind == List && !slices.ContainsFunc(g.List, no)
}

func (g Arg) isIntList() bool { return g.Kind == List && g.ints() }

// misuse returns the error for wrong arguments.
func (o operation) misuse(format string, args ...any) error {
	err := fault.New(fault.Usage, o.Name+": "+format, args...)
	if len(o.params) == 0 {
		return err.WithHint("%s takes no arguments: %s", o.Name, o.Example)
	}
	return err.WithHint("%s takes %s: %s", o.Name, o.arguments(), o.Example)
}

// arguments returns the params as help shows them: "dims…", "source, destination", "[start_dim[, end_dim]]".
func (o operation) arguments() string {
	var b strings.Builder
	open := 0
	for i, p := range o.params {
		if p.kind == anyValue {
			continue
		}
		if p.optional {
			b.WriteString("[")
			open++
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.name)
		if p.kind == variadic || p.kind == operands {
			b.WriteString("…")
		}
	}
	return b.String() + strings.Repeat("]", open)
}

// axis counts a negative dim from the end. rank is the number of valid dims, which is one more than the tensor's where a dim is
// inserted. PyTorch lets a scalar have a dim 0 here. (maybe_wrap_dim in PyTorch's c10/core/WrapDimMinimal.h,
// check_and_adjust_axis in NumPy's numpy/core/src/multiarray/common.h)
//
// where is the prefix of NumPy's message: "source: ".
func (s State) axis(d, rank int, where string) (int, error) {
	reach := rank
	if s.Rules == PyTorch {
		reach = max(rank, 1)
	}
	if d >= -reach && d < 0 {
		return d + reach, nil
	}
	if d >= 0 && d < reach {
		return d, nil
	}
	if s.Rules == NumPy {
		return 0, s.outside(reach, "%saxis %d is out of bounds for array of dimension %d", where, d, rank)
	}
	return 0, s.outside(reach, "Dimension out of range (expected to be in range of [%d, %d], but got %d)", -reach, reach-1, d)
}

func (s State) outside(reach int, format string, args ...any) *Refusal {
	r := refuse(format, args...).because("the tensor is a scalar")
	if s.Rank() > 0 {
		r.because("the tensor has %s", s.calledAll(s.inOrder()))
	}
	return r.withHint("%s", valid(reach))
}

// valid returns the valid dims or indices of n.
func valid(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "valid: 0 and -1"
	}
	return fmt.Sprintf("valid: 0 to %d, or -%d to -1 from the end", n-1, n)
}

// axes is axis for several dims, in order. A repeated dim is refused with the text of twice, which NumPy and PyTorch vary by call; a
// nil twice allows it.
func (s State) axes(ds []int, rank int, where string, twice func(d int) string) ([]int, error) {
	out := make([]int, len(ds))
	for i, d := range ds {
		var err error
		out[i], err = s.axis(d, rank, where)
		if err != nil {
			return nil, err
		}
		if twice != nil && slices.Contains(out[:i], out[i]) {
			return nil, refuse("%s", twice(out[i])).because("dim %d is repeated in (%s)", out[i], spelled(ds))
		}
	}
	return out, nil
}

// axisTuple is axes, but checks all dims for range before it checks for repeated ones, as NumPy's normalize_axis_tuple does
// (numpy/core/numeric.py).
func (s State) axisTuple(ds []int, rank int, where string, twice func(d int) string) ([]int, error) {
	if _, err := s.axes(ds, rank, where, nil); err != nil {
		return nil, err
	}
	return s.axes(ds, rank, where, twice)
}

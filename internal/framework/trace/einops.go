package trace

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/scan"
)

// einopsFunctions are the functions of einops that Follow follows; keyword arguments are lengths of axes.
var einopsFunctions = []operation{
	{
		Usage:  Usage{Name: "rearrange", Example: "rearrange('b (c k) h -> b c h k', k=4)"}, // reorder, split and merge dims
		params: []param{{name: "pattern", kind: word}},
	},
	{
		Usage:  Usage{Name: "repeat", Example: "repeat('h w -> h w c', c=3)"}, // add dims, and rearrange
		params: []param{{name: "pattern", kind: word}},
	},
	{
		Usage:  Usage{Name: "reduce", Example: "reduce('b c h w -> b c', 'mean')"}, // reduce dims, and rearrange
		params: []param{{name: "pattern", kind: word}, {name: "reduction", kind: word}},
	},
}

func einopsFunction(name string) (operation, bool) {
	k := slices.IndexFunc(einopsFunctions, func(f operation) bool { return f.Name == name })
	return einopsFunctions[max(k, 0)], k >= 0
}

// isEinops reports whether a step is of einops: PyTorch's repeat has no pattern.
func (c Call) isEinops() bool {
	_, ok := einopsFunction(c.Name)
	return ok && c.Module == "" && (c.Name != "repeat" || slices.ContainsFunc(c.Args, Arg.isPattern))
}

// isPattern reports whether a word is not a name, as those of variables are.
func (g Arg) isPattern() bool { return g.Kind == Word && scan.NameLength(g.Word) != len(g.Word) }

// Follow applies a call as Apply does, and returns its steps: for a call of einops one for each call of the framework that einops makes, or
// the tensor itself if it makes none. Dims take the names of their axes. (_apply_recipe in einops/einops.py, 0.8.2)
func (s State) Follow(c Call) ([]Step, error) {
	if !c.isEinops() {
		return s.followCall(c)
	}
	e, err := bindEinops(c)
	if err != nil {
		return nil, err
	}
	p, err := e.parse(s)
	if err != nil {
		return nil, err
	}
	if !isComposed(p.left) {
		s.Names = slices.Concat(p.left...).names()
		s.Guessed = false
	}
	var steps []Step
	for _, call := range p.calls(e.operation, s.Rules) {
		step, err := s.apply(einopsOperation(s.Rules, call.Call), call.Call)
		if err != nil {
			return nil, err
		}
		step.State.Guessed = false
		if call.axes != nil {
			step.State.Names = call.axes.names()
		}
		steps = append(steps, step)
		s = step.State
	}
	if len(steps) == 0 {
		step, err := s.itself("the pattern changes nothing: returns the tensor itself")
		step.Call = c
		return []Step{step}, err
	}
	return steps, nil
}

// followCall applies a call of the framework. One that returns several tensors has a step for each, unless an index selects one.
func (s State) followCall(c Call) ([]Step, error) {
	op, err := find(s.Rules, c)
	if err != nil {
		return nil, err
	}
	if op.pieces != nil && c.Part == nil {
		return s.everyPart(op, c)
	}
	if op.tuple != nil && c.Part == nil {
		return s.everyOf(op, c)
	}
	step, err := s.apply(op, c)
	return []Step{step}, err
}

// einops is a call of a function of einops.
type einops struct {
	pattern   string
	operation string         // rearrange, repeat, or the reduction
	lengths   map[string]int // of axes, by keyword
}

// bindEinops reads the arguments of a call; the parser has skipped the tensor.
func bindEinops(c Call) (einops, error) {
	f, _ := einopsFunction(c.Name)
	e := einops{lengths: map[string]int{}}
	own := Call{Name: c.Name, Args: c.Args, Keywords: map[string]Arg{}}
	for name, value := range c.Keywords {
		if slices.ContainsFunc(f.params, func(p param) bool { return p.name == name }) {
			own.Keywords[name] = value
			continue
		}
		if value.Kind != Int || value.Int < 1 {
			return e, f.misuse("the length of %s must be a positive int", name)
		}
		e.lengths[name] = value.Int
	}
	a, err := f.bind(own)
	if err != nil {
		return e, err
	}
	e.pattern = a.word("pattern", "")
	e.operation = a.word("reduction", c.Name)
	_, isReduction := reductions[e.operation]
	if strings.ContainsFunc(e.pattern, func(r rune) bool { return r >= 0x80 }) {
		return e, f.misuse("patterns with other characters than ASCII are not supported")
	}
	if strings.Count(e.pattern, "->") != 1 {
		return e, f.misuse("pattern '%s' lacks its one ->", e.pattern)
	}
	if c.Name == "reduce" && !isReduction {
		return e, f.misuse("unsupported reduction; valid: min, max, sum, mean, prod, any, all")
	}
	return e, nil
}

// einopsCall is a call of the framework, and the axis that each dim of its result is; nil if the call's own names are right.
type einopsCall struct {
	Call
	axes axes
}

// calls returns the calls of the framework: reshape, permute, reduce, add dims, repeat them, reshape.
func (p pattern) calls(operation string, rules Rules) []einopsCall {
	left := slices.Concat(p.left...)
	right := slices.Concat(p.right...)
	added := right.without(left)
	removed := left.without(right)
	stays := right.without(added)
	var all []einopsCall
	add := func(of axes, torch, numpy string, numbers ...int) {
		c := Call{Name: torch}
		if rules == NumPy {
			c.Name = numpy
		}
		c.Text = c.Name + "(" + spelled(numbers) + ")"
		list := Arg{Kind: List}
		for _, n := range numbers {
			list.List = append(list.List, Arg{Kind: Int, Int: n})
		}
		c.Args = list.List
		if len(numbers) == 0 {
			c.Args = []Arg{list}
		}
		all = append(all, einopsCall{c, of})
	}
	if isComposed(p.left) {
		add(left, "reshape", "reshape", p.sizes(singles(left))...)
	}
	now := slices.Concat(stays, removed)
	order := make([]int, len(now))
	for d, a := range now {
		order[d] = slices.Index(left, a)
	}
	if !slices.IsSorted(order) {
		add(now, "permute", "transpose", order...)
	}
	reduced := ints.Range(len(now))[len(stays):]
	if slices.Contains([]string{"prod", "any", "all"}, operation) && rules == PyTorch {
		for k, d := range slices.Backward(reduced) {
			add(now[:len(stays)+k], operation, operation, d)
		}
	} else if len(reduced) > 0 {
		add(stays, reductions[operation], operation, reduced...)
	}
	repeats := slices.Repeat([]int{map[Rules]int{PyTorch: -1, NumPy: 1}[rules]}, len(right))
	for d, a := range right {
		if slices.Contains(added, a) {
			repeats[d] = p.lengths[a]
			add(nil, "unsqueeze", "expand_dims", d)
		}
	}
	if len(added) > 0 {
		add(right, "expand", "tile", repeats...)
	}
	if isComposed(p.right) {
		add(nil, "reshape", "reshape", p.sizes(p.right)...)
	}
	return all
}

// einopsOperation looks up the operation of a call that einops makes; reductions take the dims as consecutive ints.
func einopsOperation(rules Rules, c Call) operation {
	if c.Name == "tile" {
		return operation{Usage: Usage{Name: c.Name}, params: []param{{name: "reps", kind: variadic}}, run: State.npTile}
	}
	for name, torch := range reductions {
		if c.Name == name || c.Name == torch {
			return operation{Usage: Usage{Name: c.Name}, params: []param{{name: "axis", kind: variadic}}, run: State.reduced}
		}
	}
	op, _ := find(rules, c)
	return op
}

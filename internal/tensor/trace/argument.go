package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// param is an argument that a step takes.
type param struct {
	name     string // by which NumPy or PyTorch know it as a keyword
	kind     paramKind
	optional bool
	also     string // another keyword for it
}

type paramKind int

const (
	one    paramKind = iota // an int
	many                    // an int or a tuple
	spread                  // a tuple, or ints side by side
	word
	anything
)

// arguments are what a call gives for the params; an index has its own.
type arguments struct {
	call  Call
	given map[string]Arg
}

func (a arguments) has(name string) bool {
	_, ok := a.given[name]
	return ok
}

// number is an int argument, or what it is if left out.
func (a arguments) number(name string, without int) int {
	if g, ok := a.given[name]; ok {
		return g.Int
	}
	return without
}

// numbers is the argument as a list, whether written as an int or as a tuple.
func (a arguments) numbers(name string) []int {
	g := a.given[name]
	if g.Kind == Int {
		return []int{g.Int}
	}
	list := make([]int, len(g.List))
	for i, x := range g.List {
		list[i] = x.Int
	}
	return list
}

func (a arguments) word(name, without string) string {
	if g, ok := a.given[name]; ok {
		return g.Word
	}
	return without
}

// bind gives each argument of the call to its param.
func (o operation) bind(c Call) (arguments, error) {
	a := arguments{c, map[string]Arg{}}
	if c.Name == Index {
		return a, nil
	}
	rest := c.Args
	for _, p := range o.params {
		if len(rest) == 0 {
			break
		}
		if err := o.tupled(c, p, rest); err != nil {
			return a, err
		}
		var taken Arg
		taken, rest = p.take(rest)
		if err := o.give(a, p, taken); err != nil {
			return a, err
		}
	}
	if len(rest) > 0 {
		return a, o.misuse("%s too many", words.Count(len(rest), "argument"))
	}
	for _, key := range slices.Sorted(maps.Keys(c.Keywords)) {
		if err := o.giveKeyword(a, key, c.Keywords[key]); err != nil {
			return a, err
		}
	}
	for _, p := range o.params {
		if !p.optional && !a.has(p.name) {
			return a, o.misuse("%s is missing", p.name)
		}
	}
	return a, nil
}

// take takes the param's share of the arguments from their front: one, or all ints that stand side by side.
func (p param) take(args []Arg) (Arg, []Arg) {
	n := 0
	for (p.kind == spread || p.kind == anything) && n < len(args) && args[n].Kind == Int {
		n++
	}
	if n > 0 {
		return Arg{Kind: List, List: args[:n]}, args[n:]
	}
	return args[0], args[1:]
}

// tupled refuses ints side by side in a function: it takes a tuple, and one of NumPy's a single int too.
func (o operation) tupled(c Call, p param, args []Arg) error {
	ints, several := args[0].Kind == Int, len(args) > 1 && args[1].Kind == Int
	if c.Of == "" || p.kind != spread || !ints || c.Of == NumPy && !several {
		return nil
	}
	return fault.New(fault.Usage, "%s.%s takes %s as a tuple", modules[c.Of], o.Name, p.name).
		WithHint("the step %s(…) takes ints side by side too", o.Name)
}

func (o operation) giveKeyword(a arguments, key string, g Arg) error {
	names := make([]string, len(o.params))
	for i, p := range o.params {
		names[i] = p.name
		if key != p.name && key != p.also {
			continue
		}
		if a.has(p.name) {
			return o.misuse("%s is given twice", p.name)
		}
		return o.give(a, p, g)
	}
	if key == "dtype" && o.is("view") {
		return o.viewOfType()
	}
	if near := words.Nearest(key, names); near != "" {
		return o.misuse("there is no argument %s; did you mean %s?", quote(key), near)
	}
	return o.misuse("there is no argument %s", quote(key))
}

// give checks the kind. None stands for an optional argument left out.
func (o operation) give(a arguments, p param, g Arg) error {
	switch list := p.kind == many || p.kind == spread; {
	case g.Kind == None && p.optional:
		return nil
	case p.kind == one && g.Kind != Int:
		return o.misuse("%s is an int", p.name)
	case p.kind == word && g.Kind != Word:
		return o.misuse("%s is a word", p.name)
	case list && g.Kind == Word && o.is("view"):
		return o.viewOfType()
	case list && !g.ints():
		return o.misuse("%s is ints", p.name)
	}
	a.given[p.name] = g
	return nil
}

func (o operation) viewOfType() error { return o.misuse("a view of another dtype is not followed") }

// ints reports whether the argument is an int or a list of ints.
func (g Arg) ints() bool {
	no := func(x Arg) bool { return x.Kind != Int }
	return g.Kind == Int || g.Kind == List && !slices.ContainsFunc(g.List, no)
}

// misuse is a call with arguments that the step does not take.
func (o operation) misuse(format string, args ...any) error {
	err := fault.New(fault.Usage, o.Name+": "+format, args...)
	if len(o.params) == 0 {
		return err.WithHint("%s takes no arguments: %s", o.Name, o.Example)
	}
	return err.WithHint("%s takes %s: %s", o.Name, o.arguments(), o.Example)
}

// arguments spells the params: "dims…", "source, destination", "[start_dim[, end_dim]]".
func (o operation) arguments() string {
	var b strings.Builder
	open := 0
	for i, p := range o.params {
		if p.kind == anything {
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
		if p.kind == spread {
			b.WriteString("…")
		}
	}
	return b.String() + strings.Repeat("]", open)
}

// axis counts a negative dim from the end. rank is the number of places that there are, which is one more than dims
// where a dim is to be inserted. PyTorch lets a scalar have a dim 0 here. (maybe_wrap_dim in c10/core/WrapDimMinimal.h,
// normalize_axis_index in numpy)
//
// where goes in front of NumPy's message: "source: ".
func (s State) axis(d, rank int, where string) (int, error) {
	reach := rank
	if s.Rules == PyTorch {
		reach = max(rank, 1)
	}
	switch {
	case d >= -reach && d < 0:
		return d + reach, nil
	case d >= 0 && d < reach:
		return d, nil
	case s.Rules == NumPy:
		return 0, s.outside(reach, "%saxis %d is out of bounds for array of dimension %d", where, d, rank)
	}
	return 0, s.outside(reach, "Dimension out of range (expected to be in range of [%d, %d], but got %d)", -reach, reach-1, d)
}

func (s State) outside(reach int, format string, args ...any) *Refusal {
	r := refuse(format, args...).because("the tensor is a scalar, without dims")
	if s.Rank() > 0 {
		r.because("the tensor has %s", s.calledAll(s.inOrder()))
	}
	return r.withHint("%s", valid(reach))
}

// valid says which of n places there are.
func valid(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "only 0 and -1 are valid here"
	}
	return fmt.Sprintf("0 to %d, or -%d to -1 from the end, are valid here", n-1, n)
}

// axes is axis for several dims, one after the other. A dim that is named twice is refused with twice, which NumPy and
// PyTorch word anew for each call; nil allows it.
func (s State) axes(ds []int, rank int, where string, twice func(d int) string) ([]int, error) {
	out := make([]int, len(ds))
	for i, d := range ds {
		var err error
		if out[i], err = s.axis(d, rank, where); err != nil {
			return nil, err
		}
		if twice != nil && slices.Contains(out[:i], out[i]) {
			return nil, refuse("%s", twice(out[i])).because("dim %d is named twice in (%s)", out[i], spelled(ds))
		}
	}
	return out, nil
}

// axisTuple is axes, but looks for dims out of range in all of them before it looks for repeated ones, as
// normalize_axis_tuple in numpy does.
func (s State) axisTuple(ds []int, rank int, where string, twice func(d int) string) ([]int, error) {
	if _, err := s.axes(ds, rank, where, nil); err != nil {
		return nil, err
	}
	return s.axes(ds, rank, where, twice)
}

// quote names a word of the user.
func quote(s string) string { return "'" + words.Quote(s) + "'" }

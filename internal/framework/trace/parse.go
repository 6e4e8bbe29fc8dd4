package trace

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/text"
)

// Call is a parsed step: a method or function with its arguments, or an index.
//
//	permute(0, 2, 3, 1)    Name "permute", Args 0 2 3 1
//	flip(axis=1)           Name "flip", Keywords axis: 1
//	repeat(x, 'a -> a 2')  Name "repeat", Args word: without the tensor, as in a method
//	[1:3, ..., None]       Name "[]", Args slice, ellipsis, none
//	T, contiguous          only Name; "()" after it changes nothing
//	np.flip(x, 1)          Name "flip", Args 1, Module NumPy
type Call struct {
	Text     string // trimmed, safe to print
	Name     string
	Args     []Arg
	Keywords map[string]Arg
	Module   Rules // framework of a function; "" for a method
	Part     *int  // which tensor of those that chunk, split and the like return; nil if no index follows
}

// Index is the Name of an index.
const Index = "[]"

// ArgKind says which field of an Arg is set.
type ArgKind int

// The kinds of arguments.
const (
	Int      ArgKind = iota // Int
	List                    // List: a tuple or a list
	Number                  // Word: a number that is not an integer, 0.5
	Tensor                  // List: shape, and strides or a memory format: (2, 3):(3, 1), (2, 3, 4, 4):channels_last
	Range                   // Start, Stop, Step: a slice
	Ellipsis                // ...
	None                    // None, newaxis
	Word                    // Word: channels_last, torch.channels_last without its prefix, True, 'C' without its quotes
)

// Arg is an argument of a call, or an entry of an index.
type Arg struct {
	Kind              ArgKind
	Int               int
	List              []Arg
	Start, Stop, Step *int // nil if omitted
	Word              string
}

// String returns the call in canonical form.
func (c Call) String() string {
	args := texts(c.Args)
	if c.Name == Index {
		if len(args) == 0 {
			return "[()]"
		}
		return "[" + strings.Join(args, ", ") + "]"
	}
	for _, k := range slices.Sorted(maps.Keys(c.Keywords)) {
		args = append(args, k+"="+c.Keywords[k].String())
	}
	part := ""
	if c.Part != nil {
		part = fmt.Sprintf("[%d]", *c.Part)
	}
	if c.Module != "" {
		return modules[c.Module] + "." + c.Name + "(" + strings.Join(append([]string{"x"}, args...), ", ") + ")" + part
	}
	if len(args) == 0 {
		return c.Name + part
	}
	return c.Name + "(" + strings.Join(args, ", ") + ")" + part
}

// String returns the argument as in Python.
func (a Arg) String() string {
	switch a.Kind {
	case Int:
		return strconv.Itoa(a.Int)
	case Ellipsis:
		return "..."
	case None:
		return "None"
	case Range:
		return a.slice()
	case Word:
		return spell(a.Word)
	case Number:
		return a.Word
	case Tensor:
		return a.List[0].String() + ":" + a.List[1].String()
	}
	if len(a.List) == 1 {
		return "(" + a.List[0].String() + ",)"
	}
	return "(" + strings.Join(texts(a.List), ", ") + ")"
}

func (a Arg) slice() string {
	bound := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n)
	}
	s := bound(a.Start) + ":" + bound(a.Stop)
	if a.Step != nil {
		s += ":" + bound(a.Step)
	}
	return s
}

// spell quotes a word that would be read as something else.
func spell(word string) string {
	if word != "" && scan.NameLength(word) == len(word) && !slices.Contains([]string{"None", "newaxis", "Ellipsis"}, word) {
		return word
	}
	if strings.Contains(word, "'") {
		return `"` + word + `"`
	}
	return "'" + word + "'"
}

func texts(args []Arg) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a.String()
	}
	return out
}

// maxText limits the text of steps, in bytes.
const maxText = 4096

// ParseChain parses a chain of steps as in Python: x.permute(0, 2, 3, 1)[0].view(-1), with optional blanks between words. Errors are of
// class Usage.
//
//	chain   = ( [ letter ] step | function | "einops." step ) { step }   the first dot is optional
//	function = module "." name "(" letter [ "," arguments ] ")"
//	step    = "." name [ "(" arguments ")" ] | "[" entries "]"
//	entry   = value | [ bound ] ":" [ bound ] [ ":" [ bound ] ]
//	value   = number | word | string | "..." | "(" values ")" | "[" values "]"
//
// Post: for a chain of one call c, ParseChain(c.String()) returns c except for its Text.
func ParseChain(text string) ([]Call, error) {
	p := &parser{scan.Scanner{Text: text}}
	if len(text) > maxText {
		return nil, fault.New(fault.Usage, "step of %d bytes is too long: the limit is %d", len(text), maxText)
	}
	calls, err := p.function()
	if err != nil {
		return nil, err
	}
	if err := p.tensorName(len(calls) > 0); err != nil {
		return nil, err
	}
	for len(calls) == 0 || !p.End() {
		c, err := p.step(len(calls) == 0)
		if err != nil {
			return nil, err
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// tensorName skips the tensor's name at the start, a single lower-case letter: x.view(12), x[0]. A function has no such name.
func (p *parser) tensorName(named bool) error {
	if named {
		return nil
	}
	start := p.At
	name := p.Name()
	next := p.Next()
	if isSmallLetter(name) && name != "t" && p.End() {
		return p.wrong(" is only the tensor").WithHint("add a step: %s.view(12), or just view(12)", name)
	}
	stepFollows := next == '.' || next == '['
	if !isSmallLetter(name) || !stepFollows {
		p.At = start
	}
	return nil
}

// isSmallLetter reports whether a name can be the tensor's. PyTorch's t is the only step with such a name.
func isSmallLetter(name string) bool { return len(name) == 1 && name >= "a" }

func (p *parser) step(first bool) (Call, error) {
	if p.Next() == '[' {
		return p.index()
	}
	if !p.Take('.') && !first {
		return Call{}, p.stray()
	}
	p.Next()
	start := p.At
	c := Call{Name: p.Name()}
	if c.Name == "" {
		return Call{}, p.noStep()
	}
	if isSmallLetter(c.Name) && c.Name != "t" {
		return Call{}, p.wrong(": expected a step, found %s", c.Name).WithHint("steps look like view(12), T or [0]")
	}
	if p.Take('(') {
		if _, ok := einopsFunction(c.Name); ok && scan.IsLetter(p.Next()) {
			if err := p.tensorArgument(start, c); err != nil {
				return Call{}, err
			}
		}
		if err := p.arguments(&c); err != nil {
			return Call{}, err
		}
	}
	p.part(&c)
	c.Text = tidy(p.Text[start:p.At])
	return c, nil
}

// part reads the index that selects one tensor of the tuple that a call returns: chunk(2,1)[0].
func (p *parser) part(c *Call) {
	start := p.At
	if !isSplit(c.Name) || !p.Take('[') {
		return
	}
	if n, err := strconv.Atoi(p.Integer()); err == nil && p.Take(']') {
		c.Part = &n
		return
	}
	p.At = start
}

// arguments reads arguments up to the closing bracket.
func (p *parser) arguments(c *Call) error {
	_, err := p.List(')', func() error { return p.argument(c) }, p.unlisted)
	return err
}

func (p *parser) argument(c *Call) error {
	start := p.At
	name := p.Name()
	if name == "" || !p.Take('=') {
		p.At = start
		if c.Keywords != nil {
			return p.expected("name=value after a keyword argument")
		}
		v, err := p.operand()
		c.Args = append(c.Args, v)
		return err
	}
	if _, twice := c.Keywords[name]; twice {
		return p.wrong(" repeats %s=", name)
	}
	v, err := p.operand()
	if c.Keywords == nil {
		c.Keywords = map[string]Arg{}
	}
	c.Keywords[name] = v
	return err
}

// tidy makes a text one line, safe to print.
func tidy(s string) string { return text.Quote(strings.Join(strings.Fields(s), " ")) }

// modules are the modules of each framework's functions.
var modules = map[Rules]string{PyTorch: "torch", NumPy: "np"}

// function reads a function of the tensor, whose name is a single lower-case letter: np.flip(x, 0),
// np.lib.stride_tricks.as_strided(x, …). It returns nil if a method or an index is next.
func (p *parser) function() ([]Call, error) {
	p.Next()
	start := p.At
	module := p.Name()
	if name, dot := strings.CutPrefix(p.Rest(), "."); dot && module == "einops" {
		name = name[:scan.NameLength(name)]
		if _, ok := einopsFunction(name); !ok {
			return nil, fault.New(fault.Usage, "unsupported function einops.%s", name).WithHint("supported: rearrange, repeat, reduce")
		}
		p.At++
		return nil, nil // a step follows
	}
	if prefixes[module] == "" || p.Next() != '.' {
		p.At = start
		return nil, nil
	}
	c := Call{Module: prefixes[module]}
	for p.Take('.') {
		c.Name = p.Name()
	}
	if c.Name == "" || !p.Take('(') {
		return nil, p.wrong(" is not a tensor function").WithHint("functions look like %s.transpose(x, …), steps like transpose(…)", module)
	}
	listed, err := p.tensorList(&c)
	if err == nil && !listed {
		err = p.tensorArgument(start, c)
	}
	if err == nil {
		err = p.arguments(&c)
	}
	if err != nil {
		return nil, err
	}
	p.part(&c)
	c.Text = tidy(p.Text[start:p.At])
	return []Call{c}, nil
}

// tensorList reads a list of tensors as the first argument, as cat has it: torch.cat([x, (2,3):(3,1)], 1). Those after the tensor
// itself become arguments. It reports whether there is such a list.
func (p *parser) tensorList(c *Call) (bool, error) {
	next := p.Next()
	start := p.At
	if next != '[' && next != '(' {
		return false, nil
	}
	v, err := p.value()
	if err != nil || len(v.List) == 0 || !isSmallLetter(v.List[0].Word) {
		p.At = start
		return false, err
	}
	c.Args = v.List[1:]
	p.Take(',')
	return true, nil
}

// tensorArgument reads the first argument of a function whose text starts at start: the tensor. A nested call is refused.
func (p *parser) tensorArgument(start int, c Call) error {
	p.Next()
	at := p.At
	if isSmallLetter(p.Name()) && (p.Take(',') || p.Next() == ')') {
		return nil
	}
	p.At = at
	if err := c.misplaced(c.Module); err != nil {
		return err
	}
	if _, ok := unsupported()[c.Name]; ok && c.Module != "" && !operationNames(c.Module)[c.Name] {
		return unsupportedStep(c.Name)
	}
	inner := p.expression(at)
	if !strings.ContainsAny(inner, ".([") || !scan.IsLetter(p.Next()) {
		head := tidy(p.Text[start:at])
		return p.wrong(": the first argument must be the tensor, a single lower-case letter").WithHint("%sx, …), or just %s(…)", head, c.Name)
	}
	rest := strings.TrimPrefix(p.Text[at+len(inner):], ",")
	chain := tidy(strings.TrimSpace(inner) + "." + c.Name + "(" + strings.TrimSpace(rest))
	if _, err := ParseChain(chain); err != nil {
		chain = "x.permute(0,2,1)." + c.Name + "(…)"
	}
	return p.wrong(" nests a call inside %s", c.Name).WithHint("chain the calls, the inner one first: %s", clip(chain))
}

// index reads an index. A single tuple is the index itself, as in Python: [(0, 1)] is [0, 1], [()] selects all.
func (p *parser) index() (Call, error) {
	c := Call{Name: Index}
	start := p.At
	p.Take('[')
	tuple := p.Next() == '('
	_, err := p.List(']', func() error {
		entry, err := p.entry()
		c.Args = append(c.Args, entry)
		return err
	}, p.unlisted)
	if err != nil {
		return Call{}, err
	}
	if len(c.Args) == 0 {
		return Call{}, p.wrong(" has an empty index").WithHint("[0] selects the first index, [:] all, [None] adds a dim")
	}
	if tuple && len(c.Args) == 1 && c.Args[0].Kind == List {
		c.Args = c.Args[0].List
	}
	for _, arg := range c.Args {
		switch arg.Kind {
		case List, Word:
			return Call{}, p.advanced(arg)
		case Number:
			return Call{}, p.wrong(": %s is not an integer", text.Quoted(arg.Word)).WithHint("indices are integers: [0], [1:3]")
		}
	}
	c.Text = tidy(p.Text[start:p.At])
	return c, nil
}

// entry reads a value, or a slice, whose bounds may be missing or None.
func (p *parser) entry() (Arg, error) {
	first := Arg{Kind: None}
	if p.Next() != ':' {
		v, err := p.value()
		if err != nil || p.Next() != ':' {
			return v, err
		}
		first = v
	}
	start, err := p.bound(first)
	if err != nil {
		return Arg{}, err
	}
	r := Arg{Kind: Range, Start: start}
	for _, to := range []**int{&r.Stop, &r.Step} {
		if !p.Take(':') {
			break
		}
		if strings.IndexByte(":,]", p.Next()) >= 0 {
			continue
		}
		v, err := p.value()
		if err != nil {
			return v, err
		}
		*to, err = p.bound(v)
		if err != nil {
			return Arg{}, err
		}
	}
	return r, nil
}

// bound returns the bound of a slice that a value stands for; nil for None.
func (p *parser) bound(v Arg) (*int, error) {
	switch v.Kind {
	case Int:
		return &v.Int, nil
	case None:
		return nil, nil
	}
	return nil, p.wrong(": slice bound %s is not an integer", v).WithHint("bounds are integers: [1:3], [::2], [:-1]")
}

// advanced refuses an index by a list, a mask or a tensor.
func (p *parser) advanced(by Arg) *fault.Error {
	return p.wrong(" indexes by %s: advanced indexing always copies", by).
		WithHint("ints, slices, ... and None make views: [0], [0:4:2], [..., None]")
}

package trace

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// Call is a step as it is written: a function with its arguments, or an index.
//
//	permute(0, 2, 3, 1)    Name "permute", Args 0 2 3 1
//	flip(axis=1)           Name "flip", Keywords axis: 1
//	[1:3, ..., None]       Name "[]", Args slice, ellipsis, none
//	T, contiguous          Name alone; "()" behind it changes nothing
//	np.flip(x, 1)          Name "flip", Args 1, Of NumPy
type Call struct {
	Text     string // without blanks at its ends, safe to print
	Name     string
	Args     []Arg
	Keywords map[string]Arg
	Of       Rules // whose function of the tensor it is; "" for a method
}

// Index is the Name of an index.
const Index = "[]"

// ArgKind says which field of an Arg counts.
type ArgKind int

// The kinds of arguments.
const (
	Int      ArgKind = iota // Int
	List                    // List: a tuple or a list
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
	Start, Stop, Step *int // nil where left out
	Word              string
}

// String writes a call in one way, whatever its Text.
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
	switch {
	case c.Of != "":
		return modules[c.Of] + "." + c.Name + "(" + strings.Join(append([]string{"x"}, args...), ", ") + ")"
	case len(args) == 0:
		return c.Name
	}
	return c.Name + "(" + strings.Join(args, ", ") + ")"
}

// String writes an argument as Python has it.
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

// spell puts a word into quotes where it would be read as something else without.
func spell(word string) string {
	p := parser{text: word}
	switch {
	case word != "" && p.word() == word && !slices.Contains([]string{"None", "newaxis", "Ellipsis"}, word):
		return word
	case strings.Contains(word, "'"):
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

// maxText bounds what is read as steps, in bytes.
const maxText = 4096

// ParseChain reads steps as they follow each other in Python: x.permute(0, 2, 3, 1)[0].view(-1). Blanks may stand
// anywhere between words. Errors are of class Usage.
//
//	chain   = ( [ letter ] step | function ) { step }   the first dot may be left out
//	function = module "." name "(" letter [ "," arguments ] ")"
//	step    = "." name [ "(" arguments ")" ] | "[" entries "]"
//	entry   = value | [ bound ] ":" [ bound ] [ ":" [ bound ] ]
//	value   = number | word | string | "..." | "(" values ")" | "[" values "]"
//
// Post: of one step c, ParseChain(c.String()) gives c again, but for its Text.
func ParseChain(text string) ([]Call, error) {
	p := &parser{text: text}
	if len(text) > maxText {
		return nil, fault.New(fault.Usage, "a step of %d bytes is too long: at most %d are read", len(text), maxText)
	}
	calls, err := p.function()
	if err != nil {
		return nil, err
	}
	if err := p.tensorName(len(calls) > 0); err != nil {
		return nil, err
	}
	for len(calls) == 0 || !p.end() {
		c, err := p.step(len(calls) == 0)
		if err != nil {
			return nil, err
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// tensorName goes past the tensor's name at the beginning, a single small letter: x.view(12), x[0].
// Behind a function there is none.
func (p *parser) tensorName(named bool) error {
	if named {
		return nil
	}
	name := p.word()
	switch next := p.next(); {
	case isSmallLetter(name) && (next == '.' || next == '['): // a step follows
	case isSmallLetter(name) && name != "t" && p.end():
		return p.wrong(" only names the tensor").WithHint("a step goes with it: %s.view(12), or view(12) alone", name)
	default:
		p.at = 0
	}
	return nil
}

// isSmallLetter reports what a tensor may be called. Of the steps only PyTorch's t is called so.
func isSmallLetter(name string) bool { return len(name) == 1 && name >= "a" }

func (p *parser) step(first bool) (Call, error) {
	if p.next() == '[' {
		return p.index()
	}
	if !p.take('.') && !first {
		return Call{}, p.stray()
	}
	p.next()
	start := p.at
	c := Call{Name: p.word()}
	switch {
	case c.Name == "":
		return Call{}, p.noStep()
	case isSmallLetter(c.Name) && c.Name != "t":
		return Call{}, p.wrong(" has %s where a step should stand", c.Name).WithHint("steps look like view(12), T or [0]")
	}
	if p.next() == '(' {
		if err := p.arguments(&c); err != nil {
			return Call{}, err
		}
	}
	c.Text = tidy(p.text[start:p.at])
	return c, nil
}

// arguments reads what stands between the brackets of a call.
func (p *parser) arguments(c *Call) error {
	p.open(')')
	return p.argumentsIn(c)
}

// argumentsIn reads on inside the brackets.
func (p *parser) argumentsIn(c *Call) error {
	for !p.take(')') {
		if err := p.argument(c); err != nil {
			return err
		}
		if !p.take(',') && p.next() != ')' {
			return p.expected(`"," or ")"`)
		}
	}
	p.close()
	return nil
}

func (p *parser) argument(c *Call) error {
	start := p.at
	name := p.word()
	if name == "" || !p.take('=') {
		if p.at = start; c.Keywords != nil {
			return p.expected("name=value, as behind every keyword")
		}
		v, err := p.value()
		c.Args = append(c.Args, v)
		return err
	}
	if _, twice := c.Keywords[name]; twice {
		return p.wrong(" says %s= twice", name)
	}
	v, err := p.value()
	if c.Keywords == nil {
		c.Keywords = map[string]Arg{}
	}
	c.Keywords[name] = v
	return err
}

// tidy makes one line of a text, safe to print.
func tidy(text string) string { return words.Quote(strings.Join(strings.Fields(text), " ")) }

// modules are how functions of each framework are called.
var modules = map[Rules]string{PyTorch: "torch", NumPy: "np"}

// function reads a step that is written as a function of the tensor, whose name is a single small letter: np.flip(x, 0),
// np.lib.stride_tricks.as_strided(x, …). It returns none where a method or an index is next.
func (p *parser) function() ([]Call, error) {
	p.next()
	start := p.at
	module := p.word()
	if prefixes[module] == "" || p.next() != '.' {
		p.at = start
		return nil, nil
	}
	c := Call{Of: prefixes[module]}
	for p.take('.') {
		c.Name = p.word()
	}
	if c.Name == "" || p.next() != '(' {
		return nil, p.wrong(" names no function of a tensor").WithHint("functions look like %s.transpose(x, …), steps like transpose(…)", module)
	}
	p.open(')')
	if err := p.tensorArgument(start, c.Name); err != nil {
		return nil, err
	}
	if err := p.argumentsIn(&c); err != nil {
		return nil, err
	}
	c.Text = tidy(p.text[start:p.at])
	return []Call{c}, nil
}

// tensorArgument reads the tensor in front of the other arguments of a function that begins at start. A tensor that is
// computed must be a step of its own.
func (p *parser) tensorArgument(start int, name string) error {
	p.next()
	at := p.at
	if isSmallLetter(p.word()) && (p.take(',') || p.next() == ')') {
		return nil
	}
	p.at = at
	if hint, ok := unfollowed[name]; ok {
		return fault.New(fault.Usage, "trace does not follow %s", quote(name)).WithHint("%s", hint)
	}
	inner := p.expression(at)
	if !strings.ContainsAny(inner, ".([") || !isLetter(p.next()) {
		head := tidy(p.text[start:at])
		return p.wrong(" lacks the tensor, a single small letter, as its first argument").WithHint("%sx, …), or %s(…) alone", head, name)
	}
	rest := strings.TrimPrefix(p.text[at+len(inner):], ",")
	chain := tidy(strings.TrimSpace(inner) + "." + name + "(" + strings.TrimSpace(rest))
	if _, err := ParseChain(chain); err != nil {
		chain = "x.permute(0,2,1)." + name + "(…)"
	}
	return p.wrong(" computes the tensor inside of %s", name).WithHint("write a chain, what is inside first: %s", clip(chain))
}

// index reads an index. A tuple alone in it is the index itself, as in Python: [(0, 1)] is [0, 1], [()] takes all.
func (p *parser) index() (Call, error) {
	c, start := Call{Name: Index}, p.at
	p.open(']')
	tuple := p.next() == '('
	for !p.take(']') {
		entry, err := p.entry()
		if err != nil {
			return Call{}, err
		}
		c.Args = append(c.Args, entry)
		if !p.take(',') && p.next() != ']' {
			return Call{}, p.expected(`"," or "]"`)
		}
	}
	p.close()
	if len(c.Args) == 0 {
		return Call{}, p.wrong(" holds no index").WithHint("[0] takes the first, [:] all, [None] adds a dim")
	}
	if tuple && len(c.Args) == 1 && c.Args[0].Kind == List {
		c.Args = c.Args[0].List
	}
	for _, arg := range c.Args {
		if arg.Kind == List || arg.Kind == Word {
			return Call{}, p.advanced(arg)
		}
	}
	c.Text = tidy(p.text[start:p.at])
	return c, nil
}

// entry reads a value, or a slice, whose bounds may be left out or None.
func (p *parser) entry() (Arg, error) {
	r := Arg{Kind: Range}
	for i, to := range []**int{&r.Start, &r.Stop, &r.Step} {
		if next := p.next(); next != ':' && (i == 0 || next != ',' && next != ']') {
			v, err := p.value()
			switch {
			case err != nil || i == 0 && p.next() != ':':
				return v, err
			case v.Kind == Int:
				*to = &v.Int
			case v.Kind != None:
				return Arg{}, p.wrong(" has %s as the bound of a slice", v).WithHint("bounds are whole numbers: [1:3], [::2], [:-1]")
			}
		}
		if i == 2 || !p.take(':') {
			break
		}
	}
	return r, nil
}

// advanced refuses what picks elements by a list, a mask or a tensor.
func (p *parser) advanced(by Arg) *fault.Error {
	return p.wrong(" picks by %s: advanced indexing always copies, and is no view to follow", by).
		WithHint("numbers, slices, ... and None give views: [0], [0:4:2], [..., None]")
}

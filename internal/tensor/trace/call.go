package trace

import (
	"maps"
	"slices"
	"strconv"
	"strings"
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

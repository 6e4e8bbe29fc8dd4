package trace

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/scan"
	"github.com/tlayout/tlayout/internal/tensor"
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
	Tensor                  // Of; or List, shape, and strides or a memory format: (2, 3):(3, 1), (2, 3, 4, 4):channels_last
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
	Of                *State // of a tensor that steps made
}

// ViewAs returns the call that views a tensor with other sizes.
func ViewAs(sizes []int) Call {
	c := Call{Name: "view"}
	for _, n := range sizes {
		c.Args = append(c.Args, Arg{Kind: Int, Int: n})
	}
	c.Text = c.String()
	return c
}

// String returns the call in canonical form.
func (c Call) String() string {
	args := texts(c.Args)
	if c.Name == Index {
		for i, a := range c.Args {
			if a.Kind == List {
				args[i] = "[" + strings.Join(texts(a.List), ", ") + "]"
			}
		}
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
		if a.Of != nil {
			return tensor.Tuple(a.Of.Shape) + ":" + tensor.Tuple(a.Of.Strides)
		}
		return a.List[0].String() + ":" + a.List[1].String()
	}
	if len(a.List) == 1 {
		return "(" + a.List[0].String() + ",)"
	}
	return "(" + strings.Join(texts(a.List), ", ") + ")"
}

// isShown reports whether a value is an answer by itself: a number, a bool, or a tuple of those.
func (a Arg) isShown() bool {
	switch a.Kind {
	case Int:
		return true
	case Word:
		return slices.Contains([]string{"True", "False", "cpu"}, a.Word) || isTorchType(a.Word)
	case List:
		return !slices.ContainsFunc(a.List, func(x Arg) bool { return !x.isShown() })
	}
	return false
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

// modules are the modules of each framework's functions.
var modules = map[Rules]string{PyTorch: "torch", NumPy: "np"}

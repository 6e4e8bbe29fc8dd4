package graphtest

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/lazy"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// kinds are the words for the kinds of operators in programs of tests.
var kinds = map[string]graph.Kind{"unknown": graph.Unknown, "computes": graph.Computes, "elementwise": graph.Elementwise, "follows": graph.Follows,
	"joins": graph.Joins, "multiplies": graph.Multiplies, "views": graph.Views, "copies": graph.Copies}

// Program returns the program that a text describes, of PyTorch's export, a line for each value:
//
//	x 2,8,4,4 NHWC                                   an input: name, sizes, memory order
//	w weight 8,8,3,3 OHWI                            a weight
//	y 2,8,4,4 NCHW = copies contiguous x             the output of an operator of that kind and name, with its operands
//	z 2,4,8,4 NCHW = copies Transpose y perm 0,2,1,3
//	s 2,3 strides 8,1                                strides instead of an order
//	u ? = unknown f x -                              not described; - is an operand that is no tensor
//	out z                                            outputs of the program
//
// A size that is a name is open. Without an order, a tensor is in C order.
func Program(t testing.TB, lines string) *graph.Program {
	t.Helper()
	b := builder{t: t, program: &graph.Program{Engine: graph.Export}, ids: map[string]graph.ID{"-": graph.NoValue}}
	for line := range strings.Lines(lines) {
		if words := strings.Fields(line); len(words) > 0 {
			b.add(words)
		}
	}
	return b.program
}

type builder struct {
	t       testing.TB
	program *graph.Program
	ids     map[string]graph.ID
}

// add adds the value, and the operator, of a line.
func (b *builder) add(words []string) {
	b.t.Helper()
	if words[0] == "out" {
		for _, name := range words[1:] {
			b.program.Outputs = append(b.program.Outputs, b.id(name))
		}
		return
	}
	value, operator := words, []string(nil)
	if at := slices.Index(words, "="); at >= 0 {
		value, operator = words[:at], words[at+1:]
	}
	id := b.id(value[0])
	if value[1] == "weight" {
		b.program.Values[id].Weight = true
		value = value[1:]
	} else if operator == nil {
		b.program.Inputs = append(b.program.Inputs, id)
	}
	b.program.Values[id].Tensor = b.tensor(value[1:])
	if operator != nil {
		b.operator(id, operator)
	}
}

// id returns the value of a name; an operator may read one that a later line describes.
func (b *builder) id(name string) graph.ID {
	id, known := b.ids[name]
	if !known {
		id = b.program.Add(graph.Value{Name: name})
		b.ids[name] = id
	}
	return id
}

// operator adds an operator that makes a value.
func (b *builder) operator(to graph.ID, words []string) {
	b.t.Helper()
	kind, known := kinds[words[0]]
	if !known {
		b.t.Fatalf("no kind of operators is %q", words[0])
	}
	op := graph.Operator{Kind: kind, Name: words[1], Outputs: []graph.ID{to}}
	for k := 2; k < len(words); k++ {
		switch words[k] {
		case "perm":
			k++
			op.Perm = b.ints(words[k])
		case "inside":
			k++
			op.Inside = words[k]
		default:
			op.Inputs = append(op.Inputs, b.id(words[k]))
		}
	}
	b.program.Operators = append(b.program.Operators, op)
}

func (b *builder) ints(list string) []int {
	b.t.Helper()
	var all []int
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		b.must(err)
		all = append(all, n)
	}
	return all
}

func (b *builder) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

var symbol = lazy.Regexp(`[a-z?]+`)

// tensor returns the float32 tensor that words describe: sizes and an order, or strides; nil for ?.
func (b *builder) tensor(words []string) *graph.Tensor {
	b.t.Helper()
	if words[0] == "?" {
		return nil
	}
	typ, err := dtype.Parse("float32")
	b.must(err)
	x := &graph.Tensor{Type: typ}
	sizes := strings.Split(words[0], ",")
	if symbol.Get().MatchString(words[0]) {
		x.Symbols = make([]string, len(sizes))
		for d, size := range sizes {
			x.Symbols[d] = symbol.Get().FindString(size)
		}
	}
	shape := b.ints(symbol.Get().ReplaceAllString(words[0], strconv.Itoa(graph.SymbolSize)))
	x.Layout, err = b.layoutOf(shape, words[1:])
	b.must(err)
	return x
}

// layoutOf returns the layout of a shape in the order, or with the strides, that words give.
func (b *builder) layoutOf(shape []int, words []string) (tensor.Layout, error) {
	if len(words) == 0 {
		return graph.RowMajor(shape)
	}
	if words[0] == "strides" {
		return graph.Strided(shape, b.ints(words[1]))
	}
	named, err := notation.Parse(words[0])
	if err != nil {
		return tensor.Layout{}, err
	}
	return named.Format.Bind(shape)
}

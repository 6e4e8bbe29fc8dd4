// Package graph finds where a program of tensors changes memory layouts: which operators move elements into another memory order, which of
// these undo each other, what asks for the order, and what to write instead.
//
//	engine.Read(file) ─► Program ─► Program.Changes() ─► a report of tlayout graph
//
//	program.go   Program: operators in the order in which they run, and the tensors between them
//	order.go     the memory order of a tensor, compared and named
//	changes.go   Change: elements in another memory order, moved or implied
//	matmul.go    which operands of a product are moved
//	cancel.go    changes that undo each other, or repeat one another
//	cure.go      what asks for the order of a change, and what to write instead
//	proof.go     whether that gives the same values
//
// A Program is what an engine wrote down. Package engine fills it; nothing here depends on a file's format.
package graph

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Program is the operators of a program in the order in which they run.
type Program struct {
	Engine    Engine // that wrote the file
	Operators []Operator
	Values    []Value
	Inputs    []ID // of the program, without weights
	Outputs   []ID // of the program

	Timed bool // operators have seconds
	// ListsCopies is set if copies inside an operator are operators of their own, as in a profile. Without it, they follow from the order of
	// the operator's output.
	ListsCopies bool
	Notes       []string // what the file does not have, or what was not read
}

// Engine is what wrote a file about a program.
type Engine string

// The engines.
const (
	Export   Engine = "torch.export"
	Profile  Engine = "PyTorch profile"
	OneDNN   Engine = "oneDNN verbose log"
	XLA      Engine = "XLA HLO"
	ONNX     Engine = "ONNX model"
	TensorRT Engine = "TensorRT layer information"
)

// NamesTensors reports whether the file says which operator reads which tensor. Profiles and logs do not: equal tensors are taken for one.
func (e Engine) NamesTensors() bool {
	switch e {
	case Export, ONNX, XLA, TensorRT:
		return true
	case Profile, OneDNN:
	}
	return false
}

// IsPyTorch reports whether the operators are PyTorch's.
func (e Engine) IsPyTorch() bool { return e == Export || e == Profile }

// ID is the index of a value in Program.Values.
type ID int32

// NoValue is the ID of an operand that is not a tensor.
const NoValue ID = -1

// Value is a tensor between operators.
type Value struct {
	Name   string
	Tensor *Tensor // nil if the file does not describe it; equal ones may be shared
	Weight bool    // a parameter or a constant of the model
	Dims   string  // names of its dims, a letter each, as in NCHW; empty if they are unknown
}

// Tensor describes the elements of a value. Shape, strides and offsets count elements.
type Tensor struct {
	Type   dtype.Type
	Layout tensor.Layout
	// Symbols are the names of sizes that the file leaves open, by dim, as in "batch"; nil if it has all sizes. Layout has SymbolSize for them.
	Symbols []string
}

// SymbolSize stands for a size that a file leaves open: a dim of size 1 would have no place in a memory order.
const SymbolSize = 2

// Bytes returns the size of the elements, without padding, with 1 for sizes that the file leaves open; 0 for a type of unknown size.
func (t *Tensor) Bytes() int64 {
	n := t.Layout.Numel()
	for _, symbol := range t.Symbols {
		if symbol != "" {
			n /= SymbolSize
		}
	}
	return t.Type.Size(int64(n))
}

// Sizes returns the sizes, with the names of those that the file leaves open: "batch,3,224,224".
func (t *Tensor) Sizes() string {
	sizes := make([]string, t.Layout.Rank())
	for d := range sizes {
		sizes[d] = strconv.Itoa(t.Layout.Dim(d).Size)
		if t.Symbols != nil && t.Symbols[d] != "" {
			sizes[d] = t.Symbols[d]
		}
	}
	return strings.Join(sizes, ",")
}

// Kind says what an operator does with elements.
type Kind uint8

// The kinds. The orders of outputs and operands are related only as stated.
const (
	Unknown     Kind = iota // an operator that no table has
	Computes                // new values of other dims: a reduction, an embedding, a factory
	Elementwise             // each element of the output is computed of the elements at its indices
	Follows                 // the output has the dims of the first operand: conv2d, pooling, softmax
	Joins                   // the output has the elements of all operands: cat
	Multiplies              // matmul and linear, which take matrices
	Views                   // the same memory with another shape, or strides
	Copies                  // the same elements in new memory
)

// Operator is a step of a program.
type Operator struct {
	Name    string // as the engine's users call it: contiguous, conv2d, Transpose
	Kind    Kind
	Inputs  []ID // operands, NoValue for one that is not a tensor
	Outputs []ID
	// Perm is for Views and Copies: dim d of the output is dim Perm[d] of the input; nil if the dims are those of the input, or reshaped in
	// logical order.
	Perm []int
	// Dims are the names of the dims of a convolution's image, kernel and result, if it says which they are: XLA has them in any order. nil if
	// they are those of PyTorch: NCHW and OIHW.
	Dims    []string
	Inside  string  // the operator that makes this copy for itself; empty if the user's program has it
	Operand int     // of Inside that is copied
	Seconds float64 // without what runs in it as operators of their own
	Place   Place
}

// Sides returns the first operand and the first output of an operator; false if one of them is no tensor.
func (op *Operator) Sides() (from, to ID, ok bool) {
	if len(op.Inputs) == 0 || len(op.Outputs) == 0 {
		return NoValue, NoValue, false
	}
	from = op.Inputs[0]
	to = op.Outputs[0]
	return from, to, from != NoValue && to != NoValue
}

// Place is where a user's program has an operator. Empty fields are unknown.
type Place struct {
	File   string // without its folder
	Line   int
	Code   string // of the line
	Module string // path of the module, as in layers.0.conv
	Node   string // name of the operator in a file without lines
}

// Tensor returns what is known of a value; nil if nothing is.
func (p *Program) Tensor(id ID) *Tensor {
	if id == NoValue {
		return nil
	}
	return p.Values[id].Tensor
}

// Add adds a value, and returns its ID.
func (p *Program) Add(v Value) ID {
	p.Values = append(p.Values, v)
	return ID(len(p.Values) - 1)
}

// Seconds returns the time of all operators.
func (p *Program) Seconds() float64 {
	sum := 0.0
	for i := range p.Operators {
		sum += p.Operators[i].Seconds
	}
	return sum
}

// UnknownOperators counts the operators that no table has, by name.
func (p *Program) UnknownOperators() map[string]int {
	counts := map[string]int{}
	for i := range p.Operators {
		if p.Operators[i].Kind == Unknown {
			counts[p.Operators[i].Name]++
		}
	}
	return counts
}

// readers has the operators that read each value, in order, in one list.
type readers struct {
	first []int32 // of each value, where its readers begin
	all   []int32
}

// of returns the operators that read a value; one that reads it twice is there twice.
func (r *readers) of(id ID) []int32 {
	if id == NoValue {
		return nil
	}
	return r.all[r.first[id]:r.first[id+1]]
}

// readers returns the operators that read each value.
func (p *Program) readers() *readers {
	r := &readers{first: make([]int32, len(p.Values)+1)}
	for i := range p.Operators {
		for _, id := range p.Operators[i].Inputs {
			if id != NoValue {
				r.first[id+1]++
			}
		}
	}
	for id := range p.Values {
		r.first[id+1] += r.first[id]
	}
	r.all = make([]int32, r.first[len(p.Values)])
	next := slices.Clone(r.first)
	for i := range p.Operators {
		for _, id := range p.Operators[i].Inputs {
			if id == NoValue {
				continue
			}
			r.all[next[id]] = int32(i)
			next[id]++
		}
	}
	return r
}

// KindsByName returns the kind of each name of a table.
func KindsByName(kinds map[Kind]string) map[string]Kind {
	byName := map[string]Kind{}
	for kind, names := range kinds {
		for name := range strings.FieldsSeq(names) {
			byName[name] = kind
		}
	}
	return byName
}

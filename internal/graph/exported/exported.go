// Package exported reads the program in an archive of torch.export, .pt2.
package exported

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/pt2"
	"github.com/tlayout/tlayout/internal/file/zip"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/pytorch"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/text"
)

// exported is the program in an archive of torch.export. (torch/_export/serde/schema.py in PyTorch 2.15, schema version 8)
type exported struct {
	Module struct {
		Graph     exportedGraph `json:"graph"`
		Signature struct {
			Inputs []map[string]map[string]json.RawMessage `json:"input_specs"`
		} `json:"signature"`
	} `json:"graph_module"`
}

type exportedGraph struct {
	Inputs  []argument     `json:"inputs"`
	Outputs []argument     `json:"outputs"`
	Nodes   exportedNodes  `json:"nodes"`
	Values  exportedValues `json:"tensor_values"`
}

type exportedNode struct {
	Target string `json:"target"`
	Inputs []struct {
		Name string   `json:"name"`
		Arg  argument `json:"arg"`
	} `json:"inputs"`
	Outputs  []argument `json:"outputs"`
	Metadata struct {
		Stack   string `json:"stack_trace"`
		Modules string `json:"nn_module_stack"`
	} `json:"metadata"`
}

// argument is a union: the field that is set is its type.
type argument struct {
	Tensor    *named         `json:"as_tensor"`
	Tensors   []named        `json:"as_tensors"`
	Optional  []argument     `json:"as_optional_tensors"`
	OneOrNone *argument      `json:"as_optional_tensor"`
	Ints      []int64        `json:"as_ints"`
	Int       *int64         `json:"as_int"`
	SymInts   []symbolicSize `json:"as_sym_ints"`
}

type named struct {
	Name string `json:"name"`
}

// symbolicSize is a size that is a number, or an expression with the value of the example.
type symbolicSize struct {
	Int  *int64 `json:"as_int"`
	Expr *struct {
		Hint *struct {
			Int *int64 `json:"as_int"`
		} `json:"hint"`
	} `json:"as_expr"`
}

// value returns the number, or that of the example; false if there is neither.
func (s symbolicSize) value() (int64, bool) {
	if s.Int != nil {
		return *s.Int, true
	}
	if s.Expr == nil || s.Expr.Hint == nil || s.Expr.Hint.Int == nil {
		return 0, false
	}
	return *s.Expr.Hint.Int, true
}

// exportedMeta describes a tensor; strides and offset count elements.
type exportedMeta struct {
	Type    int            `json:"dtype"`
	Sizes   []symbolicSize `json:"sizes"`
	Strides []symbolicSize `json:"strides"`
}

// Read reads the program in an archive of torch.export.
func Read(file io.ReaderAt, size int64) (*graph.Program, error) {
	archive, err := zip.Open(file, size, "an archive of torch.export")
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(archive.Members, func(m zip.Member) bool { return IsModel(m.Name) })
	if at < 0 {
		return nil, fault.New(fault.Unsupported, "the archive has no models/model.json").
			WithHint("torch.export.save of PyTorch 2.9 and newer writes it")
	}
	member := archive.Members[at]
	if member.Size > maxModel {
		return nil, fault.New(fault.Resource, "%s has %s, over the limit of %s", text.Quoted(member.Name), text.ExactBytes(member.Size),
			text.ExactBytes(maxModel))
	}
	content, err := archive.Content(member)
	if err != nil {
		return nil, err
	}
	var e exported
	if err := json.NewDecoder(content).Decode(&e); err != nil {
		return nil, inModel(member.Name, err)
	}
	return e.program(), nil
}

// IsModel reports whether a member of an archive is the program of a model: models/NAME.json, or serialized_exported_program.json
// before PyTorch 2.9.
func IsModel(member string) bool {
	if strings.Contains(member, "/models/") && strings.HasSuffix(member, ".json") {
		return true
	}
	return pytorch.BaseName(member) == "serialized_exported_program.json"
}

// exporting makes a Program of an exported one.
type exporting struct {
	*exported
	program *graph.Program
	ids     map[string]graph.ID
}

func (e *exported) program() *graph.Program {
	x := exporting{e, &graph.Program{Engine: graph.Export}, map[string]graph.ID{}}
	weights := e.weights()
	g := &e.Module.Graph
	for _, in := range g.Inputs {
		for _, name := range in.names() {
			id := x.id(name)
			weight, is := weights[name]
			if !is {
				x.program.Inputs = append(x.program.Inputs, id)
				continue
			}
			x.program.Values[id].Weight = true
			x.program.Values[id].Name = weight
		}
	}
	for _, n := range g.Nodes {
		x.add(n)
	}
	x.noteHidden()
	for _, out := range g.Outputs {
		for _, name := range out.names() {
			x.program.Outputs = append(x.program.Outputs, x.id(name))
		}
	}
	return x.program
}

// weights returns the names in the module of the inputs that are parameters, buffers or constants: parameter_name of a parameter.
func (e *exported) weights() map[string]string {
	weights := map[string]string{}
	for _, spec := range e.Module.Signature.Inputs {
		for kind, fields := range spec {
			var arg named
			if kind == "user_input" || json.Unmarshal(fields["arg"], &arg) != nil {
				continue
			}
			name := arg.Name
			for field, value := range fields {
				if strings.HasSuffix(field, "_name") && json.Unmarshal(value, &name) != nil {
					name = arg.Name
				}
			}
			weights[arg.Name] = name
		}
	}
	return weights
}

// names returns the tensors of an argument, "" for one that is none.
func (a *argument) names() []string {
	var all []string
	if a.Tensor != nil {
		all = append(all, a.Tensor.Name)
	}
	if a.OneOrNone != nil {
		all = append(all, a.OneOrNone.names()...)
	}
	for _, t := range a.Tensors {
		all = append(all, t.Name)
	}
	for _, t := range a.Optional {
		all = append(all, t.names()...)
	}
	return all
}

// hidesCopies are operators whose kernels may copy operands into another order without a trace in the order of their output. (PyTorch 2.15,
// profiled)
var hidesCopies = []string{"einsum", "lstm", "gru", "cdist", "masked_fill", "tril", "triu", "unfold", "repeat", "repeat_interleave"}

// noteHidden notes which operators may copy unseen.
func (x *exporting) noteHidden() {
	var names []string
	for i := range x.program.Operators {
		name := x.program.Operators[i].Name
		if slices.Contains(hidesCopies, name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names != nil {
		x.program.Notes = append(x.program.Notes, "copies that "+text.And(names)+" may make are not in an export; a profile has them")
	}
}

// id returns the value of a name.
func (x *exporting) id(name string) graph.ID {
	id, known := x.ids[name]
	if !known {
		v := graph.Value{Name: name}
		if meta, described := x.Module.Graph.Values[name]; described {
			v.Tensor = meta.tensor()
		}
		id = x.program.Add(v)
		x.ids[name] = id
	}
	return id
}

// tensor returns what is recorded of a tensor; nil if a size is not known.
func (m exportedMeta) tensor() *graph.Tensor {
	shape, ok := values(m.Sizes)
	if !ok {
		return nil
	}
	strides, ok := values(m.Strides)
	if !ok || len(strides) != len(shape) {
		return nil
	}
	l, err := graph.Strided(shape, strides)
	if err != nil {
		return nil
	}
	typ, _ := pt2.TypeOf(m.Type)
	return &graph.Tensor{Type: typ, Layout: l}
}

func values(sizes []symbolicSize) ([]int, bool) {
	all := make([]int, len(sizes))
	for d, s := range sizes {
		n, ok := s.value()
		if !ok || int64(int(n)) != n { // an int may have 32 bits
			return nil, false
		}
		all[d] = int(n)
	}
	return all, true
}

// permutation returns dims as ints, negative ones counted from the end; those that no tensor has are -1.
func permutation(dims []int64) []int {
	perm := make([]int, len(dims))
	for d, n := range dims {
		perm[d] = -1
		if n < 0 {
			n += int64(len(dims))
		}
		if n >= 0 && n < tensor.MaxRank {
			perm[d] = int(n)
		}
	}
	return perm
}

// torchOperators begins the targets of nodes that compute tensors; others, as _operator.mul, are Python's and compute sizes.
const torchOperators = "torch.ops."

// isCopyInto reports whether an operator copies its second operand into the first.
func isCopyInto(name string) bool { return name == "copy" || name == "copy_" }

// add adds a node's operator.
func (x *exporting) add(n exportedNode) {
	name, own := pytorch.Name(n.Target)
	op := graph.Operator{Name: name, Place: n.place()}
	if own {
		op.Kind = pytorch.Kind(name)
	}
	if !strings.HasPrefix(n.Target, torchOperators) {
		op.Kind = graph.Computes
	}
	for _, in := range n.Inputs {
		for _, t := range in.Arg.names() {
			id := graph.NoValue
			if t != "" {
				id = x.id(t)
			}
			op.Inputs = append(op.Inputs, id)
		}
		if in.Name == "dims" && name == "permute" {
			op.Perm = permutation(in.Arg.Ints)
		}
	}
	for _, out := range n.Outputs {
		for _, t := range out.names() {
			op.Outputs = append(op.Outputs, x.id(t))
		}
	}
	if isCopyInto(name) && len(op.Inputs) > 1 {
		op.Inputs = op.Inputs[1:2]
	}
	x.settle(&op)
	x.distrust(&op)
	x.program.Operators = append(x.program.Operators, op)
}

// settle decides whether an operator that may return a view copies, and which dims a view exchanges, by the strides that were recorded.
func (x *exporting) settle(op *graph.Operator) {
	if op.Kind != graph.Views || len(op.Inputs) == 0 || len(op.Outputs) == 0 {
		return
	}
	from := x.program.Tensor(op.Inputs[0])
	to := x.program.Tensor(op.Outputs[0])
	if from == nil || to == nil {
		return
	}
	switch op.Name {
	case "reshape", "reshape_as", "flatten", "ravel", "contiguous", "to", "_to_copy":
		if !isView(from, to) {
			op.Kind = graph.Copies
		}
	case "transpose", "t", "movedim", "moveaxis", "swapaxes", "swapdims", "mT", "mH", "numpy_T", "adjoint", "matrix_H":
		op.Perm = pytorch.Exchanged(from, to)
	}
}

// conv3dNote says why convolutions of volumes are not followed.
const conv3dNote = "torch.export records the output of conv3d as contiguous whatever the memory format of its operands: it is not followed"

// distrust makes an operator one that is not followed whose output is recorded in an order that PyTorch does not give it: a convolution of
// volumes, which is channels_last_3d if an operand is. (conv in PyTorch's torch/_subclasses/fake_impls.py, 2.15, and
// mkldnn_conv_use_channels_last in aten/src/ATen/native/ConvUtils.h)
func (x *exporting) distrust(op *graph.Operator) {
	if op.Kind != graph.Follows || len(op.Inputs) < 2 || len(op.Outputs) == 0 {
		return
	}
	to := x.program.Tensor(op.Outputs[0])
	if to == nil || !strings.HasPrefix(op.Name, "conv") || to.Layout.Rank() != 5 {
		return
	}
	isChannelsLast := func(id graph.ID) bool {
		t := x.program.Tensor(id)
		if t == nil {
			return false
		}
		s, plain := t.Layout.Strided()
		return plain && s.SuggestMemoryFormat() == tensor.ChannelsLast3D
	}
	if isChannelsLast(op.Outputs[0]) || !slices.ContainsFunc(op.Inputs[:2], isChannelsLast) {
		return
	}
	op.Kind = graph.Computes
	if !slices.Contains(x.program.Notes, conv3dNote) {
		x.program.Notes = append(x.program.Notes, conv3dNote)
	}
}

// isView reports whether a tensor with these strides may be a view of another, as reshape() and to() make one where they can.
func isView(from, to *graph.Tensor) bool {
	a, plain := from.Layout.Strided()
	b, alsoPlain := to.Layout.Strided()
	if !plain || !alsoPlain || !from.Type.Equal(to.Type) {
		return false
	}
	v, err := a.View(b.Shape)
	return err == nil && sameSteps(v.Strides, b.Strides, b.Shape)
}

// sameSteps reports whether strides are equal but for those of dims of size 1.
func sameSteps(a, b, shape []int) bool {
	for d, n := range shape {
		if n > 1 && a[d] != b[d] {
			return false
		}
	}
	return true
}

// place returns the innermost line of a node's stack, and its module's path.
func (n *exportedNode) place() graph.Place {
	p := pytorch.Stack(n.Metadata.Stack)
	modules := strings.Split(n.Metadata.Modules, ";")
	parts := strings.Split(modules[len(modules)-1], ",")
	if len(parts) > 1 {
		p.Module = parts[1]
	}
	return p
}

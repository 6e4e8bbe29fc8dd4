// Package onnxgraph reads the operators of an ONNX model, as a graph.Program.
package onnxgraph

import (
	"io"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/protobuf"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/pytorch"
	"github.com/tlayout/tlayout/internal/tensor"
)

// Tags of fields. (onnx/onnx.proto of ONNX 1.23; Bytes are texts and messages)
const (
	modelGraph        = 7<<3 | protobuf.Bytes
	graphNode         = 1<<3 | protobuf.Bytes
	graphInitializer  = 5<<3 | protobuf.Bytes
	graphInput        = 11<<3 | protobuf.Bytes
	graphOutput       = 12<<3 | protobuf.Bytes
	graphValue        = 13<<3 | protobuf.Bytes
	nodeInput         = 1<<3 | protobuf.Bytes
	nodeOutput        = 2<<3 | protobuf.Bytes
	nodeName          = 3<<3 | protobuf.Bytes
	nodeOperator      = 4<<3 | protobuf.Bytes
	nodeAttribute     = 5<<3 | protobuf.Bytes
	nodeDomain        = 7<<3 | protobuf.Bytes
	nodeMetadata      = 9<<3 | protobuf.Bytes
	entryKey          = 1<<3 | protobuf.Bytes
	entryValue        = 2<<3 | protobuf.Bytes
	attributeName     = 1<<3 | protobuf.Bytes
	attributeGraph    = 6<<3 | protobuf.Bytes
	attributeIntegers = 8
	valueName         = 1<<3 | protobuf.Bytes
	valueType         = 2<<3 | protobuf.Bytes
	typeTensor        = 1<<3 | protobuf.Bytes
	tensorElement     = 1<<3 | protobuf.Varint
	tensorShape       = 2<<3 | protobuf.Bytes
	shapeDim          = 1<<3 | protobuf.Bytes
	dimValue          = 1<<3 | protobuf.Varint
	dimSymbol         = 2<<3 | protobuf.Bytes
	initializerDims   = 1
	initializerType   = 2<<3 | protobuf.Varint
	initializerName   = 8<<3 | protobuf.Bytes
)

// Limits of a model. A graph of a large language model has 10,000 nodes.
const (
	maxText      = 64 << 10 // bytes of a name
	maxValues    = 4 << 20  // tensors of the whole model
	maxOperators = 1 << 20  // of the whole model
	maxSubgraphs = 16       // of graphs in attributes of nodes of graphs
)

// onnxKinds are ONNX's operators by kind, in lower case; all others compute. Their results are in C order.
var onnxKinds = map[graph.Kind]string{
	graph.Elementwise: `abs acos acosh add and asin asinh atan atanh bitshift bitwiseand bitwisenot bitwiseor bitwisexor cast castlike ceil celu clip
		cos cosh dequantizelinear div dropout elu equal erf exp floor gelu greater greaterorequal hardsigmoid hardswish isinf isnan leakyrelu less
		lessorequal log max mean min mish mod mul neg not or pow prelu quantizelinear reciprocal relu round selu sigmoid sign sin sinh softplus
		softsign sqrt sub sum swish tan tanh thresholdedrelu where xor`,
	graph.Follows: `conv convinteger convtranspose batchnormalization instancenormalization groupnormalization layernormalization rmsnormalization
		lpnormalization lrn maxpool averagepool lppool globalaveragepool globalmaxpool resize upsample softmax logsoftmax qlinearconv fusedconv
		deformconv cumsum pad`,
	graph.Joins:      `concat`,
	graph.Multiplies: `matmul gemm`,
	graph.Views:      `identity reshape flatten squeeze unsqueeze`,
	graph.Copies:     `transpose`,
}

var onnxKindOf = graph.KindsByName(onnxKinds)

// onnxReader fills a program from a model.
type onnxReader struct {
	file    *protobuf.File
	program *graph.Program
	scopes  []map[string]graph.ID // values by name: those of the graph, and of the graphs around it
}

// Read reads the operators of a model, of the graphs in attributes too, which are counted once. Weights are not read.
func Read(r io.ReaderAt, size int64) (*graph.Program, error) {
	x := &onnxReader{file: protobuf.New(r, size), program: &graph.Program{Engine: graph.ONNX, ListsCopies: true}}
	found := false
	for field, err := range x.file.Fields(x.file.Whole()) {
		if err != nil {
			return nil, fault.In("not an ONNX model, or damaged", err)
		}
		if field.Tag != modelGraph {
			continue
		}
		found = true
		if err := x.graph(field.Section); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, fault.New(fault.Malformed, "not an ONNX model: it has no graph")
	}
	x.note()
	return x.program, nil
}

// note says what sizes are missing.
func (x *onnxReader) note() {
	open, unsized := false, 0
	for i := range x.program.Values {
		t := x.program.Values[i].Tensor
		open = open || t != nil && t.Symbols != nil
	}
	for i := range x.program.Operators {
		op := &x.program.Operators[i]
		if op.Kind == graph.Copies && x.program.Tensor(op.Inputs[0]) == nil {
			unsized++
		}
	}
	if open {
		x.program.Notes = append(x.program.Notes, "bytes are those of size 1 for sizes that the model leaves open")
	}
	if unsized > 0 {
		x.program.Notes = append(x.program.Notes, "the model lacks shapes of its tensors, so that bytes are missing: "+
			"onnx.shape_inference.infer_shapes adds them")
	}
}

// graph reads a GraphProto: its values first, whose fields follow the nodes that name them.
func (x *onnxReader) graph(section protobuf.Section) error {
	if len(x.scopes) >= maxSubgraphs {
		return fault.New(fault.Malformed, "graphs are nested more than %d deep", maxSubgraphs)
	}
	scope := map[string]graph.ID{}
	x.scopes = append(x.scopes, scope)
	defer func() { x.scopes = x.scopes[:len(x.scopes)-1] }()
	var nodes []protobuf.Section
	for field, err := range x.file.Fields(section) {
		if err != nil {
			return err
		}
		switch field.Tag {
		case graphNode:
			nodes = append(nodes, field.Section)
		case graphInitializer:
			err = x.initializer(field.Section)
		case graphInput, graphOutput, graphValue:
			err = x.value(field)
		}
		if err != nil {
			return err
		}
	}
	for _, node := range nodes {
		if err := x.node(node); err != nil {
			return err
		}
	}
	return nil
}

// id returns the value of a name, in the innermost graph that has it, or a new one.
func (x *onnxReader) id(name string) (graph.ID, error) {
	for _, scope := range slices.Backward(x.scopes) {
		if id, known := scope[name]; known {
			return id, nil
		}
	}
	return x.define(name)
}

// define returns the value of a name in the innermost graph, a new one if it has none.
func (x *onnxReader) define(name string) (graph.ID, error) {
	scope := x.scopes[len(x.scopes)-1]
	if id, known := scope[name]; known {
		return id, nil
	}
	if len(x.program.Values) >= maxValues {
		return 0, fault.New(fault.Resource, "the model has more than %d tensors", maxValues)
	}
	id := x.program.Add(graph.Value{Name: name})
	scope[name] = id
	return id, nil
}

// text returns the text of a field.
func (x *onnxReader) text(field protobuf.Field) (string, error) {
	if field.Bytes > maxText {
		return "", fault.New(fault.Malformed, "a name has %d bytes, more than %d", field.Bytes, maxText)
	}
	content, err := x.file.Content(field.Section)
	return string(content), err
}

// node reads a NodeProto, and the graphs in its attributes before it.
func (x *onnxReader) node(section protobuf.Section) error {
	op := graph.Operator{}
	domain := ""
	for field, err := range x.file.Fields(section) {
		if err != nil {
			return err
		}
		switch field.Tag {
		case nodeOperator:
			op.Name, err = x.text(field)
		case nodeName:
			op.Place.Node, err = x.text(field)
		case nodeDomain:
			domain, err = x.text(field)
		case nodeInput:
			err = x.operand(&op.Inputs, field, x.id)
		case nodeOutput:
			err = x.operand(&op.Outputs, field, x.define)
		case nodeAttribute:
			err = x.attribute(&op, field.Section)
		case nodeMetadata:
			err = x.metadata(&op, field.Section)
		}
		if err != nil {
			return err
		}
	}
	op.Kind = graph.Computes
	switch domain {
	case "", "ai.onnx", "com.microsoft":
		kind, listed := onnxKindOf[strings.ToLower(op.Name)]
		if listed {
			op.Kind = kind
		}
	default:
		op.Kind = graph.Unknown
		op.Name = domain + "." + op.Name
	}
	x.settle(&op)
	if len(x.program.Operators) >= maxOperators {
		return fault.New(fault.Resource, "the model has more than %d operators", maxOperators)
	}
	x.program.Operators = append(x.program.Operators, op)
	return nil
}

// stackTrace is the key under which torch.onnx.export keeps the line of the user's program. (torch/onnx/_internal/exporter in PyTorch 2.15)
const stackTrace = "pkg.torch.onnx.stack_trace"

// metadata reads a StringStringEntryProto of a node.
func (x *onnxReader) metadata(op *graph.Operator, section protobuf.Section) error {
	key := ""
	for field, err := range x.file.Fields(section) {
		if err != nil {
			return err
		}
		switch field.Tag {
		case entryKey:
			key, err = x.text(field)
		case entryValue:
			if key != stackTrace {
				continue
			}
			var stack string
			stack, err = x.text(field)
			node := op.Place.Node
			op.Place = pytorch.Stack(stack)
			op.Place.Node = node
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// operand adds the value that a field names; an empty name is an operand that is left out.
func (x *onnxReader) operand(all *[]graph.ID, field protobuf.Field, find func(name string) (graph.ID, error)) error {
	name, err := x.text(field)
	if err != nil {
		return err
	}
	id := graph.NoValue
	if name != "" {
		id, err = find(name)
	}
	*all = append(*all, id)
	return err
}

// attribute reads an AttributeProto: perm of Transpose, or a graph.
func (x *onnxReader) attribute(op *graph.Operator, section protobuf.Section) error {
	name := ""
	for field, err := range x.file.Fields(section) {
		if err != nil {
			return err
		}
		switch field.Tag {
		case attributeName:
			name, err = x.text(field)
		case attributeGraph:
			err = x.graph(field.Section)
		case attributeIntegers<<3 | protobuf.Varint, attributeIntegers<<3 | protobuf.Bytes:
			err = x.permutation(op, name, field)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// permutation adds the integers of a field to the permutation of an operator, if the attribute is perm.
func (x *onnxReader) permutation(op *graph.Operator, name string, field protobuf.Field) error {
	if name != "perm" {
		return nil
	}
	for n, err := range x.file.Varints(field) {
		if err != nil {
			return err
		}
		if n > tensor.MaxRank || len(op.Perm) > tensor.MaxRank {
			return fault.New(fault.Malformed, "perm has dims that no tensor has")
		}
		op.Perm = append(op.Perm, int(n))
	}
	return nil
}

// settle fills in what an operator implies: the permutation of a Transpose without one, which reverses the dims, and the sizes of results that
// the model does not have.
func (x *onnxReader) settle(op *graph.Operator) {
	if len(op.Inputs) == 0 || len(op.Outputs) == 0 || op.Outputs[0] == graph.NoValue {
		op.Kind = graph.Computes
		return
	}
	from := x.program.Tensor(op.Inputs[0])
	to := &x.program.Values[op.Outputs[0]]
	switch op.Kind {
	case graph.Copies:
		if from == nil {
			return
		}
		if op.Perm == nil {
			for d := range from.Layout.Rank() {
				op.Perm = append(op.Perm, from.Layout.Rank()-1-d)
			}
		}
		if to.Tensor == nil {
			to.Tensor = transposed(from, op.Perm)
		}
	case graph.Elementwise:
		if to.Tensor == nil && len(op.Inputs) == 1 {
			to.Tensor = from
		}
	case graph.Unknown, graph.Computes, graph.Follows, graph.Joins, graph.Multiplies, graph.Views:
	}
}

package onnx

import (
	"io"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/protobuf"
)

// reader fills a container.
type reader struct {
	file   *protobuf.File
	c      *checkpoint.Container
	limit  checkpoint.Limit
	names  *checkpoint.Claims
	texts  *checkpoint.Room // budget for the metadata
	shared map[extent]int   // storages in other files
	inline int64            // bytes of decoded numbers that are left
}

// maxInline bounds the bytes of all numbers that are decoded: a byte of a varint may become eight. A protobuf has at most 2 GiB.
const maxInline = 1 << 30

// Open reads the model in a file of size bytes: its tensors in the file's order, each with its own storage, but no raw_data. The file of a storage
// in external data is a local path with slashes, beside or below the model, whose size the caller compares. Errors are Malformed, Unsupported,
// Resource for more tensors than the limit, or r's own.
func Open(r io.ReaderAt, size int64, limit checkpoint.Limit) (*checkpoint.Container, error) {
	o := &reader{file: protobuf.New(r, size), c: &checkpoint.Container{Format: checkpoint.ONNX}, limit: limit, names: limit.Claims(),
		texts: limit.Room("the metadata"), shared: map[extent]int{}, inline: maxInline}
	if err := o.model(); err != nil {
		return nil, err
	}
	if err := o.apart(); err != nil {
		return nil, err
	}
	return o.c, nil
}

// model reads a ModelProto.
func (r *reader) model() error {
	hasGraph := false
	for x, err := range r.file.Fields(r.file.Whole()) {
		if err != nil {
			return fault.In("not an ONNX model, or damaged", err)
		}
		switch x.Tag {
		case modelVersion:
			err = r.entry("ir_version", strconv.FormatUint(x.Value, 10))
		case modelProducer:
			err = r.text("producer_name", x)
		case modelProducerV:
			err = r.text("producer_version", x)
		case modelDomain:
			err = r.text("domain", x)
		case modelNumber:
			err = r.entry("model_version", strconv.FormatInt(int64(x.Value), 10))
		case modelDoc:
			err = r.text("doc_string", x)
		case modelOpset:
			err = r.opset(x)
		case modelProps:
			err = r.property(x)
		case modelGraph:
			if hasGraph {
				return damaged("the model has two graphs")
			}
			hasGraph = true
			err = r.graph(x.Section, "", 0)
		}
		if err != nil {
			return err
		}
	}
	if !hasGraph {
		return damaged("not an ONNX model: it has no graph")
	}
	return nil
}

// entry adds a text of the metadata.
func (r *reader) entry(key, value string) error {
	if err := r.limit.Check(uint64(len(r.c.Metadata))+1, "metadata texts"); err != nil {
		return err
	}
	r.c.Metadata = append(r.c.Metadata, checkpoint.Entry{Key: key, Value: value})
	return nil
}

// text adds a field of the model to the metadata, unless it is empty.
func (r *reader) text(key string, x protobuf.Field) error {
	value, err := r.content(x, r.texts.Take)
	if err != nil || value == "" {
		return err
	}
	return r.entry(key, value)
}

// content reads a text, if take grants its bytes.
func (r *reader) content(x protobuf.Field, take func(int64) error) (string, error) {
	if err := take(x.Bytes); err != nil {
		return "", err
	}
	p, err := r.file.Content(x.Section)
	return string(p), err
}

// opset reads an OperatorSetIdProto: a domain, empty for ONNX's own operators, and a version.
func (r *reader) opset(set protobuf.Field) error {
	domain := ""
	version := uint64(0)
	for x, err := range r.file.Fields(set.Section) {
		if err != nil {
			return err
		}
		switch x.Tag {
		case 1<<3 | protobuf.Bytes:
			domain, err = r.content(x, r.texts.Take)
		case 2<<3 | protobuf.Varint:
			version = x.Value
		}
		if err != nil {
			return err
		}
	}
	if domain == "" {
		domain = "ai.onnx" // its alias (onnx/defs/schema.h, ONNX_DOMAIN)
	}
	return r.entry("opset_import", domain+" "+strconv.FormatInt(int64(version), 10))
}

// property adds an entry of metadata_props.
func (r *reader) property(x protobuf.Field) error {
	key, value, err := r.pair(x, r.texts.Take)
	if err != nil {
		return err
	}
	return r.entry(key, value)
}

// pair reads a StringStringEntryProto, if take grants its bytes.
func (r *reader) pair(entry protobuf.Field, take func(int64) error) (key, value string, err error) {
	for x, err := range r.file.Fields(entry.Section) {
		if err != nil {
			return "", "", err
		}
		switch x.Tag {
		case 1<<3 | protobuf.Bytes:
			key, err = r.content(x, take)
		case 2<<3 | protobuf.Bytes:
			value, err = r.content(x, take)
		}
		if err != nil {
			return "", "", err
		}
	}
	return key, value, nil
}

// maxDepth bounds graphs within nodes of graphs: C++ parsers of protobuf stop at 100 messages within messages, three for each graph.
const maxDepth = 100 / 3

// graph reads a GraphProto; prefix begins the names of its tensors.
func (r *reader) graph(graph protobuf.Section, prefix string, depth int) error {
	if depth > maxDepth {
		return fault.New(fault.Unsupported, "graphs are nested deeper than %d", maxDepth)
	}
	for x, err := range r.file.Fields(graph) {
		if err != nil {
			return err
		}
		switch x.Tag {
		case 1<<3 | protobuf.Bytes:
			err = r.node(x.Section, prefix, depth)
		case 5<<3 | protobuf.Bytes: // initializer
			err = r.tensor(x.Section, prefix, "")
		case 15<<3 | protobuf.Bytes: // sparse_initializer
			err = r.sparse(x.Section, prefix)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Fields of NodeProto and AttributeProto.
const (
	nodeOutput    = 2<<3 | protobuf.Bytes
	nodeOperator  = 4<<3 | protobuf.Bytes
	nodeAttribute = 5<<3 | protobuf.Bytes

	attributeName   = 1<<3 | protobuf.Bytes
	attributeTensor = 5<<3 | protobuf.Bytes
	attributeGraph  = 6<<3 | protobuf.Bytes
	attributeGraphs = 11<<3 | protobuf.Bytes
)

// maxWord bounds the bytes of names of operators and attributes, which are compared or begin names.
const maxWord = 64

// node reads the tensor of a Constant node, and the graphs of others.
func (r *reader) node(node protobuf.Section, prefix string, depth int) error {
	var output protobuf.Field
	hasOutput := false
	operator := ""
	var attributes []protobuf.Section
	for x, err := range r.file.Fields(node) {
		if err != nil {
			return err
		}
		switch x.Tag {
		case nodeOutput:
			if !hasOutput {
				output = x
			}
			hasOutput = true
		case nodeOperator:
			operator, err = r.word(x)
		case nodeAttribute:
			attributes = append(attributes, x.Section)
		}
		if err != nil {
			return err
		}
	}
	for _, a := range attributes {
		if err := r.attribute(a, operator == "Constant", output, prefix, depth); err != nil {
			return err
		}
	}
	return nil
}

// word reads a text of at most maxWord bytes; longer ones are "".
func (r *reader) word(x protobuf.Field) (string, error) {
	if x.Bytes > maxWord {
		return "", nil
	}
	p, err := r.file.Content(x.Section)
	return string(p), err
}

// attribute reads an attribute of a node with this first output.
func (r *reader) attribute(attribute protobuf.Section, constant bool, output protobuf.Field, prefix string, depth int) error {
	name := ""
	var tensors, graphs []protobuf.Section
	for x, err := range r.file.Fields(attribute) {
		if err != nil {
			return err
		}
		switch x.Tag {
		case attributeName:
			name, err = r.word(x)
		case attributeTensor:
			tensors = append(tensors, x.Section)
		case attributeGraph, attributeGraphs:
			graphs = append(graphs, x.Section)
		}
		if err != nil {
			return err
		}
	}
	if !constant || name != "value" {
		tensors = nil
	}
	if len(tensors)+len(graphs) == 0 {
		return nil
	}
	of, err := r.content(output, short)
	if err != nil {
		return err
	}
	for _, x := range tensors {
		err = r.tensor(x, prefix, of)
		if err != nil {
			return err
		}
	}
	for i, g := range graphs {
		below := prefix + of + "." + name + "."
		if len(graphs) > 1 {
			below += strconv.Itoa(i) + "."
		}
		if err := r.names.TakeName(int64(len(below))); err != nil {
			return err
		}
		if err := r.graph(g, below, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// damaged is the error for bytes that break the format.
func damaged(format string, args ...any) *fault.Error {
	return fault.New(fault.Malformed, format, args...).WithHint("copy or download the file again, or write it again")
}

// inTensor adds the tensor's name to an error.
func inTensor(name string, err error) error { return fault.In("tensor "+checkpoint.Quoted(name), err) }

// Package tensorrt reads TensorRT's layer information, as a graph.Program.
package tensorrt

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// layerInformation is what TensorRT's engine inspector says of an engine, as trtexec --exportLayerInfo=FILE --profilingVerbosity=detailed writes
// it. Without detailed, a layer is its name alone. (IEngineInspector::getEngineInformation in include/NvInferRuntime.h, TensorRT 8.2 to 10)
type layerInformation struct {
	Layers   []json.RawMessage
	Bindings []string // inputs and outputs
}

type trtLayer struct {
	Name            string
	LayerType       string
	Inputs          []trtTensor
	Outputs         []trtTensor
	FirstTranspose  []int // of a Shuffle, which transposes, reshapes and transposes
	SecondTranspose []int
}

type trtTensor struct {
	Name       string
	Dimensions []int
	Format     string `json:"Format/Datatype"`
}

// trtKinds are parts of the names of TensorRT's layers by kind; the first that a name contains counts. Reformat copies a tensor into the format
// that the next layer takes. (tools/experimental/trt-engine-explorer/trex/graphing.py in TensorRT at 147005ff)
var trtKinds = []struct {
	part string
	kind graph.Kind
}{
	{"Reformat", graph.Copies}, {"NoOp", graph.Views}, {"Concat", graph.Joins},
	{"Conv", graph.Follows}, {"Pool", graph.Follows}, {"Resize", graph.Follows}, {"SoftMax", graph.Follows}, {"Softmax", graph.Follows},
	{"LRN", graph.Follows}, {"Normalization", graph.Follows}, {"Padding", graph.Follows}, {"Slice", graph.Computes},
	{"PointWise", graph.Elementwise}, {"ElementWise", graph.Elementwise}, {"Activation", graph.Elementwise}, {"Scale", graph.Elementwise},
	{"Unary", graph.Elementwise}, {"Select", graph.Elementwise}, {"Cast", graph.Elementwise}, {"Quantize", graph.Elementwise},
	{"Dequantize", graph.Elementwise}, {"ParametricReLU", graph.Elementwise},
	{"MatrixMultiply", graph.Multiplies}, {"FullyConnected", graph.Multiplies}, {"Gemm", graph.Multiplies}, {"gemm", graph.Multiplies},
	{"Reduce", graph.Computes}, {"Constant", graph.Computes}, {"Gather", graph.Computes}, {"Scatter", graph.Computes}, {"TopK", graph.Computes},
	{"Shape", graph.Computes}, {"Fill", graph.Computes}, {"RNN", graph.Computes}, {"Einsum", graph.Computes}, {"NonZero", graph.Computes},
	{"Signal", graph.Computes}, {"Wait", graph.Computes},
}

// layers makes a Program of layers.
type layers struct {
	program *graph.Program
	tensors map[string]*graph.Tensor
	values  map[string]graph.ID // the newest of a name
	unread  int                 // layers of another form
	unnamed map[string]int      // formats that no table has
}

// readTensorRT reads the layer information of an engine.
func Read(r io.Reader) (*graph.Program, error) {
	var info layerInformation
	err := readJSON(r, &info)
	if err != nil {
		return nil, err
	}
	l := layers{program: &graph.Program{Engine: graph.TensorRT, ListsCopies: true}, tensors: map[string]*graph.Tensor{}, values: map[string]graph.ID{},
		unnamed: map[string]int{}}
	for _, raw := range info.Layers {
		var layer trtLayer
		err := json.Unmarshal(raw, &layer)
		if err != nil || layer.LayerType == "" {
			l.unread++
			continue
		}
		l.add(&layer)
	}
	if len(l.program.Operators) == 0 {
		return nil, fault.New(fault.Unsupported, "%s without details", text.Count(len(info.Layers), "layer")).
			WithHint("build the engine with --profilingVerbosity=detailed, and export again")
	}
	l.bind(info.Bindings)
	if l.unread > 0 {
		l.program.Notes = append(l.program.Notes, text.Count(l.unread, "layer")+" without details: not read")
	}
	for _, format := range slices.Sorted(maps.Keys(l.unnamed)) {
		l.program.Notes = append(l.program.Notes, fmt.Sprintf("%s with the format %s: layout unknown", text.Count(l.unnamed[format], "tensor"),
			text.Quoted(text.Cut(format, 60))))
	}
	return l.program, nil
}

// maxLayers limits a file of layers or times, in bytes: that of an engine of 10,000 layers has 20 MB.
const maxLayers = 256 << 20

// readJSON decodes a document of limited size.
func readJSON(r io.Reader, into any) error {
	limited := &io.LimitedReader{R: r, N: maxLayers}
	err := json.NewDecoder(limited).Decode(into)
	if limited.N == 0 {
		return fault.New(fault.Resource, "the file has over %s", text.ExactBytes(maxLayers))
	}
	if err != nil {
		return fault.New(fault.Malformed, "%s", text.Quote(err.Error()))
	}
	return nil
}

// add adds a layer's operator.
func (l *layers) add(layer *trtLayer) {
	op := graph.Operator{Name: layer.LayerType, Kind: layer.kind(), Place: graph.Place{Node: layer.Name}}
	if layer.LayerType == "Shuffle" {
		kind, perm := layer.shuffled()
		op.Kind = kind
		op.Perm = perm
	}
	image := strings.Contains(layer.LayerType, "Conv") || strings.Contains(layer.LayerType, "Pool")
	for _, t := range layer.Inputs {
		v := l.describe(t, image)
		id, known := l.values[t.Name]
		if !known || l.program.Values[id].Tensor != v.Tensor {
			id = l.value(v)
		}
		op.Inputs = append(op.Inputs, id)
	}
	for _, t := range layer.Outputs {
		v := l.describe(t, image)
		v.Weight = layer.LayerType == "Constant"
		op.Outputs = append(op.Outputs, l.value(v))
	}
	l.program.Operators = append(l.program.Operators, op)
}

// value adds the newest value of a name.
func (l *layers) value(v graph.Value) graph.ID {
	id := l.program.Add(v)
	l.values[v.Name] = id
	return id
}

// kind returns what a layer does with elements.
func (layer *trtLayer) kind() graph.Kind {
	for _, k := range trtKinds {
		if strings.Contains(layer.LayerType, k.part) {
			return k.kind
		}
	}
	return graph.Unknown
}

// shuffled returns what a Shuffle does: it copies with the permutation if that alone gives the output its sizes, and is a view if it only
// reshapes.
func (layer *trtLayer) shuffled() (graph.Kind, []int) {
	first := layer.FirstTranspose
	second := layer.SecondTranspose
	if isIdentity(first) && isIdentity(second) {
		return graph.Views, nil
	}
	if len(layer.Inputs) == 0 || len(layer.Outputs) == 0 {
		return graph.Computes, nil
	}
	from := layer.Inputs[0].Dimensions
	to := layer.Outputs[0].Dimensions
	perm := make([]int, len(to))
	for d := range to {
		perm[d] = at(first, at(second, d))
		if at(from, perm[d]) != to[d] {
			return graph.Computes, nil
		}
	}
	return graph.Copies, perm
}

// isIdentity reports whether a permutation keeps all dims.
func isIdentity(perm []int) bool {
	for d, from := range perm {
		if d != from {
			return false
		}
	}
	return true
}

// at returns an element of a permutation, whose missing ones are identical, or of sizes; -1 if i is outside of it.
func at(list []int, i int) int {
	if list == nil {
		return i
	}
	if i < 0 || i >= len(list) {
		return -1
	}
	return list[i]
}

// describe returns the value of a tensor. image says that a layer of images has it.
func (l *layers) describe(t trtTensor, image bool) graph.Value {
	key := fmt.Sprint(t.Format, t.Dimensions)
	tensor, known := l.tensors[key]
	if !known {
		tensor = t.tensor()
		l.tensors[key] = tensor
	}
	if tensor == nil {
		l.unnamed[t.Format]++
	}
	v := graph.Value{Name: t.Name, Tensor: tensor}
	if image && tensor != nil {
		v.Dims = graph.ImageDims(len(t.Dimensions))
	}
	return v
}

// tensor returns the tensor of a sentence, as "Channel major FP16 format where channel % 8 == 0", and sizes; nil for other sentences, as that
// of dynamic shapes.
func (t trtTensor) tensor() *graph.Tensor {
	layout, err := notation.Parse(strings.TrimSuffix(t.Format, "."))
	if err != nil {
		return nil
	}
	made := &graph.Tensor{Type: sentenceType(t.Format)}
	if layout.Own == notation.OwnC {
		made.Layout, err = graph.RowMajor(t.Dimensions)
	} else {
		f := layout.ForRank(len(t.Dimensions)).Format
		if f.Rank() != len(t.Dimensions) {
			return nil
		}
		made.Layout, err = f.Bind(t.Dimensions)
	}
	if err != nil {
		return nil
	}
	made.Layout = graph.Merged(made.Layout)
	return made
}

// sentenceTypes are words of sentences that are no type elsewhere.
var sentenceTypes = map[string]string{"FP8": "float8_e4m3fn", "FP4": "float4_e2m1fn", "E8M0": "float8_e8m0fnu"}

// sentenceType returns the type of a sentence's elements; the zero Type if it has none.
func sentenceType(sentence string) dtype.Type {
	for word := range strings.FieldsSeq(sentence) {
		name, special := sentenceTypes[word]
		if !special {
			name = word
		}
		if !strings.ContainsAny(name, "0123456789") && name != "BOOL" {
			continue
		}
		t, err := dtype.ParsePrinted(name)
		if err == nil {
			return t
		}
	}
	return dtype.Type{}
}

// bind finds the inputs and outputs of the program: bindings that no layer writes, and the others.
func (l *layers) bind(names []string) {
	written := map[graph.ID]bool{}
	for i := range l.program.Operators {
		for _, id := range l.program.Operators[i].Outputs {
			written[id] = true
		}
	}
	for _, name := range names {
		id, known := l.values[name]
		if !known {
			continue
		}
		if written[id] {
			l.program.Outputs = append(l.program.Outputs, id)
			continue
		}
		l.program.Inputs = append(l.program.Inputs, id)
	}
}

// readTensorRTProfile reads the times that trtexec --exportProfile=FILE writes, in seconds by layer:
//
//	[ { "count" : 100 }, { "name" : "conv1", "timeMs" : 12.5, "averageMs" : 0.125, "medianMs" : 0.12, "percentage" : 20.5 }, … ]
//
// (Profiler::exportJSONProfile in samples/common/sampleReporting.cpp, TensorRT 8.2 to 10)
func ReadTimes(r io.Reader) (map[string]float64, error) {
	var layers []struct {
		Name      string
		AverageMs float64
	}
	err := readJSON(r, &layers)
	if err != nil {
		return nil, err
	}
	seconds := map[string]float64{}
	for _, layer := range layers {
		if layer.Name != "" && layer.AverageMs >= 0 {
			seconds[layer.Name] += layer.AverageMs / 1000
		}
	}
	if len(seconds) == 0 {
		return nil, fault.New(fault.Malformed, "no layer has averageMs").WithHint("trtexec --loadEngine=FILE --exportProfile=FILE.json writes it")
	}
	return seconds, nil
}

// addTimes gives the layers of a program the times of a profile. It fails if no layer has one; times of a name that several layers have are
// those of all together.
func AddTimes(p *graph.Program, seconds map[string]float64) error {
	named := map[string]int{}
	for i := range p.Operators {
		named[p.Operators[i].Place.Node]++
	}
	timed := 0
	for i := range p.Operators {
		op := &p.Operators[i]
		s, has := seconds[op.Place.Node]
		if !has {
			continue
		}
		op.Seconds = s / float64(named[op.Place.Node])
		timed++
	}
	if timed == 0 {
		return fault.New(fault.Malformed, "the profile has none of the layers").WithHint("profile the engine whose layers were exported")
	}
	p.Timed = true
	rest := len(p.Operators) - timed
	if rest > 0 {
		p.Notes = append(p.Notes, text.Count(rest, "layer")+" without a time in the profile")
	}
	return nil
}

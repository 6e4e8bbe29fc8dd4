// Package onednn reads logs of oneDNN's verbose mode, as a graph.Program.
package onednn

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/lines"
	"github.com/tlayout/tlayout/internal/text"
)

// A primitive that has run is a line of oneDNN's log:
//
//	onednn_verbose,[v1,][timestamp,][primitive,]exec,engine,primitive,implementation,prop_kind,descriptors,attributes,auxiliary,problem,ms
//
// The log's header has these fields as template:, or prim_template: in 2.x. 1.x writes dnnl_verbose. A framework may put its own words before
// the first field. (doc/advanced/verbose.md and src/common/verbose.cpp in oneDNN 1.8, 2.6, 3.4 and 3.13)

// maxLogLine limits a line, in bytes. A concat of 64 operands, the most that oneDNN takes, has 3 KiB.
const maxLogLine = 64 << 10

// primitiveKinds are oneDNN's primitives by kind.
var primitiveKinds = map[string]graph.Kind{
	"reorder":     graph.Copies,
	"convolution": graph.Follows, "deconvolution": graph.Follows, "pooling": graph.Follows, "pooling_v2": graph.Follows,
	"batch_normalization": graph.Follows, "layer_normalization": graph.Follows, "group_normalization": graph.Follows, "lrn": graph.Follows,
	"softmax": graph.Follows, "softmax_v2": graph.Follows, "logsoftmax": graph.Follows, "resampling": graph.Follows, "shuffle": graph.Follows,
	"eltwise": graph.Elementwise, "binary": graph.Elementwise, "prelu": graph.Elementwise, "sum": graph.Elementwise,
	"concat": graph.Joins,
	"matmul": graph.Multiplies, "inner_product": graph.Multiplies,
	"reduction": graph.Computes, "rnn": graph.Computes, "zero_pad": graph.Computes, "gemm": graph.Computes, "sdpa": graph.Computes,
}

// primitive is what a line says but for the time. Most lines of a log repeat one.
type primitive struct {
	name     string
	kind     graph.Kind
	node     string
	operands []operand
}

// verboseLog makes a Program of a log. The log does not name tensors: an operand is taken to be the newest value with its descriptor.
type verboseLog struct {
	program     *graph.Program
	descriptors descriptors
	primitives  map[string]*primitive // by the line without the time; nil for one that is not read
	newest      map[*graph.Tensor]graph.ID
	copied      map[graph.ID]graph.ID // of the result of a reorder: its operand
	computed    []bool                // by ID: whether a primitive other than a reorder made the value
	odd         int                   // lines that are cut off, or have other fields
	old         int                   // lines of MKL-DNN 0.x
}

// Read reads a log of oneDNN's verbose mode.
func Read(r io.Reader) (*graph.Program, error) {
	l := verboseLog{
		program:     &graph.Program{Engine: graph.OneDNN, Timed: true, ListsCopies: true},
		descriptors: newDescriptors(),
		primitives:  map[string]*primitive{},
		newest:      map[*graph.Tensor]graph.ID{},
		copied:      map[graph.ID]graph.ID{},
	}
	var source lines.Lines
	for line := range source.Of(r, maxLogLine) {
		l.read(line)
	}
	if source.Err != nil {
		return nil, source.Err
	}
	if len(l.program.Operators) == 0 {
		return nil, l.empty()
	}
	l.program.Notes = append(l.program.Notes, "copies that the framework makes itself are not in oneDNN's log")
	if l.odd > 0 {
		l.program.Notes = append(l.program.Notes, text.Count(l.odd, "line")+" cut off or with other fields: not read")
	}
	return l.program, nil
}

// empty returns the error for a log without primitives.
func (l *verboseLog) empty() error {
	if l.old > 0 {
		return fault.New(fault.Unsupported, "%s of MKL-DNN 0.x, whose log has other fields", text.Count(l.old, "line")).
			WithHint("use oneDNN 1.0 or newer")
	}
	return fault.New(fault.Malformed, "no line of a primitive that has run").WithHint("set ONEDNN_VERBOSE=1 where the program runs")
}

// read reads a line of the log, or of another program.
func (l *verboseLog) read(line string) {
	rest, found := afterLast(line, "onednn_verbose,", "dnnl_verbose,")
	if !found {
		if strings.Contains(line, "mkldnn_verbose,exec,") {
			l.old++
		}
		return
	}
	rest, runs := executed(rest)
	if !runs {
		return
	}
	fields, seconds, ok := cutTime(rest)
	if !ok {
		l.odd++
		return
	}
	p, known := l.primitives[fields]
	if !known {
		p = l.primitive(fields)
		l.primitives[fields] = p
	}
	if p == nil {
		l.odd++
		return
	}
	l.add(p, seconds)
}

// afterLast returns what follows the last of the marks in a line: threads may write into each other's lines.
func afterLast(line string, marks ...string) (rest string, found bool) {
	begin := -1
	for _, mark := range marks {
		at := strings.LastIndex(line, mark)
		if at >= 0 {
			begin = max(begin, at+len(mark))
		}
	}
	if begin < 0 {
		return "", false
	}
	return line[begin:], true
}

// executed returns the fields of a primitive that has run, from the engine on; false for a line about something else, as info or create.
func executed(rest string) (fields string, runs bool) {
	for {
		field, next, more := strings.Cut(rest, ",")
		if field == "exec" || !more {
			return next, more
		}
		isBefore := field == "v1" || field == "primitive" || strings.Trim(field, "0123456789.") == ""
		if !isBefore {
			return "", false
		}
		rest = next
	}
}

// The fields of a primitive, in order. The engine is the first, the time behind the problem the last.
const (
	fieldPrimitive = 1 + iota
	_              // implementation
	fieldProp
	fieldDescriptors
	_ // attributes
	fieldAuxiliary
	fieldProblem
	fieldsBeforeTime
)

// cutTime returns the fields before the time, and the time, which is in ms. In some locales it has a comma.
func cutTime(rest string) (fields string, seconds float64, ok bool) {
	at := strings.LastIndexByte(rest, ',')
	if at < 0 {
		return "", 0, false
	}
	fields = rest[:at]
	number := strings.TrimSpace(strings.TrimSuffix(rest[at+1:], "\x1b[0m"))
	if strings.Count(fields, ",") == fieldsBeforeTime {
		at = strings.LastIndexByte(fields, ',')
		number = fields[at+1:] + "." + number
		fields = fields[:at]
	}
	ms, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsInf(ms, 0) {
		return "", 0, false
	}
	return fields, ms / 1000, ms >= 0
}

// primitive reads the fields of a primitive; nil if there are too few or too many.
func (l *verboseLog) primitive(fields string) *primitive {
	f := strings.Split(fields, ",")
	if len(f) != fieldsBeforeTime || f[fieldPrimitive] == "" {
		return nil
	}
	p := &primitive{name: f[fieldPrimitive], node: text.Cut(strings.TrimSpace(f[fieldPrimitive]+" "+f[fieldProblem]), 80)}
	p.kind = primitiveKinds[p.name]
	p.operands = l.descriptors.operands(f)
	return p
}

// add adds a run of a primitive.
func (l *verboseLog) add(p *primitive, seconds float64) {
	op := graph.Operator{Name: p.name, Kind: p.kind, Seconds: seconds, Place: graph.Place{Node: p.node}}
	for _, o := range p.operands {
		if o.use != writes {
			op.Inputs = append(op.Inputs, l.operand(p, o, op.Inputs))
		}
	}
	for _, o := range p.operands {
		if o.use != reads {
			op.Outputs = append(op.Outputs, l.value(graph.Value{Tensor: o.tensor}, p.kind != graph.Copies))
		}
	}
	if p.kind == graph.Copies && len(op.Inputs) == 1 && len(op.Outputs) == 1 {
		l.copied[op.Outputs[0]] = op.Inputs[0]
	}
	l.program.Operators = append(l.program.Operators, op)
}

// operand returns the value that a primitive reads. Of two operands with one descriptor either may be the newest: the second is unknown.
func (l *verboseLog) operand(p *primitive, o operand, before []graph.ID) graph.ID {
	if o.tensor == nil {
		return graph.NoValue
	}
	id, known := l.newest[o.tensor]
	if !known {
		id = l.value(graph.Value{Tensor: o.tensor}, false)
	}
	if slices.Contains(before, id) {
		id = l.program.Add(graph.Value{Tensor: o.tensor})
		l.computed = append(l.computed, false)
	}
	if o.weight {
		l.markWeight(id, p.name != "matmul")
	}
	return id
}

// value adds a value, from now on the newest with its descriptor.
func (l *verboseLog) value(v graph.Value, computed bool) graph.ID {
	id := l.program.Add(v)
	l.computed = append(l.computed, computed)
	if v.Tensor != nil {
		l.newest[v.Tensor] = id
	}
	return id
}

// maxReorders limits how many reorders in turn are followed from a weight to the parameter that it was.
const maxReorders = 8

// markWeight makes a value a weight, and those of which reorders made it. The second operand of matmul is one unless a primitive computed it;
// that of a convolution always is.
func (l *verboseLog) markWeight(id graph.ID, always bool) {
	chain := []graph.ID{id}
	for range maxReorders {
		from, reordered := l.copied[id]
		if !reordered || from == graph.NoValue {
			break
		}
		chain = append(chain, from)
		id = from
	}
	if l.computed[id] && !always {
		return
	}
	for _, id := range chain {
		l.program.Values[id].Weight = true
	}
}

package hlo

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/text"
)

// hloKinds are XLA's instructions by kind. (xla/hlo/ir/hlo_opcode.h; HloInstruction::IsElementwiseImpl in xla/hlo/ir/hlo_instruction.cc)
var hloKinds = graph.KindsByName(map[graph.Kind]string{
	graph.Elementwise: `abs acos acosh add and asin asinh atan2 atanh cbrt ceil clamp clz compare complex convert cosine cosh count-leading-zeros
		divide erf exponential exponential-minus-one floor imag is-finite log log-plus-one logistic map maximum minimum multiply negate not or
		popcnt power real reduce-precision remainder round-nearest-afz round-nearest-even rsqrt select shift-left shift-right-arithmetic
		shift-right-logical sign sine sinh sqrt stochastic-convert subtract tan tanh xor`,
	graph.Follows: `batch-norm-grad batch-norm-inference batch-norm-training convolution pad reduce-window reverse select-and-scatter
		dynamic-update-slice`,
	graph.Joins:      `concatenate`,
	graph.Multiplies: `dot ragged-dot scaled-dot`,
	graph.Views:      `bitcast bitcast-convert reshape`,
	graph.Copies:     `copy copy-start transpose`,
	graph.Computes: `all-gather all-gather-done all-gather-start all-reduce all-reduce-done all-reduce-start all-to-all broadcast cholesky
		collective-broadcast collective-permute collective-permute-done collective-permute-start dynamic-reshape dynamic-slice fft gather
		get-dimension-size infeed iota outfeed partition-id ragged-all-to-all recv recv-done reduce reduce-scatter replica-id rng
		rng-bit-generator rng-get-and-update-state scatter send send-done set-dimension-size slice sort topk triangular-solve`,
})

const (
	maxCalls = 64      // computations that call one another in turn
	maxSteps = 1 << 21 // instructions, operands and results of a module whose computations took the place of their calls
)

// hloValue is what an instruction returns: a value of the program, or a tuple.
type hloValue struct {
	id    graph.ID
	parts []hloValue
	size  int // values in the tuple
}

// inlining makes a Program of a module: the instructions of a called computation take the place of the call.
type inlining struct {
	*hloModule
	program *graph.Program
	calls   []*hloComputation // that are open
	steps   int
	notes   map[string]bool
}

func (m *hloModule) program() (*graph.Program, error) {
	x := inlining{hloModule: m, program: &graph.Program{Engine: graph.XLA, ListsCopies: true}, notes: map[string]bool{}}
	root, err := x.run(m.entry, nil, graph.Place{})
	if err != nil {
		return nil, err
	}
	x.program.Outputs = root.leaves(nil)
	x.findWeights()
	x.note(m.types.tiled, "tiles of layouts, as T(8,128), are left out")
	x.note(m.types.unstated, "types without a layout are read as row-major")
	x.note(m.unread > 0, text.Count(m.unread, "line")+" not read")
	x.note(m.more, "only the first module is read")
	x.program.Notes = slices.Sorted(maps.Keys(x.notes))
	return x.program, nil
}

func (x *inlining) note(applies bool, note string) {
	if applies {
		x.notes[note] = true
	}
}

// run adds the instructions of a computation, and returns the value of its root. place is where it is called.
func (x *inlining) run(c *hloComputation, arguments []hloValue, place graph.Place) (hloValue, error) {
	if slices.Contains(x.calls, c) {
		return hloValue{}, fault.New(fault.Malformed, "computation %s calls itself", text.Quoted(text.Cut(c.name, 60)))
	}
	if len(x.calls) == maxCalls {
		return hloValue{}, fault.New(fault.Unsupported, "computations call one another over %d times", maxCalls)
	}
	x.calls = append(x.calls, c)
	values := make(map[string]hloValue, len(c.instructions))
	root := hloValue{id: graph.NoValue}
	rooted := false
	for i := range c.instructions {
		in := &c.instructions[i]
		v, err := x.instruction(in, values, arguments, place)
		if err != nil {
			return root, err
		}
		values[in.name] = v
		if in.root || !rooted { // the last one, if none is marked
			root = v
			rooted = in.root
		}
	}
	x.calls = x.calls[:len(x.calls)-1]
	return root, nil
}

// instruction adds one instruction, and returns its value.
func (x *inlining) instruction(in *hloInstruction, values map[string]hloValue, arguments []hloValue, place graph.Place) (hloValue, error) {
	operands := make([]hloValue, len(in.operands))
	for k, name := range in.operands {
		v, known := values[name]
		if !known {
			v.id = graph.NoValue
		}
		operands[k] = v
	}
	x.steps += 1 + len(operands)
	if x.steps > maxSteps {
		return hloValue{}, tooLarge()
	}
	place = in.placeIn(place)
	switch in.opcode {
	case "parameter":
		return x.parameter(in, arguments), nil
	case "constant":
		return x.value(in.typ, graph.Value{Name: in.name, Weight: true}), nil
	case "tuple":
		return x.tuple(operands)
	case "get-tuple-element":
		return partOf(operands, in.number), nil
	case "copy-done":
		return partOf(operands, 0), nil
	case "async-done":
		return partOf(operands, 1), nil
	case "opt-barrier", "optimization-barrier", "domain", "add-dependency", "async-update":
		return first(operands), nil
	case "fusion", "call", "async-start", "while", "conditional":
		return x.call(in, operands, place)
	}
	return x.operator(in, operands, place)
}

// tuple returns a tuple of values. It fails if they are too many: each may be a tuple that another one has too.
func (x *inlining) tuple(parts []hloValue) (hloValue, error) {
	t := hloValue{parts: parts}
	for _, part := range parts {
		t.size += max(1, part.size)
	}
	if t.size > maxSteps {
		return hloValue{}, tooLarge()
	}
	return t, nil
}

func tooLarge() error {
	return fault.New(fault.Resource, "the module has over %d instructions and values once its fusions are expanded", maxSteps)
}

// placeIn returns an instruction's place; that of its call if it has none, and in any case a node.
func (in *hloInstruction) placeIn(call graph.Place) graph.Place {
	p := in.place
	if p.File == "" {
		p.File = call.File
		p.Line = call.Line
	}
	if p.Node == "" {
		p.Node = in.name
	}
	return p
}

// parameter returns the argument of a call, or an input of the program.
func (x *inlining) parameter(in *hloInstruction, arguments []hloValue) hloValue {
	if in.number >= 0 && in.number < len(arguments) {
		return arguments[in.number]
	}
	v := x.value(in.typ, graph.Value{Name: in.name})
	if len(x.calls) == 1 {
		x.program.Inputs = v.leaves(x.program.Inputs)
	}
	return v
}

// value adds the values of a type: one, or those of a tuple.
func (x *inlining) value(typ hloType, v graph.Value) hloValue {
	x.steps++
	if typ.parts == nil {
		v.Tensor = typ.tensor
		return hloValue{id: x.program.Add(v)}
	}
	tuple := hloValue{parts: make([]hloValue, len(typ.parts))}
	for k, part := range typ.parts {
		tuple.parts[k] = x.value(part, v)
		tuple.size += max(1, tuple.parts[k].size)
	}
	return tuple
}

// leaves appends the values in a tuple.
func (v hloValue) leaves(ids []graph.ID) []graph.ID {
	if v.parts == nil {
		return append(ids, v.id)
	}
	for _, part := range v.parts {
		ids = part.leaves(ids)
	}
	return ids
}

// first returns the first operand, or no value.
func first(operands []hloValue) hloValue {
	if len(operands) == 0 {
		return hloValue{id: graph.NoValue}
	}
	return operands[0]
}

// partOf returns an element of the tuple that is the first operand.
func partOf(operands []hloValue, number int) hloValue {
	tuple := first(operands)
	if number < 0 || number >= len(tuple.parts) {
		return hloValue{id: graph.NoValue}
	}
	return tuple.parts[number]
}

// call adds the instructions of called computations. Bodies and branches are added once.
func (x *inlining) call(in *hloInstruction, operands []hloValue, place graph.Place) (hloValue, error) {
	var results []hloValue
	for k, name := range in.called {
		c, known := x.computations[name]
		if !known {
			continue
		}
		arguments := operands
		if in.opcode == "conditional" { // its first operand chooses the branch, which has one parameter
			arguments = operands[min(k+1, len(operands)):min(k+2, len(operands))]
		}
		result, err := x.run(c, arguments, place)
		if err != nil {
			return result, err
		}
		results = append(results, result)
	}
	x.note(in.opcode == "while", "the body of a while is counted once")
	x.note(in.opcode == "conditional", "each branch of a conditional is counted once")
	if len(results) == 0 {
		return x.operator(in, operands, place)
	}
	if in.opcode == "async-start" { // the operands, the result
		return x.tuple([]hloValue{first(operands), results[0]})
	}
	return results[0], nil
}

// operator adds an operator.
func (x *inlining) operator(in *hloInstruction, operands []hloValue, place graph.Place) (hloValue, error) {
	op := graph.Operator{Name: in.opcode, Kind: hloKinds[in.opcode], Perm: in.dimensions, Dims: convolutionDims(in.labels), Place: place}
	if in.target != "" {
		op.Name = in.target
		op.Kind = targetKind(in.target)
	}
	for _, v := range operands {
		x.steps += v.size
		if x.steps > maxSteps {
			return hloValue{}, tooLarge()
		}
		op.Inputs = v.leaves(op.Inputs)
	}
	result := x.value(in.typ, graph.Value{Name: in.name})
	op.Outputs = result.leaves(nil)
	if in.opcode == "copy-start" { // the copy, its operand, a context
		op.Outputs = op.Outputs[:min(1, len(op.Outputs))]
	}
	x.program.Operators = append(x.program.Operators, op)
	return result, nil
}

// targetKind returns the kind of a call of a library. (xla/service/gpu/cublas_cudnn.cc)
func targetKind(target string) graph.Kind {
	target = strings.ToLower(target)
	if strings.Contains(target, "$conv") {
		return graph.Follows
	}
	if strings.Contains(target, "matmul") || strings.Contains(target, "gemm") {
		return graph.Multiplies
	}
	return graph.Unknown
}

// convolutionDims returns the names of the dims of a convolution's image, kernel and result: NHWC, HWIO and NHWC of b01f_01io->b01f. It returns nil
// for anything else.
func convolutionDims(labels string) []string {
	image, rest, ok := strings.Cut(labels, "_")
	kernel, result, split := strings.Cut(rest, "->")
	if !ok || !split {
		return nil
	}
	all := []string{namedDims(image), namedDims(kernel), namedDims(result)}
	if slices.Contains(all, "") {
		return nil
	}
	return all
}

// pixelDims are the names of the pixels' dims, 0 first, by their number.
var pixelDims = []string{"", "W", "HW", "DHW"}

// namedDims returns the names of dims with these labels: NHWC of b01f, HWIO of 01io; empty for others.
func namedDims(labels string) string {
	n := len(labels) - 2
	if n < 0 || n >= len(pixelDims) {
		return ""
	}
	named := strings.NewReplacer("b", "N", "f", "C", "i", "I", "o", "O").Replace(labels)
	for d := range n {
		named = strings.Replace(named, strconv.Itoa(d), pixelDims[n][d:d+1], 1)
	}
	return named
}

// findWeights makes the parameters of the program weights that only copies, views and casts separate from the kernel of a convolution.
func (x *inlining) findWeights() {
	makers := make([]int32, len(x.program.Values))
	for i := range x.program.Operators {
		for _, id := range x.program.Operators[i].Outputs {
			makers[id] = int32(i) + 1
		}
	}
	for i := range x.program.Operators {
		op := &x.program.Operators[i]
		if isConvolution(op) && len(op.Inputs) > 1 {
			x.markWeight(op.Inputs[1], makers)
		}
	}
	x.program.Inputs = slices.DeleteFunc(x.program.Inputs, func(id graph.ID) bool { return x.program.Values[id].Weight })
}

// isConvolution reports whether an operator is a convolution, or a call of one of cuDNN's.
func isConvolution(op *graph.Operator) bool {
	return op.Name == "convolution" || op.Kind == graph.Follows && strings.Contains(op.Name, "$conv")
}

// markWeight makes a value, and those that it is a copy of, weights if the first of them is a parameter of the program.
func (x *inlining) markWeight(id graph.ID, makers []int32) {
	var chain []graph.ID
	for id != graph.NoValue && !x.program.Values[id].Weight {
		chain = append(chain, id)
		if makers[id] == 0 {
			break
		}
		op := &x.program.Operators[makers[id]-1]
		keeps := op.Kind == graph.Copies || op.Kind == graph.Views || op.Name == "convert"
		if !keeps || len(op.Inputs) == 0 {
			return
		}
		id = op.Inputs[0]
	}
	for _, id := range chain {
		x.program.Values[id].Weight = true
	}
}

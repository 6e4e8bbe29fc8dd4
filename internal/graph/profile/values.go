package profile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/pytorch"
)

// identities stands for those of tensors, which a trace does not have.
//
// An operand is the output of the operator before it on the thread if that can have its dims. Else it is the tensor of the thread with its
// sizes, strides and type if one alone was made or read lately; else the output of the only operator whose output nothing has read and has
// these dims; else a tensor of its own. So two operators read the same value only if nothing else looks like it. Operands of one operator are
// different tensors.
type identities struct {
	program *graph.Program
	threads []threadValues
	before  []graph.ID // of a value, the one before it on the thread with the same sizes and strides
	touched []int      // of a value, the operator of the thread that made or read it last
	weights map[string]graph.ID
}

type threadValues struct {
	*identities
	newest map[uint32]graph.ID // by operand.geometry
	unread []unread            // outputs whose dims are not known, the newest last
	last   int                 // index of the operator before in the program; -1 for none
	count  int                 // operators so far
}

// unread is an output of unknown dims.
type unread struct {
	operator int
	id       graph.ID
}

// maxUnread is how many outputs wait for a reader. Within lately, in operators, a tensor is the same as one that looks like it.
const (
	maxUnread = 16
	lately    = 64
)

func newIdentities(program *graph.Program, threads int) identities {
	return identities{program: program, threads: make([]threadValues, threads), weights: map[string]graph.ID{}}
}

func (v *identities) of(thread int32) *threadValues {
	t := &v.threads[thread]
	if t.newest == nil {
		t.newest = map[uint32]graph.ID{}
		t.identities = v
		t.last = -1
	}
	return t
}

// define adds a value of a thread.
func (v *threadValues) define(o operand, weight bool) graph.ID {
	id := v.hidden(o)
	v.program.Values[id].Weight = weight
	v.register(id, o.geometry)
	return id
}

// hidden adds a value that only one operator has.
func (v *threadValues) hidden(o operand) graph.ID {
	id := v.program.Add(graph.Value{Tensor: o.tensor})
	v.grow()
	return id
}

func (v *threadValues) grow() {
	for len(v.before) < len(v.program.Values) {
		v.before = append(v.before, graph.NoValue)
		v.touched = append(v.touched, v.count)
	}
}

// register makes a value the newest of its geometry.
func (v *threadValues) register(id graph.ID, geometry uint32) {
	older, known := v.newest[geometry]
	if known {
		v.before[id] = older
	}
	v.newest[geometry] = id
}

// read returns the values of an operator's operands.
func (v *threadValues) read(name *operatorName, module string, operands []operand) []graph.ID {
	ids := make([]graph.ID, 0, len(operands))
	for k, o := range operands {
		id := graph.NoValue
		if o.tensor != nil && k > 0 && hasWeights(name.short) {
			id = v.weight(module, k, o)
		}
		if o.tensor != nil && id == graph.NoValue {
			id = v.value(k, o, ids)
		}
		ids = append(ids, id)
	}
	v.typeLike(ids)
	return ids
}

// typeLike gives operands without a type, which a list has in a trace, the type of another operand: cat and stack want one for all, or promote.
func (v *threadValues) typeLike(ids []graph.ID) {
	known := slices.IndexFunc(ids, func(id graph.ID) bool { return v.program.Tensor(id) != nil && isTyped(v.program.Tensor(id)) })
	if known < 0 {
		return
	}
	for _, id := range ids {
		t := v.program.Tensor(id)
		if t != nil && !isTyped(t) {
			v.program.Values[id].Tensor = &graph.Tensor{Type: v.program.Tensor(ids[known]).Type, Layout: t.Layout}
		}
	}
}

// value returns the value of operand k; those before it are taken.
func (v *threadValues) value(k int, o operand, taken []graph.ID) graph.ID {
	alike := v.alike(o, taken)
	if k == 0 && v.isJustMade(o, len(alike) > 0) {
		return v.resolve(len(v.unread)-1, o)
	}
	if len(alike) > 0 {
		return v.one(alike, o)
	}
	maker := v.onlyMaker(o)
	if maker >= 0 {
		return v.resolve(maker, o)
	}
	id := v.define(o, false)
	v.program.Inputs = append(v.program.Inputs, id)
	return id
}

// isJustMade reports whether an operand may be the output of the operator before.
func (v *threadValues) isJustMade(o operand, isKnown bool) bool {
	last := len(v.unread) - 1
	return last >= 0 && v.unread[last].operator == v.last && v.mayMake(v.unread[last], o, isKnown)
}

// hasWeights reports whether an operator's operands but the first are parameters of a module.
func hasWeights(name string) bool {
	if strings.HasSuffix(name, "_backward") {
		return false
	}
	return strings.HasPrefix(name, "conv") || name == "linear" || strings.HasSuffix(name, "_norm")
}

// weight returns a parameter: that of the module in this position with these dims, or a new one.
func (v *threadValues) weight(module string, k int, o operand) graph.ID {
	key := module + "\x00" + strconv.Itoa(k) + "\x00" + strconv.Itoa(int(o.geometry))
	id, known := v.weights[key]
	if known && module != "" {
		return id
	}
	id = v.define(o, true)
	if module != "" {
		v.weights[key] = id
	}
	return id
}

// onlyMaker returns the unread output of the only operator whose operands tell that it has an operand's shape; -1 if there is none, or several.
func (v *threadValues) onlyMaker(o operand) int {
	only := -1
	for i, u := range v.unread {
		if !v.mayMake(u, o, true) {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = i
	}
	return only
}

// alike returns the two newest values with an operand's sizes, strides and type that are not taken, the newest first.
func (v *threadValues) alike(o operand, taken []graph.ID) []graph.ID {
	id, known := v.newest[o.geometry]
	if !known {
		return nil
	}
	var all []graph.ID
	for range maxOperands {
		t := v.program.Tensor(id)
		isSame := t.Type.Equal(o.tensor.Type) || !isTyped(t) || !isTyped(o.tensor)
		if isSame && !slices.Contains(taken, id) {
			all = append(all, id)
		}
		id = v.before[id]
		if id == graph.NoValue || len(all) == 2 {
			break
		}
	}
	return all
}

// isTyped reports whether a tensor's type is known: those of tensors of a list are not.
func isTyped(t *graph.Tensor) bool { return t.Type.ItemSize() > 0 }

// one returns the newest of values that are alike if it is what an operand reads: what the operator before has made, or the only one lately.
// Else the operand is a value of its own.
func (v *threadValues) one(alike []graph.ID, o operand) graph.ID {
	id := alike[0]
	isAlone := len(alike) == 1 || v.touched[id]-v.touched[alike[1]] > lately
	isLate := v.count-v.touched[id] <= lately
	if isLate && (isAlone || v.isOnlyOutput(id)) {
		v.touched[id] = v.count
		return id
	}
	return v.define(o, false)
}

// isOnlyOutput reports whether a value is all that the operator before has made.
func (v *threadValues) isOnlyOutput(id graph.ID) bool {
	return v.last >= 0 && slices.Equal(v.program.Operators[v.last].Outputs, []graph.ID{id})
}

// resolve gives an unread output the dims of the operand that reads it, and the type of its operator's operand if that has none.
func (v *threadValues) resolve(i int, o operand) graph.ID {
	id := v.unread[i].id
	at := v.unread[i].operator
	v.unread = slices.Delete(v.unread, i, i+1)
	t := o.tensor
	from := v.first(&v.program.Operators[at])
	if !isTyped(t) && from != nil {
		t = &graph.Tensor{Type: from.Type, Layout: t.Layout}
	}
	v.program.Values[id].Tensor = t
	v.touched[id] = v.count
	v.register(id, o.geometry)
	return id
}

// mayMake reports whether an operator may have an output of an operand's shape. If a tensor is known that has it, only operators may that
// relate the shapes of their operands and output.
func (v *threadValues) mayMake(u unread, o operand, isKnown bool) bool {
	op := &v.program.Operators[u.operator]
	shape := o.tensor.Layout.Shape()
	switch op.Kind {
	case graph.Elementwise:
		return slices.Equal(shape, v.broadcast(op)) && v.hasOrder(op, o)
	case graph.Follows, graph.Joins:
		first := v.first(op)
		if first == nil || first.Layout.Rank() != len(shape) {
			return false
		}
		return len(shape) > 0 && first.Layout.Dim(0).Size == shape[0]
	case graph.Unknown, graph.Computes, graph.Multiplies, graph.Views, graph.Copies:
	}
	return !isKnown
}

// hasOrder reports whether an operand has the memory order of one of an elementwise operator, as its output has. Operands that are broadcast do
// not count. (TensorIteratorBase::reorder_dimensions in aten/src/ATen/TensorIterator.cpp)
func (v *threadValues) hasOrder(op *graph.Operator, o operand) bool {
	isBroadcast := true
	for _, id := range op.Inputs {
		t := v.program.Tensor(id)
		if t == nil || !slices.Equal(t.Layout.Shape(), o.tensor.Layout.Shape()) {
			continue
		}
		if !changesOrder(t, o.tensor) {
			return true
		}
		isBroadcast = false
	}
	return isBroadcast
}

// first returns the first operand of an operator; nil if it is not known.
func (v *threadValues) first(op *graph.Operator) *graph.Tensor {
	if len(op.Inputs) == 0 {
		return nil
	}
	return v.program.Tensor(op.Inputs[0])
}

// broadcast returns the shape that the operands of an operator have together.
func (v *threadValues) broadcast(op *graph.Operator) []int {
	var all []int
	for _, id := range op.Inputs {
		t := v.program.Tensor(id)
		if t == nil {
			continue
		}
		shape := t.Layout.Shape()
		for len(all) < len(shape) {
			all = slices.Insert(all, 0, 1)
		}
		for d, n := range shape {
			at := len(all) - len(shape) + d
			if all[at] == 1 {
				all[at] = n
			}
		}
	}
	return all
}

// matching returns the value of the operand that a copy reads.
func (v *threadValues) matching(operands []operand, ids []graph.ID, from operand) graph.ID {
	for k, o := range operands {
		if o.geometry == from.geometry && ids[k] != graph.NoValue {
			return ids[k]
		}
	}
	if from.tensor == nil {
		return graph.NoValue
	}
	return v.hidden(from)
}

// settle adds the outputs of an operator that are known: those of views, and of operators that write to their operand.
func (v *threadValues) settle(op *graph.Operator, name *operatorName, operands, views []operand) {
	if len(operands) == 0 || op.Inputs[0] == graph.NoValue {
		return
	}
	isView := op.Kind == graph.Views
	if isView && len(views) > 0 {
		v.view(op, name, views)
		return
	}
	if isView && sameViews[name.short] {
		op.Outputs = []graph.ID{v.define(operands[0], false)}
		return
	}
	if strings.HasSuffix(name.short, "_") {
		op.Outputs = []graph.ID{v.define(operands[0], v.program.Values[op.Inputs[0]].Weight)}
	}
}

// returned adds the results of an operator that the trace has.
func (v *threadValues) returned(op *graph.Operator, made []operand) {
	for _, o := range made {
		op.Outputs = append(op.Outputs, v.define(o, false))
	}
	if op.Kind == graph.Views && len(op.Inputs) > 0 {
		op.Perm = permutation(v.program.Tensor(op.Inputs[0]), v.program.Tensor(op.Outputs[0]))
	}
}

// view adds the outputs of a view.
func (v *threadValues) view(op *graph.Operator, name *operatorName, views []operand) {
	if !severalViews[name.short] {
		views = views[len(views)-1:]
	}
	for _, o := range views {
		op.Outputs = append(op.Outputs, v.define(o, false))
	}
	op.Perm = permutation(v.program.Tensor(op.Inputs[0]), v.program.Tensor(op.Outputs[0]))
}

// severalViews have one output for each view.
var severalViews = map[string]bool{"unbind": true, "chunk": true, "split": true, "split_with_sizes": true, "tensor_split": true,
	"unsafe_chunk": true, "unsafe_split": true, "unsafe_split_with_sizes": true, "hsplit": true, "vsplit": true, "dsplit": true}

// sameViews return their operand, or a view with its sizes and strides, if they do not copy.
var sameViews = map[string]bool{"contiguous": true, "to": true, "_to_copy": true, "type_as": true, "detach": true, "alias": true,
	"lift_fresh": true, "positive": true, "resolve_conj": true, "resolve_neg": true}

// permutation returns which dims a view exchanges; nil if it does something else, or nothing.
func permutation(from, to *graph.Tensor) []int {
	if from == nil || to == nil {
		return nil
	}
	perm := pytorch.Exchanged(from, to)
	if slices.IsSorted(perm) || slices.Contains(perm, -1) {
		return nil
	}
	return perm
}

// made ends an operator of the program: what is not known of its output, the operators that follow tell.
func (v *threadValues) made(i int) {
	v.last = i
	v.count++
	op := &v.program.Operators[i]
	if len(op.Outputs) > 0 {
		return
	}
	id := v.program.Add(graph.Value{})
	v.grow()
	op.Outputs = []graph.ID{id}
	if len(v.unread) == maxUnread {
		v.unread = slices.Delete(v.unread, 0, 1)
	}
	v.unread = append(v.unread, unread{i, id})
}

package torch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/pickle"
	"github.com/tlayout/tlayout/internal/text"
)

// keyPath is the position of a value: below another position, under a key. nil is the root.
type keyPath struct {
	above *keyPath
	key   string
	bytes int // length of the whole name
}

func (p *keyPath) below(key string) *keyPath {
	n := len(key)
	if p != nil {
		n += p.bytes + 1
	}
	return &keyPath{p, key, n}
}

// String returns the keys from the root, joined by dots.
func (p *keyPath) String() string {
	if p == nil {
		return ""
	}
	name := make([]byte, p.bytes)
	for at := len(name); p != nil; p = p.above {
		at -= copy(name[at-len(p.key):], p.key)
		if p.above != nil {
			at--
			name[at] = '.'
		}
	}
	return string(name)
}

// visit is a value to be visited.
type visit struct {
	v           pickle.Value
	at          *keyPath
	depth       int  // number of nodes above
	attributes  bool // v is an object's state: its keys are attribute names
	unnamedOnly bool // v is in a module's attribute outside its state_dict: list only unnamed tensors
	leave       bool // everything below v was visited
	had         int  // number of tensors found before, if leave
}

// state is the state of a node during the walk.
type state byte

const (
	unseen state = iota
	entered
	noTensors  // nothing below it is a tensor
	hasTensors // something below it is
)

// maxDepth bounds nested values. Python's pickler cannot exceed its recursion limit, 1000.
const maxDepth = 10_000

// walk lists the tensors below a value. Each node is visited once, in the order of a state_dict. A node with tensors below it that is
// met again elsewhere is listed there too, as state_dict does with a module that has two names, except in cycles, and until r.revisits
// is used up: a graph of n nodes can have 2ⁿ paths.
func (r *reader) walk(todo ...visit) error {
	w := walker{reader: r, todo: todo, seen: map[pickle.Value]state{}}
	for len(w.todo) > 0 {
		v := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		var err error
		if v.leave {
			err = w.leave(v)
		} else {
			err = w.visit(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// walker is a walk in progress.
type walker struct {
	*reader
	todo    []visit // the next one last
	seen    map[pickle.Value]state
	refused bool // an alias was beyond the budget: it stands for all of them
}

// leave records whether something below a node is a tensor. An array of Python objects without any is left out as a whole.
func (w *walker) leave(v visit) error {
	if w.found() > v.had {
		w.seen[v.v] = hasTensors
		return nil
	}
	w.seen[v.v] = noTensors
	if w.objectsOf(v.v) == nil {
		return nil
	}
	return w.refuse(v.at, &rebuilt{elements: pythonObjects})
}

// visit lists a value if it is a tensor, and otherwise enters it.
func (w *walker) visit(v visit) error {
	if v.depth > maxDepth {
		return fault.New(fault.Unsupported, "values nested deeper than %d", maxDepth)
	}
	if c, isCall := v.v.(*pickle.Call); isCall {
		listed, err := w.list(c, v)
		if err != nil {
			return err
		}
		hasBelow := hasState(c) && !w.rebuilt[c].isDTensor()
		if listed && (w.seen[v.v] != unseen || !hasBelow) {
			return nil
		}
	}
	switch w.seen[v.v] {
	case unseen:
		return w.enter(v)
	case hasTensors:
		if w.revisit(v.v) {
			return w.enter(v)
		}
		return w.refuseAlias(v.at)
	}
	return nil // it is a cycle, or has no tensors
}

// enter schedules the nodes below a node, in order, and then that it is left.
func (w *walker) enter(v visit) error {
	if w.hashed -= keyBytes(v.v); w.hashed < 0 {
		return fault.New(fault.Unsupported, "the keys of the pickle's dicts exceed %d bytes in total", w.hashable)
	}
	w.seen[v.v] = entered
	w.todo = append(w.todo, visit{v: v.v, at: v.at, leave: true, had: w.found()})
	from := len(w.todo)
	if a := w.objectsOf(v.v); a != nil {
		w.todo = a.below(w.todo, v.at)
	} else {
		w.todo = children(w.todo, v)
	}
	below := w.todo[from:]
	for i := range below {
		below[i].unnamedOnly = below[i].unnamedOnly || v.unnamedOnly
		below[i].depth = v.depth + 1
	}
	slices.Reverse(below)
	return nil
}

// refuseAlias lists the first alias beyond the budget as not shown.
func (w *walker) refuseAlias(at *keyPath) error {
	if w.refused {
		return nil
	}
	w.refused = true
	return w.refuse(at, &rebuilt{why: "too many aliases of shared submodules"})
}

// revisit takes the cost of listing a shared node again from the budget, and reports whether it suffices.
func (r *reader) revisit(v pickle.Value) bool {
	n := width(v) + r.objectsOf(v).len()
	if n > r.revisits {
		return false
	}
	r.revisits -= n
	return true
}

// width returns the cost of visiting a node, excluding the nodes below it.
func width(v pickle.Value) int {
	switch v := v.(type) {
	case *pickle.Tuple:
		return 1 + len(v.Items)
	case *pickle.List:
		return 1 + len(v.Items)
	case *pickle.Set:
		return 1 + len(v.Items)
	case *pickle.Dict:
		return 1 + len(v.Pairs)
	case *pickle.Call:
		n := 1 + len(v.Args.Items) + len(v.Items) + len(v.Pairs)
		if d, ok := v.Keywords.(*pickle.Dict); ok {
			n += len(d.Pairs)
		}
		if len(v.Args.Items) == 1 { // the list that makes a Python 2 OrderedDict
			if l, ok := v.Args.Items[0].(*pickle.List); ok {
				n += len(l.Items)
			}
		}
		return n
	}
	return 1
}

// keyBytes returns how many bytes of keys a visit to a node compares. A key may be as long as the pickle and, from its memo, be in any
// number of dicts.
func keyBytes(v pickle.Value) (n int64) {
	var all []pickle.Pair
	switch v := v.(type) {
	case *pickle.Dict:
		all = v.Pairs
	case *pickle.Call:
		all = v.Pairs
		if d, ok := v.Keywords.(*pickle.Dict); ok {
			n = keyBytes(d)
		}
		if len(v.Args.Items) == 1 {
			all = append(couples(v.Args.Items[0]), all...)
		}
	}
	for _, p := range all {
		s, _ := stringOf(p.Key)
		n += int64(len(s))
	}
	return n
}

// constants lists the tensors of a TorchScript archive's constants under the names in its code: CONSTANTS.c0.
func (r *reader) constants(root pickle.Value) error {
	t, ok := root.(*pickle.Tuple)
	if !ok {
		return fault.New(fault.Malformed, "constants.pkl is not a tuple")
	}
	todo := make([]visit, 0, len(t.Items))
	at := (*keyPath)(nil).below("CONSTANTS")
	for i, v := range t.Items {
		todo = append(todo, visit{v: v, at: at.below("c" + strconv.Itoa(i))})
	}
	slices.Reverse(todo)
	return r.walk(todo...)
}

// found returns the number of tensors, shown or not.
func (r *reader) found() int { return len(r.c.Tensors) + len(r.c.Refused) + len(r.c.LeftOut) }

// allow refuses an nth tensor beyond the limit, or more tensors than the pickles' bytes may list.
func (r *reader) allow(n int) error {
	if max := checkpoint.Listable(r.pickled); n > max {
		return fault.New(fault.Unsupported, "pickles of %d bytes list more than %d tensors", r.pickled, max)
	}
	return r.limit.Check(uint64(n), "tensors")
}

// list lists a call that makes a tensor, and reports whether it does.
func (r *reader) list(c *pickle.Call, v visit) (bool, error) {
	result, err := r.rebuild(c)
	if err != nil {
		return false, fault.In("tensor "+text.Quoted(text.Cut(v.at.String(), 200)), err)
	}
	if result.other {
		return false, nil
	}
	if v.unnamedOnly && result.listed {
		return true, nil
	}
	if result.objects != nil {
		return false, nil
	}
	result.listed = true
	if err := r.allow(r.found() + 1); err != nil {
		return false, err
	}
	if result.why != "" || result.elements != "" {
		return !result.array, r.refuse(v.at, result)
	}
	t := result.tensor
	t.Name, err = r.unique(v.at)
	if err != nil {
		return false, err
	}
	t.Root = v.depth == 0
	if result.local != nil {
		if r.c.Locals == nil {
			r.c.Locals = map[string]*checkpoint.Local{}
		}
		r.c.Locals[t.Name] = result.local
	}
	r.c.Tensors = append(r.c.Tensors, t)
	return true, nil
}

// hasState reports whether a tensor has attributes, which may also be tensors.
func hasState(c *pickle.Call) bool {
	return (wrappers[name(c.Callable)] || subclasses[name(c.Callable)]) && len(c.Args.Items) == 4
}

func (r *reader) refuse(at *keyPath, result *rebuilt) error {
	name, err := r.unique(at)
	if result.elements != "" {
		r.c.LeftOut = append(r.c.LeftOut, checkpoint.LeftOut{Name: name, Elements: result.elements})
	} else {
		r.c.Refused = append(r.c.Refused, checkpoint.Refused{Name: name, Why: result.why, Storages: result.uses})
	}
	return err
}

// unique returns the name of a position, followed by #2 if it is the second with that name: {"a.b": x, "a": {"b": y}}.
func (r *reader) unique(at *keyPath) (string, error) {
	if at != nil {
		if err := r.room.TakeName(int64(at.bytes)); err != nil {
			return "", err
		}
	}
	name := at.String()
	full := name
	for r.names[full] > 0 {
		r.names[name]++
		full = fmt.Sprintf("%s#%d", name, r.names[name])
	}
	r.names[full]++
	return full, nil
}

// children appends the values below a value.
func children(todo []visit, t visit) []visit {
	switch v := t.v.(type) {
	case *pickle.Tuple:
		return items(todo, v.Items, t.at)
	case *pickle.List:
		return items(todo, v.Items, t.at)
	case *pickle.Set:
		return items(todo, v.Items, t.at)
	case *pickle.Dict:
		return pairs(todo, v.Pairs, t.at, t.attributes && isModule(v.Pairs))
	case *pickle.Call:
		return parts(todo, v, t.at)
	}
	return todo
}

// holds reports whether there can be values below a value.
func holds(v pickle.Value) bool {
	switch v := v.(type) {
	case *pickle.Tuple:
		return len(v.Items) > 0
	case *pickle.List:
		return len(v.Items) > 0
	case *pickle.Set:
		return len(v.Items) > 0
	case *pickle.Dict:
		return len(v.Pairs) > 0
	case *pickle.Call:
		return true
	}
	return false
}

func items(todo []visit, items []pickle.Value, at *keyPath) []visit {
	for i, v := range items {
		if holds(v) {
			todo = append(todo, visit{v: v, at: at.below(strconv.Itoa(i))})
		}
	}
	return todo
}

// pairs appends a dict's values, the last one for a repeated key, and those of its keys that are objects.
func pairs(todo []visit, pairs []pickle.Pair, at *keyPath, module bool) []visit {
	last := make(map[pickle.Value]int, len(pairs))
	for i, p := range pairs {
		last[p.Key] = i
	}
	for i, p := range pairs {
		n, ok := last[p.Key]
		if !ok {
			continue // listed with the first
		}
		if n != i {
			delete(last, p.Key)
			p.Value = pairs[n].Value
		}
		name, plain := key(p.Key, i)
		if !plain {
			todo = append(todo, visit{v: p.Key, at: at.below(name).below("key")})
		}
		if !holds(p.Value) {
			continue
		}
		if module && isModuleDict(name) {
			todo = append(todo, visit{v: p.Value, at: at})
			continue
		}
		todo = append(todo, visit{v: p.Value, at: at.below(name), unnamedOnly: module})
	}
	return todo
}

// isModule reports whether attributes are those of an nn.Module, whose state_dict has the keys of the three dicts without the dicts'
// names. (torch/nn/modules/module.py, _save_to_state_dict)
func isModule(attributes []pickle.Pair) bool {
	n := 0
	for _, p := range attributes {
		if s, ok := p.Key.(pickle.String); ok && isModuleDict(string(s)) {
			n++
		}
	}
	return n >= 3
}

func isModuleDict(name string) bool {
	return name == "_parameters" || name == "_buffers" || name == "_modules"
}

// transparent are functions of TorchScript that return their first argument. (torch/jit/_pickle.py)
var transparent = map[string]bool{
	"torch.jit._pickle.restore_type_tag": true, "torch.jit._pickle.build_tensorlist": true, "torch.jit._pickle.build_intlist": true,
	"torch.jit._pickle.build_doublelist": true, "torch.jit._pickle.build_boollist": true,
}

// parts appends the values below an object: the items set in it, its attributes, and its arguments.
func parts(todo []visit, c *pickle.Call, at *keyPath) []visit {
	function := name(c.Callable)
	args := c.Args.Items
	if hasState(c) { // a tensor's attributes are its fourth argument
		return attributes(todo, args[3], at)
	}
	if transparent[function] && len(args) > 0 {
		return append(todo, visit{v: args[0], at: at})
	}
	if function == "collections.OrderedDict" && len(args) == 1 {
		todo = pairs(todo, couples(args[0]), at, false) // Python 2
	} else {
		todo = items(todo, args, at)
	}
	if d, ok := c.Keywords.(*pickle.Dict); ok {
		todo = pairs(todo, d.Pairs, at, false)
	}
	todo = items(todo, c.Items, at)
	todo = pairs(todo, c.Pairs, at, false)
	if c.State == nil {
		return todo
	}
	return attributes(todo, c.State, at)
}

// attributes appends an object's state: a dict, or a tuple of two whose second is of slots.
func attributes(todo []visit, state pickle.Value, at *keyPath) []visit {
	if pair := tupleOf(2, state); pair != nil {
		_, none := pair[0].(pickle.None)
		_, dict := pair[0].(*pickle.Dict)
		if _, slots := pair[1].(*pickle.Dict); slots && (none || dict) {
			return append(todo, visit{v: pair[0], at: at, attributes: true}, visit{v: pair[1], at: at, attributes: true})
		}
	}
	return append(todo, visit{v: state, at: at, attributes: true})
}

// couples returns the keys and values of a list of lists of two.
func couples(v pickle.Value) (found []pickle.Pair) {
	list, _ := v.(*pickle.List)
	if list == nil {
		return nil
	}
	for _, item := range list.Items {
		var pair []pickle.Value
		switch item := item.(type) {
		case *pickle.List:
			pair = item.Items
		case *pickle.Tuple:
			pair = item.Items
		}
		if len(pair) == 2 {
			found = append(found, pickle.Pair{Key: pair[0], Value: pair[1]})
		}
	}
	return found
}

// maxTuple bounds the items of a tuple that is a named key, and their bytes.
const maxTuple = 200

// key returns the name of a dict's key, or # and its position if it has no text. plain is false if the key is an object.
func key(k pickle.Value, i int) (name string, plain bool) {
	if t, ok := k.(*pickle.Tuple); ok {
		parts := make([]string, min(len(t.Items), maxTuple))
		bytes := 0
		for j := range parts {
			parts[j], ok = scalar(t.Items[j])
			if bytes += len(parts[j]); !ok || bytes > maxTuple {
				return "#" + strconv.Itoa(i), true
			}
		}
		if len(parts) < len(t.Items) {
			return "#" + strconv.Itoa(i), true
		}
		return "(" + strings.Join(parts, ", ") + ")", true
	}
	if s, ok := scalar(k); ok {
		return s, true
	}
	_, isCall := k.(*pickle.Call)
	return "#" + strconv.Itoa(i), !isCall
}

func scalar(v pickle.Value) (string, bool) {
	switch v := v.(type) {
	case pickle.None:
		return "None", true
	case pickle.Bool:
		return map[pickle.Bool]string{true: "True", false: "False"}[v], true
	case pickle.Int:
		return strconv.FormatInt(int64(v), 10), true
	case pickle.BigInt:
		return string(v), true
	case pickle.Float:
		return strconv.FormatFloat(float64(v), 'g', -1, 64), true
	case pickle.String:
		return string(v), true
	case pickle.Bytes:
		return string(v), true
	case *pickle.Global:
		return v.String(), true
	}
	return "", false
}

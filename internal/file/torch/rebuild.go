package torch

import (
	"cmp"
	"math"
	"strings"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/pickle"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// rebuilt is the result of a call, if it is a tensor.
type rebuilt struct {
	tensor   checkpoint.Tensor // unnamed
	why      string            // why it is not shown; empty if it is
	elements string            // elements of an array that is not a tensor; empty if it is one
	uses     []int             // its storages, if it is not shown
	other    bool              // the call makes something else
	busy     bool              // the call is being read
	listed   bool              // it has a name
	array    bool              // a NumPy array; if it is not shown, the values below the call are listed
	local    *checkpoint.Local // the place of a DTensor's part
	dtensor  bool              // a DTensor: its attributes are not listed
	objects  *objectArray      // its elements, if they are Python objects; nil for other arrays
}

func (r *rebuilt) isDTensor() bool { return r != nil && r.dtensor }

var other = &rebuilt{other: true}

// functions that make a tensor from a storage, and the index of their dtype or metadata argument; 0: none. (torch/_utils.py)
var dense = map[string]struct{ dtype, metadata int }{
	"torch._utils._rebuild_tensor":    {},
	"torch._utils._rebuild_tensor_v2": {metadata: 6},
	"torch._utils._rebuild_tensor_v3": {dtype: 6, metadata: 7},
}

// wrappers make a tensor from a tensor, their first argument. (torch/_utils.py, torch/nn/parameter.py)
var wrappers = map[string]bool{
	"torch._utils._rebuild_parameter": true, "torch._utils._rebuild_parameter_with_state": true,
	"torch.nn.parameter.Parameter": true, "torch.nn.parameter.Buffer": true,
}

// subclasses call a function, their first argument, on their third, and give the result another class. (torch/_tensor.py; the module
// was torch.tensor before 1.9)
var subclasses = map[string]bool{
	"torch._tensor._rebuild_from_type_v2": true, "torch._tensor._rebuild_from_type": true, "torch.tensor._rebuild_from_type": true,
}

// hidden maps functions to the reason why their tensors are not shown.
var hidden = map[string]string{
	"torch._utils._rebuild_sparse_tensor":                 "it is sparse: indices and values instead of strides",
	"torch._utils._rebuild_sparse_csr_tensor":             "it is sparse: indices and values instead of strides",
	"torch._utils._rebuild_qtensor":                       "it is quantized: values need its scale and zero point",
	"torch._utils._rebuild_meta_tensor_no_storage":        "it is on device meta and has no elements",
	"torch._utils._rebuild_nested_tensor":                 "it is nested: it has several shapes",
	"torch._utils._rebuild_wrapper_subclass":              "its class wraps other tensors and has no storage of its own",
	"torch._utils._rebuild_device_tensor_from_numpy":      "its elements are a NumPy array in the pickle, for another device",
	"torch._utils._rebuild_xla_tensor":                    "its elements are a NumPy array in the pickle, for another device",
	"torch._utils._rebuild_device_tensor_from_cpu_tensor": "it is converted from another tensor on loading",
}

// rebuild returns the result of a call. A chain of wrappers is read once, whichever of it is asked for.
func (r *reader) rebuild(c *pickle.Call) (*rebuilt, error) {
	var chain []*pickle.Call
	var result *rebuilt
	for result == nil {
		if known := r.rebuilt[c]; known != nil {
			result = known
			if known.busy {
				result = other
			}
			break
		}
		r.rebuilt[c] = &rebuilt{busy: true}
		chain = append(chain, c)
		inner := unwrap(c)
		if inner == nil {
			var err error
			result, err = r.make(name(c.Callable), c.Args.Items, c.State)
			if err != nil {
				return nil, err
			}
		}
		c = inner
	}
	for _, c := range chain {
		r.rebuilt[c] = result
	}
	return result, nil
}

// name returns the name of the callee; empty if it has none.
func name(callable pickle.Value) string {
	if g, ok := callable.(*pickle.Global); ok {
		return g.String()
	}
	return ""
}

// unwrap returns the tensor inside a wrapper; nil for other calls.
func unwrap(c *pickle.Call) *pickle.Call {
	if !wrappers[name(c.Callable)] {
		return nil
	}
	from := c.Args.Items
	if state, ok := c.State.(*pickle.Tuple); ok && len(from) == 0 {
		from = state.Items // before 0.4
	}
	if len(from) == 0 {
		return nil
	}
	inner, _ := from[0].(*pickle.Call)
	return inner
}

// make returns the result of a function with these arguments.
func (r *reader) make(function string, args []pickle.Value, state pickle.Value) (*rebuilt, error) {
	if subclasses[function] && len(args) >= 3 {
		inner, ok := args[2].(*pickle.Tuple)
		if !ok {
			return nil, fault.New(fault.Malformed, "its arguments are not a tuple")
		}
		function = name(args[0])
		if isDTensor(function, inner.Items) {
			return r.dtensor(inner.Items, args[3:])
		}
		args = inner.Items
		if _, ok := dense[function]; !ok && hidden[function] == "" {
			return &rebuilt{why: "its class is made by " + text.Quoted(text.Cut(function, 100)), uses: r.uses(args)}, nil
		}
	}
	if why := hidden[function]; why != "" {
		return &rebuilt{why: why, uses: r.uses(args)}, nil
	}
	if array := r.array(function, args, state); array != nil {
		return array, nil
	}
	at, known := dense[function]
	if !known {
		args = legacyArgs(function, args, state)
		if args == nil {
			return other, nil
		}
	}
	if len(args) < 4 || len(args) <= at.dtype {
		return nil, fault.New(fault.Malformed, "%s has %d arguments", function, len(args))
	}
	return r.dense(args, at.dtype, at.metadata)
}

// legacyArgs returns the arguments of a tensor as PyTorch before 0.4 pickled it: they are the state of an object that its class makes without any;
// nil for other calls. torch/_weights_only_unpickler.py calls it legacy unpickling.
func legacyArgs(function string, args []pickle.Value, state pickle.Value) []pickle.Value {
	if len(args) > 0 || !isTensorClass(function) {
		return nil
	}
	return tupleOf(4, state)
}

// tupleOf returns the items of a tuple of n; nil for other values.
func tupleOf(n int, v pickle.Value) []pickle.Value {
	t, ok := v.(*pickle.Tuple)
	if !ok || len(t.Items) != n {
		return nil
	}
	return t.Items
}

// dense reads storage, offset, size and stride. (torch/_utils.py, _rebuild_tensor)
func (r *reader) dense(args []pickle.Value, typeAt, metadata int) (*rebuilt, error) {
	id, ok := args[0].(*pickle.Persistent)
	f, known := r.refs[id]
	if !known && r.c.Format == checkpoint.Pickle {
		return &rebuilt{why: "it is a tensor of PyTorch that was pickled without torch.save"}, nil
	}
	if !ok || !known || f.module {
		return nil, fault.New(fault.Malformed, "its storage is not one of the file's")
	}
	elem := r.stored[f.storage].elem
	size := elem.size
	if typeAt > 0 {
		g, ok := args[typeAt].(*pickle.Global)
		if !ok || g.Module != "torch" {
			return nil, fault.New(fault.Malformed, "its dtype is not one of torch's")
		}
		elem.name = g.Name
	}
	t, ok := TypeOf(cmp.Or(elem.name, "uint8"), r.big)
	if !ok {
		return &rebuilt{why: "its dtype " + text.Quoted(text.Cut(elem.String(), 61)) + " is unknown", uses: []int{f.storage}}, nil
	}
	if metadata > 0 && len(args) > metadata && flagged(args[metadata]) {
		return &rebuilt{why: "its values are the conjugates or negatives of the stored ones", uses: []int{f.storage}}, nil
	}
	view, err := viewOf(args[1:4])
	if err != nil {
		return nil, err
	}
	if err := f.holds(view, t, size); err != nil {
		return nil, err
	}
	view.Offset, ok = add(view.Offset, int(f.offset))
	if !ok { // a view, whose elements have the storage's type
		return nil, fault.New(fault.Malformed, "its storage offset overflows the address space")
	}
	return &rebuilt{tensor: checkpoint.Tensor{Type: t, View: view, Storage: f.storage}}, nil
}

// TypeOf returns PyTorch's type with this name, big-endian if big is set; ok is false for unknown and for quantized ones.
func TypeOf(name string, big bool) (t dtype.Type, ok bool) {
	order := "<"
	if big {
		order = ">"
	}
	switch name {
	case "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64",
		"complex128":
		t, err := dtype.Parse(name)
		if big {
			t = t.OtherOrder()
		}
		return t, err == nil
	case "bfloat16", "complex32", "bcomplex32", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2":
		t, err := dtype.Parse(order + name)
		return t, err == nil
	}
	return dtype.Type{}, false
}

// flagged reports whether metadata sets the conj or the neg bit. (torch/csrc/Module.cpp, _set_tensor_metadata)
func flagged(v pickle.Value) bool {
	var pairs []pickle.Pair
	switch v := v.(type) {
	case *pickle.Dict:
		pairs = v.Pairs
	case *pickle.Call:
		pairs = v.Pairs
	}
	for _, p := range pairs {
		if p.Value == pickle.Bool(true) {
			return true
		}
	}
	return false
}

// viewOf reads offset, size and stride, in elements.
func viewOf(args []pickle.Value) (tensor.Strided, error) {
	offset, err := whole("storage offset", args[0])
	if err != nil {
		return tensor.Strided{}, err
	}
	shape, err := Sizes("size", args[1])
	if err != nil {
		return tensor.Strided{}, err
	}
	strides, err := Sizes("stride", args[2])
	if err != nil {
		return tensor.Strided{}, err
	}
	if len(shape) != len(strides) {
		return tensor.Strided{}, fault.New(fault.Malformed, "it has %d sizes and %d strides", len(shape), len(strides))
	}
	if _, err := tensor.Numel(shape); err != nil {
		return tensor.Strided{}, err
	}
	return tensor.Strided{Shape: shape, Strides: strides, Offset: offset}, nil
}

// Sizes reads a tuple of numbers of at least 0, or a torch.Size, of at most tensor.MaxRank.
func Sizes(what string, v pickle.Value) ([]int, error) {
	if c, ok := v.(*pickle.Call); ok && name(c.Callable) == "torch.Size" && len(c.Args.Items) == 1 {
		v = c.Args.Items[0]
	}
	var items []pickle.Value
	switch v := v.(type) {
	case *pickle.Tuple:
		items = v.Items
	case *pickle.List:
		items = v.Items
	default:
		return nil, fault.New(fault.Malformed, "its %s is not a tuple", what)
	}
	if len(items) > tensor.MaxRank {
		return nil, fault.New(fault.Unsupported, "rank %d is over the limit of %d dims", len(items), tensor.MaxRank)
	}
	numbers := make([]int, len(items))
	for i, item := range items {
		var err error
		numbers[i], err = whole(what, item)
		if err != nil {
			return nil, err
		}
	}
	return numbers, nil
}

// whole reads a number of at least 0.
func whole(what string, v pickle.Value) (int, error) {
	n, ok := v.(pickle.Int)
	if !ok {
		return 0, fault.New(fault.Malformed, "its %s is not an integer", what)
	}
	if n < 0 {
		return 0, fault.New(fault.Malformed, "its %s is negative: %d", what, n).WithHint("PyTorch has no negative strides: do not load this file")
	}
	if uint64(n) > math.MaxInt {
		return 0, fault.New(fault.Unsupported, "its %s %d overflows this machine's integers", what, n)
	}
	return int(n), nil
}

// holds checks that the elements of a view are within the storage, or its part. An empty view may have any offset, as in PyTorch:
// torch.zeros(3, 4)[3:, 4:] has 16.
func (f ref) holds(v tensor.Strided, t dtype.Type, size int64) error {
	if size != int64(t.ItemSize()) && f.offset > 0 {
		return fault.New(fault.Malformed, "it is a view of a storage with another type")
	}
	have := int(min(f.numel*size/int64(t.ItemSize()), math.MaxInt))
	if v.Empty() {
		return nil
	}
	last, fits := lastElement(v)
	if !fits || last >= have {
		where := "beyond all addresses"
		if fits {
			where = "element " + text.Each([]int{last})[0]
		}
		return fault.New(fault.Malformed, "its last element is %s of a storage of %d: size %s, stride %s, offset %d", where, have,
			tensor.Tuple(v.Shape), tensor.Tuple(v.Strides), v.Offset).WithHint("the file is damaged or malicious: do not load it")
	}
	return nil
}

// lastElement returns the offset of the last element of a view with elements, and whether it fits.
func lastElement(v tensor.Strided) (last int, fits bool) {
	last = v.Offset
	for i, n := range v.Shape {
		reach, ok := tensor.Mul(n-1, v.Strides[i])
		if !ok {
			return 0, false
		}
		last, ok = add(last, reach)
		if !ok {
			return 0, false
		}
	}
	return last, true
}

// add returns a+b, both at least 0, and whether it fits.
func add(a, b int) (int, bool) {
	return a + b, a <= math.MaxInt-b
}

// isTensorClass reports whether a global is a class such as torch.FloatTensor or torch.cuda.FloatTensor.
func isTensorClass(name string) bool {
	return name == "torch.Tensor" || tensorClasses()[name]
}

// uses returns the storages that arguments reach through tensors, tuples and lists, each once.
func (r *reader) uses(args []pickle.Value) (storages []int) {
	seen := map[pickle.Value]bool{}
	found := map[int]bool{}
	todo := append([]pickle.Value(nil), args...)
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch v.(type) {
		case *pickle.Persistent, *pickle.Tuple, *pickle.List, *pickle.Call:
		default:
			continue
		}
		if seen[v] {
			continue
		}
		seen[v] = true
		switch v := v.(type) {
		case *pickle.Persistent:
			if f, known := r.refs[v]; known && !f.module && !found[f.storage] {
				found[f.storage] = true
				storages = append(storages, f.storage)
			}
		case *pickle.Tuple:
			todo = append(todo, v.Items...)
		case *pickle.List:
			todo = append(todo, v.Items...)
		case *pickle.Call:
			todo = append(todo, v.Args.Items...)
		}
	}
	return storages
}

// tensorClasses are those of torch._tensor_classes with one storage.
var tensorClasses = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, kind := range strings.Fields("BFloat16 Bool Byte Char Double Float Half Int Long Short") {
		m["torch."+kind+"Tensor"], m["torch.cuda."+kind+"Tensor"] = true, true
	}
	return m
})

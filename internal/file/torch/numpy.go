package torch

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/pickle"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// A pickled NumPy array has one of two forms: _reconstruct with a state (version, shape, dtype, is it in Fortran order, bytes), or from
// protocol 5 on _frombuffer(bytes, dtype, shape, order) of a contiguous one. The modules are those of NumPy 1 and 2.
// (numpy/core/src/multiarray/methods.c, array_reduce and array_setstate; numpy/core/numeric.py, _frombuffer)

// pickles reads pickles in a row, as pickle.dump appends them to a file. The names of what several hold begin with their numbers.
func (r *reader) pickles(file io.ReaderAt, at, size int64) error {
	r.c.Format = checkpoint.Pickle
	l := &legacy{at: at, size: size, file: file, b: bufio.NewReader(io.NewSectionReader(file, at, size-at))}
	var roots []pickle.Value
	for l.at < size {
		p, err := r.next(l, "pickle "+strconv.Itoa(len(roots)+1))
		if err != nil {
			return err
		}
		r.note(p)
		roots = append(roots, p.Root)
	}
	if len(roots) == 1 {
		return r.walk(visit{v: roots[0]})
	}
	return r.walk(visit{v: &pickle.List{Items: roots}})
}

// array returns the array that a call makes; nil if it makes another value.
func (r *reader) array(function string, args []pickle.Value, state pickle.Value) *rebuilt {
	switch function {
	case "numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct":
		set := tupleOf(5, state)
		if set == nil || len(args) == 0 || name(args[0]) != "numpy.ndarray" {
			return nil
		}
		fortran, _ := set[3].(pickle.Bool)
		return r.arrayOf(set[1], set[2], bool(fortran), set[4])
	case "numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer":
		if len(args) != 4 {
			return nil
		}
		order, _ := stringOf(args[3])
		return r.arrayOf(args[2], args[1], order == "F", args[0])
	}
	return nil
}

// Reasons for refusing an array of numbers.
const (
	otherBytes  = "it is a NumPy array whose size differs from its shape and dtype"
	sharedBytes = "it is a NumPy array with shared bytes: together such arrays exceed the pickle"
)

// arrayOf returns an array of the bytes in v, as a tensor with its own storage.
func (r *reader) arrayOf(shape, typ pickle.Value, fortran bool, v pickle.Value) *rebuilt {
	t, elements, why := numeric(typ)
	if elements == pythonObjects {
		return &rebuilt{objects: &objectArray{shape: shape, elements: v}, array: true}
	}
	if elements != "" || why != "" {
		return &rebuilt{why: why, elements: elements, array: true}
	}
	refused := &rebuilt{why: otherBytes, array: true}
	sizes, err := Sizes("size", shape)
	if err != nil {
		return refused
	}
	axes := tensor.Packed
	if fortran {
		axes = tensor.ColumnMajor
	}
	view, err := axes(sizes)
	if err != nil {
		return refused
	}
	want, fits := tensor.Mul(view.Numel(), t.ItemSize())
	if !fits {
		return refused
	}
	data, why := r.bytesOf(v, want)
	if why != "" {
		return &rebuilt{why: why, array: true}
	}
	key := storageKey{"numpy", "numpy/" + strconv.Itoa(r.arrays)}
	r.arrays++
	i := r.add(key, stored{numel: int64(want)}, checkpoint.Storage{Bytes: int64(want), Inline: true, Data: data})
	return &rebuilt{tensor: checkpoint.Tensor{Type: t, View: view, Storage: i}, array: true}
}

// objectArray is an array whose elements are any values.
type objectArray struct {
	shape    pickle.Value
	elements pickle.Value // a list, in C order even of an array in Fortran order (_getlist_pkl of numpy/core/src/multiarray/methods.c)
}

// objectsOf returns the array of objects that a value makes; nil for other values.
func (r *reader) objectsOf(v pickle.Value) *objectArray {
	c, ok := v.(*pickle.Call)
	if !ok || r.rebuilt[c] == nil {
		return nil
	}
	return r.rebuilt[c].objects
}

// len returns the number of elements that the pickle has; 0 without an array.
func (a *objectArray) len() int {
	if a == nil {
		return 0
	}
	elements, _ := a.elements.(*pickle.List)
	if elements == nil {
		return 0
	}
	return len(elements.Items)
}

// sizes returns the shape, and whether the pickle has as many elements.
func (a *objectArray) sizes() (shape []int, fits bool) {
	shape, err := Sizes("size", a.shape)
	if err != nil {
		return nil, false
	}
	n, err := tensor.Numel(shape)
	return shape, err == nil && n == a.len()
}

// below appends the elements as the values below an array, each under its index; the single one of an array without dims under the array's own
// name, since numpy.save wraps everything that is not an array in one of those.
func (a *objectArray) below(todo []visit, at *keyPath) []visit {
	elements, isList := a.elements.(*pickle.List)
	shape, fits := a.sizes()
	if !isList || !fits {
		return append(todo, visit{v: a.elements, at: at})
	}
	for i, v := range elements.Items {
		if holds(v) {
			todo = append(todo, visit{v: v, at: indexed(at, shape, i)})
		}
	}
	return todo
}

// indexed returns the position of element i in C order, below an array's: its index along each dim.
func indexed(at *keyPath, shape []int, i int) *keyPath {
	index := make([]int, len(shape))
	for dim := len(shape) - 1; dim >= 0; dim-- {
		index[dim] = i % shape[dim]
		i /= shape[dim]
	}
	for _, n := range index {
		at = at.below(strconv.Itoa(n))
	}
	return at
}

// pythonObjects are the elements of an object array.
const pythonObjects = "Python objects"

// notNumbers maps a dtype's first letter to the elements of arrays that are not tensors.
var notNumbers = map[byte]string{'O': pythonObjects, 'S': "texts", 'U': "texts", 'M': "times", 'm': "times"}

// numeric returns the type of a dtype of numbers: dtype(name, …) with a state (version, byte order, …). elements is what the elements
// are if they are not numbers, and why the reason if the type is not supported.
func numeric(v pickle.Value) (t dtype.Type, elements, why string) {
	why = "it is a NumPy array of an unsupported type"
	c, ok := v.(*pickle.Call)
	if !ok || name(c.Callable) != "numpy.dtype" || len(c.Args.Items) == 0 {
		return t, "", why
	}
	state, ok := c.State.(*pickle.Tuple)
	if !ok || len(state.Items) < 2 {
		return t, "", why
	}
	kind, _ := stringOf(c.Args.Items[0])
	if kind == "" {
		return t, "", why
	}
	if elements := notNumbers[kind[0]]; elements != "" {
		return t, elements, ""
	}
	if order, _ := stringOf(state.Items[1]); strings.Contains("biufc", kind[:1]) && len(order) == 1 && strings.Contains("<>|", order) {
		if t, err := dtype.Parse(order + kind); err == nil {
			return t, "", ""
		}
	}
	return t, "", why + ": " + text.Quoted(text.Cut(kind, 20))
}

// bytesOf returns n bytes, which protocols 0 to 2 store as a text whose characters are bytes: _codecs.encode(text, 'latin1'), or
// bytes(); or the reason why it does not. Each of them is at least a byte of the pickle, unless it is shared: a few bytes of a hostile
// pickle can refer to a long text. A character that is one byte in protocol 0 has two in UTF-8.
func (r *reader) bytesOf(v pickle.Value, n int) (data, why string) {
	c, ok := v.(*pickle.Call)
	if !ok {
		s, ok := stringOf(v)
		if !ok || len(s) != n {
			return "", otherBytes
		}
		if !r.decodes(n) {
			return "", sharedBytes
		}
		return s, ""
	}
	args := c.Args.Items
	switch name(c.Callable) {
	case "__builtin__.bytes", "builtins.bytes":
		if len(args) == 0 && n == 0 {
			return "", ""
		}
	case "_codecs.encode":
		if len(args) == 2 && args[1] == pickle.Value(pickle.String("latin1")) {
			return r.latin1(args[0], n)
		}
	}
	return "", otherBytes
}

// latin1 returns the n characters of a text as bytes, or the reason why it has others.
func (r *reader) latin1(v pickle.Value, n int) (data, why string) {
	s, ok := v.(pickle.String)
	if !ok || n > len(s) || len(s)-n > n {
		return "", otherBytes
	}
	if !r.decodes(n) {
		return "", sharedBytes
	}
	var bytes strings.Builder
	bytes.Grow(n)
	for _, char := range string(s) {
		if char > 0xff || bytes.Len() == n {
			return "", otherBytes
		}
		bytes.WriteByte(byte(char))
	}
	if bytes.Len() < n {
		return "", otherBytes
	}
	return bytes.String(), ""
}

// decodes takes n bytes from the budget of all arrays.
func (r *reader) decodes(n int) bool {
	if int64(n) > r.decodable {
		return false
	}
	r.decodable -= int64(n)
	return true
}

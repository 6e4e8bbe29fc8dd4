package torch

import (
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/pickle"
	"github.com/tlayout/tlayout/internal/words"
)

// A NumPy array is in the pickle with its bytes, in one of two forms: _reconstruct with a state (version, shape, dtype, whether it is in
// Fortran order, bytes), or from protocol 5 on _frombuffer(bytes, dtype, shape, order) of a contiguous one. The modules are those of
// NumPy 1 and 2. (numpy/core/src/multiarray/methods.c, array_reduce and array_setstate; numpy/core/numeric.py, _frombuffer)

// array returns the array that a call makes; nil if it makes none.
func (r *reader) array(function string, args []pickle.Value, state pickle.Value) *rebuilt {
	t, _ := state.(*pickle.Tuple)
	switch function {
	case "numpy.core.multiarray._reconstruct", "numpy._core.multiarray._reconstruct":
		if len(args) == 0 || name(args[0]) != "numpy.ndarray" || t == nil || len(t.Items) != 5 {
			return nil
		}
		fortran, _ := t.Items[3].(pickle.Bool)
		return r.arrayOf(t.Items[1], t.Items[2], bool(fortran), t.Items[4])
	case "numpy.core.numeric._frombuffer", "numpy._core.numeric._frombuffer":
		if len(args) != 4 {
			return nil
		}
		order, _ := text(args[3])
		return r.arrayOf(args[2], args[1], order == "F", args[0])
	}
	return nil
}

// otherBytes is why such an array is left out.
const otherBytes = "it is a NumPy array whose bytes are not those of its shape and type"

// arrayOf is an array of the bytes in v, as a tensor with a storage of its own.
func (r *reader) arrayOf(shape, of pickle.Value, fortran bool, v pickle.Value) *rebuilt {
	t, why := numeric(of)
	if why != "" {
		return &rebuilt{why: why, array: true}
	}
	refused := &rebuilt{why: otherBytes, array: true}
	sizes, err := list("size", shape)
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
	data, ok := r.bytesOf(v, want)
	if !fits || !ok {
		return refused
	}
	key := storageKey{"numpy", "numpy/" + strconv.Itoa(r.arrays)}
	r.arrays++
	i := r.add(key, stored{numel: int64(want)}, checkpoint.Storage{Bytes: int64(want), Inline: true, Data: data})
	return &rebuilt{tensor: checkpoint.Tensor{Type: t, View: view, Storage: i}, array: true}
}

// numeric is the type of numbers that a dtype is: dtype(name, …) with a state (version, byte order, …). why says that it is another one.
func numeric(v pickle.Value) (t dtype.Type, why string) {
	why = "it is a NumPy array of another type than numbers"
	c, ok := v.(*pickle.Call)
	if !ok || name(c.Callable) != "numpy.dtype" || len(c.Args.Items) == 0 {
		return t, why
	}
	state, ok := c.State.(*pickle.Tuple)
	kind, named := text(c.Args.Items[0])
	if !ok || !named || len(state.Items) < 2 {
		return t, why
	}
	order, _ := text(state.Items[1])
	switch {
	case kind == "O8" || kind == "O4":
		return t, "it is a NumPy array of Python objects"
	case kind == "" || !strings.Contains("biufc", kind[:1]) || !strings.Contains("<>|", order) || len(order) != 1:
		return t, why + ": " + words.Quoted(words.Cut(kind, 20))
	}
	if t, err := dtype.Parse(order + kind); err == nil {
		return t, ""
	}
	return t, why + ": " + words.Quoted(words.Cut(kind, 20))
}

// bytesOf returns n bytes, which protocols 0 to 2 have as a text whose characters are bytes: _codecs.encode(text, 'latin1'), or bytes(). All such texts
// together are as long as the pickles, unless one is used again: a few bytes of a hostile pickle name a long text.
func (r *reader) bytesOf(v pickle.Value, n int) (string, bool) {
	c, ok := v.(*pickle.Call)
	if !ok {
		s, ok := text(v)
		return s, ok && len(s) == n
	}
	if f := name(c.Callable); (f == "__builtin__.bytes" || f == "builtins.bytes") && len(c.Args.Items) == 0 {
		return "", n == 0
	}
	if name(c.Callable) != "_codecs.encode" || len(c.Args.Items) != 2 || c.Args.Items[1] != pickle.Value(pickle.String("latin1")) {
		return "", false
	}
	s, ok := c.Args.Items[0].(pickle.String)
	if !ok || n > len(s) || int64(len(s)) > r.decodable {
		return "", false
	}
	r.decodable -= int64(len(s))
	var data strings.Builder
	data.Grow(n)
	for _, char := range string(s) {
		if char > 0xff || data.Len() == n {
			return "", false
		}
		data.WriteByte(byte(char))
	}
	return data.String(), data.Len() == n
}

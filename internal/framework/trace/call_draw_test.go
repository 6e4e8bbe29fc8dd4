package trace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
)

// python is a call, and the same as a Python expression of x.
type python struct {
	Call
	python  string
	unasked bool // refused in other words by the installed version, or not at all
}

// keyword is an argument that is given by name.
type keyword struct {
	name  string
	value any
}

// order must be a word of NumPy's, format one of PyTorch's.
type (
	order  string
	format string
)

// made makes a call of ints, lists, words and keywords. NumPy functions that are not methods are written as functions.
func made(rules Rules, name string, args ...any) python {
	c := Call{Name: name, Keywords: map[string]Arg{}}
	var words []string
	for _, a := range args {
		if k, ok := a.(keyword); ok {
			value, text := argument(k.value)
			c.Keywords[k.name] = value
			words = append(words, k.name+"="+text)
			continue
		}
		value, text := argument(a)
		if _, ok := a.(format); ok {
			text = "memory_format=" + text
		}
		c.Args, words = append(c.Args, value), append(words, text)
	}
	text := strings.Join(words, ",")
	c.Text = name + "(" + text + ")"
	switch {
	case name == "T" || name == "mT":
		return python{c, "x." + name, false}
	case rules == NumPy && slices.Contains([]string{"as_strided", "sliding_window_view"}, name):
		return python{c, name + "(x," + text + ")", false}
	case rules == NumPy && slices.Contains([]string{"flip", "moveaxis", "expand_dims", "broadcast_to", "ascontiguousarray",
		"asfortranarray", "asarray"}, name):
		return python{c, "np." + name + "(x," + text + ")", false}
	}
	return python{c, "x." + c.Text, false}
}

func argument(a any) (Arg, string) {
	switch a := a.(type) {
	case int:
		return Arg{Kind: Int, Int: a}, strconv.Itoa(a)
	case []int:
		list := Arg{Kind: List}
		for _, n := range a {
			list.List = append(list.List, Arg{Kind: Int, Int: n})
		}
		return list, tensor.Tuple(a)
	case order:
		return Arg{Kind: Word, Word: string(a)}, "'" + string(a) + "'"
	case format:
		return Arg{Kind: Word, Word: string(a)}, "torch." + string(a)
	}
	panic(fmt.Sprintf("no argument: %v", a))
}

// index makes an index of ints, "..." and "None", and slices of up to three.
func index(entries ...any) python {
	c := Call{Name: Index}
	var words []string
	for _, e := range entries {
		switch e := e.(type) {
		case int:
			c.Args, words = append(c.Args, Arg{Kind: Int, Int: e}), append(words, strconv.Itoa(e))
		case [3]*int:
			c.Args = append(c.Args, Arg{Kind: Range, Start: e[0], Stop: e[1], Step: e[2]})
			words = append(words, strings.TrimSuffix(part(e[0])+":"+part(e[1])+":"+part(e[2]), ":"))
		case string:
			c.Args = append(c.Args, Arg{Kind: map[string]ArgKind{"...": Ellipsis, "None": None}[e]})
			words = append(words, e)
		}
	}
	c.Text = "[" + strings.Join(words, ",") + "]"
	if len(entries) == 0 {
		return python{c, "x[()]", false}
	}
	return python{c, "x" + c.Text, false}
}

func part(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// drawer draws arguments for a tensor: mostly valid ones.
type drawer struct {
	*rand.Rand
	State
}

// drawCall draws any step of the framework.
func drawCall(d *rand.Rand, s State) python {
	names := torchNames
	if s.Rules == NumPy {
		names = numpyNames
	}
	name := names[d.IntN(len(names))]
	draw := drawer{d, s}
	if s.Rules == NumPy {
		return draw.numpy(name)
	}
	if d.IntN(2) == 0 {
		return draw.operator()
	}
	return draw.torch(name)
}

var torchNames = []string{
	Index, Index, Index, "transpose", "swapaxes", "swapdims", "permute", "permute", "movedim", "moveaxis", "T", "mT",
	"t", "select", "narrow", "view", "view", "view", "view", "reshape", "reshape", "flatten", "unflatten", "ravel",
	"squeeze", "unsqueeze", "expand", "expand", "broadcast_to", "unfold", "diagonal", "as_strided", "flip",
	"contiguous", "contiguous", "clone", "to", "to", "detach", "cpu",
}

func (d drawer) torch(name string) python {
	one := func(args ...any) python { return made(PyTorch, name, args...) }
	switch name {
	case Index:
		return d.anIndex()
	case "transpose", "swapdims":
		return d.named(one, "dim0", d.dim(), "dim1", d.dim())
	case "swapaxes":
		return d.named(one, "axis0", d.dim(), "axis1", d.dim())
	case "permute":
		if dims := d.dims(d.Rank()); d.IntN(2) == 0 && len(dims) > 0 {
			return one(spreadOut(dims)...)
		}
		return d.named(one, "dims", d.dims(d.Rank()))
	case "movedim", "moveaxis":
		from, to := d.some()
		if len(from) == 1 && len(to) == 1 && d.IntN(2) == 0 {
			return d.named(one, "source", from[0], "destination", to[0])
		}
		return d.named(one, "source", from, "destination", to)
	case "select":
		dim := d.dim()
		return d.named(one, "dim", dim, "index", d.indexOf(dim))
	case "narrow":
		dim := d.dim()
		start := d.indexOf(dim)
		if d.IntN(8) == 0 {
			start = oneOf(d.Rand, 0, 1, 2, 3, 4) // the size itself is allowed
		}
		return d.named(one, "dim", dim, "start", start, "length", d.IntN(4)-oneOf(d.Rand, 0, 0, 0, 1))
	case "view":
		if shape := d.shape(); d.IntN(2) == 0 && len(shape) > 0 {
			return one(spreadOut(shape)...)
		}
		return d.named(one, "size", d.shape())
	case "reshape":
		return d.named(one, "shape", d.shape())
	case "flatten":
		switch d.IntN(3) {
		case 0:
			return one()
		case 1:
			return one(d.dim())
		}
		return d.named(one, "start_dim", d.dim(), "end_dim", d.dim())
	case "unflatten":
		dim := d.dim()
		return d.named(one, "dim", dim, "sizes", d.parts(dim))
	case "squeeze":
		if d.IntN(2) == 0 {
			return one()
		}
		return d.named(one, "dim", d.dim())
	case "unsqueeze":
		return d.named(one, "dim", d.in(-d.Rank()-1, d.Rank()))
	case "expand", "broadcast_to":
		target := d.target(-1)
		p := d.named(one, "size", target)
		p.unasked = slices.Contains(target, 0) && slices.Min(target) < 0 // a negative size that PyTorch fails to notice
		return p
	case "unfold":
		dim := d.dim()
		return d.named(one, "dimension", dim, "size", d.IntN(4), "step", d.IntN(4))
	case "diagonal":
		if d.IntN(3) == 0 {
			return one()
		}
		return d.named(one, "offset", d.IntN(7)-3, "dim1", d.dim(), "dim2", d.dim())
	case "as_strided":
		shape, strides, offset := d.bounds()
		if d.IntN(3) == 0 {
			return d.named(one, "size", shape, "stride", strides)
		}
		p := d.named(one, "size", shape, "stride", strides, "storage_offset", offset)
		_, err := d.Apply(p.Call)
		p.unasked = err != nil && offset < 0 && strings.Contains(err.Error(), "out of bounds") // of two reasons, versions name another
		return p
	case "flip":
		return d.named(one, "dims", d.dims(d.IntN(d.Rank()+1)))
	case "contiguous", "clone":
		if d.IntN(2) == 0 {
			return one()
		}
		return one(oneOf(d.Rand, format("contiguous_format"), "preserve_format", "channels_last", "channels_last_3d"))
	case "to":
		return one(oneOf(d.Rand, format("contiguous_format"), "preserve_format", "channels_last", "channels_last", "channels_last_3d"))
	}
	return one() // T, mT, t, ravel
}

var numpyNames = []string{
	Index, Index, Index, Index, "transpose", "transpose", "T", "swapaxes", "moveaxis", "flip", "reshape", "reshape",
	"reshape", "reshape", "ravel", "ravel", "flatten", "squeeze", "expand_dims", "broadcast_to", "view",
	"sliding_window_view", "diagonal", "as_strided", "copy", "copy", "ascontiguousarray", "asfortranarray", "asarray", "split", "split",
}

func (d drawer) numpy(name string) python {
	one := func(args ...any) python { return made(NumPy, name, args...) }
	orders := []order{"C", "F", "A", "K"}
	switch name {
	case Index:
		return d.anIndex()
	case "transpose":
		if d.IntN(4) == 0 {
			return one()
		}
		return one(d.dims(d.Rank()))
	case "swapaxes":
		return one(d.dim(), d.dim())
	case "moveaxis":
		from, to := d.some()
		return d.named(one, "source", from, "destination", to)
	case "flip":
		if d.IntN(3) == 0 {
			return one()
		}
		return d.named(one, "axis", d.dims(d.IntN(d.Rank()+1)))
	case "reshape":
		shape := d.shape()
		if d.IntN(2) == 0 {
			return one(shape)
		}
		return one(shape, keyword{"order", orders[d.IntN(4)]})
	case "ravel", "flatten", "copy":
		if d.IntN(4) == 0 {
			return one()
		}
		return d.named(one, "order", orders[d.IntN(4)])
	case "squeeze":
		if d.IntN(2) == 0 {
			return one()
		}
		return d.named(one, "axis", d.dims(d.IntN(min(d.Rank()+1, 2))))
	case "expand_dims":
		if d.IntN(2) == 0 {
			return d.named(one, "axis", d.in(-d.Rank()-1, d.Rank()))
		}
		return d.named(one, "axis", []int{d.in(-d.Rank()-2, d.Rank()+1), d.in(-d.Rank()-2, d.Rank()+1)})
	case "broadcast_to":
		return one(d.target(0))
	case "sliding_window_view":
		if d.IntN(3) == 0 {
			return one(d.windows(d.Rank() + d.IntN(2)*d.IntN(2)))
		}
		n := 1 + d.IntN(2)
		return d.named(one, "window_shape", d.windows(n), "axis", d.dims(n+oneOf(d.Rand, 0, 0, 0, 1)))
	case "diagonal":
		if d.IntN(3) == 0 {
			return one()
		}
		return d.named(one, "offset", d.IntN(7)-3, "axis1", d.dim(), "axis2", d.dim())
	case "as_strided":
		return d.npStrided(one)
	case "split":
		return d.npPiece()
	}
	return one() // T, view, ascontiguousarray, asfortranarray, asarray
}

// npPiece draws a function that returns several arrays, and mostly one of its results.
func (d drawer) npPiece() python {
	name := oneOf(d.Rand, "split", "split", "array_split", "hsplit", "vsplit", "dsplit")
	arguments, part := fmt.Sprint(d.in(0, 3)), oneOf(d.Rand, 0, 0, 0, 1, -1, 2)
	if d.IntN(2) == 0 {
		arguments = fmt.Sprintf("(%d, %d)", d.IntN(4), d.IntN(7)-3)
	}
	if name == "split" || name == "array_split" {
		arguments += fmt.Sprintf(",%d", d.dim())
	}
	step := fmt.Sprintf("%s(%s)[%d]", name, arguments, part)
	calls, err := ParseChain(step)
	if err != nil {
		panic(err)
	}
	// NumPy indexes a list, so its message is another
	return python{calls[0], fmt.Sprintf("tuple(np.%s(x,%s))[%d]", name, arguments, part), false}
}

// npStrided sometimes omits shape or strides. Views outside the storage are not drawn: NumPy would make them.
func (d drawer) npStrided(one func(...any) python) python {
	shape, strides, _ := d.bounds()
	bytes := make([]int, len(strides))
	for i, n := range strides {
		bytes[i] = n * d.ItemSize
	}
	p := d.named(one, "shape", shape, "strides", bytes)
	switch d.IntN(4) {
	case 0:
		p = one(keyword{"shape", shape})
	case 1:
		p = one(keyword{"strides", bytes})
	}
	_, err := d.Apply(p.Call)
	p.unasked = err != nil && strings.Contains(err.Error(), "storage of")
	return p
}

// named passes the arguments by name or by position.
func (d drawer) named(one func(...any) python, pairs ...any) python {
	byName := len(pairs)
	if d.IntN(3) == 0 {
		byName = 2 * d.IntN(len(pairs)/2+1)
	}
	var args []any
	for i := 0; i < len(pairs); i += 2 {
		if i >= byName {
			args = append(args, keyword{pairs[i].(string), pairs[i+1]})
			continue
		}
		args = append(args, pairs[i+1])
	}
	return one(args...)
}

func spreadOut(xs []int) []any {
	out := make([]any, len(xs))
	for i, x := range xs {
		out[i] = x
	}
	return out
}

// in draws from low to high, and sometimes outside.
func (d drawer) in(low, high int) int {
	if d.IntN(12) == 0 || low > high {
		return low - 2 + d.IntN(high-low+5)
	}
	return low + d.IntN(high-low+1)
}

func (d drawer) dim() int {
	r := max(d.Rank(), oneOf(d.Rand, 0, 1))
	return d.in(-r, r-1)
}

// dims draws n dims, mostly different ones.
func (d drawer) dims(n int) []int {
	perm := d.Perm(max(d.Rank(), n))[:n]
	for i, p := range perm {
		switch {
		case d.IntN(25) == 0:
			perm[i] = d.dim()
		case d.IntN(4) == 0 && p < d.Rank():
			perm[i] -= d.Rank()
		}
	}
	if d.IntN(25) == 0 {
		return append(perm, d.dim())
	}
	return perm
}

// some draws a list of sources or destinations.
func (d drawer) some() (from, to []int) {
	n := d.IntN(min(d.Rank()+1, 3) + 1)
	return d.dims(n), d.dims(n)
}

func (d drawer) indexOf(dim int) int {
	if dim < 0 {
		dim += d.Rank()
	}
	if dim < 0 || dim >= d.Rank() {
		return d.IntN(3)
	}
	return d.in(-d.Shape[dim], d.Shape[dim]-1)
}

// shape is another shape of the same elements, sometimes with a -1, sometimes wrong.
func (d drawer) shape() []int {
	var out []int
	switch d.IntN(4) {
	case 0: // the old one with neighbors merged
		for _, n := range d.Shape {
			if last := len(out) - 1; last >= 0 && d.IntN(2) == 0 {
				out[last] *= n
				continue
			}
			out = append(out, n)
		}
	case 1: // the old one with dims split
		for _, n := range d.Shape {
			if n%2 == 0 && n > 0 && d.IntN(2) == 0 {
				out = append(out, 2)
				n /= 2
			}
			out = append(out, n)
		}
	case 2: // the old one
		out = slices.Clone(d.Shape)
	default:
		out = slices.Repeat([]int{1}, d.IntN(5))
		for n, f := d.Numel(), 2; n > 1 && len(out) > 0; f++ {
			for ; n%f == 0; n /= f {
				out[d.IntN(len(out))] *= f
			}
		}
	}
	for d.IntN(4) == 0 {
		out = slices.Insert(out, d.IntN(len(out)+1), 1)
	}
	if d.Numel() == 0 && !slices.Contains(out, 0) && len(out) > 0 && d.IntN(8) > 0 {
		out[d.IntN(len(out))] = 0
	}
	if len(out) > 0 && d.IntN(4) == 0 {
		out[d.IntN(len(out))] = -1
	}
	if len(out) > 0 && d.IntN(30) == 0 {
		out[d.IntN(len(out))] = d.IntN(6) - 2
	}
	return out
}

// parts splits the size of a dim.
func (d drawer) parts(dim int) []int {
	n := 4
	if dim < 0 {
		dim += d.Rank()
	}
	if dim >= 0 && dim < d.Rank() {
		n = d.Shape[dim]
	}
	parts := []int{1, n}
	if n%2 == 0 && n > 0 {
		parts = []int{n / 2, 2}
	}
	d.Shuffle(2, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	switch d.IntN(12) {
	case 0:
		parts[0] = d.IntN(5) - 2
	case 1:
		return nil
	case 2:
		return []int{-1, -1}
	case 3, 4, 5:
		parts[d.IntN(2)] = -1
	}
	return parts
}

// target is the shape with dims of size 1 expanded and leading dims added. keep is the size that means unchanged; 0 for none.
func (d drawer) target(keep int) []int {
	out := slices.Clone(d.Shape)
	for i, n := range out {
		switch {
		case n == 1:
			out[i] = oneOf(d.Rand, 1, 2, 3, 0)
		case d.IntN(30) == 0:
			out[i] = d.IntN(5) - 2
		}
		if keep != 0 && d.IntN(4) == 0 {
			out[i] = keep
		}
	}
	for d.IntN(2) == 0 {
		out = append([]int{oneOf(d.Rand, 1, 1, 2, 3, oneOf(d.Rand, -1, 0, 2))}, out...)
	}
	if len(out) > 0 && d.IntN(20) == 0 {
		return out[1:]
	}
	return out
}

// bounds is a view that mostly stays inside the storage.
func (d drawer) bounds() (shape, strides []int, offset int) {
	rank := d.IntN(4)
	left := d.Storage.Elems - 1
	for range rank {
		n := oneOf(d.Rand, 0, 1, 2, 2, 3)
		s := d.IntN(max(1, left/max(1, n-1)/2+1))
		if d.IntN(15) == 0 {
			s = oneOf(d.Rand, -1, left+2)
		}
		shape, strides, left = append(shape, n), append(strides, s), max(left-max(n-1, 0)*s, 0)
	}
	if d.IntN(40) == 0 {
		strides = append(strides, 1)
	}
	return shape, strides, d.in(0, left)
}

func (d drawer) windows(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = oneOf(d.Rand, 0, 1, 1, 1, 2, 2, 3, oneOf(d.Rand, -1, 2, 2))
	}
	return out
}

// anIndex draws entries for the dims, and some None and "...".
func (d drawer) anIndex() python {
	var entries []any
	n := d.IntN(d.Rank() + 1)
	if d.IntN(15) == 0 {
		n = d.Rank() + 1
	}
	for k := range n {
		if d.IntN(6) == 0 {
			entries = append(entries, "None")
		}
		if d.IntN(6) == 0 && (!slices.Contains(entries, any("...")) || d.IntN(8) == 0) {
			entries = append(entries, "...")
		}
		if d.IntN(3) == 0 {
			entries = append(entries, d.indexOf(k))
			continue
		}
		entries = append(entries, d.slice())
	}
	p := index(entries...)
	// PyTorch reads past the end of the sizes for an int after a second ellipsis.
	p.unasked = strings.Count(p.Text, "...") > 1
	return p
}

func (d drawer) slice() [3]*int {
	var s [3]*int
	for i := range s {
		n := d.IntN(9) - 3
		if i == 2 {
			n = oneOf(d.Rand, 1, 1, 2, 3, 7, -1, -1, -2, oneOf(d.Rand, 0, 1))
		}
		if d.IntN(2) == 0 {
			s[i] = &n
		}
	}
	return s
}

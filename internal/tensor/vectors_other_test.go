package tensor

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

// checkViewVector evaluates tensor.view and tensor.reshape, their errors word for word.
func checkViewVector(v *vector) {
	s, shape := v.strided(0), input[[]int](v, "new_shape")
	view, viewErr := s.View(shape)
	v.object("view", func(o *vector) { wantStrided(o, view, viewErr) })
	r, copied, err := s.Reshape(shape)
	v.want("reshape_strides", err == nil, r.Strides)
	v.want("reshape_copies", err == nil, copied)
}

// checkExpandVector evaluates tensor.expand.
func checkExpandVector(v *vector) {
	s := v.strided(0)
	out, err := s.Expand(input[[]int](v, "target"))
	v.object("expand", func(o *vector) { wantStrided(o, out, err) })
}

// wantStrided compares a result, which is either a tensor or an error. PyTorch begins some errors with the call and
// the tensor's type, "expand(torch.FloatTensor{[2, 3]}, size=[3]): "; what follows is compared.
func wantStrided(o *vector, got Strided, err error) {
	o.t.Helper()
	if o.has("error") {
		want := input[string](o, "error")
		if err == nil {
			o.t.Errorf("want the error %q, got %s", want, Tuple(got.Strides))
			return
		}
		text := err.Error()
		if strings.HasPrefix(want, "expand(") {
			_, want, _ = strings.Cut(want, "): ")
			text = strings.TrimPrefix(text, "expand: ")
		}
		if text != want {
			o.t.Errorf("error:\n got %s\nwant %s", text, want)
		}
		return
	}
	if err != nil {
		o.t.Fatal(err)
	}
	o.want("shape", true, got.Shape)
	o.want("strides", true, got.Strides)
}

// checkAsStridedVector evaluates the bounds check of tensor.as_strided.
func checkAsStridedVector(v *vector) {
	_, err := AsStrided(input[int](v, "storage_elems"), input[int](v, "itemsize"),
		input[[]int](v, "shape"), input[[]int](v, "strides"), input[int](v, "offset"))
	v.object("result", func(o *vector) {
		o.want("ok", true, err == nil)
		if err != nil {
			o.want("error", true, err.Error())
		}
	})
}

// checkCuTeVector evaluates a CuTe layout: its modes are the digits of a dim, and coordinates are numbered with the
// leftmost fastest.
func checkCuTeVector(v *vector) {
	shape, strides, _ := strings.Cut(input[string](v, "layout"), ":")
	modes, steps := cuteModes(v, shape), cuteModes(v, strides)
	var dims []Dim
	for i, mode := range modes {
		dim := Dim{Size: 1}
		for k, extent := range mode {
			dim.Digits = append(dim.Digits, Digit{dim.Size, extent, steps[i][k]})
			dim.Size *= extent
		}
		dims = append(dims, dim)
	}
	l, err := New(dims, 0, Unbounded)
	if err != nil {
		v.t.Fatal(err)
	}
	v.want("size", true, l.Numel())
	v.want("cosize", true, l.Extent())
	indices := make([]int, 0, l.Numel())
	for _, coord := range colexCoords(l.Shape()) {
		indices = append(indices, l.At(coord...))
	}
	v.want("indices_colex", true, indices)
}

// cuteModes reads "((4,2),3)" as the modes of a layout, each flattened: [[4 2] [3]].
func cuteModes(v *vector, text string) [][]int {
	text = strings.ReplaceAll(strings.ReplaceAll(text, ",)", ")"), "_", "")
	text = strings.NewReplacer("(", "[", ")", "]").Replace(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text))
	var tree any
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		v.t.Fatalf("%s: %v", text, err)
	}
	top, nested := tree.([]any)
	if !nested {
		top = []any{tree}
	}
	modes := make([][]int, len(top))
	for i, mode := range top {
		modes[i] = leaves(mode)
	}
	return modes
}

func leaves(tree any) []int {
	if n, ok := tree.(float64); ok {
		return []int{int(n)}
	}
	var flat []int
	for _, branch := range tree.([]any) {
		flat = append(flat, leaves(branch)...)
	}
	return flat
}

// colexCoords lists the coordinates of a shape with the leftmost index fastest.
func colexCoords(shape []int) [][]int {
	back := slices.Clone(shape)
	slices.Reverse(back)
	all := coordsOf(back)
	for _, c := range all {
		slices.Reverse(c)
	}
	return all
}

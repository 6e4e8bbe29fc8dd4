package tensor

import (
	"errors"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
)

// The hint asks whether the strides grow along C, W, H, N, each past the whole dim inside it, and N's past C's.
func defineSuggest(t reporter, s Strided) {
	want := ContiguousFormat
	for f, order := range formatOrders {
		if s.Rank() != f.Rank() || s.Empty() || s.Strides[1] <= 0 {
			continue
		}
		grows, last := true, len(order)-1
		for k := range last {
			outer, inner := order[k], order[k+1]
			grows = grows && s.Strides[outer] >= s.Strides[inner]*s.Shape[inner]
		}
		if grows && s.Strides[order[1]]*s.Shape[order[1]] != s.Strides[1] {
			want = f
		}
	}
	same(t, "SuggestMemoryFormat", s, s.SuggestMemoryFormat(), want)
}

// Fresh strides of a format are contiguous in it. contiguous(f) keeps the tensor where it is so already, to(f) where
// the hint says so; both make fresh strides otherwise, and refuse a rank that the format does not have.
func defineCopies(t reporter, s Strided) {
	for _, f := range []MemoryFormat{ContiguousFormat, ChannelsLastFormat, ChannelsLast3D} {
		fresh, ok := FormatStrides(s.Shape, f)
		same(t, "whether the format exists", s, ok, f.Rank() == -1 || f.Rank() == s.Rank())
		contiguous, contiguousOK := s.Contiguous(f)
		to, toOK := s.To(f)
		same(t, "whether copies exist", s, []bool{contiguousOK, toOK}, []bool{ok, ok})
		if !ok {
			continue
		}
		if !(Strided{s.Shape, fresh, 0}).IsContiguous(f) {
			t.Errorf("FormatStrides(%v, %s) = %v, which is not", s.Shape, f, fresh)
		}
		keepOr := func(self bool) Copy {
			if self {
				return Copy{true, s.Strides}
			}
			return Copy{false, fresh}
		}
		same(t, "Contiguous", s, contiguous, keepOr(s.IsContiguous(f)))
		same(t, "To", s, to, keepOr(s.SuggestMemoryFormat() == f))
	}
}

// StorageElems is one past the highest address: as_strided accepts a storage of that size and refuses a smaller one,
// a negative stride and a negative offset.
func defineStorageSize(t reporter, s Strided) {
	_, err := AsStrided(1<<20, 4, s.Shape, s.Strides, s.Offset)
	same(t, "whether AsStrided refuses", s, err != nil, s.Negative() || s.Offset < 0)
	if s.Negative() || s.Offset < 0 {
		return
	}
	need := 0
	if !s.Empty() {
		need = slices.Max(addresses(s)) + 1
	}
	same(t, "StorageElems", s, s.StorageElems(), need)
	view, err := AsStrided(need, 2, s.Shape, s.Strides, s.Offset)
	if err != nil {
		t.Errorf("AsStrided of %v in %d elements: %v", s, need, err)
	}
	same(t, "AsStrided", s, view, s)
	if _, err := AsStrided(need-1, 2, s.Shape, s.Strides, s.Offset); (err == nil) != s.Empty() {
		t.Errorf("AsStrided of %v in %d elements: %v", s, need-1, err)
	}
}

// A view exists exactly where strides exist that put every element, in logical order, where it was. Reshape is that
// view, or a row-major copy. Another number of elements is refused.
func defineView(t reporter, s Strided) {
	all := addresses(s)
	for _, shape := range shapesOf(len(all), s.Shape) {
		view, err := s.View(shape)
		r, copied, reshapeErr := s.Reshape(shape)
		want, exists := stridesFor(all, shape)
		if s.Empty() {
			exists = true
		}
		if reshapeErr != nil || (err == nil) != exists || copied == exists {
			t.Errorf("%v as %v: view %v, reshape %v, copied %v; strides that say it exist: %v",
				s, shape, err, reshapeErr, copied, exists)
			continue
		}
		same(t, "shape of a reshape", s, r.Shape, shape)
		if !exists {
			same(t, "copy", s, r, Strided{shape, rowMajor(shape), 0})
			var refusal *fault.Error
			same(t, "kind of refusal", s, errors.As(err, &refusal) && refusal.Class == fault.Negative, true)
			continue
		}
		same(t, "reshape that need not copy", s, r, view)
		same(t, "addresses after view", s, addresses(view), all)
		for d, stride := range want {
			if shape[d] > 1 {
				same(t, "stride of a view", s, view.Strides[d], stride)
			}
		}
	}
	_, err := s.View([]int{len(all) + 1})
	_, _, reshapeErr := s.Reshape([]int{len(all) + 1})
	if err == nil || reshapeErr == nil {
		t.Errorf("%v: a view of another number of elements is accepted", s)
	}
}

// shapesOf lists shapes of n elements: the old one, and n cut in up to three.
func shapesOf(n int, old []int) [][]int {
	shapes := [][]int{old, {n}, {1, n, 1}}
	if n == 1 {
		shapes = append(shapes, []int{}, []int{1, 1})
	}
	for a := 2; a < n && len(shapes) < 40; a++ {
		if n%a != 0 {
			continue
		}
		shapes = append(shapes, []int{a, n / a}, []int{a, 1, n / a})
		for b := 2; b < n/a; b++ {
			if n/a%b == 0 {
				shapes = append(shapes, []int{a, b, n / a / b})
			}
		}
	}
	return shapes
}

// stridesFor finds strides under which the elements of a shape have the given addresses in logical order, if any do.
// Each stride can be read off the element at 1 along its dim, so only one choice need be tried.
func stridesFor(all, shape []int) ([]int, bool) {
	if len(all) == 0 {
		return nil, false
	}
	strides, step := make([]int, len(shape)), 1
	for d := len(shape) - 1; d >= 0; d-- {
		if shape[d] > 1 {
			strides[d] = all[step] - all[0]
		}
		step *= shape[d]
	}
	return strides, slices.Equal(addresses(Strided{shape, strides, all[0]}), all)
}

// Expand keeps each old element at its place, and repeats it along grown and new dims.
func defineExpand(t reporter, s Strided) {
	grown, ones := slices.Clone(s.Shape), 0
	for i, size := range grown {
		if size == 1 && ones < 3 {
			grown[i], ones = 3, ones+1
		}
	}
	kept := slices.Repeat([]int{-1}, s.Rank())
	for _, target := range [][]int{s.Shape, grown, kept, append([]int{2, 1}, grown...), append([]int{0}, kept...)} {
		if len(target) > MaxRank {
			continue
		}
		out, err := s.Expand(target)
		if err != nil {
			t.Errorf("expand %v to %v: %v", s, target, err)
			continue
		}
		var shape, want []int
		skip := len(target) - s.Rank()
		for i, size := range target {
			if size == -1 {
				size = s.Shape[i-skip]
			}
			shape = append(shape, size)
		}
		for _, c := range coordsOf(shape) {
			at := s.Offset
			for d, i := range c[skip:] {
				at += min(i, s.Shape[d]-1) * s.Strides[d]
			}
			want = append(want, at)
		}
		same(t, "expanded shape", s, out.Shape, shape)
		same(t, "expanded addresses", s, addresses(out), want)
	}
	for i, size := range s.Shape {
		wrong := slices.Clone(s.Shape)
		wrong[i] = size + 1
		if _, err := s.Expand(wrong); (err == nil) != (size == 1) {
			t.Errorf("expand %v to %v: %v", s, wrong, err)
		}
	}
}

package trace

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/words"
)

// asStrided is any view that stays inside the storage.
func (s State) asStrided(a arguments) (Step, error) {
	shape, strides, offset := a.numbers("size"), a.numbers("stride"), a.number("storage_offset", s.Offset)
	if r := s.negativeSize(shape, strides); r != nil {
		return Step{}, r
	}
	to, err := tensor.AsStrided(s.Storage.Elems, s.ItemSize, shape, strides, offset)
	var trouble *fault.Error
	switch {
	case errors.As(err, &trouble) && trouble.Class == fault.Negative:
		return Step{}, s.outOfStorage(trouble.Text, tensor.Strided{Shape: shape, Strides: strides, Offset: offset})
	case err != nil:
		return Step{}, err
	}
	return s.anyhow(to)
}

// negativeSize refuses one as PyTorch does, which counts on with it as if it were very large.
func (s State) negativeSize(shape, strides []int) *Refusal {
	negative := func(n int) bool { return n < 0 }
	if len(shape) != len(strides) || slices.ContainsFunc(strides, negative) || !slices.ContainsFunc(shape, negative) {
		return nil
	}
	r := refuse("numel: integer multiplication overflow")
	for d, n := range shape {
		if n < 0 && strides[d] != 0 && !slices.Contains(shape, 0) {
			r = refuse("Storage size calculation overflowed with sizes=%s and strides=%s", tensor.List(shape), tensor.List(strides))
		}
	}
	return r.because("a size is negative")
}

// anyhow is a view that has nothing to do with the dims before.
func (s State) anyhow(to tensor.Strided) (Step, error) {
	why := fmt.Sprintf("as given: highest offset = %s of %s", reach(to), words.Count(s.Storage.Elems, "element"))
	if to.Empty() {
		why = "as given: empty, so that it reaches nothing"
	}
	return s.look(to, make([]string, to.Rank()), why)
}

// reach writes the highest offset out: "3 + 1·1 + 1·2 = 6".
func reach(to tensor.Strided) string {
	text, high := fmt.Sprint(to.Offset), to.Offset
	for d, n := range to.Shape {
		if n > 1 && to.Strides[d] > 0 {
			text += fmt.Sprintf(" + %d·%d", n-1, to.Strides[d])
			high += (n - 1) * to.Strides[d]
		}
	}
	if high == to.Offset {
		return text
	}
	return fmt.Sprintf("%s = %d", text, high)
}

func (s State) outOfStorage(text string, to tensor.Strided) *Refusal {
	r := refuse("%s", text)
	checked, err := tensor.NewStrided(to.Shape, to.Strides, to.Offset)
	switch {
	case len(to.Shape) != len(to.Strides):
		r.Why = fmt.Sprintf("%s, %s", words.Count(len(to.Shape), "size"), words.Count(len(to.Strides), "stride"))
	case err != nil || checked.Empty():
	case to.Negative():
		r.Hint = "flip copies: " + s.price()
	case to.Offset >= 0:
		r.Why = fmt.Sprintf("the highest offset is %s, the storage has %s", reach(checked), words.Count(s.Storage.Elems, "element"))
	}
	return r
}

// npAsStrided takes strides in bytes. NumPy does not look whether they stay inside the storage; here they must.
func (s State) npAsStrided(a arguments) (Step, error) {
	shape, strides := s.Shape, s.Strides
	if a.has("shape") {
		shape = a.numbers("shape")
	}
	switch {
	case a.has("strides") && s.ItemSize == 0:
		return Step{}, fault.New(fault.Unsupported, "a stride in bytes says nothing about items of 0 bytes")
	case a.has("strides"):
		strides = a.numbers("strides")
		for i, bytes := range strides {
			if bytes%s.ItemSize != 0 {
				return Step{}, refuse("stride %d is not a multiple of the item's %d bytes", bytes, s.ItemSize).
					because("NumPy would not notice, and read across the borders of items").withHint("as_strided takes strides in bytes")
			}
			strides[i] = bytes / s.ItemSize
		}
	case s.CContiguous().OK && !slices.ContainsFunc(shape, func(n int) bool { return n < 0 }):
		packed, err := tensor.Packed(shape)
		if err != nil {
			return Step{}, err
		}
		strides = packed.Strides
	}
	return s.npBounded(tensor.Strided{Shape: shape, Strides: strides, Offset: s.Offset})
}

func (s State) npBounded(to tensor.Strided) (Step, error) {
	switch {
	case slices.ContainsFunc(to.Shape, func(n int) bool { return n < 0 }):
		return Step{}, refuse("negative dimensions are not allowed")
	case len(to.Shape) != len(to.Strides):
		return Step{}, refuse("mismatch in length of strides and shape").
			because("%s, %s", words.Count(len(to.Shape), "size"), words.Count(len(to.Strides), "stride"))
	}
	l, err := to.Layout(nil, s.Storage.Elems)
	if err != nil {
		return Step{}, err
	}
	if low, high, _ := l.Span(); !l.InBounds() {
		return Step{}, refuse("the view reaches from offset %d to %d, outside the storage of %s", low, high,
			words.Count(s.Storage.Elems, "element")).
			because("NumPy would not notice, and read whatever lies there").
			withHint("strides are in bytes, %d per element; offsets 0 to %d are inside", s.ItemSize, s.Storage.Elems-1)
	}
	return s.anyhow(to)
}

package framework

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/words"
)

// A file has two truths. The array as stored is what np.load and torch.from_numpy see, and what safetensors would write: the
// file's shape, C or F contiguous. The logical tensor is what a framework sees that is told the order of the file's axes.

// moved reports whether the array as stored and the logical tensor differ in shape or in the strides of dims that have more
// than one element. Without a file they are the same.
func (o Offer) moved() bool {
	if o.Stored.String() == o.Layout.String() {
		return false
	}
	a, plainA := o.Stored.Strided()
	b, plainB := o.Layout.Strided()
	return !plainA || !plainB || !equalStrides(a, b)
}

// equalStrides reports whether two tensors have the same shape, the same offset and the same strides, but for dims of size 1.
func equalStrides(a, b tensor.Strided) bool {
	if !slices.Equal(a.Shape, b.Shape) || a.Offset != b.Offset {
		return false
	}
	for i, n := range a.Shape {
		if n > 1 && a.Strides[i] != b.Strides[i] {
			return false
		}
	}
	return true
}

// asStored is the offer of the array in its file.
func (o Offer) asStored() Offer {
	if o.moved() {
		o.Layout, o.Orders, o.Order, o.Overlapping = o.Stored, nil, nil, tensor.No
	}
	return o
}

// AsStored is the clause of a yes for the array as stored, where that is another view of the bytes, for a screen with less room.
const AsStored = "as stored"

// storedRemark is the shape of the array in its file, where it is not the logical tensor; empty where it is.
func (o Offer) storedRemark() clause {
	shape := AsStored + ", shape " + tensor.Tuple(o.Stored.Shape())
	switch {
	case !o.moved():
		return clause{}
	case o.Order != nil && !o.Order.Plain():
		return clause{shape + ", the axes of memory", AsStored}
	}
	return clause{shape, AsStored}
}

func remarkStored(_ *Framework, o Offer) []clause { return []clause{o.storedRemark()} }

// remarkPyTorch is how from_numpy takes the type, what it returns of a file, and how that becomes the logical tensor.
func remarkPyTorch(f *Framework, o Offer) []clause {
	all := append(viewRemark(o.DType), o.storedRemark())
	axes := o.permutation()
	if axes == nil {
		return all
	}
	format := ""
	if names := f.NamesOf(*o.Order); len(o.Orders) > 0 && len(names) > 0 && names[0] != pyTorchNames[0].Name {
		format = names[0] + ", "
	}
	return append(all, said(fmt.Sprintf("x.permute(%s) is the %s tensor, %swithout a copy", words.Ints(axes, ", "), dimsText(o.Layout.Names()), format)))
}

// dimsText lists dims: N,C,H,W.
func dimsText(names []string) string { return strings.Join(names, ",") }

// permutation are the axes of the stored array in the order of the logical dims; nil if it is not the same tensor with its
// axes permuted, or needs no permutation.
func (o Offer) permutation() []int {
	logical, plain := o.Layout.Strided()
	stored, _ := o.Stored.Strided()
	if !plain || !o.moved() || o.Order == nil || !o.Order.Plain() || stored.Rank() != logical.Rank() {
		return nil
	}
	for _, order := range []notation.Format{*o.Order, o.Order.Reversed()} { // of a file in C order, and in Fortran order
		axes := make([]int, logical.Rank())
		for k, a := range order.Axes() {
			axes[a.Dim] = k
		}
		permuted := tensor.Strided{Shape: make([]int, len(axes)), Strides: make([]int, len(axes)), Offset: stored.Offset}
		for d, k := range axes {
			permuted.Shape[d], permuted.Strides[d] = stored.Shape[k], stored.Strides[k]
		}
		if equalStrides(permuted, logical) {
			return axes
		}
	}
	return nil
}

// remarkNumPy is how NumPy names the type, what np.load returns of a file, and how np.save writes what is in none.
func remarkNumPy(_ *Framework, o Offer) []clause {
	var all []clause
	if d := o.DType; foreign(d) {
		all = append(all, said("as "+d.String()+" with ml_dtypes, as raw bytes (V"+words.Ints([]int{d.ItemSize()}, "")+") without"))
	}
	s, plain := o.asStored().Layout.Strided()
	if plain && s.Rank() > 32 {
		all = append(all, said("since NumPy 2.0; at most 32 dims before"))
	}
	switch {
	case o.moved():
		return append(all, o.storedRemark())
	case !plain || o.blocked():
	case s.SavedFortran():
		return append(all, said("np.save writes fortran_order: True"))
	case !s.CContiguous().OK:
		text := "np.save writes a row-major copy of " + o.Copy
		return append(all, clause{text + ": the layout is lost", text})
	}
	return all
}

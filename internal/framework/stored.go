package framework

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/notation"
	"github.com/tlayout/tlayout/internal/text"
)

// A file can be read in two ways. The array as stored is what np.load and torch.from_numpy return and safetensors would write: the
// file's shape, C or F contiguous. The logical tensor follows once the order of the file's axes is known.

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

// equalStrides reports whether two tensors have the same shape, offset and strides, ignoring the strides of size-1 dims.
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

// asStored returns the offer of the array in its file.
func (o Offer) asStored() Offer {
	if o.moved() {
		o.Layout = o.Stored
		o.Orders = nil
		o.Order = nil
		o.Overlapping = tensor.No
	}
	return o
}

// AsStored is the brief remark that a framework accepts the array as stored, if that is another view of the bytes.
const AsStored = "as stored"

// storedRemark returns the shape of the array in its file, if it differs from the logical tensor; otherwise empty.
func (o Offer) storedRemark() clause {
	shape := AsStored + ", shape " + tensor.Tuple(o.Stored.Shape())
	if !o.moved() {
		return clause{}
	}
	if o.Order != nil && !o.Order.Plain() {
		return clause{shape + ", the axes of memory", AsStored}
	}
	return clause{shape, AsStored}
}

func remarkStored(_ *Framework, o Offer) []clause { return []clause{o.storedRemark()} }

// remarkPyTorch returns how from_numpy reads the type, what it returns for a file, and how that becomes the logical tensor.
func remarkPyTorch(f *Framework, o Offer) []clause {
	all := append(viewRemark(o.DType), o.storedRemark())
	if s, plain := o.asStored().Layout.Strided(); plain && s.Negative() {
		all = append(all, clause{full: "by from_dlpack: from_numpy refuses negative strides, even of size-1 dims"})
	}
	axes := o.permutation()
	if axes == nil {
		return all
	}
	format := ""
	if names := f.NamesOf(*o.Order); len(o.Orders) > 0 && len(names) > 0 && names[0] != pyTorchNames[0].Name {
		format = names[0] + ", "
	}
	return append(all, uncut(fmt.Sprintf("x.permute(%s) is the %s tensor, %swithout a copy", text.Ints(axes, ", "), dimsText(o.Layout.Names()), format)))
}

// dimsText returns the dims as N,C,H,W.
func dimsText(names []string) string { return strings.Join(names, ",") }

// permutation returns the axes of the stored array in the order of the logical dims; nil if it is another tensor, even with its axes
// permuted, or needs no permutation.
func (o Offer) permutation() []int {
	if !o.moved() || o.Order == nil || !o.Order.Plain() {
		return nil
	}
	logical, plain := o.Layout.Strided()
	stored, _ := o.Stored.Strided()
	if !plain || stored.Rank() != logical.Rank() {
		return nil
	}
	for _, order := range []notation.Format{*o.Order, o.Order.Reversed()} { // for files in C order and in Fortran order
		axes := make([]int, logical.Rank())
		for k, a := range order.Axes() {
			axes[a.Dim] = k
		}
		permuted := tensor.Strided{Shape: make([]int, len(axes)), Strides: make([]int, len(axes)), Offset: stored.Offset}
		for d, k := range axes {
			permuted.Shape[d] = stored.Shape[k]
			permuted.Strides[d] = stored.Strides[k]
		}
		if equalStrides(permuted, logical) {
			return axes
		}
	}
	return nil
}

// remarkNumPy returns NumPy's name of the type, what np.load returns for a file, and how np.save writes a tensor without one.
func remarkNumPy(_ *Framework, o Offer) []clause {
	var all []clause
	if d := o.DType; foreign(d) {
		all = append(all, uncut("as "+d.String()+" with ml_dtypes, as raw bytes (V"+text.Ints([]int{d.ItemSize()}, "")+") without"))
	}
	s, plain := o.asStored().Layout.Strided()
	if plain && s.Rank() > 32 {
		all = append(all, uncut("since NumPy 2.0; at most 32 dims before"))
	}
	if o.moved() {
		return append(all, o.storedRemark())
	}
	if !plain || o.blocked() {
		return all
	}
	if s.SavedFortran() {
		return append(all, uncut("np.save writes fortran_order: True"))
	}
	if s.CContiguous().OK {
		return all
	}
	copied := "np.save writes a row-major copy of " + o.Copy
	return append(all, clause{copied + ": the layout is lost", copied})
}

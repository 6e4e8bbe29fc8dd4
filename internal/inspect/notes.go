package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/text"
)

// addNotes adds what is easily misread.
func (r *Report) addNotes(t *source.Tensor) {
	for _, note := range []string{rawNote(t.DType), fortranNote(t), imageNote(t), cmp.Or(r.strictNote(t), unusedNote(t))} {
		if note != "" {
			r.Notes = append(r.Notes, note)
		}
	}
}

// strictReaders compare the strides of size-1 dims: NumPy up to 1.11 (release notes of 1.12.0), TVM's IsContiguous before apache/tvm #13121,
// TensorFlow's DLPack import before tensorflow #61184, and the Python backend of Triton Inference Server before its #281.
const strictReaders = "NumPy before 1.12, TVM before apache/tvm #13121, TensorFlow's DLPack before #61184 and Triton's Python backend before #281"

// strictNote names the size-1 dim whose stride makes a C-contiguous tensor not strictly so, and the readers that compare such strides; empty for a
// file, which has no strides of its own.
func (r *Report) strictNote(t *source.Tensor) string {
	why := r.Contiguous.WhyNot["c_strict"]
	if !r.Contiguous.ignoresStrides() || r.Numel == 0 || t.Kind != "shape" {
		return ""
	}
	return fmt.Sprintf("C-contiguous, but not strictly: %s has size 1, and its stride is %d, not %d. PyTorch and NumPy ignore it; "+
		"code that compares every stride considers it non-contiguous, as did %s", *why.Dim, *why.Found, *why.Expected, strictReaders)
}

// SharedWarning describes what a writer that ignores strides writes if elements share memory, as with strides of 0, and which tools handle it; empty
// if the extent is at least as large as the elements. Such a writer takes numel elements from the first one on, beyond the end of the extent.
func SharedWarning(s tensor.Strided, itemSize int) string {
	low, high := s.ByteBounds(1)
	numel := s.Numel()
	if high-low >= numel || itemSize == 0 {
		return ""
	}
	size := func(elems int) string {
		if n, fits := tensor.Mul(elems, itemSize); fits {
			return text.Bytes(int64(n))
		}
		return text.Count(elems, "element")
	}
	return fmt.Sprintf("elements share memory: a writer that ignores strides writes %s of the tensor's extent, and %s of other memory "+
		"beyond it. np.save writes a row-major copy of %s, safetensors refuses the tensor; .contiguous() and "+
		"np.ascontiguousarray copy it", size(high), size(numel-high), size(numel))
}

// overlapWarning warns that elements share memory, if SharedWarning does not.
func (r *Report) overlapWarning() string {
	if !r.overlaps() {
		return ""
	}
	if len(r.OuterTags) > 0 {
		return fmt.Sprintf("elements share memory if strides step over elements: %s; strides of a descriptor step over blocks and "+
			"need --inner-blocks", r.SharedText())
	}
	return fmt.Sprintf("elements share memory: %s, so writing one element changes others", r.SharedText())
}

// rawNote names the types that ml_dtypes writes as raw bytes; empty for types that have a name.
func rawNote(d dtype.Type) string {
	sub, _ := d.Sub()
	if d.Kind() != dtype.Void || d.Fields() != nil || sub.ItemSize() > 0 {
		return ""
	}
	if dtype.MayBeUnpacked(d) {
		return "1-byte void elements: ml_dtypes writes float8, float6, int4, int2 and float4_e2m1fn this way (--dtype float8_e4m3fn, or another)"
	}
	if d.ItemSize() == 2 {
		return "2-byte void elements: ml_dtypes writes bfloat16 this way (--dtype bfloat16)"
	}
	return ""
}

// imageNote explains how to describe an image whose sizes and strides were typed in memory order, and what its rows hold; empty for other tensors.
func imageNote(t *source.Tensor) string {
	s, ok := t.ImageStrides()
	if !ok {
		return ""
	}
	rank := s.Rank()
	bytes := func(n int) string { return text.ShortBytes(int64(n) * int64(t.DType.ItemSize())) }
	rows := fmt.Sprintf("rows of %s hold %s", bytes(s.Strides[rank-2]), bytes(s.Shape[rank-1]*s.Strides[rank-1])) // C has stride 1
	order := slices.Clone(t.Layout.Names())
	c := slices.Index(order, "C")
	order = slices.Concat(order[:c], order[c+1:], order[c:c+1])
	dims := strings.Join(order, ",")
	return fmt.Sprintf("shape suggests %s: %s; use --dims %s", dims, rows, dims)
}

// fortranNote shows what a reader that ignores fortran_order gets: the second element in memory, and its index in C order.
func fortranNote(t *source.Tensor) string {
	hasFlag := t.Kind == "npy" || t.Kind == "npz"
	if !hasFlag || t.StorageView || !t.Header.Fortran {
		return ""
	}
	axes, err := t.FileLayout()
	if err != nil {
		return ""
	}
	s, _ := axes.Strided()
	found, _ := axes.Find(1, 1)
	if s.CContiguous().OK || len(found) == 0 {
		return ""
	}
	last := make([]int, s.Rank())
	for i, n := range slices.Backward(s.Shape) {
		if n > 1 {
			last[i] = 1
			break
		}
	}
	return fmt.Sprintf("Fortran order: the first axis varies fastest in memory. A reader that ignores fortran_order gets element %s "+
		"at index %s; rewrite the file in C order with tlayout convert --to c", tensor.List(found[0]), tensor.List(last))
}

// unusedNote names a size-1 dim whose stride is not the packed one.
func unusedNote(t *source.Tensor) string {
	s, plain := t.Layout.Strided()
	if !plain || !t.HasFormat || s.Empty() {
		return ""
	}
	packed, err := t.Format.Bind(s.Shape)
	if err != nil {
		return ""
	}
	want, _ := packed.Strided()
	for i, n := range s.Shape {
		if n == 1 && want.Rank() == s.Rank() && s.Strides[i] != want.Strides[i] {
			return fmt.Sprintf("%s has size 1: its stride, %d, is never used", t.Layout.Dim(i).Name, s.Strides[i])
		}
	}
	return ""
}

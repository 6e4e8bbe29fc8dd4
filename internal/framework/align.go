package framework

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// TMA is the Tensor Memory Accelerator of NVIDIA's GPUs, which copies boxes of a tensor that cuTensorMapEncodeTiled describes. Its first
// dim has no stride: the elements of some dim are consecutive.
var TMA = &Framework{Name: "TMA", MinDims: 1, MaxDims: 5, Order: ByNesting, Blocks: ByAxes, Negative: "strides are unsigned",
	Empty: "sizes must be at least 1", Align: 16, Pitch: 16, Unit: Bytes, remark: remarkTMA, listed: tmaNames,
	Types: "bool " + integers + plainFloats + "complex32 bcomplex32 complex64 int4 uint4 float4_e2m1fn " + float6 + allFloat8,
	Source: "cuTensorMapEncodeTiled and CUtensorMapDataType of cuda.h, for interleave NONE: types of 1, 2, 4 and 8 bytes, others than its " +
		"own as integers, as Triton does with float8; those of 4 bits as 16U4_ALIGN8B, of 6 as 16U6_ALIGN16B; strides of size-1 dims count: " +
		"TensorDescriptor of triton/tools/tensor_descriptor.py",
	Read: "cuda.h of nvidia-cuda-runtime 13.2.86 and 13.5.37, alike"}

// The largest sizes, in elements, and the end of strides, in bytes, of cuTensorMapEncodeTiled.
const (
	maxTMASize   = int64(1) << 32
	endTMAStride = int64(1) << 40
)

// refusesAddress returns why the framework refuses the position of the first element in its storage, whose own address is aligned; empty
// if it accepts the position.
func (f *Framework) refusesAddress(o Offer) clause {
	if f.Align == 0 || int64(o.Layout.Offset())*int64(o.DType.Bits())%int64(8*f.Align) == 0 {
		return clause{}
	}
	at := o.DType.In(o.Layout.Offset())
	full := fmt.Sprintf("it starts at byte %s of its storage, not at a multiple of %d", at, f.Align)
	if f.Unaligned != "" {
		full += ": " + f.Unaligned
	}
	return clause{full, fmt.Sprintf("it starts at byte %s, not at a multiple of %d", at, f.Align)}
}

// acceptsPitch answers for a framework whose innermost dim has consecutive elements, and whose other strides are multiples of Pitch.
func (f *Framework) acceptsPitch(o Offer, s tensor.Strided, names []string) Answer {
	inner := f.innermost(s, o.DType)
	if inner < 0 {
		return no("no dim has stride 1").instead("%s", f.copied(o, s))
	}
	if s.Shape[inner]%o.DType.PerByte() != 0 {
		return no("%s is %d: its elements must fill whole bytes", names[inner], s.Shape[inner])
	}
	for _, d := range rising(s, inner) {
		stride := int64(s.Strides[d])
		if stride == 0 {
			return no("%s-stride is 0: broadcast", names[d]).instead("%s", f.copied(o, s))
		}
		if stride >= endTMAStride*8/int64(o.DType.Bits()) {
			return no("%s-stride is %s bytes: they must be less than 2^40", names[d], bytesText(stride, o.DType))
		}
		if stride%f.unit(o.DType) != 0 {
			return f.refusesPitch(o, s, inner, d, names[d])
		}
	}
	for d, size := range s.Shape {
		if int64(size) > maxTMASize {
			return no("%s is %d: sizes are at most 2^32", names[d], size)
		}
	}
	return yes(Logical)
}

// refusesPitch names the stride of dim d, in bytes, the next multiple of Pitch, and how much more memory the tensor spans with all strides
// like that.
func (f *Framework) refusesPitch(o Offer, s tensor.Strided, inner, d int, name string) Answer {
	padded := f.padded(s, inner, o.DType)
	more := 100 * (span(s.Shape, padded)/span(s.Shape, wide64(s.Strides)) - 1)
	cost := fmt.Sprintf("takes %.1f%% more", more)
	if more == 0 {
		cost = "takes no more"
	}
	what := name + "-stride is"
	if inner == s.Rank()-1 && d == rising(s, inner)[0] {
		what = "rows are"
	}
	is := bytesText(int64(s.Strides[d]), o.DType)
	next := bytesText(padded[d], o.DType)
	full := fmt.Sprintf("%s %s bytes, not a multiple of %d; a stride of %d elements, %s bytes, %s memory", what, is, f.Pitch, padded[d], next, cost)
	brief := fmt.Sprintf("%s %s B, not a multiple of %d", what, is, f.Pitch)
	return Answer{}.and(clause{full, brief}, clause{full: f.copied(o, s)})
}

// bytesText returns the bytes of n elements, 1022 or 127.5.
func bytesText(n int64, d dtype.Type) string {
	return strconv.FormatFloat(float64(n)*float64(d.Bits())/8, 'f', -1, 64)
}

// unit returns how many elements Pitch bytes hold, or the fewest that are a multiple of them.
func (f *Framework) unit(d dtype.Type) int64 {
	return int64(8 * f.Pitch / ints.GCD(8*f.Pitch, d.Bits()))
}

// copied says that a row-major copy is accepted; empty if it is not, or if the tensor is row-major.
func (f *Framework) copied(o Offer, s tensor.Strided) string {
	_, plain := o.Layout.Strided()
	dense, err := tensor.Packed(s.Shape)
	if !plain || s.CContiguous().OK || err != nil {
		return ""
	}
	if !slices.Equal(f.padded(dense, s.Rank()-1, o.DType), wide64(dense.Strides)) {
		return ""
	}
	return ".contiguous() copies " + o.Copy + " and would do"
}

// padded returns the strides of the same dims in the same order, in elements, each the smallest multiple of Pitch bytes that leaves room
// for the dims inside it.
func (f *Framework) padded(s tensor.Strided, inner int, typ dtype.Type) []int64 {
	old := wide64(s.Strides)
	unit := f.unit(typ)
	strides := slices.Clone(old)
	extent := int64(1)
	last := inner
	for _, d := range rising(s, inner) {
		if last != inner && old[d]%max(1, old[last]) == 0 {
			strides[d] = old[d] / max(1, old[last]) * strides[last]
		}
		strides[d] = ints.CeilDiv(max(strides[d], extent), unit) * unit
		last = d
		if s.Shape[d] > 1 {
			extent = strides[d] * int64(s.Shape[d])
		}
	}
	return strides
}

// wide64 returns strides as 64-bit numbers, which hold padded ones on any machine.
func wide64(strides []int) []int64 {
	all := make([]int64, len(strides))
	for d, stride := range strides {
		all[d] = int64(stride)
	}
	return all
}

// innermost returns the dim whose elements are consecutive: of stride 1, or of size 1 if there is none, rather one whose stride is not a
// multiple of Pitch; -1 if there is no such dim.
func (f *Framework) innermost(s tensor.Strided, typ dtype.Type) int {
	best := -1
	for d, size := range s.Shape {
		if s.Strides[d] == 1 && size > 1 {
			return d
		}
		if size == 1 && (best < 0 || int64(s.Strides[d])%f.unit(typ) != 0) {
			best = d
		}
	}
	return best
}

// rising returns all dims but one, in the order of their strides, the smallest first.
func rising(s tensor.Strided, but int) []int {
	dims := slices.DeleteFunc(ints.Range(s.Rank()), func(d int) bool { return d == but })
	slices.SortStableFunc(dims, func(a, b int) int { return cmp.Compare(s.Strides[a], s.Strides[b]) })
	return dims
}

// span returns how many elements positive strides span, 1 + Σ (size-1)·stride.
func span(shape []int, strides []int64) float64 {
	n := 1.0
	for d, size := range shape {
		n += float64(size-1) * float64(strides[d])
	}
	return n
}

// remarkTMA returns which boxes can be copied, in elements, and names the innermost dim if it is not the last one, as Triton requires.
func remarkTMA(f *Framework, o Offer) []clause {
	unit := f.unit(o.DType)
	inner := "the innermost axis"
	all := []clause{}
	if s, plain := o.Layout.Strided(); plain && f.innermost(s, o.DType) >= 0 {
		d := f.innermost(s, o.DType)
		inner = o.Layout.Dim(d).Name
		if d < s.Rank()-1 {
			all = append(all, clause{full: "its first dim is " + inner + "; Triton's TensorDescriptor needs stride 1 in the last one"})
		}
	}
	return append(all, clause{full: fmt.Sprintf("boxes of at most 256 per dim; of %s, a multiple of %d, at most %d, %d or %d with SWIZZLE_32B, _64B or _128B",
		inner, unit, 2*unit, 4*unit, 8*unit)})
}

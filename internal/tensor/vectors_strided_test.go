package tensor

import (
	"strings"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// checkStridedVector evaluates one tensor of the key "strided": every framework's answer about it.
func checkStridedVector(v *vector) {
	v.prose("id", "source", "note", "verified_by")
	s := v.strided(input[int](v, "offset"))
	d, err := dtype.Parse(input[string](v, "dtype"))
	if err != nil {
		v.t.Fatal(err)
	}
	v.object("expected", func(e *vector) {
		checkElements(e, s, d)
		checkContiguity(e, s)
		checkOccupancy(e, s)
		checkBuffer(e, s)
		checkPyTorch(e, s, d)
		checkPyTorchCopies(e, s)
		checkDirectML(e, s, d)
		checkOneDNN(e, s, d)
		checkNumPy(e, s, d)
		e.want("cute_cosize_cpp", !s.Empty(), layoutOf(e.t, s).Extent())
		checkMegEngine(e, s)
	})
}

func checkElements(e *vector, s Strided, d dtype.Type) {
	bytes := make([]int, s.Rank())
	for i, stride := range s.Strides {
		bytes[i] = stride * d.ItemSize()
	}
	e.want("numel", true, s.Numel())
	e.want("itemsize", true, d.ItemSize())
	e.want("strides_bytes", true, bytes)
}

func checkContiguity(e *vector, s Strided) {
	e.want("c_contiguous", true, s.CContiguous().OK)
	e.want("f_contiguous", true, s.FContiguous().OK)
	e.want("c_contiguous_strict", true, s.StrictContiguous().OK)
	e.want("channels_last_contiguous", true, s.ChannelsLast().OK)
	e.want("channels_last_3d_contiguous", true, s.ChannelsLast3D().OK)
}

// checkOccupancy compares facts about the addresses; "padded" in the vectors means gaps between elements.
func checkOccupancy(e *vector, s Strided) {
	l, err := s.Layout(nil, Unbounded)
	if err != nil {
		e.t.Fatal(err)
	}
	occupancy := l.Occupancy()
	low, high, ok := l.Span()
	e.want("span", ok, []int{low - s.Offset, high - s.Offset})
	e.want("extent_elems", true, l.Extent())
	e.want("unique_elems", true, occupancy.Unique)
	e.want("gap_elems", true, l.Gaps())
	e.want("self_overlapping", true, occupancy.Overlapping == Yes)
	e.want("broadcast", true, len(l.BroadcastDims()) > 0)
	e.want("broadcast_dims", true, l.BroadcastDims())
	e.want("packed", true, l.Packed())
	e.want("padded", true, l.Gaps() > 0)
}

// checkBuffer compares facts that need the size of the storage, where the vector gives one.
func checkBuffer(e *vector, s Strided) {
	if !e.has("buffer_elems") {
		return
	}
	l, err := s.Layout(nil, input[int](e, "buffer_elems"))
	if err != nil {
		e.t.Fatal(err)
	}
	leading, trailing := l.Slack()
	e.want("leading_slack", true, leading)
	e.want("trailing_slack", true, trailing)
	e.want("in_bounds", true, l.InBounds())
	e.want("padded_vs_buffer", true, l.Alloc() > l.Occupancy().Unique)
}

// checkPyTorch compares what a PyTorch tensor answers without copying. PyTorch has no negative strides.
func checkPyTorch(e *vector, s Strided, d dtype.Type) {
	exists := !s.Negative()
	e.want("suggested_memory_format", exists, string(s.SuggestMemoryFormat()))
	e.want("non_overlapping_and_dense", exists, s.NonOverlappingAndDense())
	e.want("torch_storage_elems", exists, s.StorageElems())
	e.want("torch_storage_bytes", exists, s.StorageElems()*d.ItemSize())
	e.want("torch2_dim_order", exists, s.DimOrder())
	if e.has("torch_error") {
		_, err := AsStrided(s.Offset+s.Numel(), d.ItemSize(), s.Shape, s.Strides, s.Offset)
		if want := input[string](e, "torch_error"); err == nil || !strings.HasPrefix(err.Error(), want) {
			e.t.Errorf("torch_error: as_strided says %v, want %q", err, want)
		}
	}
}

// checkPyTorchCopies compares the strides of what the calls that may copy return; a vector has those that PyTorch
// would answer and that were cheap to run.
func checkPyTorchCopies(e *vector, s Strided) {
	e.wantIf("torch_clone_strides", s.CloneStrides())
	for name, f := range map[string]MemoryFormat{
		"torch_contiguous_strides":      ContiguousFormat,
		"torch_contiguous_cl_strides":   ChannelsLastFormat,
		"torch_contiguous_cl3d_strides": ChannelsLast3D,
	} {
		c, ok := s.Contiguous(f)
		e.wantIf(name, c.Strides)
		if e.has(name) != ok && s.Numel() < 1<<16 && !s.Negative() {
			e.t.Errorf("%s: in the vector %v, in the model %v", name, e.has(name), ok)
		}
	}
	for name, f := range map[string]MemoryFormat{
		"torch_to_strides":      ContiguousFormat,
		"torch_to_cl_strides":   ChannelsLastFormat,
		"torch_to_cl3d_strides": ChannelsLast3D,
	} {
		c, _ := s.To(f)
		e.wantIf(name, c.Strides)
	}
}

// checkDirectML compares DMLCalcBufferTensorSize and the description filled up to four dims.
func checkDirectML(e *vector, s Strided, d dtype.Type) {
	bits := dtype.DirectMLBits(d)
	bytes, ok := s.DirectMLBytes(bits)
	packed, packedOK := packedLike(s).DirectMLBytes(bits)
	e.want("dml_size_bytes", ok, bytes)
	e.want("dml_size_bytes_null_strides", packedOK, packed)
	e.want("dml_helper_returns_zero_for_dtype", true, bits == 0)
	sizes, strides := s.DirectMLDesc()
	e.wantIf("dml_sizes4", sizes)
	e.wantIf("dml_strides4", strides)
}

// checkOneDNN compares a plain memory descriptor; oneDNN has neither rank 0 nor negative strides, and no size for a
// descriptor that it refuses.
func checkOneDNN(e *vector, s Strided, d dtype.Type) {
	exists := !s.Negative() && s.Rank() > 0
	e.want("onednn_strides_ok", exists, s.OneDNNAccepts())
	e.want("onednn_size_bytes", exists && s.OneDNNAccepts(), s.OneDNNElems()*d.ItemSize())
}

// checkNumPy compares byte bounds and what numpy.save writes: a copy in C or Fortran order.
func checkNumPy(e *vector, s Strided, d dtype.Type) {
	low, high := s.ByteBounds(d.ItemSize())
	e.want("numpy_byte_bounds_rel", true, []int{low, high})
	e.object("npy_save", func(save *vector) {
		save.want("fortran_order", true, s.SavedFortran())
		save.want("data_bytes", true, s.Numel()*d.ItemSize())
	})
}

// megMaxRank is TensorShape::MAX_NDIM; a TensorLayout of rank 0 is MegEngine's "not initialised".
const megMaxRank = 7

func checkMegEngine(e *vector, s Strided) {
	if e.null("megdnn") && (s.Rank() == 0 || s.Rank() > megMaxRank) {
		e.prose("megdnn")
		return
	}
	e.object("megdnn", func(m *vector) {
		m.want("is_contiguous", true, s.MegContiguous())
		m.want("is_contiguous_allow_brdcst", true, s.MegContiguousAllowBroadcast())
		m.want("is_abs_monotonous_allow_brdcst", true, s.MegAbsMonotonous())
		answer, ok := s.MegNonOverlapping()
		m.want("is_non_overlapping_strong", ok, answer)
		low, high := s.MegSpan()
		m.object("span", func(span *vector) {
			span.want("low_elem", true, low)
			span.want("high_elem", true, high)
		})
	})
}

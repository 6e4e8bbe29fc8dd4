package tensor

// MemoryFormat is PyTorch's word for a memory order.
type MemoryFormat string

// PyTorch's memory formats (c10/core/MemoryFormat.h).
const (
	ContiguousFormat   MemoryFormat = "contiguous"
	ChannelsLastFormat MemoryFormat = "channels_last"
	ChannelsLast3D     MemoryFormat = "channels_last_3d"
)

// Rank is the only rank that the format exists for; -1 for any.
func (f MemoryFormat) Rank() int {
	switch f {
	case ChannelsLastFormat:
		return 4
	case ChannelsLast3D:
		return 5
	}
	return -1
}

func (f MemoryFormat) order() []int {
	switch f {
	case ChannelsLastFormat:
		return channelsLastOrder
	case ChannelsLast3D:
		return channelsLast3DOrder
	}
	return nil
}

// SuggestMemoryFormat answers tensor.suggest_memory_format(), the hint by which operators choose their output's
// format. It is not the same question as IsContiguous(channels_last): it looks at the strides of size-1 dims, which
// contiguity ignores, and does not care about gaps. (aten/src/ATen/core/TensorBase.h)
func (s Strided) SuggestMemoryFormat() MemoryFormat {
	switch {
	case s.likeChannelsLast(ChannelsLastFormat):
		return ChannelsLastFormat
	case s.likeChannelsLast(ChannelsLast3D):
		return ChannelsLast3D
	}
	return ContiguousFormat
}

// likeChannelsLast is is_channels_last_strides: strides that never fall when the dims are walked C, W, H, N.
// (c10/core/MemoryFormat.h)
func (s Strided) likeChannelsLast(f MemoryFormat) bool {
	if s.Rank() != f.Rank() || s.Strides[1] == 0 {
		return false
	}
	least := 0
	for _, d := range f.order() {
		switch {
		case s.Shape[d] == 0, s.Strides[d] < least:
			return false
		case d == 0 && least == s.Strides[1]: // N,1,1,1 and all strides equal: stays NCHW
			return false
		}
		least = s.Strides[d] * max(s.Shape[d], 1)
	}
	return true
}

// IsContiguous answers tensor.is_contiguous(memory_format=f).
func (s Strided) IsContiguous(f MemoryFormat) bool {
	switch f {
	case ChannelsLastFormat:
		return s.ChannelsLast().OK
	case ChannelsLast3D:
		return s.ChannelsLast3D().OK
	}
	return s.CContiguous().OK
}

// FormatStrides returns the strides that PyTorch gives to a new tensor of the format; false where the rank does not
// fit. In channels_last a size of 0 makes the strides after it 0; in the contiguous format it counts as 1.
// (c10/core/MemoryFormat.h, get_channels_last_strides_2d)
//
//	stride = 1; for k in {1, 3, 2, 0}: strides[k] = stride; stride *= shape[k]
func FormatStrides(shape []int, f MemoryFormat) ([]int, bool) {
	order := f.order()
	if order == nil {
		return rowMajor(shape), true
	}
	if len(shape) != len(order) {
		return nil, false
	}
	strides, run := make([]int, len(shape)), 1
	for _, d := range order {
		strides[d] = run
		run *= shape[d]
	}
	return strides, true
}

// Copy is what a PyTorch call that may copy does: Self returns the tensor itself, otherwise a new one of Strides.
type Copy struct {
	Self    bool
	Strides []int
}

// Contiguous is tensor.contiguous(memory_format=f): itself where IsContiguous(f). ok is false where the rank does
// not fit the format, which PyTorch refuses.
func (s Strided) Contiguous(f MemoryFormat) (c Copy, ok bool) {
	return s.copyUnless(s.IsContiguous(f), f)
}

// To is tensor.to(memory_format=f). It asks the hint, not contiguity: it returns the tensor itself exactly where
// SuggestMemoryFormat is f, so the result of to(contiguous_format) need not be contiguous.
func (s Strided) To(f MemoryFormat) (c Copy, ok bool) {
	return s.copyUnless(s.SuggestMemoryFormat() == f, f)
}

func (s Strided) copyUnless(self bool, f MemoryFormat) (Copy, bool) {
	fresh, ok := FormatStrides(s.Shape, f)
	switch {
	case !ok:
		return Copy{}, false
	case self:
		return Copy{true, s.Strides}, true
	}
	return Copy{false, fresh}, true
}

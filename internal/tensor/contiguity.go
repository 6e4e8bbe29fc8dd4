package tensor

import "github.com/tlayout/tlayout/internal/ints"

// Verdict is yes, or no with the reason: Dim is the innermost dim whose stride is not the product of the sizes inside it.
type Verdict struct {
	OK       bool
	Dim      int // -1 if the rank alone decides
	Expected int // stride in elements
	Found    int
}

var holds = Verdict{OK: true}

// Memory orders of channels_last and channels_last_3d: dims from the innermost to the outermost.
var (
	channelsLastOrder   = []int{1, 3, 2, 0}
	channelsLast3DOrder = []int{1, 4, 3, 2, 0}
)

// CContiguous returns PyTorch's is_contiguous() and NumPy's C_CONTIGUOUS, which agree: row-major without gaps. Strides of size-1 dims
// are ignored, and an empty tensor is contiguous.
//
//	expect = 1; for i = n-1 … 0: if d_i ≠ 1 { need s_i = expect; expect *= d_i }
func (s Strided) CContiguous() Verdict {
	if s.Empty() {
		return holds
	}
	return s.packedIn(s.lastToFirst())
}

// FContiguous returns NumPy's F_CONTIGUOUS: column-major without gaps.
func (s Strided) FContiguous() Verdict {
	if s.Empty() {
		return holds
	}
	return s.packedIn(s.firstToLast())
}

// StrictContiguous is the loop of tutorials (docs/sources.md, 1): it also compares the strides of size-1 dims, and has no rule for
// empty tensors. For (2,1,3):(3,999,1), PyTorch returns true and this returns false.
func (s Strided) StrictContiguous() Verdict {
	expect := 1
	for _, i := range s.lastToFirst() {
		if s.Strides[i] != expect {
			return Verdict{Dim: i, Expected: expect, Found: s.Strides[i]}
		}
		expect *= s.Shape[i]
	}
	return holds
}

// ChannelsLast returns is_contiguous(memory_format=torch.channels_last): rank 4, memory order N,H,W,C. Unlike CContiguous it has no
// rule for empty tensors.
func (s Strided) ChannelsLast() Verdict { return s.channelsLastIn(channelsLastOrder) }

// ChannelsLast3D returns is_contiguous(memory_format=torch.channels_last_3d): rank 5, memory order N,D,H,W,C.
func (s Strided) ChannelsLast3D() Verdict { return s.channelsLastIn(channelsLast3DOrder) }

func (s Strided) channelsLastIn(order []int) Verdict {
	if s.Rank() != len(order) {
		return Verdict{Dim: -1}
	}
	return s.packedIn(order)
}

// packedIn checks, innermost first, that each dim of size ≠ 1 has the dense stride of this order.
func (s Strided) packedIn(order []int) Verdict {
	expect := 1
	for _, i := range order {
		if s.Shape[i] == 1 {
			continue
		}
		if s.Strides[i] != expect {
			return Verdict{Dim: i, Expected: expect, Found: s.Strides[i]}
		}
		expect *= s.Shape[i]
	}
	return holds
}

func (s Strided) firstToLast() []int { return ints.Range(s.Rank()) }

func (s Strided) lastToFirst() []int { return reversed(s.firstToLast()) }

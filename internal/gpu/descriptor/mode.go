// Package descriptor encodes tiles in shared memory as the matrix descriptors from which NVIDIA's tensor cores read operands: WGMMA's of
// SM90, UMMA's (tcgen05) of SM100. It has the modes in which TMA writes such tiles.
//
// Sources: make_gmma_desc of include/cute/atom/mma_traits_sm90_gmma.hpp and make_umma_desc of include/cute/arch/mma_sm100_desc.hpp,
// CUTLASS 4.7.0 at 7107b0553; PTX ISA, "Canonical Layouts", "Matrix Descriptor Format" of wgmma, "Shared Memory Descriptor" of tcgen05.
package descriptor

import "github.com/tlayout/tlayout/internal/tensor"

// The swizzles of bytes that TMA and tensor cores know.
var (
	swizzle32      = tensor.Swizzle{Bits: 1, Base: 4, Shift: 3}
	swizzle64      = tensor.Swizzle{Bits: 2, Base: 4, Shift: 3}
	swizzle128     = tensor.Swizzle{Bits: 3, Base: 4, Shift: 3}
	swizzle128By32 = tensor.Swizzle{Bits: 2, Base: 5, Shift: 2} // in chunks of 32 bytes instead of 16
)

// TMAMode is how TMA swizzles boxes in shared memory.
type TMAMode struct {
	Name    string         // of CUtensorMapSwizzle, without its prefix
	Span    int            // bytes of a row of a box
	Swizzle tensor.Swizzle // of bytes
}

// TMAModes are the modes of CUtensorMapSwizzle whose swizzle is known: not those of 128B_ATOM_32B_FLIP_8B, which is not an XOR of whole chunks, and of
// 128B_ATOM_64B, which has two chunks of 64 bytes in cuda.h, and four in CUTLASS. (cuda.h of CUDA 13.2 and 13.5, cuTensorMapEncodeTiled;
// get_tma_swizzle_bits of include/cute/atom/copy_traits_sm90_tma_swizzle.hpp, CUTLASS 4.7.0)
var TMAModes = [...]TMAMode{
	{"SWIZZLE_128B", 128, swizzle128}, {"SWIZZLE_64B", 64, swizzle64}, {"SWIZZLE_32B", 32, swizzle32}, {"SWIZZLE_128B_ATOM_32B", 128, swizzle128By32},
}

// Unchecked returns the mode of CUtensorMapSwizzle that may have a swizzle of bytes, though no one has checked which one it has; empty if none may.
func Unchecked(z tensor.Swizzle) string {
	if z.Base == 6 && z.Bits > 0 {
		return "SWIZZLE_128B_ATOM_64B"
	}
	return ""
}

// mode is a layout type with its canonical layouts of (MN, K). The swizzle permutes bytes; sizes and strides count elements, T of them in
// 16 bytes.
type mode struct {
	swizzle tensor.Swizzle // the zero Swizzle for Sw<0,4,3>
	width   int            // of a row of the swizzle's pattern, in units of 16 bytes
	rows    int            // indices of K in a pattern of an MN-major operand
	sm90    Value
	sm100   Value
	k, mn   string // the canonical layouts; empty: not supported
}

var modes = []mode{
	{tensor.Swizzle{}, 1, 8, Value{Code: 0, Name: "INTERLEAVE"}, Value{Code: 0, Name: "SWIZZLE_NONE"},
		"Sw<0,4,3> o ((8,m),(T,2)):((T,SBO),(1,LBO))", "Sw<0,4,3> o ((T,m),(8,k)):((1,SBO),(T,LBO))"},
	{swizzle32, 2, 8, Value{Code: 3, Name: "B32"}, Value{Code: 6, Name: "SWIZZLE_32B"},
		"Sw<1,4,3> o ((8,m),(T,2)):((2T,SBO),(1,T))", "Sw<1,4,3> o ((T,2,m),(8,k)):((1,T,LBO),(2T,SBO))"},
	{swizzle64, 4, 8, Value{Code: 2, Name: "B64"}, Value{Code: 4, Name: "SWIZZLE_64B"},
		"Sw<2,4,3> o ((8,m),(T,2)):((4T,SBO),(1,T))", "Sw<2,4,3> o ((T,4,m),(8,k)):((1,T,LBO),(4T,SBO))"},
	{swizzle128, 8, 8, Value{Code: 1, Name: "B128"}, Value{Code: 2, Name: "SWIZZLE_128B"},
		"Sw<3,4,3> o ((8,m),(T,2)):((8T,SBO),(1,T))", "Sw<3,4,3> o ((T,8,m),(8,k)):((1,T,LBO),(8T,SBO))"},
	{swizzle128By32, 8, 4, Value{}, Value{Code: 1, Name: "SWIZZLE_128B_BASE32B"},
		"", "Sw<2,5,2> o ((T,8,m),(4,k)):((1,T,LBO),(8T,SBO))"},
}

// plain reports whether the mode has no swizzle.
func (m mode) plain() bool { return m.swizzle.IsZero() }

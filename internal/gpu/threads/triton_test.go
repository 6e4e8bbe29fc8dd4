package threads

import (
	"slices"
	"strings"
	"testing"
)

// What triton-tensor-layout prints of these two over 16×16, all 256 cells of each. (test/Tools/tensor_layout_print.mlir, Triton 107fac87)
func TestTriton(t *testing.T) {
	for _, c := range []struct {
		spelled string
		owners  func(i, j int) []Owner
	}{
		{"#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>", func(i, j int) []Owner {
			return []Owner{{8*i + j/4, j % 4}, {8*i + j/4 + 4, j % 4}}
		}},
		{"gl.BlockedLayout([1,4], [4,8], [4,1], order=[1,0])", func(i, j int) []Owner {
			return []Owner{{8*i + j/4, j % 4}, {8*i + j/4 + 4, j % 4}}
		}},
		{"#ttg.amd_mfma<{versionMajor=2, versionMinor=0, warpsPerCTA=[4, 1], instrShape=[16, 16], isTransposed=true}>", func(i, j int) []Owner {
			t := i + 16*(j/4)
			return []Owner{{t, j % 4}, {t + 64, j % 4}, {t + 128, j % 4}, {t + 192, j % 4}}
		}},
	} {
		l, err := Parse(c.spelled, []int{16, 16})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 16 {
			for j := range 16 {
				if got := l.Owners(i, j); !slices.Equal(got, c.owners(i, j)) {
					t.Errorf("%s: (%d,%d) is %v, want %v", c.spelled, i, j, got, c.owners(i, j))
				}
			}
		}
	}
}

// Triton's operands and accumulators of tensor cores are the fragments of CuTe's atoms, and the type of a tensor has its tile.
func TestSameFragment(t *testing.T) {
	const v2 = "nvidia_mma<{versionMajor=2, versionMinor=0, warpsPerCTA=[1,1], instrShape=[16,8]}>"
	for spelled, atom := range map[string]string{
		"tensor<16x8xf32, #triton_gpu." + v2 + ">":                                         "SM80_16x8x16_F32F16F16F32_TN:C",
		"tensor<16x16xf16, #ttg.dot_op<{opIdx=0, parent=#ttg." + v2 + ", kWidth=2}>>":      "SM80_16x8x16_F32F16F16F32_TN:A",
		"gl.NVMMADistributedLayout([3,0], [4,1], [16,64,16])":                              "SM90_64x64x16_F32F16F16_SS:C",
		"gl.DotOperandLayout(0, gl.NVMMADistributedLayout([3,0], [4,1], [16,64,16]), 2)":   "SM90_64x64x16_F32F16F16_RS:A",
		"gl.AMDMFMALayout(3, [16,16,16], transposed=False, warps_per_cta=[1,1])":           "mfma_f32_16x16x16_f16:C",
		"gl.AMDMFMALayout(3, [32,32,8], False, [1,1])":                                     "mfma_f32_32x32x8_f16:C",
		"gl.AMDMFMALayout(3, [16,16,4], False, [1,1], element_bitwidth=64)":                "mfma_f64_16x16x4f64:C",
		"gl.DotOperandLayout(0, gl.AMDMFMALayout(3, [16,16,16], False, [1,1]), k_width=4)": "mfma_f32_16x16x16_f16:A",
		// Triton's kWidth for mfma_scale is 16 bytes: 16 elements of 8 bits, 32 of 4.
		"gl.DotOperandLayout(0, gl.AMDMFMALayout(4, [16,16,128], False, [1,1]), k_width=16)": "mfma_scale_f32_16x16x128_f8f6f4.f8:A",
		"gl.DotOperandLayout(0, gl.AMDMFMALayout(4, [32,32,64], False, [1,1]), k_width=16)":  "mfma_scale_f32_32x32x64_f8f6f4.f8:A",
		"gl.DotOperandLayout(0, gl.AMDMFMALayout(4, [16,16,128], False, [1,1]), k_width=32)": "mfma_scale_f32_16x16x128_f8f6f4.f4:A",
		"gl.DotOperandLayout(0, gl.AMDMFMALayout(4, [32,32,64], False, [1,1]), k_width=32)":  "mfma_scale_f32_32x32x64_f8f6f4.f4:A",
		"gl.AMDMFMALayout(4, [32,32,64], False, [1,1])":                                      "mfma_scale_f32_32x32x64_f8f6f4.f6:C",
		"gl.AMDWMMALayout(1, False, [])":                                                     "wmma_f32_16x16x16_f16.gfx11:C",
		"gl.AMDWMMALayout(2, False, [])":                                                     "wmma_f32_16x16x16_f16.gfx12:C",
		"gl.DotOperandLayout(0, gl.AMDWMMALayout(1, False, []), 16)":                         "wmma_f32_16x16x16_f16.gfx11:A",
		"gl.DotOperandLayout(0, gl.AMDWMMALayout(2, False, []), 4)":                          "wmma_f32_16x16x16_f16.gfx12:A",
		"gl.DotOperandLayout(0, gl.AMDWMMALayout(2, False, []), 8)":                          "wmma_f32_16x16x16_fp8_fp8.gfx12:A",
		// Tensor memory: PTX's data paths D, F, A and B as TVM has them.
		"gl.TensorMemoryLayout((128, 64), 1)":                 "tcgen05.mma.m128n64",
		"gl.TensorMemoryLayout((64, 64), 1)":                  "tcgen05.mma.m64n64",
		"gl.TensorMemoryLayout((128, 64), 1, [[1, 0]], True)": "tcgen05.mma.cta_group::2.m256n64",
		"gl.TensorMemoryLayout([64, 128], 1, [[1, 0]], True)": "tcgen05.mma.cta_group::2.m128n128",
	} {
		b, err := Parse(atom, nil)
		if err != nil {
			t.Fatal(err)
		}
		tile := b.Tile
		if strings.HasPrefix(spelled, "tensor") {
			tile = nil
		}
		a, err := Parse(spelled, tile)
		if err != nil {
			t.Fatal(err)
		}
		same(t, spelled, a, b)
		if tile == nil && a.Bits != b.Bits {
			t.Errorf("%s has %d bits, the atom %d", spelled, a.Bits, b.Bits)
		}
	}
	wide, err := Parse("#ttg.blocked<{sizePerThread=[2,4], threadsPerWarp=[16,2], warpsPerCTA=[2,2], order=[1,0]}>", []int{64, 16})
	if err != nil || !slices.Equal(wide.At(32+3, 5), []int{3, 13}) {
		t.Error(err, "register 5 of lane 3 of warp 1 is not at (3,13)")
	}
}

func same(t *testing.T, name string, a, b Layout) {
	t.Helper()
	if a.InMemory != b.InMemory || a.Threads != b.Threads || a.Values != b.Values || a.Warp != b.Warp || !slices.Equal(a.Tile, b.Tile) {
		t.Fatalf("%s: %d×%d over %v, the atom has %d×%d over %v", name, a.Threads, a.Values, a.Tile, b.Threads, b.Values, b.Tile)
	}
	for thread := range a.Threads {
		if x, y := a.Lane(thread), b.Lane(thread); x != y {
			t.Errorf("%s: thread %d is lane %d, in the atom %d", name, thread, x, y)
		}
		for value := range a.Values {
			if x, y := a.At(thread, value), b.At(thread, value); !slices.Equal(x, y) {
				t.Errorf("%s: T%d V%d is at %v, in the atom at %v", name, thread, value, x, y)
			}
		}
	}
}

// Layouts of shared memory, missing tiles and tiles that contradict a type are errors.
func TestTritonRefused(t *testing.T) {
	const layout = "#ttg.blocked<{sizePerThread=[1], threadsPerWarp=[32], warpsPerCTA=[1], order=[0]}>"
	for spelled, want := range map[string]string{
		"gl.SwizzledSharedLayout(1, 1, 1, [0])": "layout of shared memory", "gl.BlockedLayout([1], [32], [1], [0])": "missing the sizes",
		"tensor<64xf16, " + layout + ">": "is not the shape",
	} {
		tile := []int{32}
		if strings.HasPrefix(want, "missing") {
			tile = nil
		}
		if _, err := Parse(spelled, tile); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %s", spelled, err, want)
		}
	}
}

package framework

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// place is a vendor's formula: where element i of a tensor of these sizes is, in elements.
type place func(sizes, i []int) int

func upTo(n, multiple int) int { return ints.CeilDiv(n, multiple) * multiple }

// vendors has the formulas as their sources write them, M,K or M,N or C,H,W first; storage is the number of elements that they allocate.
var vendors = map[string]struct {
	at      place
	storage func(sizes []int) int
}{
	// cuBLAS, 1D Block Scaling Factors Layout: tiles of 128 × 4, row by row of tiles
	"VEC32_UE8M0": {func(s, i []int) int {
		tile := i[0]/128*ints.CeilDiv(s[1], 4) + i[1]/4
		return tile*512 + i[0]%32*16 + i[0]%128/32*4 + i[1]%4
	}, func(s []int) int { return upTo(s[0], 128) * upTo(s[1], 4) }},
	// CUTLASS 4.7, include/cutlass/detail/sm100_blockscaled_layout.hpp: SfAtom ((32,4),(V,4)):((16,4),(0,1)), tiled K first, for V = 1
	"Sm1xxBlockScaledConfig": {func(s, i []int) int {
		atom := i[0]%32*16 + i[0]/32%4*4 + i[1]%4
		return atom + i[1]/4*512 + i[0]/128*512*ints.CeilDiv(s[1], 4)
	}, func(s []int) int { return upTo(s[0], 128) * upTo(s[1], 4) }},
	// torchao 047c25c4, to_blocked: view (R, 128, C, 4), permute (0, 2, 1, 3), reshape (R·C, 4, 32, 4), transpose (1, 2)
	"to_blocked": {func(s, i []int) int {
		columns := ints.CeilDiv(s[1], 4)
		block := i[0]/128*columns + i[1]/4
		row := i[0] % 128
		return ((block*32+row%32)*4+row/32)*4 + i[1]%4
	}, func(s []int) int { return upTo(s[0], 128) * upTo(s[1], 4) }},
	// FlashInfer 08bb8f86, csrc/nv_internal/tensorrt_llm/kernels/quantization.h: 8 × 4
	"layout_8x4": {func(s, i []int) int {
		return i[0]/8*8*upTo(s[1], 4) + i[1]/4*32 + i[0]%8*4 + i[1]%4
	}, func(s []int) int { return upTo(s[0], 8) * upTo(s[1], 4) }},
	// torch 2.15.0, to_blocked(swizzle_32_8=True): view (M/32, 2, 16, K/8, 2, 4), permute (0, 3, 5, 2, 4, 1)
	"SWIZZLE_32_8": {func(s, i []int) int {
		tile := i[0]/32*ints.CeilDiv(s[1], 8) + i[1]/8
		return ((tile*4+i[1]%4)*16+i[0]%16)*4 + i[1]/4%2*2 + i[0]/16%2
	}, func(s []int) int { return upTo(s[0], 32) * upTo(s[1], 8) }},
	// DeepGEMM ab02dd58, csrc/utils/layout.hpp: stride(-2) is 1, stride(-1) is M of whole 16 bytes
	"get_mn_major_tma_aligned_tensor": {func(s, i []int) int { return i[0] + i[1]*upTo(s[0], 16/4) },
		func(s []int) int { return s[1] * upTo(s[0], 16/4) }},
	// the same: int32 (M, K/4), of which byte K%4 is the scale
	"get_mn_major_tma_aligned_packed_ue8m0_tensor": {func(s, i []int) int { return 4*(i[0]+i[1]/4*upTo(s[0], 16/4)) + i[1]%4 },
		func(s []int) int { return upTo(s[1], 4) * upTo(s[0], 16/4) }},
	// CANN 8.0, TransdataOperation: (m, n) is (n1, m1·m0, n0), m0 and n0 are 16 for float16, n0 is 32 for int8
	"FRACTAL_NZ": {func(s, i []int) int { return i[1]/16*upTo(s[0], 16)*16 + i[0]*16 + i[1]%16 },
		func(s []int) int { return upTo(s[0], 16) * upTo(s[1], 16) }},
	"FRACTAL_NZ_C0_32": {func(s, i []int) int { return i[1]/32*upTo(s[0], 16)*32 + i[0]*32 + i[1]%32 },
		func(s []int) int { return upTo(s[0], 16) * upTo(s[1], 32) }},
	"NC1HWC0_C04": {func(s, i []int) int { return (((i[0]*ints.CeilDiv(s[1], 4)+i[1]/4)*s[2]+i[2])*s[3]+i[3])*4 + i[1]%4 },
		func(s []int) int { return s[0] * upTo(s[1], 4) * s[2] * s[3] }},
	// marlin ca3de383, pack: tiles of 16 × 16 in a row of K/16, 1024 values permuted by _perm
	"marlin": {func(s, i []int) int {
		n := upTo(s[1], 64)
		at := i[1]/16*256 + i[0]%16*16 + i[1]%16
		return i[0]/16*n*16 + at/1024*1024 + slices.Index(marlinPerm, at%1024)
	}, func(s []int) int { return upTo(s[0], 16) * upTo(s[1], 64) }},
	// the same: s.reshape(-1, 64)[:, _scale_perm], and [:, _scale_perm_single] of 32
	"marlin-scales": {func(s, i []int) int { return i[0]*upTo(s[1], 64) + i[1]/64*64 + slices.Index(marlinScales, i[1]%64) },
		func(s []int) int { return s[0] * upTo(s[1], 64) }},
	"marlin-channel-scales": {func(s, i []int) int { return i[0]*upTo(s[1], 32) + i[1]/32*32 + slices.Index(marlinSingle, i[1]%32) },
		func(s []int) int { return s[0] * upTo(s[1], 32) }},
	// vLLM 6eb28706, marlin_zero_points: _scale_perm, then the columns 0 2 4 6 1 3 5 7 of eight, then pack_cols
	"marlin-zeros": {func(s, i []int) int {
		at := slices.Index(marlinScales, i[1]%64)
		return i[0]*upTo(s[1], 64) + i[1]/64*64 + at/8*8 + slices.Index(interleaved, at%8)
	}, func(s []int) int { return s[0] * upTo(s[1], 64) }},
	// AutoGPTQ 7c691ed3, pack: qweight[row] |= intweight[j] << (4 * (j - i)) of 8 rows; qzeros of 8 columns
	"gptq":       {func(s, i []int) int { return (i[0]/8*s[1]+i[1])*8 + i[0]%8 }, func(s []int) int { return upTo(s[0], 8) * s[1] }},
	"gptq-zeros": {func(s, i []int) int { return i[0]*s[1] + i[1] }, ints.Product},
	// AutoAWQ d9dc8e56, from_linear: qweight[:, col] |= intweight[:, col * 8 + order_map[i]] << (i * 4)
	"awq": {func(s, i []int) int { return i[0]*upTo(s[1], 8) + i[1]/8*8 + slices.Index(interleaved, i[1]%8) },
		func(s []int) int { return s[0] * upTo(s[1], 8) }},
	// compressed-tensors 0.20.1, pack_to_int32 of 4 bits: (rows, columns/8, 8) << 4 · the last index
	"compressed-tensors": {func(s, i []int) int { return i[0]*s[1] + i[1] }, ints.Product},
	// GDAL's page on ENVI: bands C of lines H of samples W
	"BSQ": {func(s, i []int) int { return i[0]*s[1]*s[2] + i[1]*s[2] + i[2] }, ints.Product},
	"BIL": {func(s, i []int) int { return i[1]*s[0]*s[2] + i[0]*s[2] + i[2] }, ints.Product},
	"BIP": {func(s, i []int) int { return i[1]*s[2]*s[0] + i[2]*s[0] + i[0] }, ints.Product},
}

// The permutations of Marlin and AWQ.
var (
	interleaved                            = []int{0, 2, 4, 6, 1, 3, 5, 7}
	marlinPerm, marlinScales, marlinSingle = marlinPerms()
)

// marlinPerms is _get_perms of marlin/__init__.py: for each of 32 threads its 8 values of a tile of 16 × 16, in four tiles, interleaved.
func marlinPerms() (perm, scales, single []int) {
	for thread := range 32 {
		var one []int
		for block := range 2 {
			for _, row := range []int{0, 1, 8, 9} {
				one = append(one, 16*(2*(thread%4)+row)+thread/4+8*block)
			}
		}
		for tile := range 4 {
			for _, k := range interleaved {
				perm = append(perm, one[k]+256*tile)
			}
		}
	}
	for i := range 8 {
		for j := range 8 {
			scales = append(scales, i+8*j)
		}
	}
	for i := range 4 {
		for _, j := range []int{0, 1, 8, 9, 16, 17, 24, 25} {
			single = append(single, 2*i+j)
		}
	}
	return perm, scales, single
}

// otherwise has the names that stand for the order of another name in vendors, by the same source.
var otherwise = map[string]string{"VEC16_UE4M3": "VEC32_UE8M0", "F8_128x4": "VEC32_UE8M0", "SWIZZLE_32_4_4": "to_blocked", "layout_128x4": "VEC32_UE8M0",
	"SWIZZLED_128x4": "VEC32_UE8M0", "BLK32_UE8M0_32_8": "SWIZZLE_32_8", "QuantizationSFLayout::SWIZZLED": "VEC32_UE8M0", "SWIZZLED_8x4": "layout_8x4",
	"awq-zeros": "awq", "sf128x4": "VEC32_UE8M0", "sf8x4": "layout_8x4", "sf_mn_major": "get_mn_major_tma_aligned_tensor", "FRACTAL_NZ_C0_16": "FRACTAL_NZ"}

// compareRandom compares a name with a formula over random shapes, element by element: all of a small tensor, some of a large one.
func compareRandom(t *testing.T, rng *rand.Rand, name string, at place, storage func([]int) int) (elements int) {
	t.Helper()
	f := orderNamed(t, name)
	for range random.Cases(t, "TLAYOUT_TEST_RANDOM_SHAPES", 4000) {
		sizes, i := make([]int, f.Rank()), make([]int, f.Rank())
		for d := range sizes {
			sizes[d] = 1 + rng.IntN([]int{0, 0, 300, 12, 10, 5, 4}[f.Rank()])
		}
		l, err := f.Bind(sizes)
		if err != nil {
			t.Fatal(err)
		}
		if l.Alloc() != storage(sizes) {
			t.Fatalf("%s of %v has %d elements, the vendor's %d", name, sizes, l.Alloc(), storage(sizes))
		}
		for range 50 {
			for d := range i {
				i[d] = rng.IntN(sizes[d])
			}
			if got, want := l.At(i...), at(sizes, i); got != want {
				t.Fatalf("%s of %v: %v is at %d, the vendor's at %d", name, sizes, i, got, want)
			}
			elements++
		}
	}
	return elements
}

// TestVendors: every name of a library puts random elements of random shapes where the vendor's formula does.
func TestVendors(t *testing.T) {
	rng, compared, elements := random.New(t), 0, 0
	for _, e := range Catalogue() {
		v, ok := vendors[e.Name]
		if other := otherwise[e.Name]; other != "" {
			v, ok = vendors[other]
		}
		if !ok {
			continue
		}
		elements += compareRandom(t, rng, e.Name, v.at, v.storage)
		compared++
	}
	if want := len(vendors) + len(otherwise); compared != want {
		t.Errorf("%d of %d names compared", compared, want)
	}
	t.Logf("%d names, %d elements", compared, elements)
}

// openVINOTraits are rows of format_traits_map of OpenVINO at 00cc295d, src/plugins/intel_gpu/src/runtime/format.cpp: a name, the order of
// dims from rare to often, and pairs of a dim and its block, from rare to often. Dims are counted in the order bf(z)yx or (g)oi(z)yx; the
// file counts those of blocks as bfxyz, which is the same for b, f, o and i, and g as 8.
const openVINOTraits = `
yxfb 2310; byxf 0231; bfyx 0123; fbyx 1023; fyxb 1230; byfx 0213; b_fs_yx_fsv2 0123 1:2; b_fs_yx_fsv4 0123 1:4; b_fs_yx_fsv8 0123 1:8
b_fs_yx_fsv16 0123 1:16; b_fs_yx_fsv32 0123 1:32; b_fs_zyx_fsv2 01234 1:2; b_fs_zyx_fsv4 01234 1:4; b_fs_zyx_fsv16 01234 1:16
b_fs_zyx_fsv32 01234 1:32; bzyxf 02341; bfzyx 01234; fs_b_yx_fsv32 1023 1:32; bs_fs_zyx_bsv16_fsv32 01234 0:16 1:32
bs_fs_zyx_bsv16_fsv16 01234 0:16 1:16; bs_fs_yx_bsv16_fsv16 0123 0:16 1:16; bs_fs_yx_bsv16_fsv32 0123 0:16 1:32
bs_fs_yx_bsv4_fsv4 0123 0:4 1:4; bs_fs_yx_bsv8_fsv4 0123 0:8 1:4; bs_fs_yx_bsv8_fsv2 0123 0:8 1:2; bs_fs_yx_bsv32_fsv32 0123 0:32 1:32
bs_fs_yx_bsv32_fsv16 0123 0:32 1:16; oiyx 0123; ioyx 1023; iyxo 1230; oyxi 0231; oyix 0213; yxio 2310; oizyx 01234; iozyx 10234
os_is_yx_isv16_osv16 0123 1:16 0:16; o_is_yx_isv4 0123 1:4; o_is_yx_isv16 0123 1:16; os_iyx_osv16 0123 0:16; os_iyx_osv32 0123 0:32
os_iyx_osv64 0123 0:64; os_is_yx_isa8_osv16_isv4 0123 1:8 0:16 1:4; os_is_yx_osa4_isa8_osv8_isv4 0123 0:4 1:8 0:8 1:4
os_is_zyx_osa4_isa8_osv8_isv4 01234 0:4 1:8 0:8 1:4; os_is_zyx_isa8_osv8_isv4 01234 1:8 0:8 1:4; os_is_yx_osv16_isv4 0123 0:16 1:4
os_is_zyx_isv16_osv16 01234 1:16 0:16; is_os_zyx_isv16_osv16 10234 1:16 0:16; is_os_yx_isv16_osv16 1023 1:16 0:16
os_is_yx_isa8_osv8_isv4 0123 1:8 0:8 1:4; os_is_zyx_isv8_osv16_isv2 01234 1:8 0:16 1:2; os_zyxi_osv16 02341 0:16
os_is_yx_osv16_isv16 0123 0:16 1:16; os_is_zyx_osv64_isv16 01234 0:64 1:16; os_iyx_osv8 0123 0:8; goiyx 01234; gioyx 02134; goizyx 012345
g_os_iyx_osv16 01234 1:16; gs_oiyx_gsv16 01234 0:16; gyxio 03421; g_is_os_zyx_isv16_osv16 021345 2:16 1:16`

// trait is such a row.
type trait struct {
	name          string
	order, blocks []int // dims, from rare to often; blocks has a dim and its block by turns
}

func openVINORows() (all []trait) {
	for row := range strings.FieldsFuncSeq(openVINOTraits, func(c rune) bool { return c == ';' || c == '\n' }) {
		fields := strings.Fields(row)
		x := trait{name: fields[0]}
		for _, c := range fields[1] {
			x.order = append(x.order, int(c-'0'))
		}
		for _, pair := range fields[2:] {
			dim, block, _ := strings.Cut(pair, ":")
			n, _ := strconv.Atoi(block)
			x.blocks = append(x.blocks, int(dim[0]-'0'), n)
		}
		all = append(all, x)
	}
	return all
}

// at computes an offset from the traits: blocks from often to rare, then the outer dims.
func (x trait) at(sizes, i []int) int {
	left, outer := append([]int{}, i...), append([]int{}, sizes...)
	off, run := 0, 1
	for k := len(x.blocks) - 2; k >= 0; k -= 2 {
		d, n := x.blocks[k], x.blocks[k+1]
		off, run = off+left[d]%n*run, run*n
		left[d], outer[d] = left[d]/n, ints.CeilDiv(outer[d], n)
	}
	for k := len(x.order) - 1; k >= 0; k-- {
		d := x.order[k]
		off, run = off+left[d]*run, run*outer[d]
	}
	return off
}

func (x trait) storage(sizes []int) int {
	outer := append([]int{}, sizes...)
	run := 1
	for k := len(x.blocks) - 2; k >= 0; k -= 2 {
		run *= x.blocks[k+1]
		outer[x.blocks[k]] = ints.CeilDiv(outer[x.blocks[k]], x.blocks[k+1])
	}
	return run * ints.Product(outer)
}

// TestOpenVINO: formats of OpenVINO, those of the catalogue and others, put random elements of random shapes where their traits do.
func TestOpenVINO(t *testing.T) {
	rng, rows, elements := random.New(t), openVINORows(), 0
	known := map[string]bool{}
	for _, x := range rows {
		elements += compareRandom(t, rng, x.name, x.at, x.storage)
		known[x.name] = true
	}
	for _, e := range OpenVINO.names {
		if !known[e.Name] {
			t.Errorf("no traits of %s", e.Name)
		}
	}
	for _, name := range []string{"b_fs_yx_fsv", "bfyxx", "os_is_yx_osv32_isv4_swizzled_by_2", "i_yxs_os_yxsv2_osv16", "os_iyx_osv32__ai32", "b_fs_yx_osv4", "b_fs_yx", "bfyx_fsv4"} {
		if l, err := notation.Parse(name); err == nil {
			t.Errorf("%s is read as %s", name, l.Format.Explicit())
		}
	}
	t.Logf("%d names, %d elements", len(rows), elements)
}

// TestScaleVectors compares positions that were made by the vendors' code with the names' layouts.
func TestScaleVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/scales.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors map[string]struct {
		Shape     []int
		Extent    int
		Positions [][]json.RawMessage
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for key, v := range vectors {
		name, _, _ := strings.Cut(key, " ")
		l, err := orderNamed(t, name).Bind(v.Shape)
		if err != nil || v.Extent != 0 && l.Alloc() != v.Extent {
			t.Errorf("%s of %v: %d elements, expected %d; %v", name, v.Shape, l.Alloc(), v.Extent, err)
		}
		for _, p := range v.Positions {
			var coord []int
			var at int
			if json.Unmarshal(p[0], &coord) != nil || json.Unmarshal(p[1], &at) != nil {
				t.Fatalf("%s: %s", key, p)
			}
			if got := l.At(coord...); got != at {
				t.Errorf("%s of %v: %v is at %d, expected %d", name, v.Shape, coord, got, at)
			}
			compared++
		}
	}
	if compared != 155 {
		t.Errorf("%d positions compared", compared)
	}
}

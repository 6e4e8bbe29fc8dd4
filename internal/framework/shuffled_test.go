package framework

import (
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/ints"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// moved returns where x.view(view).permute(dims).contiguous() puts the element at position p of x.
func moved(view, dims []int, p int) (at int) {
	index := make([]int, len(view))
	for d, n := range slices.Backward(view) {
		index[d] = p % n
		p /= n
	}
	for _, d := range dims {
		at = at*view[d] + index[d]
	}
	return at
}

// flat returns the position of an element of a row-major tensor.
func flat(sizes, i []int) (p int) {
	for d, n := range sizes {
		p = p*n + i[d]
	}
	return p
}

// bySteps is a vendor's function as the steps of its source: the view of sizes that it takes, and its permutation.
func bySteps(view func(s []int) []int, dims ...int) place {
	return func(s, i []int) int { return moved(view(s), dims, flat(s, i)) }
}

// shuffles has the functions of the vendors by name and bits of an element, the multiples of sizes that they take, and, of an order that is written
// in place of a name that is refused, that name.
var shuffles = []struct {
	name, order string
	bits        int
	multiples   []int
	at          place
	storage     func(s []int) int // nil: the tensor's elements
}{
	// aiter e4048607, shuffle_weight: x.view(-1, N // BN, BN, K // BK, BK // k, k).permute(0, 1, 3, 4, 2, 5), BN 16, BK 32, k = 16 // element_size
	{name: "shuffle_weight", bits: 16, multiples: []int{16, 32}, at: aiter(16, 8)},
	{name: "shuffle_weight", bits: 8, multiples: []int{16, 32}, at: aiter(16, 16)},
	{name: "shuffle_weight", bits: 32, multiples: []int{16, 32}, at: aiter(16, 4)},
	{name: "shuffle_weight", bits: 16, multiples: []int{1, 16, 32}, at: aiter(16, 8)},
	{name: "shuffle_weight(layout=(32,16))", bits: 16, multiples: []int{32, 32}, at: aiter(32, 8)},
	{name: "shuffle_weight(layout=(32,16))", bits: 8, multiples: []int{32, 32}, at: aiter(32, 16)},
	// the same, shuffle_scale: padded to 256 x 8, view(sm // 32, 2, 16, sn // 8, 2, 4).permute(0, 3, 5, 2, 4, 1)
	{name: "shuffle_scale", bits: 8, multiples: []int{1, 1}, storage: func(s []int) int { return upTo(s[0], 256) * upTo(s[1], 8) }, at: func(s, i []int) int {
		return moved([]int{upTo(s[0], 256) / 32, 2, 16, upTo(s[1], 8) / 8, 2, 4}, []int{0, 3, 5, 2, 4, 1}, i[0]*upTo(s[1], 8)+i[1])
	}},
	// flashinfer fb28d724, convert_to_block_layout of 128 bytes: view(M, K // blockK, blockK).permute(1, 0, 2)
	{name: "BlockMajorK", bits: 16, multiples: []int{1, 64}, at: bySteps(func(s []int) []int { return []int{s[0], s[1] / 64, 64} }, 1, 0, 2)},
	{name: "BlockMajorK", bits: 8, multiples: []int{1, 128}, at: bySteps(func(s []int) []int { return []int{s[0], s[1] / 128, 128} }, 1, 0, 2)},
	{name: "BlockMajorK", bits: 4, multiples: []int{1, 256}, at: bySteps(func(s []int) []int { return []int{s[0], s[1] / 256, 256} }, 1, 0, 2)},
	{name: "BlockMajorK", bits: 8, multiples: []int{1, 1, 128}, at: bySteps(func(s []int) []int { return []int{s[0], s[1], s[2] / 128, 128} }, 0, 2, 1, 3)},
	// the same, get_shuffle_matrix_a_row_indices
	{name: "shuffle_matrix_a(128)", bits: 16, multiples: []int{32, 1}, at: func(s, i []int) int { return shuffledRow(rowMap32, i[0])*s[1] + i[1] }},
	{name: "shuffle_matrix_a(64)", bits: 16, multiples: []int{16, 1}, at: func(s, i []int) int { return shuffledRow(rowMap16, i[0])*s[1] + i[1] }},
	{name: "shuffle_matrix_sf_a(128)", bits: 8, multiples: []int{128, 1}, storage: func(s []int) int { return s[0] * upTo(s[1], 4) }, at: func(s, i []int) int {
		return vendors["to_blocked"].at(s, []int{shuffledRow(rowMap32, i[0]), i[1]})
	}},
	// triton 000df03e, _swizzle_data_torch of bytes K/2,N: padded, transposed, view(num_tiles_n, 256, num_tiles_k, 64).permute(2, 0, 1, 3)
	{name: "BlackwellMX4ValueShuffled", bits: 4, multiples: []int{2, 1}, storage: func(s []int) int { return upTo(s[0], 256) * upTo(s[1], 256) }, at: func(s, i []int) int {
		packed := upTo(s[0], 256) / 2
		view := []int{ints.CeilDiv(s[1], 256), 256, packed / 64, 64}
		return 2*moved(view, []int{2, 0, 1, 3}, i[1]*packed+i[0]/2) + i[0]%2
	}},
	// the same, HopperMXValueLayout for mx_axis -2, mma_version 3, before _convert_bits: bytes N,K/2, view of rest, k_tile, warp_tile, threads,
	// scott_trick and contig of both dims, permuted; the value of a byte's low bits first
	{name: "HopperMXValue", order: "'", bits: 4, multiples: []int{256, 128}, at: func(s, i []int) int { // sizes are N,K
		view := []int{s[0] / 16, 1, 2, 4, 2, 1, s[1] / 64, 4, 2, 4, 1, 1}
		return 2*moved(view, []int{0, 3, 6, 10, 4, 9, 7, 1, 8, 2, 5, 11}, (i[0]*s[1]+i[1])/2) + i[1]%2
	}},
	// tt-metal 0570a01b, tensor_layouts.md: tiles one after another, faces 0 to 3 of a tile, rows of a face
	{name: "TILE", bits: 16, multiples: []int{1, 1}, at: tile, storage: func(s []int) int { return upTo(s[0], 32) * upTo(s[1], 32) }},
	{name: "TILE", bits: 32, multiples: []int{1, 1, 1, 1}, storage: func(s []int) int { return s[0] * s[1] * upTo(s[2], 32) * upTo(s[3], 32) }, at: func(s, i []int) int {
		return (i[0]*s[1]+i[1])*upTo(s[2], 32)*upTo(s[3], 32) + tile(s[2:], i[2:])
	}},
	// tvm 009e536c, nhwc_8h2w32c2w_1d, an index map; c4686a2e, transform_numpy of n, h, w, c
	{name: "crouton", bits: 16, multiples: []int{1, 32, 8, 4}, at: func(s, i []int) int {
		n, c, h, w := i[0], i[1], i[2], i[3]
		return flat([]int{s[0], s[2] / 8, s[3] / 4, s[1] / 32, 8, 2, 32, 2}, []int{n, h / 8, w / 4, c / 32, h % 8, w % 4 / 2, c % 32, w % 2})
	}},
	{name: "nhwc-8h8w32c", bits: 8, multiples: []int{1, 32, 8, 8}, at: func(s, i []int) int {
		view := []int{s[0], s[2] / 8, 8, s[3] / 8, 8, s[1] / 32, 32}
		return moved(view, []int{0, 1, 3, 5, 2, 4, 6}, ((i[0]*s[2]+i[2])*s[3]+i[3])*s[1]+i[1])
	}},
	// ggml before its PR 10446, make_block_q4_0x4 and _0x8: byte i of a block of several is from block src_id, byte src_offset
	{name: "q4_0_4_4", bits: 4, multiples: []int{4, 32}, at: repacked(4, 4)},
	{name: "q4_0_4_8", bits: 4, multiples: []int{4, 32}, at: repacked(4, 8)},
	{name: "q4_0_8_8", bits: 4, multiples: []int{8, 32}, at: repacked(8, 8)},
	// rknn-toolkit2 42aa1d42, NC1HWC2_i8_to_NHWC_i8: plane * hw * C2 + C2 * hw + offset
	{name: "NC1HWC2", order: ": NCHW16c", bits: 8, multiples: []int{1, 1, 1, 1}, storage: func(s []int) int { return s[0] * upTo(s[1], 16) * s[2] * s[3] },
		at: func(s, i []int) int {
			hw := s[2] * s[3]
			return i[0]*upTo(s[1], 16)*hw + i[1]/16*hw*16 + 16*(i[2]*s[3]+i[3]) + i[1]%16
		}},
	// tvm b3f39b4c, nhwc_to_nhcwb16: N, H, C/16, W, 16
	{name: "NHCWB16", order: " NHCW16c", bits: 8, multiples: []int{1, 1, 1, 1}, storage: func(s []int) int { return s[0] * upTo(s[1], 16) * s[2] * s[3] },
		at: func(s, i []int) int {
			return flat([]int{s[0], s[2], ints.CeilDiv(s[1], 16), s[3], 16}, []int{i[0], i[2], i[1] / 16, i[3], i[1] % 16})
		}},
	// hailort 01e4c7f5, HAILO_FORMAT_ORDER_F8CR: of each row W x 8C_1, W x 8C_2, ...
	{name: "F8CR", order: " NHCW8c", bits: 8, multiples: []int{1, 1, 1, 1}, storage: func(s []int) int { return s[0] * upTo(s[1], 8) * s[2] * s[3] },
		at: func(s, i []int) int {
			return (i[0]*s[2]+i[2])*upTo(s[1], 8)*s[3] + i[1]/8*s[3]*8 + i[3]*8 + i[1]%8
		}},
	// tensorflow 00f0938a, ConvertToPHWC4: of each batch planes of 4 channels of the pixels
	{name: "PHWC4", order: " NCHW4c", bits: 32, multiples: []int{1, 1, 1, 1}, storage: func(s []int) int { return s[0] * upTo(s[1], 4) * s[2] * s[3] },
		at: func(s, i []int) int {
			pixels := s[2] * s[3]
			return i[0]*pixels*upTo(s[1], 4) + (i[1]/4*pixels+i[2]*s[3]+i[3])*4 + i[1]%4
		}},
}

func aiter(rows, values int) place {
	return func(s, i []int) int {
		n, k := s[len(s)-2], s[len(s)-1]
		return moved([]int{ints.Product(s[:len(s)-2]), n / rows, rows, k / 32, 32 / values, values}, []int{0, 1, 3, 4, 2, 5}, flat(s, i))
	}
}

// srcToDstBlk16RowMap and srcToDstBlk32RowMap of flashinfer/utils.py.
var (
	rowMap16 = []int{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}
	rowMap32 = []int{0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27, 4, 12, 20, 28, 5, 13, 21, 29, 6, 14, 22, 30, 7, 15, 23, 31}
)

func shuffledRow(rowMap []int, row int) int {
	return row/len(rowMap)*len(rowMap) + rowMap[row%len(rowMap)]
}

func tile(s, i []int) int {
	face := i[0]%32/16*2 + i[1]%32/16
	return (i[0]/32*ints.CeilDiv(s[1], 32)+i[1]/32)*1024 + face*256 + i[0]%16*16 + i[1]%16
}

func repacked(rows, interleave int) place {
	return func(s, i []int) int {
		block := i[0]/rows*(s[1]/32) + i[1]/32
		for b := range 16 * rows {
			row := b % (rows * interleave) / interleave
			from := b/(rows*interleave)*interleave + b%interleave
			if row == i[0]%rows && from == i[1]%16 {
				return (block*16*rows+b)*2 + i[1]%32/16
			}
		}
		panic("no byte")
	}
}

// TestShuffles: every name puts random elements of random shapes where the vendor's steps do, and so does the order to write for a name that is
// refused.
func TestShuffles(t *testing.T) {
	rng, elements := random.New(t), 0
	for _, x := range shuffles {
		name := x.name
		if x.order != "" {
			name = orderToWrite(t, x.name, x.order)
		}
		l, err := notation.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		for range random.Cases(t, "TLAYOUT_TEST_RANDOM_SHAPES", 4000) / 20 {
			sizes, i := make([]int, len(x.multiples)), make([]int, len(x.multiples))
			for d, m := range x.multiples {
				sizes[d] = m * (1 + rng.IntN(1+300/len(x.multiples)/len(x.multiples)/min(m, 24)))
			}
			fit, err := l.For(sizes, x.bits)
			if err != nil {
				t.Fatal(err)
			}
			bound, err := fit.Format.Bind(sizes)
			if err != nil {
				t.Fatalf("%s of %v: %v", name, sizes, err)
			}
			want := ints.Product(sizes)
			if x.storage != nil {
				want = x.storage(sizes)
			}
			if bound.Alloc() != want {
				t.Fatalf("%s of %v has %d elements, the vendor's %d", name, sizes, bound.Alloc(), want)
			}
			for range 50 {
				for d := range i {
					i[d] = rng.IntN(sizes[d])
				}
				if got, want := bound.At(i...), x.at(sizes, i); got != want {
					t.Fatalf("%s of %v, %d bits: %v is at %d, the vendor's at %d", name, sizes, x.bits, i, got, want)
				}
				elements++
			}
		}
	}
	t.Logf("%d functions, %d elements", len(shuffles), elements)
}

// orderToWrite returns the order in the hint of a name that is refused, after some characters.
func orderToWrite(t *testing.T, name, after string) string {
	t.Helper()
	e := Entry{Name: name}
	_, hint := e.Refused()
	order := strings.Trim(after, ": ")
	if after == "'" {
		_, order, _ = strings.Cut(strings.TrimSuffix(hint, "'"), "'")
	}
	if !strings.Contains(hint, order) || order == "" {
		t.Fatalf("%s: hint %q has no %q", name, hint, order)
	}
	return order
}

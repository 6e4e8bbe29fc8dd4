package gguf

import (
	"fmt"
	"slices"
	"testing"
)

// TestTypes: a block of every type of ggml has the values and the bytes of ggml's structures, as a file shows them: one block is read,
// with the next tensor right behind it, and half of one is refused.
//
// Sizes are the sums of fields in ggml/src/ggml-common.h, numbers those of enum ggml_type in ggml/include/ggml.h, both of
// ggml-org/llama.cpp at 01243c58. GGML_QUANT_SIZES of the package gguf 0.19.0 on PyPI (gguf/constants.py) has the same, but for q2_0, which
// it does not have, and for q8_1: 4 + 4 + 32, as it was while d and s were floats.
func TestTypes(t *testing.T) {
	const half, qkK = 2, 256 // sizeof(ggml_half), QK_K
	table := []struct {
		number uint32
		name   string
		values uint64
		bytes  uint64
	}{
		{0, "f32", 1, 4}, {1, "f16", 1, 2}, {24, "i8", 1, 1}, {25, "i16", 1, 2}, {26, "i32", 1, 4}, {27, "i64", 1, 8}, {28, "f64", 1, 8},
		{30, "bf16", 1, 2},
		{2, "q4_0", 32, half + 32/2},
		{3, "q4_1", 32, half + half + 32/2},
		{6, "q5_0", 32, half + 4 + 32/2},
		{7, "q5_1", 32, half + half + 4 + 32/2},
		{8, "q8_0", 32, half + 32},
		{9, "q8_1", 32, half + half + 32},
		{10, "q2_K", qkK, qkK/16 + qkK/4 + half + half},
		{11, "q3_K", qkK, qkK/8 + qkK/4 + 12 + half},
		{12, "q4_K", qkK, half + half + 12 + qkK/2},
		{13, "q5_K", qkK, half + half + 12 + qkK/8 + qkK/2},
		{14, "q6_K", qkK, qkK/2 + qkK/4 + qkK/16 + half},
		{15, "q8_K", qkK, 4 + qkK + qkK/16*2},
		{16, "iq2_xxs", qkK, half + qkK/8*2},
		{17, "iq2_xs", qkK, half + qkK/8*2 + qkK/32},
		{18, "iq3_xxs", qkK, half + 3*qkK/8},
		{19, "iq1_s", qkK, half + qkK/8 + qkK/32*2},
		{20, "iq4_nl", 32, half + 32/2},
		{21, "iq3_s", qkK, half + qkK/4 + qkK/32 + qkK/8 + qkK/64},
		{22, "iq2_s", qkK, half + qkK/4 + qkK/32 + qkK/32},
		{23, "iq4_xs", qkK, half + 2 + qkK/64 + qkK/2},
		{29, "iq1_m", qkK, qkK/8 + qkK/16 + qkK/32},
		{34, "tq1_0", qkK, (qkK-4*qkK/64)/5 + qkK/64 + half},
		{35, "tq2_0", qkK, qkK/4 + half},
		{39, "mxfp4", 32, 1 + 32/2},
		{40, "nvfp4", 64, 64/16 + 64/2},
		{41, "q1_0", 128, half + 128/8},
		{42, "q2_0", 64, half + 64/4},
	}
	for _, x := range table {
		next := (x.bytes + 31) / 32 * 32
		c, err := open(begun(2, 0).info("t", x.number, 0, x.values).info("u", 24, next, 1).data(int(next) + 1))
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
			continue
		}
		encoding := ""
		if x.values > 1 {
			encoding = fmt.Sprintf("%s: %d values in %d bytes", x.name, x.values, x.bytes)
		}
		if s := c.Storages[0]; s.Bytes != int64(x.bytes) || c.Tensors[0].Encoding != encoding || !slices.Equal(c.Tensors[0].View.Shape, []int{1}) ||
			!slices.Equal(c.Tensors[0].Shape(), []int{int(x.values)}) {
			t.Errorf("%s: %d bytes, %q, expected %d, %q", x.name, s.Bytes, c.Tensors[0].Encoding, x.bytes, encoding)
		}
		if x.values > 1 {
			if _, err := open(begun(1, 0).info("t", x.number, 0, x.values/2).data(1 << 10)); err == nil {
				t.Errorf("%s: half a block is read", x.name)
			}
		}
	}
	if len(plains)+len(quantized) != len(table) {
		t.Errorf("%d types, %d in this table", len(plains)+len(quantized), len(table))
	}
}

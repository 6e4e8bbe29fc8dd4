package gguf

import (
	"fmt"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// block is how a ggml type stores values: several values in several bytes.
type block struct {
	name   string // type_name
	values uint64 // blck_size
	bytes  uint64 // type_size
	plain  string // name of a value's type for dtype.Parse, without byte order; empty for blocks
}

// blocks maps numbers to types. Source: enum ggml_type in include/ggml.h, type_traits in src/ggml.c, and the sizes of the structures in
// src/ggml-common.h, of ggml 0.21.0 (d99724f2); computed there with a C compiler.
var blocks = map[uint32]block{
	0: {"f32", 1, 4, "f4"}, 1: {"f16", 1, 2, "f2"}, 30: {"bf16", 1, 2, "bfloat16"}, 28: {"f64", 1, 8, "f8"},
	24: {"i8", 1, 1, "i1"}, 25: {"i16", 1, 2, "i2"}, 26: {"i32", 1, 4, "i4"}, 27: {"i64", 1, 8, "i8"},

	2: {"q4_0", 32, 18, ""}, 3: {"q4_1", 32, 20, ""}, 6: {"q5_0", 32, 22, ""}, 7: {"q5_1", 32, 24, ""},
	8: {"q8_0", 32, 34, ""}, 9: {"q8_1", 32, 36, ""}, 41: {"q1_0", 128, 18, ""}, 42: {"q2_0", 64, 18, ""},

	10: {"q2_K", 256, 84, ""}, 11: {"q3_K", 256, 110, ""}, 12: {"q4_K", 256, 144, ""}, 13: {"q5_K", 256, 176, ""},
	14: {"q6_K", 256, 210, ""}, 15: {"q8_K", 256, 292, ""},

	16: {"iq2_xxs", 256, 66, ""}, 17: {"iq2_xs", 256, 74, ""}, 18: {"iq3_xxs", 256, 98, ""}, 19: {"iq1_s", 256, 50, ""},
	20: {"iq4_nl", 32, 18, ""}, 21: {"iq3_s", 256, 110, ""}, 22: {"iq2_s", 256, 82, ""}, 23: {"iq4_xs", 256, 136, ""},
	29: {"iq1_m", 256, 56, ""},

	34: {"tq1_0", 256, 54, ""}, 35: {"tq2_0", 256, 66, ""}, 39: {"mxfp4", 32, 17, ""}, 40: {"nvfp4", 64, 36, ""},
}

// removed holds types that ggml removed.
var removed = map[uint32]string{
	4: "q4_2", 5: "q4_3", 31: "q4_0_4_4", 32: "q4_0_4_8", 33: "q4_0_8_8", 36: "iq4_nl_4_4", 37: "iq4_nl_4_8", 38: "iq4_nl_8_8",
}

// blockOf returns the type with this number; the error is why there is none.
func blockOf(number uint32) (block, error) {
	if b, ok := blocks[number]; ok {
		return b, nil
	}
	if name := removed[number]; name != "" {
		return block{}, fault.New(fault.Unsupported, "its type is %s (%d), which ggml has removed", name, number)
	}
	return block{}, fault.New(fault.Unsupported, "its type %d does not exist in ggml 0.21", number)
}

// dtype returns the type of an element: a number, or a block as opaque bytes.
func (b block) dtype(order dtype.ByteOrder) (dtype.Type, error) {
	if b.plain == "" {
		return dtype.Parse("V" + strconv.FormatUint(b.bytes, 10))
	}
	return dtype.Parse(string(order) + b.plain)
}

// encoding returns what an opaque element holds; empty for numbers.
func (b block) encoding() string {
	if b.plain != "" {
		return ""
	}
	return fmt.Sprintf("%s: %d values in %d bytes", b.name, b.values, b.bytes)
}

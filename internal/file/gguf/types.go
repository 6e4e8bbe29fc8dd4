package gguf

import (
	"fmt"
	"strconv"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/ggml"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// block is how a ggml type stores values: several values in several bytes.
type block struct {
	name   string // type_name
	values uint64 // blck_size
	rows   uint64 // of which a block has values, of a repacked type; 0 for all others, whose blocks are of one row
	bytes  uint64 // type_size
	plain  string // name of a value's type for dtype.Parse, without byte order; empty for blocks
	quant  *ggml.Type
}

// plains maps numbers to types of single values. Source of all numbers: enum ggml_type in include/ggml.h of ggml 0.21.0 (d99724f2).
var plains = map[uint32]*block{
	0: plain("f32", 4, "f4"), 1: plain("f16", 2, "f2"), 30: plain("bf16", 2, "bfloat16"), 28: plain("f64", 8, "f8"),
	24: plain("i8", 1, "i1"), 25: plain("i16", 2, "i2"), 26: plain("i32", 4, "i4"), 27: plain("i64", 8, "i8"),
}

func plain(name string, bytes uint64, typ string) *block {
	return &block{name: name, values: 1, bytes: bytes, plain: typ}
}

// quantized maps numbers to types of blocks; see the package ggml.
var quantized = map[uint32]string{
	2: "q4_0", 3: "q4_1", 6: "q5_0", 7: "q5_1", 8: "q8_0", 9: "q8_1", 10: "q2_K", 11: "q3_K", 12: "q4_K", 13: "q5_K", 14: "q6_K", 15: "q8_K",
	16: "iq2_xxs", 17: "iq2_xs", 18: "iq3_xxs", 19: "iq1_s", 20: "iq4_nl", 21: "iq3_s", 22: "iq2_s", 23: "iq4_xs", 29: "iq1_m",
	34: "tq1_0", 35: "tq2_0", 39: "mxfp4", 40: "nvfp4", 41: "q1_0", 42: "q2_0",
}

// removed holds types that ggml removed.
var removed = map[uint32]string{
	4: "q4_2", 5: "q4_3",
}

// repacked maps numbers to types of files from before llama.cpp PR 10446 of December 2024, which repacks blocks of several rows when it loads them. The
// scales of the rows come first, then their codes. (make_block_q4_0x4 and _q4_0x8 of ggml/src/ggml-aarch64.c)
var repacked = map[uint32]*block{
	31: ofRows("q4_0_4_4", 4), 32: ofRows("q4_0_4_8", 4), 33: ofRows("q4_0_8_8", 8),
	36: ofRows("iq4_nl_4_4", 4), 37: ofRows("iq4_nl_4_8", 4), 38: ofRows("iq4_nl_8_8", 8),
}

func ofRows(name string, rows uint64) *block {
	return &block{name: name, values: 32, rows: rows, bytes: 18 * rows}
}

// blockOf returns the type with this number; the error is why there is none.
func blockOf(number uint32) (*block, error) {
	if b, ok := plains[number]; ok {
		return b, nil
	}
	if b, ok := repacked[number]; ok {
		return b, nil
	}
	if t := ggml.Find(quantized[number]); t != nil {
		return &block{name: t.Name, values: uint64(t.Values), bytes: uint64(t.Bytes), quant: t}, nil
	}
	if name := removed[number]; name != "" {
		return nil, fault.New(fault.Unsupported, "its type is %s (%d), which ggml has removed", name, number)
	}
	return nil, fault.New(fault.Unsupported, "its type %d does not exist in ggml 0.21", number)
}

// dtype returns the type of an element: a number, or a block as opaque bytes.
func (b *block) dtype(order dtype.ByteOrder) (dtype.Type, error) {
	if b.plain == "" {
		return dtype.Parse("V" + strconv.FormatUint(b.bytes, 10))
	}
	return dtype.Parse(string(order) + b.plain)
}

// encoding returns what an opaque element holds; empty for numbers.
func (b *block) encoding() string {
	if b.plain != "" {
		return ""
	}
	if b.rows > 0 {
		return fmt.Sprintf("%s: %d values of %d rows in %d bytes: scales, then codes in the order %[1]s", b.name, b.values, b.rows, b.bytes)
	}
	return b.quant.String()
}

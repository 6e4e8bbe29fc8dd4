package safetensors

import (
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// types are the format's dtypes: Dtype in tensor.rs, whose bitsize is bits. F8_E4M3 and F8_E5M2 are PyTorch's float8_e4m3fn and
// float8_e5m2 (bindings/python/py_src/safetensors/torch.py).
var types = []struct {
	word string
	bits uint64
	name string // name for dtype.Parse; empty if elements are not whole bytes
}{
	{"BOOL", 8, "bool"}, {"F4", 4, "float4_e2m1fn"}, {"F6_E2M3", 6, ""}, {"F6_E3M2", 6, ""}, {"U8", 8, "uint8"}, {"I8", 8, "int8"},
	{"F8_E5M2", 8, "float8_e5m2"}, {"F8_E4M3", 8, "float8_e4m3fn"}, {"F8_E8M0", 8, "float8_e8m0fnu"},
	{"F8_E4M3FNUZ", 8, "float8_e4m3fnuz"}, {"F8_E5M2FNUZ", 8, "float8_e5m2fnuz"}, {"I16", 16, "int16"}, {"U16", 16, "uint16"},
	{"F16", 16, "float16"}, {"BF16", 16, "bfloat16"}, {"I32", 32, "int32"}, {"U32", 32, "uint32"}, {"F32", 32, "float32"},
	{"C64", 64, "complex64"}, {"F64", 64, "float64"}, {"I64", 64, "int64"}, {"U64", 64, "uint64"},
}

// find returns the type with the format's name word; bits is 0 if there is none.
func find(word string) (name string, bits uint64) {
	for _, t := range types {
		if t.word == word {
			return t.name, t.bits
		}
	}
	return "", 0
}

// Word returns the format's name of a dtype, ignoring its byte order: data are little-endian. The error is Unsupported.
func Word(d dtype.Type) (string, error) {
	for _, t := range types {
		if t.name != "" && t.name == d.String() {
			return t.word, nil
		}
	}
	return "", fault.New(fault.Unsupported, "safetensors has no dtype for %s", d).
		WithHint("it has bool, integers of 8 to 64 bits, float16 to float64, bfloat16, complex64, five types of float8 and float4_e2m1fn; --exclude omits a tensor")
}

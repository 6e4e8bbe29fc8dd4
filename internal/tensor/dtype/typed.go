package dtype

import (
	"slices"
	"strings"

	"github.com/tlayout/tlayout/internal/fault"
)

// inBits are short names that count bits, as people and frameworks write them; NumPy, which counts bytes, has no such types.
var inBits = map[string]string{
	"bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64",
	"f32": "float32", "f64": "float64", "i16": "int16", "i32": "int32", "i64": "int64", "u16": "uint16", "u32": "uint32", "u64": "uint64",
	"c64": "complex64", "c128": "complex128",
}

// bitsOrBytes are short names that exist in both senses: what they say in bits.
var bitsOrBytes = map[string]string{
	"f8": "float8_e4m3fn", "f16": "float16", "i8": "int8", "u8": "uint8", "c32": "complex32",
}

// torchWords are PyTorch's second names of types, not all of which are NumPy's; torchNames are the first names.
// (torch/csrc/utils/tensor_dtypes.cpp, PyTorch 1.13; the unsigned and 8-bit types are of 2.x)
var (
	torchWords = map[string]string{"half": "float16", "float": "float32", "double": "float64", "short": "int16", "int": "int32", "long": "int64",
		"chalf": "complex32", "cfloat": "complex64", "cdouble": "complex128"}
	torchNames = strings.Fields("bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 bfloat16 float32 float64 " +
		"complex32 complex64 complex128 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu")
)

// ParseTyped reads the name of a type that a person typed. It is that of Parse, or counts bits (f32, fp16, bf16), or is
// PyTorch's (torch.float16). Without a byte order, a name that is one type in bits and another in bytes is a Usage error:
// f16 is float16 or NumPy's float128. Other errors are those of Parse.
func ParseTyped(s string) (Type, error) {
	if word, isTorch := strings.CutPrefix(s, "torch."); isTorch {
		return parseTorch(s, word)
	}
	if name, ok := inBits[s]; ok {
		return Parse(name)
	}
	d, err := Parse(s)
	if name, ok := bitsOrBytes[s]; ok && err == nil {
		size := 8 * d.size
		return Type{}, fault.New(fault.Usage, "dtype %s: %s bits (%s) or, as in NumPy, %d bytes (%s, %d bits)?", s, s[1:], name, d.size, d, size).
			WithHint("write %s or '<%s'", name, s)
	}
	return d, err
}

// parseTorch reads the name of a type of PyTorch; word is what follows "torch.".
func parseTorch(s, word string) (Type, error) {
	if name, ok := torchWords[word]; ok {
		return Parse(name)
	}
	if slices.Contains(torchNames, word) {
		return Parse(word)
	}
	return Type{}, unknown(s)
}

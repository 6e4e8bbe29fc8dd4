package dtype

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/text"
)

// For every kind letter and number: a typed name has the size that its number says, in bits or in bytes, and is refused if
// both exist. With a byte order, it is NumPy's.
func TestParseTypedCounts(t *testing.T) {
	stems := map[string]string{"f": "float", "i": "int", "u": "uint", "c": "complex"}
	refused := 0
	for letter, word := range stems {
		for _, n := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256} {
			name := fmt.Sprint(letter, n)
			inBytes, bytesErr := Parse("<" + name)
			inBits, bitsErr := Parse(fmt.Sprint(word, n))
			if name == "f8" {
				inBits, bitsErr = Parse("float8_e5m2") // one of several
			}
			got, err := ParseTyped(name)
			switch {
			case bytesErr == nil && bitsErr == nil && inBytes.ItemSize() != inBits.ItemSize() && !inBits.Packed(): // i4 is NumPy's
				refused++
				var e *fault.Error
				if !errors.As(err, &e) || e.Class != fault.Usage || !strings.Contains(e.Hint, inBytes.String()) {
					t.Errorf("%s: %v, %v, want a usage error that names %s", name, got, err, inBytes)
				}
			case bytesErr == nil:
				if err != nil || got.String() != inBytes.String() {
					t.Errorf("%s: %v, %v, want %v", name, got, err, inBytes)
				}
			case bitsErr == nil && n < 128:
				if err != nil || got.String() != inBits.String() {
					t.Errorf("%s: %v, %v, want %v", name, got, err, inBits)
				}
			}
			if ordered, err := ParseTyped("<" + name); (err == nil) != (bytesErr == nil) || err == nil && ordered.String() != inBytes.String() {
				t.Errorf("<%s: %v, %v, want what NumPy reads, %v", name, ordered, err, inBytes)
			}
		}
	}
	if refused != 5 {
		t.Errorf("%d names are refused as ambiguous, want f8, f16, i8, u8 and c32", refused)
	}
}

// Every word of every vocabulary has a source, is read as its type with every prefix, and without one never means another type of NumPy.
func TestVocabularies(t *testing.T) {
	total := 0
	for _, v := range vocabularies() {
		if !strings.ContainsAny(v.source, "0123456789") && !strings.HasPrefix(v.source, "XLA") && !strings.HasPrefix(v.source, "TensorRT") {
			t.Errorf("source %q has no version", v.source)
		}
		meant := map[string]string{}
		for _, word := range v.same {
			meant[word] = word
		}
		for word, name := range v.words {
			meant[word] = name
		}
		for word, name := range meant {
			want, err := Parse(name)
			if err != nil {
				t.Errorf("%s: %s means %s: %v", v.source, word, name, err)
				continue
			}
			for _, prefix := range v.prefixes {
				total++
				if got, err := ParseTyped(prefix + word); err != nil || !got.Equal(want) {
					t.Errorf("%s: %s%s is %v, %v; want %v", v.source, prefix, word, got, err, want)
				}
				if numpy, err := Parse(prefix + word); err == nil && !numpy.Equal(want) {
					t.Errorf("%s: %s%s is %v in NumPy, not %v", v.source, prefix, word, numpy, want)
				}
			}
		}
	}
	if total < 350 {
		t.Errorf("only %d names", total)
	}
}

// What people have at hand is read; what is two types, or none whose values are stored one by one, is refused with what to write.
func TestParseTyped(t *testing.T) {
	for in, want := range map[string]string{
		"bf16": "bfloat16", "fp16": "float16", "f32": "float32", "f64": "float64", "i32": "int32", "half": "float16", "double": "float64",
		"long": "int64", "torch.float16": "float16", "torch.bfloat16": "bfloat16", "np.float32": "float32", "jnp.bfloat16": "bfloat16",
		"tf.float32": "float32", "float8_e4m3": "float8_e4m3", "kFLOAT": "float32", "kHALF": "float16", "kINT8": "int8", "s8": "int8",
		"cutlass::half_t": "float16", "torch.float": "float32", "np.float": "float64", "torch.LongTensor": "int64",
		"dtype('float32')": "float32", "dtype('<f8')": "float64", "dtype(float16)": "float16", "<class 'jax.numpy.bfloat16'>": "bfloat16",
		"<class 'numpy.uint8'>": "uint8", "<dtype: 'int32'>": "int32", "Float32": "float32", "BF16": "bfloat16", "FP16": "float16", "INT8": "int8",
		"F16": "float16", "I8": "int8", "U8": "U8", "f4": "float32", "i4": "int32", "u4": "uint32", "F": "complex64", "S5": "S5", " f32 ": "float32",
		"uint": "uint64", "single": "float32", "dtype('float')": "float64", "kINT4": "int4", "s4": "int4", "int4b_t": "int4", "jnp.int4": "int4", "torch.uint2": "uint2",
		"torch.float4_e2m1fn_x2": "float4_e2m1fn_x2", "CUDNN_DATA_FP4_E2M1": "float4_e2m1fn", "CUDNN_DATA_INT4": "int4", "CUDNN_DATA_UINT4": "uint4",
		"F4": "float4_e2m1fn", "F8_E8M0": "float8_e8m0fnu", "C64": "complex64", "torch.bcomplex32": "bcomplex32", "jnp.float6_e2m3fn": "float6_e2m3fn",
		"dnnl_u4": "uint4", "DML_TENSOR_DATA_TYPE_INT4": "int4", "DML_TENSOR_DATA_TYPE_UINT4": "uint4",
	} {
		if d, err := ParseTyped(in); err != nil || d.String() != want {
			t.Errorf("%s: %v, %v, want %s", in, d, err, want)
		}
	}
	for in, want := range map[string]struct {
		class fault.Class
		hint  string
	}{
		"float": {fault.Usage, "write float32 or float64"}, "int": {fault.Usage, "write int32 or int64"},
		"f8": {fault.Usage, "write float8_e4m3fn or float64"}, "byte": {fault.Usage, "write uint8 or int8"},
		"fp8": {fault.Unsupported, "write float8_e4m3fn (TensorRT's kFP8) or float8_e5m2"}, "float8": {fault.Unsupported, "write float8_e4m3fn"},
		"nf4": {fault.Unsupported, "write uint4 for codes of 4 bits"}, "fp4": {fault.Unsupported, "write float4_e2m1fn"}, "int3": {fault.Unsupported, "1, 2, 4 or 8 bits"},
		"float6_e2m3": {fault.Unsupported, "write float6_e2m3fn or float6_e3m2fn"}, "F6_E3M2": {fault.Unsupported, "float6_e3m2fn"},
		"CUDNN_DATA_FP8_E5M3": {fault.Unsupported, "uint8"},
		"tf32":                {fault.Unsupported, "stored as float32"}, "torch.qint8": {fault.Unsupported, "x.int_repr()"}, "quint8": {fault.Unsupported, "x.int_repr()"},
		"float23": {fault.Unsupported, ""}, "flaot32": {fault.Unsupported, "did you mean float32?"}, "torch.": {fault.Unsupported, ""},
		"torch.f4": {fault.Unsupported, ""}, "torch.<f4": {fault.Unsupported, ""}, "torch.b": {fault.Unsupported, ""}, "torch.torch.half": {fault.Unsupported, ""},
		"torch.float32,": {fault.Unsupported, ""}, "torch.float128": {fault.Unsupported, ""}, "torch.str": {fault.Unsupported, ""}, "np.f": {fault.Unsupported, ""},
		"object": {fault.Unsupported, ""}, "": {fault.Unsupported, ""}, "dtype('O')": {fault.Unsupported, ""}, "torch.flaot16": {fault.Unsupported, "did you mean torch.float16?"},
		"np.flaot32": {fault.Unsupported, "did you mean np.float32?"},
	} {
		d, err := ParseTyped(in)
		var e *fault.Error
		if !errors.As(err, &e) || e.Class != want.class || !strings.Contains(e.Hint, want.hint) || text.Quote(e.Text) != e.Text {
			t.Errorf("%q: %v, %v (%+v), want class %d and the hint %q", in, d, err, e, want.class, want.hint)
		}
	}
}

// FuzzParseTyped: no text panics, and whatever Parse reads ParseTyped reads as the same type, or refuses as ambiguous.
func FuzzParseTyped(f *testing.F) {
	for _, s := range []string{"torch.float16", "f8", "dtype('<f4')", "int4", "<class 'numpy.uint8'>", "<f4,i2", "BF16", "float"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseTyped(s)
		if err != nil && text.Quote(err.Error()) != err.Error() {
			t.Errorf("%q: %q", s, err.Error())
		}
		if numpy, bad := Parse(s); bad == nil && err == nil && !d.Equal(numpy) {
			t.Errorf("%q is %v, in NumPy %v", s, d, numpy)
		}
	})
}

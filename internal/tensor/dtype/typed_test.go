package dtype_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// For every kind letter and number: a typed name has the size that its number says, in bits or in bytes, and is refused if
// both exist. With a byte order, it is NumPy's.
func TestParseTypedCounts(t *testing.T) {
	words := map[string]string{"f": "float", "i": "int", "u": "uint", "c": "complex"}
	refused := 0
	for letter, word := range words {
		for _, n := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256} {
			name := fmt.Sprint(letter, n)
			inBytes, bytesErr := dtype.Parse("<" + name)
			inBits, bitsErr := dtype.Parse(fmt.Sprint(word, n))
			if name == "f8" {
				inBits, bitsErr = dtype.Parse("float8_e5m2") // one of several
			}
			got, err := dtype.ParseTyped(name)
			var e *fault.Error
			switch {
			case bytesErr == nil && bitsErr == nil && inBytes.ItemSize() != inBits.ItemSize():
				refused++
				if !errors.As(err, &e) || e.Class != fault.Usage || !strings.Contains(e.Hint, "'<"+name+"'") {
					t.Errorf("%s: %v, %v, want a usage error that names '<%s'", name, got, err, name)
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
			if ordered, err := dtype.ParseTyped("<" + name); (err == nil) != (bytesErr == nil) || err == nil && ordered.String() != inBytes.String() {
				t.Errorf("<%s: %v, %v, want what NumPy reads, %v", name, ordered, err, inBytes)
			}
		}
	}
	if refused != 5 {
		t.Errorf("%d names are refused as ambiguous, want f8, f16, i8, u8 and c32", refused)
	}
}

// PyTorch's names are its own: torch.float is 32 bits, NumPy's float 64. What PyTorch does not have is refused.
func TestParseTypedTorch(t *testing.T) {
	for in, want := range map[string]string{
		"torch.float16": "float16", "torch.half": "float16", "torch.bfloat16": "bfloat16", "torch.float": "float32", "torch.double": "float64",
		"torch.short": "int16", "torch.int": "int32", "torch.long": "int64", "torch.uint8": "uint8", "torch.bool": "bool",
		"torch.cfloat": "complex64", "torch.cdouble": "complex128", "torch.chalf": "complex32", "torch.float8_e4m3fn": "float8_e4m3fn",
		"bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "f4": "float32", "i4": "int32", "float": "float64", "f8,i4": "[('f0','<f8'),('f1','<i4')]",
	} {
		d, err := dtype.ParseTyped(in)
		if got := d.String(); err != nil || !strings.Contains(in, ",") && got != want {
			t.Errorf("%s: %s, %v, want %s", in, got, err, want)
		}
	}
	for _, in := range []string{"torch.", "torch.f4", "torch.<f4", "torch.f16", "torch.b", "torch.float32x", "torch.torch.half", "torch.S5", "torch.float32,", "torch.float128", "torch.str"} {
		if d, err := dtype.ParseTyped(in); err == nil {
			t.Errorf("%s is read as %v", in, d)
		}
	}
}

package dtype

import (
	"encoding/hex"
	"testing"
)

// A pad value becomes the bytes that NumPy stores for it, in the dtype's byte order; what does not fit is refused.
func TestParseValue(t *testing.T) {
	for _, c := range []struct{ dtype, value, want string }{
		{"float32", "1.5", "0000c03f"}, {">f4", "1.5", "3fc00000"}, {"float64", "-0", "0000000000000080"}, {"float16", "65504", "ff7b"},
		{"bfloat16", "1.0039062", "803f"}, {"bfloat16", "3.4028235e38", "807f"}, {"bfloat16", "nan", "c07f"}, {"float32", "inf", "0000807f"},
		{"int8", "-128", "80"}, {"uint8", "255", "ff"}, {">i2", "258", "0102"}, {"uint64", "18446744073709551615", "ffffffffffffffff"},
		{"bool", "true", "01"}, {"S3", "0", "000000"}, {"V3", "0x0a0b0c", "0a0b0c"}, {"complex64", "0x0000803f00000040", "0000803f00000040"},
		{"float16", "inf", "007c"}, {"float16", "1e6", ""}, {"int8", "128", ""}, {"uint8", "-1", ""}, {"int32", "1.5", ""}, {"float32", "one", ""}, {"S3", "abc", ""}, {"V3", "0x0a", ""}, {"V3", "0xzz0000", ""},
	} {
		d, err := Parse(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.ParseValue(c.value)
		if hex.EncodeToString(got) != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s as %s is %x, %v; want %s", c.value, c.dtype, got, err, c.want)
		}
	}
}

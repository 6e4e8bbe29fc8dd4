package dtype_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

func dtypeMust(t testing.TB, name string) dtype.Type {
	t.Helper()
	d, err := dtype.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Names mean what NumPy on 64-bit Linux means by them. That all its names agree is tested against NumPy itself, in
// package npy.
func TestDTypeParse(t *testing.T) {
	tests := []struct {
		in, name, typestr string
		kind              dtype.Kind
		size              int
	}{
		{"float32", "float32", "<f4", dtype.Float, 4},
		{"f4", "float32", "<f4", dtype.Float, 4},
		{"<f4", "float32", "<f4", dtype.Float, 4},
		{"|f4", "float32", "<f4", dtype.Float, 4},
		{"=f4", "float32", "<f4", dtype.Float, 4},
		{">i2", "int16", ">i2", dtype.Int, 2},
		{"|b1", "bool", "|b1", dtype.Bool, 1},
		{"?", "bool", "|b1", dtype.Bool, 1},
		{"bool", "bool", "|b1", dtype.Bool, 1},
		{"b", "int8", "|i1", dtype.Int, 1},
		{">u1", "uint8", "|u1", dtype.Uint, 1},
		{"int", "int64", "<i8", dtype.Int, 8},
		{"l", "int64", "<i8", dtype.Int, 8},
		{"intp", "int64", "<i8", dtype.Int, 8},
		{"float", "float64", "<f8", dtype.Float, 8},
		{"S5", "S5", "|S5", dtype.Bytes, 5},
		{">S5", "S5", "|S5", dtype.Bytes, 5},
		{"S", "S0", "|S0", dtype.Bytes, 0},
		{"<U7", "U7", "<U7", dtype.Text, 28},
		{">U7", "U7", ">U7", dtype.Text, 28},
		{"V12", "V12", "|V12", dtype.Void, 12},
		{"M8[ns]", "datetime64[ns]", "<M8[ns]", dtype.Datetime, 8},
		{"datetime64[25s]", "datetime64[25s]", "<M8[25s]", dtype.Datetime, 8},
		{">m8", "timedelta64", ">m8", dtype.Timedelta, 8},
		{"M8[1μs]", "datetime64[us]", "<M8[us]", dtype.Datetime, 8},
		{"longdouble", "float128", "<f16", dtype.Float, 16},
		{"float128", "float128", "<f16", dtype.Float, 16},
		{"complex256", "complex256", "<c32", dtype.Complex, 32},
		{"bfloat16", "bfloat16", "<V2", dtype.Float, 2},
		{">bfloat16", "bfloat16", ">V2", dtype.Float, 2},
		{"float8_e4m3fn", "float8_e4m3fn", "<V1", dtype.Float, 1},
		{"float8_e5m2", "float8_e5m2", "<V1", dtype.Float, 1},
		{"complex32", "complex32", "<V4", dtype.Complex, 4},
		{"<f4, >i2", "struct{f0: float32, f1: int16}", "|V6", dtype.Void, 6},
		{"f4,", "float32", "<f4", dtype.Float, 4},
	}
	for _, tt := range tests {
		d, err := dtype.Parse(tt.in)
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
			continue
		}
		if d.String() != tt.name || d.Typestr() != tt.typestr || d.Kind() != tt.kind || d.ItemSize() != tt.size {
			t.Errorf("%s: %s %s kind %c, %d bytes", tt.in, d, d.Typestr(), d.Kind(), d.ItemSize())
		}
	}
}

// What is refused says so as Unsupported, and the hint helps.
func TestDTypeRefused(t *testing.T) {
	tests := []struct{ name, in, text, hint string }{
		{"empty", "", "unknown dtype", "valid: float32"},
		{"only an order", ">", "unknown dtype", "valid: float32"},
		{"misspelt", "flaot32", `"flaot32"`, "float32"},
		{"wrong case", "Float32", "unknown dtype", "did you mean float32"},
		{"misspelt foreign type", "bfloat6", "unknown dtype", "bfloat16"},
		{"unfinished", "bfloat", "unknown dtype", "bfloat16"},
		{"neighbors exchanged", "unit8", "unknown dtype", "did you mean uint8?"},
		{"a size that is no slip", "int9", "unknown dtype", "valid: float32"},
		{"order before a name", ">int32", "unknown dtype", ""},
		{"object", "O", "pickles", "numeric"},
		{"object by name", "object", "pickles", ""},
		{"object of a size", "|O8", "pickles", ""},
		{"float of 12 bytes", "f12", "unknown dtype", "32-bit x86"},
		{"float of 1 byte", "<f1", "unknown dtype", "float8_e5m2"},
		{"complex of 4 bytes", "<c4", "unknown dtype", "complex32"},
		{"odd size", "i3", "unknown dtype", ""},
		{"negative size", "S-5", "unknown dtype", ""},
		{"size beyond int32", "S2147483648", "would exceed 2147483647 bytes", ""},
		{"size beyond int32 in code points", "U536870912", "would exceed", ""},
		{"size beyond uint64", "V99999999999999999999999", "would exceed", ""},
		{"list beyond int32", "S2147483647,i1", "would exceed", ""},
		{"empty item in a list", "f4,,f4", "unknown dtype", ""},
		{"huge list", strings.Repeat("b,", 2000), "more than 1000 entries", ""},
		{"unit twice", "M8[ns][ns]", "unknown dtype", ""},
		{"unit unknown", "M8[min]", "unknown dtype", ""},
		{"unit counted zero times", "M8[0s]", "unknown dtype", ""},
		{"unit not closed", "M8[s", "unknown dtype", ""},
		{"control characters", "\x1b[2J", `\x1b[2J`, ""},
		{"long", strings.Repeat("x", 1000), "x…", ""},
	}
	for _, tt := range tests {
		d, err := dtype.Parse(tt.in)
		var e *fault.Error
		if !errors.As(err, &e) || e.Class != fault.Unsupported {
			t.Errorf("%s: got %v, %v", tt.name, d, err)
			continue
		}
		if !strings.Contains(e.Text, tt.text) || !strings.Contains(e.Hint, tt.hint) || len(e.Text) > 200 {
			t.Errorf("%s: %s (%s)", tt.name, e.Text, e.Hint)
		}
	}
}

// The order is told where it matters only.
func TestDTypeOrder(t *testing.T) {
	for name, want := range map[string]string{
		"<f4": "little", ">f4": "big", "f4": "little", ">i1": "none", ">S3": "none", ">V3": "none", ">U3": "big",
		"f4,>i2": "none", ">float8_e5m2": "none", ">complex32": "big", ">M8[s]": "big",
	} {
		if got := dtypeMust(t, name).Order().String(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A hint reinterprets items of the same size and no others.
func TestDTypeOpaque(t *testing.T) {
	for _, ok := range [][2]string{{"V2", "bfloat16"}, {"V1", "float8_e4m3fn"}, {"u2", ">f2"}, {"V4", "f2,i2"}} {
		d, err := dtypeMust(t, ok[0]).Opaque(dtypeMust(t, ok[1]))
		if err != nil || !d.Equal(dtypeMust(t, ok[1])) {
			t.Errorf("%s as %s: %v, %v", ok[0], ok[1], d, err)
		}
	}
	_, err := dtypeMust(t, "V2").Opaque(dtypeMust(t, "f4"))
	if fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), "4 bytes per element, but the data has 2") {
		t.Errorf("V2 as f4: %v", err)
	}
	if d, err := dtypeMust(t, "int4").Opaque(dtypeMust(t, "uint4")); err != nil || !d.Equal(dtypeMust(t, "uint4")) {
		t.Errorf("int4 as uint4: %v, %v", d, err)
	}
	for _, other := range []string{"uint1", "int2", "uint8"} {
		_, err := dtypeMust(t, "float4_e2m1fn").Opaque(dtypeMust(t, other))
		if fault.ClassOf(err) != fault.Usage || !strings.Contains(err.Error(), "bits per element, but the data has 4 (float4_e2m1fn)") {
			t.Errorf("float4_e2m1fn as %s: %v", other, err)
		}
	}
}

// TestOtherOrder: the other order of a type reverses its numbers, twice is the type itself, and types without an order stay.
func TestOtherOrder(t *testing.T) {
	for spelt, want := range map[string]string{"<f4": ">f4", ">i2": "<i2", "<c8": ">c8", ">U3": "<U3", "|u1": "|u1", "|S4": "|S4", ">bfloat16": "<V2"} {
		d := dtypeMust(t, spelt)
		other := d.OtherOrder()
		if other.Typestr() != want || !other.OtherOrder().Equal(d) {
			t.Errorf("%s in the other order is %s, want %s", spelt, other.Typestr(), want)
		}
		if d.Order() != dtype.NoOrder && (dtype.LittleEndian(d) == nil) == (dtype.LittleEndian(other) == nil) {
			t.Errorf("%s and %s are both little-endian or both are not", spelt, want)
		}
	}
}

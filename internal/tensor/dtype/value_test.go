package dtype_test

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/x448/float16"

	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// Values of every kind, from their bytes in hexadecimal. float8 values come from the OCP 8-bit floating point
// specification and ml_dtypes' README, long doubles from x87's format; the rest is plain arithmetic.
func TestFormatValue(t *testing.T) {
	tests := []struct{ dtype, item, want string }{
		{"bool", "00", "false"}, {"bool", "01", "true"}, {"bool", "80", "true"},
		{"i1", "80", "-128"}, {"u1", "80", "128"},
		{"<i2", "feff", "-2"}, {">i2", "fffe", "-2"}, {"<u2", "feff", "65534"},
		{"<i4", "00000080", "-2147483648"}, {">u8", "ffffffffffffffff", "18446744073709551615"},
		{"<f4", "cdcccc3d", "0.1"}, {">f4", "3dcccccd", "0.1"}, {"<f4", "0000c07f", "nan"}, {"<f4", "000080ff", "-inf"},
		{"<f4", "00000080", "-0"}, {"<f4", "00000000", "0"}, {"<f4", "01000000", "1e-45"}, {"<f4", "0000804b", "16777216"},
		{"<f8", "9a9999999999b93f", "0.1"}, {"<f8", "0080e03779c34143", "1e+16"}, {"<f8", "000080e037791c43", "2003645061136384"},
		{"<f2", "662e", "0.1"}, {"<f2", "0100", "6e-08"}, {"<f2", "ff7b", "65504"}, {"<f2", "007c", "inf"}, {"<f2", "0080", "-0"},
		{"bfloat16", "cd3d", "0.1"}, {">bfloat16", "3dcd", "0.1"}, {"bfloat16", "7f47", "65280"}, {"bfloat16", "7f4b", "16711680"}, {"bfloat16", "804b", "16800000"}, {"bfloat16", "c07f", "nan"},
		{"bcomplex32", "803f00c0", "1-2j"}, {">bcomplex32", "3f80c000", "1-2j"}, {"bcomplex32", "807fc07f", "inf+nanj"},
		{"float8_e4m3fn", "7e", "448"}, {"float8_e4m3fn", "7f", "nan"}, {"float8_e4m3fn", "ff", "nan"},
		{"float8_e4m3fn", "01", "0.001953125"}, {"float8_e4m3fn", "80", "-0"}, {"float8_e4m3fn", "2c", "0.375"},
		{"float8_e4m3", "77", "240"}, {"float8_e4m3", "78", "inf"}, {"float8_e4m3", "79", "nan"},
		{"float8_e3m4", "6f", "15.5"}, {"float8_e3m4", "f0", "-inf"}, {"float8_e3m4", "01", "0.015625"},
		{"float8_e5m2", "7b", "57344"}, {"float8_e5m2", "fc", "-inf"}, {"float8_e5m2", "7d", "nan"},
		{"float8_e5m2", "01", "1.5258789e-05"},
		{"float8_e4m3fnuz", "7f", "240"}, {"float8_e4m3fnuz", "80", "nan"}, {"float8_e5m2fnuz", "7f", "57344"},
		{"float8_e5m2fnuz", "80", "nan"}, {"float8_e4m3b11fnuz", "7f", "30"}, {"float8_e4m3b11fnuz", "80", "nan"},
		{"float8_e8m0fnu", "7f", "1"}, {"float8_e8m0fnu", "80", "2"}, {"float8_e8m0fnu", "ff", "nan"}, {"float8_e8m0fnu", "00", "5.877472e-39"},
		{"<f16", "0000000000000080ff3f000000000000", "1"}, {">f16", "0000000000003fff8000000000000000", "1"},
		{"<f16", "cdccccccccccccccfb3f000000000000", "0.1"},
		{"<f16", "00000000000000800080000000000000", "-3.3621031431120935063e-4932"},
		{"<f16", "01000000000000000000000000000000", "4e-4951"}, {"<f16", "0000000000000080ff7f000000000000", "inf"},
		{"<f16", "00000000000000c0ff7f000000000000", "nan"}, {"<f16", "0000000000000000ff3f000000000000", "nan"},
		{"<f16", "0000000000000000008000000000ffff", "-0"}, {"<f16", "fffffffffffffffffe7f000000000000", "1.189731495357231765e+4932"},
		{"<c8", "0000803f00000040", "1+2j"}, {">c8", "3f800000c0000000", "1-2j"}, {"<c8", "000080ff0000c07f", "-inf+nanj"},
		{"complex32", "003c00c0", "1-2j"}, {">complex32", "3c00c000", "1-2j"},
		{"S5", "6162000000", `"ab"`}, {"S5", "6100620000", `"a\x00b"`}, {"S3", "1b5b6d", `"\x1b[m"`}, {"S1", "ff", `"\xff"`}, {"S0", "", `""`},
		{"<U2", "7065000000000000", `"数"`}, {">U2", "000000e900000022", `"é\""`}, {"<U1", "00d80000", `"�"`}, {"<U1", "ffffffff", `"�"`}, {"<U1", "2e200000", `"\u202e"`},
		{"V3", "00ff10", "0x00ff10"}, {"V0", "", "0x"},
		{"M8[D]", "0000000000000000", "1970-01-01"}, {"M8[D]", "ffffffffffffffff", "1969-12-31"},
		{"M8[D]", "0000000000000080", "NaT"}, {"m8[s]", "0000000000000080", "NaT"},
		{"M8[25s]", "0300000000000000", "1970-01-01T00:01:15"}, {"m8[25s]", "0300000000000000", "75s"}, {"m8", "0300000000000000", "3"},
		{"M8", "0300000000000000", "3"}, {"M8[ms]", "ffffffffffffffff", "1969-12-31T23:59:59.999"},
		{">M8[h]", "0000000000000019", "1970-01-02T01"}, {"M8[M]", "ffffffffffffffff", "1969-12"},
		{"M8[Y]", "4df8ffffffffffff", "-0001"}, {"M8[Y]", "ffffffffffffff7f", "9223372036854777777"},
		{"M8[2147483647Y]", "ffffffffffffff7f", "19807040619342712359383730099"}, {"M8[D]", "3b2e000000000000", "2002-05-28"},
		{"<f4,>i2", "0000c03f0102", "(1.5, 258)"}, {"b,S2", "ff4100", `(-1, "A")`},
	}
	for _, tt := range tests {
		item, err := hex.DecodeString(tt.item)
		if err != nil {
			t.Fatal(err)
		}
		if got := dtypeMust(t, tt.dtype).FormatValue(item); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.dtype, tt.item, got, tt.want)
		}
	}
}

// Sub-arrays nest by axis, structures by field, at their offsets.
func TestFormatNested(t *testing.T) {
	d, err := dtype.StructOf([]dtype.Field{
		{Name: "a", DType: dtypeArray(t, "<i2", 2, 3), Offset: 2},
		{Name: "b", DType: dtypeArray(t, "u1,u1", 1), Offset: 14},
	}, 16)
	if err != nil {
		t.Fatal(err)
	}
	item := []byte{9, 9, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 7}
	if got, want := d.FormatValue(item), "([[0, 1, 2], [3, 4, 5]], [(6, 7)])"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := d.FormatValue(item[:15]), "(15 of 16 bytes)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := dtypeArray(t, "<i2", 2, 0).FormatValue(nil); got != "[[], []]" {
		t.Errorf("empty sub-array: %s", got)
	}
}

// Large items are cut, whatever they consist of.
func TestFormatValueIsBounded(t *testing.T) {
	item := make([]byte, 1<<22)
	for i := range item {
		item[i] = 'x'
	}
	for _, d := range []dtype.Type{
		dtypeMust(t, "S4194304"), dtypeMust(t, "U1048576"), dtypeMust(t, "V4194304"), dtypeArray(t, "u1", 1<<22),
		dtypeArray(t, "u1", 1<<11, 1<<11), dtypeArray(t, "u1,u1", 1<<21), dtypeArray(t, "u1", 1<<30, 0),
	} {
		if got := d.FormatValue(item); len(got) > 16<<10 || !strings.HasSuffix(got, "…") {
			t.Errorf("%s: %d bytes, …%s", d, len(got), got[len(got)-5:])
		}
	}
}

// All half-precision numbers read back as the same bits, and with fewer digits they would not; x448/float16 converts.
func TestFormatFloat16(t *testing.T) {
	d := dtypeMust(t, "<f2")
	toBits := func(text string) uint16 {
		x, err := strconv.ParseFloat(text, 32)
		if err != nil {
			t.Fatal(err)
		}
		return float16.Fromfloat32(float32(x)).Bits()
	}
	for bits := range 1 << 16 {
		text := d.FormatValue(binary.LittleEndian.AppendUint16(nil, uint16(bits)))
		v := float64(float16.Frombits(uint16(bits)).Float32())
		if math.IsNaN(v) {
			if text != "nan" {
				t.Fatalf("%04x: %s", bits, text)
			}
			continue
		}
		if toBits(text) != uint16(bits) {
			t.Fatalf("%04x prints as %s, which is %04x", bits, text, toBits(text))
		}
		if v == math.Trunc(v) {
			continue // whole numbers have all their digits
		}
		digits := 0
		for toBits(strconv.FormatFloat(v, 'e', digits, 64)) != uint16(bits) {
			digits++
		}
		fewest, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits, 64), 64)
		if got, _ := strconv.ParseFloat(text, 64); err != nil || got != fewest {
			t.Fatalf("%04x prints as %s, but %g is enough", bits, text, fewest)
		}
	}
}

// All bfloat16 numbers read back as the same bits when rounded to nearest even.
func TestFormatBfloat16(t *testing.T) {
	d := dtypeMust(t, "bfloat16")
	for bits := range uint32(1 << 16) {
		text := d.FormatValue(binary.LittleEndian.AppendUint16(nil, uint16(bits)))
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%04x: %s: %v", bits, text, err)
		}
		if math.IsNaN(x) {
			if bits&0x7fff <= 0x7f80 {
				t.Fatalf("%04x prints as nan", bits)
			}
			continue
		}
		if bits&0x7fff == 0x7f80 {
			if !math.IsInf(x, 0) {
				t.Fatalf("%04x prints as %s", bits, text)
			}
			continue
		}
		// float32 has 16 bits more: the halves of the gaps to both neighbors, in magnitude.
		low, high := bits&0x7fff<<16-min(1<<15, bits&0x7fff<<16), bits&0x7fff<<16+1<<15
		least, most := float64(math.Float32frombits(low)), float64(math.Float32frombits(high))
		if math.Abs(x) < least || math.Abs(x) > most || math.Signbit(x) != (bits>>15 == 1) {
			t.Fatalf("%04x prints as %s, outside %g to %g", bits, text, least, most)
		}
	}
}

// Long doubles that are powers of two, whose neighbors are unevenly far, and the numbers beside them read back.
func TestFormatLongDouble(t *testing.T) {
	d := dtypeMust(t, "<f16")
	exponents := []int{1, 2, 1000, 8000, 16337, 25000, 0x7ffe} // 16337 is 2^-46
	for exp := 16383 - 60; exp < 16383+60; exp++ {
		exponents = append(exponents, exp)
	}
	for _, exp := range exponents {
		for _, mant := range []uint64{1 << 63, 1<<63 + 1, 1<<64 - 1} {
			item := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, mant), uint64(exp))
			want := new(big.Float).SetMantExp(new(big.Float).SetUint64(mant), exp-16383-63)
			text := d.FormatValue(item)
			got, _, err := big.ParseFloat(text, 10, 64, big.ToNearestEven)
			if err != nil || got.Cmp(want) != 0 {
				t.Fatalf("%x·2^%d prints as %s, which is %v", mant, exp-16383-63, text, got)
			}
		}
	}
}

// A pad value becomes the bytes that NumPy stores for it, in the dtype's byte order; what does not fit is refused.
func TestParseValue(t *testing.T) {
	for _, c := range []struct{ dtype, value, want string }{
		{"float32", "1.5", "0000c03f"}, {">f4", "1.5", "3fc00000"}, {"float64", "-0", "0000000000000080"}, {"float16", "65504", "ff7b"},
		{"bfloat16", "1.0039062", "803f"}, {"bfloat16", "3.4028235e38", "807f"}, {"bfloat16", "nan", "c07f"}, {"float32", "inf", "0000807f"},
		{"int8", "-128", "80"}, {"uint8", "255", "ff"}, {">i2", "258", "0102"}, {"uint64", "18446744073709551615", "ffffffffffffffff"},
		{"bool", "true", "01"}, {"S3", "0", "000000"}, {"V3", "0x0a0b0c", "0a0b0c"}, {"complex64", "0x0000803f00000040", "0000803f00000040"},
		{"float16", "inf", "007c"}, {"float16", "1e6", ""}, {"int8", "128", ""}, {"uint8", "-1", ""}, {"int32", "1.5", ""}, {"float32", "one", ""}, {"S3", "abc", ""}, {"V3", "0x0a", ""}, {"V3", "0xzz0000", ""},
	} {
		d, err := dtype.Parse(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.ParseValue(c.value)
		if hex.EncodeToString(got) != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s as %s is %x, %v; want %s", c.value, c.dtype, got, err, c.want)
		}
	}
}

package dtype

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestNarrowValues: every code of a type below a byte has the value of ml_dtypes 0.6: np.arange(2**bits, dtype=uint8).view(type).
func TestNarrowValues(t *testing.T) {
	for name, want := range map[string]string{
		"int4": "0 1 2 3 4 5 6 7 -8 -7 -6 -5 -4 -3 -2 -1", "uint4": "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", "int2": "0 1 -2 -1", "uint2": "0 1 2 3",
		"int1": "0 -1", "uint1": "0 1", "float4_e2m1fn": "0 0.5 1 1.5 2 3 4 6 -0 -0.5 -1 -1.5 -2 -3 -4 -6",
		"float6_e2m3fn": bothSigns("0 0.125 0.25 0.375 0.5 0.625 0.75 0.875 1 1.125 1.25 1.375 1.5 1.625 1.75 1.875 2 2.25 2.5 2.75 3 3.25 3.5 3.75 " +
			"4 4.5 5 5.5 6 6.5 7 7.5"),
		"float6_e3m2fn": bothSigns("0 0.0625 0.125 0.1875 0.25 0.3125 0.375 0.4375 0.5 0.625 0.75 0.875 1 1.25 1.5 1.75 2 2.5 3 3.5 4 5 6 7 8 10 12 14 " +
			"16 20 24 28"),
	} {
		d := dtype(name)
		read, ok := Float64(d)
		var got []string
		for code := range d.codes() {
			text := d.FormatValue([]byte{byte(code)})
			got = append(got, text)
			if !ok || read([]byte{byte(code)}) != printed(text) || Exact(d)([]byte{byte(code)}).Float64() != printed(text) {
				t.Errorf("%s: code %d is %s, %g", name, code, text, read([]byte{byte(code)}))
			}
			if back, err := d.ParseValue(text); text != "-0" && (err != nil || back[0]&byte(d.codes()-1) != byte(code)) {
				t.Errorf("%s: %s is code %d, %v", name, text, back, err)
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s, want %s", name, text, want)
		}
	}
	if got := dtype("float4_e2m1fn_x2").FormatValue([]byte{0xc3}); got != "(1.5, -2)" {
		t.Errorf("0xc3 is %s", got)
	}
	for _, wrong := range []string{"8", "-9", "1.5"} {
		if _, err := dtype("int4").ParseValue(wrong); err == nil {
			t.Errorf("int4 holds %s", wrong)
		}
	}
}

// codes returns how many codes a value below a byte has.
func (d Type) codes() int { return 1 << d.bits() }

// bothSigns lists numbers and their negatives, with a sign of 0.
func bothSigns(numbers string) string { return numbers + " -" + strings.ReplaceAll(numbers, " ", " -") }

// TestHighBits: of an integer below a byte that has a byte, only its own bits count: ml_dtypes 0.6 reads 0xf3 as the uint4 3, and the int4 3.
func TestHighBits(t *testing.T) {
	for name, want := range map[string]string{"uint4": "3", "int4": "3", "uint2": "3", "int2": "-1", "uint1": "1", "int1": "-1"} {
		d, err := dtype("V1").Opaque(dtype(name))
		if err != nil || !d.Unpacked() {
			t.Fatalf("%s: %v, %v", name, d, err)
		}
		read, ok := Float64(d)
		for _, item := range [][]byte{{0xf3}, {0x03}} {
			if got := d.FormatValue(item); got != want || !ok || read(item) != printed(want) || Exact(d)(item) != Exact(d)([]byte{0x03}) {
				t.Errorf("%s: % x is %s, %g", name, item, got, read(item))
			}
		}
	}
}

// TestPack: value i is in bits i·Bits to (i+1)·Bits of the bytes, counted from the lowest of the first, and Unpack inverts Pack.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		d := dtype([]string{"int4", "uint2", "int1"}[rng.IntN(3)])
		values := make([]byte, rng.IntN(40))
		for i := range values {
			values[i] = byte(rng.IntN(1 << d.Bits()))
		}
		packed := bytes.Repeat([]byte{0xff}, int(d.Size(int64(len(values)))))
		d.Pack(packed, values)
		if want := (len(values)*d.Bits() + 7) / 8; len(packed) != want {
			t.Fatalf("%d values of %s: %d bytes, want %d", len(values), d, len(packed), want)
		}
		for bit := range 8 * len(packed) {
			want := byte(0)
			if i := bit / d.Bits(); i < len(values) {
				want = values[i] >> (bit % d.Bits()) & 1
			}
			if packed[bit/8]>>(bit%8)&1 != want {
				t.Fatalf("%s: bit %d of %v as %x", d, bit, values, packed)
			}
		}
		again := make([]byte, len(values))
		if d.Unpack(again, packed); !bytes.Equal(again, values) {
			t.Fatalf("%s: %v, want %v", d, again, values)
		}
	}
}

// TestIn: an element is named by its byte and its part.
func TestIn(t *testing.T) {
	for name, want := range map[string]string{"int4": "0 low,0 high,1 low", "uint2": "0 bits 0-1,0 bits 2-3,0 bits 4-5", "uint1": "0 bit 0,0 bit 1,0 bit 2",
		"float32": "0,4,8"} {
		d := dtype(name)
		if got := strings.Join([]string{d.In(0), d.In(1), d.In(2)}, ","); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if d := dtype("int4"); d.In(-1) != "-1 high" || d.In(-2) != "-1 low" || d.ByteOf(-1) != -1 || d.InBytes(-3) != "-1.5" {
		t.Errorf("before the storage: %s, %s, byte %d, %s bytes", d.In(-1), d.In(-2), d.ByteOf(-1), d.InBytes(-3))
	}
}

package dtype

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
)

// numbersForFloats draws numbers of all sizes, those that a type has, and those halfway between two of them, which are rounded to the even one.
func numbersForFloats(r *rand.Rand, name string, n int) []float64 {
	numbers := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64,
		65504, 65519, 65520, math.MaxFloat32, 2 * math.MaxFloat32, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-133, 0x1p-134, 0x1p-149, 0x1p-150}
	bits := map[string]int{"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}[name]
	for range n {
		exponent := r.IntN(40) - 26
		if r.IntN(8) == 0 {
			exponent = r.IntN(300) - 155
		}
		fraction := 1 + float64(r.IntN(1<<min(bits, 30)))/float64(int(1)<<bits)
		x := math.Ldexp(fraction, exponent)
		half := math.Ldexp(0.5, exponent-bits)
		numbers = append(numbers, x, x+half, -x-half, r.NormFloat64()*x)
	}
	return numbers
}

// besideHalfway draws numbers that differ from one halfway by so little that float32 does not show it.
func besideHalfway(r *rand.Rand, n int) (numbers []float64) {
	for range n {
		exponent := r.IntN(20) - 12
		x := math.Ldexp(1+float64(2*r.IntN(1<<9)+r.IntN(2))/(1<<10)+0.5/(1<<10), exponent)
		tiny := math.Ldexp(1, exponent-40)
		numbers = append(numbers, x+tiny, x-tiny)
	}
	return numbers
}

// numbersForInts draws numbers within the range of an integer of so many bits and beyond it, many of them halfway.
func numbersForInts(r *rand.Rand, bits, n int) []float64 {
	numbers := []float64{0, math.Copysign(0, -1), 0.5, 1.5, 2.5, -0.5, -1.5, 1e300, -1e300, math.Inf(1), math.Inf(-1)}
	for k := bits - 1; k <= bits; k++ {
		limit := math.Ldexp(1, k)
		for _, x := range []float64{limit, -limit} {
			numbers = append(numbers, x, x-1, x+1, x-0.5, x+0.5, math.Nextafter(x, 0))
		}
	}
	for range n {
		x := math.Ldexp(r.NormFloat64(), r.IntN(bits+2))
		numbers = append(numbers, x, math.Round(x)+0.5)
	}
	return numbers
}

// encoded is what FromFloat64 writes.
func encoded(t *testing.T, d Type, numbers []float64) []byte {
	t.Helper()
	write, ok := FromFloat64(d)
	if !ok {
		t.Fatalf("%s is not written", d)
	}
	items := make([]byte, len(numbers)*d.ItemSize())
	for k, x := range numbers {
		write(items[k*d.ItemSize():][:d.ItemSize()], x)
	}
	return items
}

// compareEncoded asks NumPy for the same items.
func compareEncoded(t *testing.T, numpy *oracle.Oracle, d Type, numbers []float64) {
	t.Helper()
	var raw []byte
	for _, x := range numbers {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(x))
	}
	name := d.Typestr()
	if d.String() == "bfloat16" {
		name = "bfloat16"
	}
	err := numpy.Ask(map[string]any{"dtype": name, "numbers": raw})
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Items   []byte
		Missing string
	}
	err = numpy.Read(&answer)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Missing != "" {
		t.Skip("this Python lacks " + answer.Missing)
	}
	got := encoded(t, d, numbers)
	if len(got) != len(answer.Items) {
		t.Fatalf("%s: %d bytes, NumPy %d", d, len(got), len(answer.Items))
	}
	wrong := 0
	for k, x := range numbers {
		item := got[k*d.ItemSize():][:d.ItemSize()]
		want := answer.Items[k*d.ItemSize():][:d.ItemSize()]
		if !bytes.Equal(item, want) {
			wrong++
			if wrong <= 5 {
				t.Errorf("%s: %v (%x) is %s, NumPy %s", d, x, x, d.FormatValue(item), d.FormatValue(want))
			}
		}
	}
	t.Logf("%s: %d of %d differ", d, wrong, len(numbers))
}

// TestFromFloat64NumPy: numbers are rounded to floats as NumPy and ml_dtypes round them, and to integers as np.rint does, clipped to their range; in
// both byte orders.
func TestFromFloat64NumPy(t *testing.T) {
	numpy := oracle.NumPy(t, "encode.py")
	r := random.New(t)
	n := random.Cases(t, "TLAYOUT_TEST_ENCODE_CASES", 20_000)
	for _, name := range []string{"float16", ">f2", "bfloat16", "float32", ">f4", "float64", ">f8"} {
		t.Run(name, func(t *testing.T) {
			d := dtype(name)
			compareEncoded(t, numpy, d, numbersForFloats(r, d.String(), n/4))
		})
	}
	for _, name := range []string{"int8", "uint8", "int16", ">i2", "uint16", "int32", ">i4", "uint32"} {
		t.Run(name, func(t *testing.T) {
			d := dtype(name)
			compareEncoded(t, numpy, d, numbersForInts(r, 8*d.ItemSize(), n/4))
		})
	}
}

// TestFromFloat64LongNumPy: integers of 64 bits are clipped, too, though float64 does not have the largest one.
func TestFromFloat64LongNumPy(t *testing.T) {
	numpy := oracle.NumPy(t, "encode.py")
	r := random.New(t)
	for _, name := range []string{"int64", "uint64"} {
		t.Run(name, func(t *testing.T) { compareEncoded(t, numpy, dtype(name), numbersForInts(r, 64, 1000)) })
	}
}

// TestFromFloat64OnceNumPy: a number is rounded once: one next to a number halfway between two of float16 is not first rounded to that one.
func TestFromFloat64OnceNumPy(t *testing.T) {
	numpy := oracle.NumPy(t, "encode.py")
	r := random.New(t)
	compareEncoded(t, numpy, dtype("float16"), besideHalfway(r, 1000))
}

// TestFromFloat64NaN: NaN stays NaN.
func TestFromFloat64NaN(t *testing.T) {
	for _, name := range []string{"float16", "bfloat16", "float32", "float64", ">f2", ">f4"} {
		d := dtype(name)
		item := encoded(t, d, []float64{math.NaN()})
		if text := d.FormatValue(item); text != "nan" {
			t.Errorf("%s: % x is %s", name, item, text)
		}
	}
}

// TestFromFloat64Refuses: what is no number of whole bytes, and float8, is not written.
func TestFromFloat64Refuses(t *testing.T) {
	for _, name := range []string{"bool", "S3", "U2", "V4", "complex64", "int4", "float8_e4m3fn", "float4_e2m1fn_x2", "<M8[s]", "<i4,S2", "<f16"} {
		if _, ok := FromFloat64(dtype(name)); ok {
			t.Errorf("%s is written", name)
		}
	}
}

// TestFromFloat64Back: each number that a type of 16 bits has is written as itself.
func TestFromFloat64Back(t *testing.T) {
	for _, name := range []string{"float16", "bfloat16", "int16", "uint16", ">f2", ">i2"} {
		d := dtype(name)
		read, _ := Float64(d)
		write, _ := FromFloat64(d)
		for bits := range 1 << 16 {
			item := binary.LittleEndian.AppendUint16(nil, uint16(bits))
			little := bytes.Clone(item)
			if swap := LittleEndian(d); swap != nil {
				swap(little)
			}
			x := read(little)
			if math.IsNaN(x) {
				continue
			}
			var back [2]byte
			write(back[:], x)
			if !bytes.Equal(back[:], item) {
				t.Fatalf("%s: % x is %v, written as % x", name, item, x, back)
			}
		}
	}
}

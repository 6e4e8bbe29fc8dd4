package dtype

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
)

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func dtype(name string) Type { return must(Parse(name)) }

// TestNotFinite: of every float type, the scan says of an item what its printed value says. Of items of two bytes
// those around the exponent's end and many others are tried, of wider ones fewer, of x87's with all kinds of mantissas.
func TestNotFinite(t *testing.T) {
	for _, name := range []string{"<f2", ">f2", "bfloat16", "<f4", ">f4", "<f8", ">f8", "<f16", ">f16"} {
		d := dtype(name)
		scan, bad := NotFinite(d), 0
		for _, item := range itemsAround(d) {
			text := d.FormatValue(item)
			want := strings.Contains(text, "nan") || strings.Contains(text, "inf")
			if got := scan(item) == 0; got != want {
				t.Errorf("%s: % x is %s, the scan says %v", name, item, text, got)
			}
			if want {
				bad++
			}
		}
		if bad == 0 {
			t.Errorf("%s: no item was infinite or NaN", name)
		}
	}
	if at := NotFinite(dtype("<f16"))(slices.Repeat([]byte{0xff, 0xff, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x01}, 3)); at != -1 {
		t.Errorf("numbers of exponent 0 are not finite, the %d. byte", at)
	}
	for _, name := range []string{"int32", "bool", "S3", "V0", "U0", "<i4,S2"} {
		if NotFinite(dtype(name)) != nil {
			t.Errorf("%s has values that are not finite", name)
		}
	}
}

// TestNotFiniteTimes: of times only NaT, the lowest number, is not finite; neighbors and the other end are.
func TestNotFiniteTimes(t *testing.T) {
	for _, name := range []string{"<M8[s]", ">M8[ns]", "<m8", ">m8[D]"} {
		d := dtype(name)
		scan, items := NotFinite(d), []byte(nil)
		for _, n := range []int64{0, -1, math.MaxInt64, math.MinInt64 + 1, math.MinInt64} {
			item := inOrder(d, binary.LittleEndian.AppendUint64(nil, uint64(n)))
			if got, want := scan(item) == 0, d.FormatValue(item) == "NaT"; got != want {
				t.Errorf("%s: %d is not finite: %v, expected %v", name, n, got, want)
			}
			items = append(items, item...)
		}
		if at := scan(items); at != 32 {
			t.Errorf("%s: found at byte %d, expected 32", name, at)
		}
	}
}

// TestHasNumbers: what can be asked to be finite: numbers and times, also inside of records and sub-arrays.
func TestHasNumbers(t *testing.T) {
	for _, name := range []string{"bool", "<i4", ">u8", "bfloat16", "<c8", "M8[s]", "m8", "S3,<i4"} {
		if !HasNumbers(dtype(name)) {
			t.Errorf("%s holds no numbers", name)
		}
	}
	texts := must(ArrayOf(dtype("S2"), []int{3}))
	for _, d := range []Type{dtype("S3"), dtype("<U2"), dtype("V2"), dtype("S1,V3"), texts, record(record(dtype("V1"), texts))} {
		if HasNumbers(d) {
			t.Errorf("%s holds numbers", d)
		}
	}
	if nested := record(texts, record(must(ArrayOf(dtype("<f4"), []int{2})))); !HasNumbers(nested) {
		t.Errorf("%s holds no numbers", nested)
	}
}

// TestNotFiniteFloat8: the special values of the types of one byte are those that ml_dtypes' README lists: fn types have
// no infinity and NaN where all bits but the sign are ones, fnuz types NaN in place of −0, e8m0 where all are ones, the
// others both as IEEE floats have them.
func TestNotFiniteFloat8(t *testing.T) {
	for name, special := range map[string][]int{
		"float8_e3m4":        append(from(0x70, 0x7f), from(0xf0, 0xff)...),
		"float8_e4m3":        append(from(0x78, 0x7f), from(0xf8, 0xff)...),
		"float8_e4m3b11fnuz": {0x80},
		"float8_e4m3fn":      {0x7f, 0xff},
		"float8_e4m3fnuz":    {0x80},
		"float8_e5m2":        append(from(0x7c, 0x7f), from(0xfc, 0xff)...),
		"float8_e5m2fnuz":    {0x80},
		"float8_e8m0fnu":     {0xff},
	} {
		scan := NotFinite(dtype(name))
		for i := range 256 {
			if got, want := scan([]byte{byte(i)}) == 0, slices.Contains(special, i); got != want {
				t.Errorf("%s: 0x%02x is special: %v, expected %v", name, i, got, want)
			}
		}
	}
}

// from lists the numbers from a to b.
func from(a, b int) (list []int) {
	for i := a; i <= b; i++ {
		list = append(list, i)
	}
	return list
}

// itemsAround lists items of many exponents, and of all near the largest, by their highest two bytes.
func itemsAround(d Type) (items [][]byte) {
	size := d.ItemSize()
	if size == 16 {
		return x87Items(d)
	}
	top, step := 0x7800, 11
	if size > 2 { // printing hundreds of digits takes its time
		top, step = 0x7f70, 4099
	}
	for i := range 1 << 16 {
		if i&top != top && i%step != 0 {
			continue
		}
		item := make([]byte, size)
		binary.LittleEndian.PutUint16(item[size-2:], uint16(i))
		items = append(items, inOrder(d, item))
	}
	return items
}

// x87Items lists those of the largest exponent and of some around 1's, with and without the mantissa's first bit, which
// x87 writes down.
func x87Items(d Type) (items [][]byte) {
	for _, exp := range []uint16{16000, 16382, 16383, 16384, 16500, 0x7fff} {
		for _, mant := range []uint64{0, 1, 1 << 62, 1 << 63, 1<<63 | 1, 3 << 62} {
			for _, sign := range []uint16{0, 0x8000} {
				item := make([]byte, 16)
				binary.LittleEndian.PutUint64(item, mant)
				binary.LittleEndian.PutUint16(item[8:], exp|sign)
				items = append(items, inOrder(d, item))
			}
		}
	}
	return items
}

// inOrder is a copy of a little-endian item in the type's byte order.
func inOrder(d Type, item []byte) []byte {
	item = slices.Clone(item)
	if d.Order() == Big {
		slices.Reverse(item)
	}
	return item
}

// TestNotFinitePlace: a NaN is found at every position of data of every length, also after the first swapped piece,
// and nothing is found where there is none; the largest number, of all ones but for the exponent's last bit, does not
// carry into its neighbor.
func TestNotFinitePlace(t *testing.T) {
	lengths := append(from(0, 30), 255, 256, 257, 600)
	for _, name := range []string{"<f4", ">f4", "<f8", "complex64", ">c16", "float16"} {
		d := dtype(name)
		scan, size := NotFinite(d), d.ItemSize()
		largest, nan := make([]byte, size), slices.Repeat([]byte{0xff}, size)
		if name == "<f4" {
			largest = binary.LittleEndian.AppendUint32(nil, math.Float32bits(-math.MaxFloat32))
		}
		for _, n := range lengths {
			data := slices.Repeat(largest, n)
			if at := scan(data); at != -1 {
				t.Fatalf("%s: found at byte %d of %d finite numbers", name, at, n)
			}
			for i := 0; i < n; i += 1 + n/50 {
				copy(data[i*size:], nan)
				if at := scan(data); at != i*size {
					t.Fatalf("%s: found at byte %d, expected item %d of %d", name, at, i, n)
				}
				copy(data[i*size:], largest)
			}
		}
	}
}

// record has consecutive fields.
func record(fields ...Type) Type {
	var list []Field
	size := 0
	for i, d := range fields {
		list = append(list, Field{Name: string(rune('a' + i)), DType: d, Offset: size})
		size += d.ItemSize()
	}
	return must(StructOf(list, size))
}

// TestNotFiniteRecord: fields and sub-arrays are looked into, also those that stand beside fields of no bytes; the place
// is that of the number.
func TestNotFiniteRecord(t *testing.T) {
	none := must(ArrayOf(dtype(">f4"), []int{0}))
	pair := must(ArrayOf(dtype(">f8"), []int{2}))
	for _, c := range []struct {
		d          Type
		size, from int // of an item, of its float64
	}{
		{record(dtype("<i4"), dtype(">f8")), 12, 4},
		{record(none, dtype("<i4"), record(none), dtype(">f8"), none), 12, 4},
		{record(dtype("S1"), record(dtype("<i2"), record(dtype(">f8"), none)), dtype("<f4")), 15, 3},
		{pair, 16, 8},
		{record(dtype("<f4"), pair), 20, 12},
		{must(ArrayOf(record(dtype("V3"), dtype(">f8")), []int{3})), 33, 14},
	} {
		items := make([]byte, 3*c.size)
		if at := NotFinite(c.d)(items); at != -1 {
			t.Errorf("%s: found at %d of zeros", c.d, at)
		}
		want := c.size + c.from
		binary.BigEndian.PutUint64(items[want:], math.Float64bits(math.Inf(-1)))
		before := slices.Clone(items)
		if at := NotFinite(c.d)(items); at != want || !slices.Equal(items, before) {
			t.Errorf("%s: found at %d, expected %d; the items are as before: %v", c.d, at, want, slices.Equal(items, before))
		}
	}
	empty := must(ArrayOf(pair, []int{0, 3}))
	for _, d := range []Type{none, empty, record(none), record(record(none), dtype("V0"))} {
		if NotFinite(d) != nil || LittleEndian(d) != nil {
			t.Errorf("%s, of no bytes, has numbers", d)
		}
	}
}

package main

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TestNotFinite: of every float type, the scan says of an item what its printed value says. All items of one and two
// bytes are tried, of wider ones those around the exponent's end.
func TestNotFinite(t *testing.T) {
	for _, name := range []string{
		"<f2", ">f2", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float8_e4m3fnuz", "<f4", ">f4", "<f8", ">f8", "<f16", ">f16",
	} {
		d := must2(tensor.ParseDType(name))
		scan, bad := notFinite(d), 0
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
	for _, name := range []string{"int32", "bool", "S3", "M8[s]"} {
		if notFinite(must2(tensor.ParseDType(name))) != nil {
			t.Errorf("%s has values that are not finite", name)
		}
	}
}

// itemsAround lists all items of one or two bytes; else those of many exponents.
func itemsAround(d tensor.DType) [][]byte {
	size := d.ItemSize()
	var items [][]byte
	for i := range 1 << (8 * min(size, 2)) {
		item := make([]byte, size)
		switch {
		case size == 1:
			item[0] = byte(i)
		case size > 2 && i&0x7f70 != 0x7f70 && i%4099 != 0: // printing hundreds of digits takes its time
			continue
		case size == 16: // the 80-bit long double has an explicit leading bit
			top := []byte{0, 0, 0, 0, 0, 0, 0, 0x80, byte(i), byte(i >> 8), 0, 0, 0, 0, 0, 0}
			copy(item, top)
			if d.Order() == tensor.Big {
				for k := range item {
					item[k] = top[15-k]
				}
			}
		case d.Order() == tensor.Big:
			binary.BigEndian.PutUint16(item, uint16(i))
		default:
			binary.LittleEndian.PutUint16(item[size-2:], uint16(i))
		}
		items = append(items, item)
	}
	return items
}

// TestNotFinitePlace: a NaN is found at every place of data of every length, and nothing is found where there is none;
// the largest number, of all ones but for the exponent's last bit, does not carry into its neighbour.
func TestNotFinitePlace(t *testing.T) {
	for _, name := range []string{"<f4", ">f4", "<f8", "complex64", "float16"} {
		d := must2(tensor.ParseDType(name))
		scan, size := notFinite(d), d.ItemSize()
		largest, nan := must2(d.ParseValue("0")), make([]byte, size)
		for i := range nan {
			nan[i] = 0xff
		}
		if name == "<f4" {
			largest = binary.LittleEndian.AppendUint32(nil, math.Float32bits(-math.MaxFloat32))
		}
		for n := range 30 {
			data := []byte(strings.Repeat(string(largest), n))
			if at := scan(data); at != -1 {
				t.Fatalf("%s: found at byte %d of %d finite numbers", name, at, n)
			}
			for i := range n {
				copy(data[i*size:], nan)
				if at := scan(data); at/size != i || at < 0 {
					t.Fatalf("%s: found at byte %d, expected item %d of %d", name, at, i, n)
				}
				copy(data[i*size:], largest)
			}
		}
	}
}

// TestNotFiniteRecord: fields and sub-arrays are looked into.
func TestNotFiniteRecord(t *testing.T) {
	d := must2(tensor.ParseDType("<i4,<f8"))
	item := make([]byte, 12)
	if at := notFinite(d)(item); at != -1 {
		t.Errorf("zeros: found at %d", at)
	}
	binary.LittleEndian.PutUint64(item[4:], math.Float64bits(math.Inf(-1)))
	if at := notFinite(d)(append(make([]byte, 12), item...)); at != 12 {
		t.Errorf("infinity in the second record: found at %d, expected 12", at)
	}
	sub := must2(tensor.ArrayOf(must2(tensor.ParseDType("<f8")), []int{2}))
	if at := notFinite(sub)(append(make([]byte, 8), item[4:]...)); at != 0 {
		t.Errorf("sub-array: found at %d, expected 0", at)
	}
}

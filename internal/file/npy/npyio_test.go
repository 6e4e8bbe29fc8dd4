package npy_test

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	npyio "github.com/sbinet/npyio/npy"

	"github.com/tlayout/tlayout/internal/file/npy"
)

// npyio v0.9.0, written independently, reads back type, shape, order and values of what is written here, for the
// types it knows in both byte orders.
func TestNpyioReadsWhatIsWritten(t *testing.T) {
	values := map[string]any{
		"|b1": []bool{true, false, true, true, false, false},
		"|i1": []int8{-128, -1, 0, 1, 2, 127}, "|u1": []uint8{0, 1, 2, 3, 4, 255},
		"i2": []int16{-32768, -1, 0, 1, 2, 32767}, "u2": []uint16{0, 1, 2, 3, 4, 65535},
		"i4": []int32{-1 << 31, -1, 0, 1, 2, 1<<31 - 1}, "u4": []uint32{0, 1, 2, 3, 4, 1<<32 - 1},
		"i8": []int64{-1 << 63, -1, 0, 1, 2, 1<<63 - 1}, "u8": []uint64{0, 1, 2, 3, 4, 1<<64 - 1},
		"f4": []float32{0, 1, -2.5, 1e30, 3, 4}, "f8": []float64{0, 1, -2.5, 1e300, 3, 4},
		"c8": []complex64{0, 1i, -2.5, 1e30, 3, 4}, "c16": []complex128{0, 1i, -2.5, 1e300, 3, 4},
	}
	for typestr, v := range values {
		names := []string{typestr}
		if typestr[0] != '|' {
			names = []string{"<" + typestr, ">" + typestr}
		}
		for _, name := range names {
			for _, shape := range [][]int{{6}, {2, 3}, {1, 2, 3, 1}} {
				for _, fortran := range []bool{false, true} {
					checkNpyio(t, name, v, fortran, shape)
				}
			}
		}
	}
}

func checkNpyio(t *testing.T, name string, values any, fortran bool, shape []int) {
	t.Helper()
	file, err := npy.AppendHeader(nil, mustParse(t, name), fortran, shape)
	if err != nil {
		t.Fatal(err)
	}
	var order binary.AppendByteOrder = binary.LittleEndian
	if name[0] == '>' {
		order = binary.BigEndian
	}
	data := bytes.NewBuffer(file)
	if err := binary.Write(data, order.(binary.ByteOrder), values); err != nil {
		t.Fatal(err)
	}
	r, err := npyio.NewReader(data)
	if err != nil {
		t.Fatalf("%s %v: %v", name, shape, err)
	}
	d := r.Header.Descr
	if d.Type != name || d.Fortran != fortran || !cmp.Equal(d.Shape, shape) {
		t.Errorf("%s %v Fortran %v: read as %+v", name, shape, fortran, d)
	}
	got := reflect.New(reflect.TypeOf(values))
	if err := r.Read(got.Interface()); err != nil || !cmp.Equal(got.Elem().Interface(), values) {
		t.Errorf("%s %v: read %v, %v; wrote %v", name, shape, got.Elem(), err, values)
	}
}

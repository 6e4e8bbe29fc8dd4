package layout_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/layout"
)

// TestTensorValues: values share memory where they can, and are copied where byte order or alignment do not allow it.
func TestTensorValues(t *testing.T) {
	l := layout.MustParse("c", 2)
	stored := []uint32{0x3f800000, 0x01020304}
	shared, err := layout.Values[uint32](layout.TensorOf(stored, l))
	if err != nil || &shared[0] != &stored[0] {
		t.Errorf("%v: a copy is made", err)
	}
	swapped, err := layout.Values[uint32](layout.Tensor{DType: ">u4", Layout: l, Data: []byte{0x3f, 0x80, 0, 0, 1, 2, 3, 4}})
	if err != nil || !slices.Equal(swapped, stored) {
		t.Errorf("big-endian: %x, %v", swapped, err)
	}
	for shift := range 4 {
		data := append(make([]byte, shift), 0, 0, 0x80, 0x3f, 4, 3, 2, 1)
		moved, err := layout.Values[uint32](layout.Tensor{DType: "uint32", Layout: l, Data: data[shift:]})
		if err != nil || !slices.Equal(moved, stored) {
			t.Errorf("at byte %d: %x, %v", shift, moved, err)
		}
	}
	for _, dtype := range []string{"int32", "float32", "uint64", "bool", "bfloat16"} {
		if _, err := layout.Values[uint32](layout.Tensor{DType: dtype, Layout: l, Data: make([]byte, 16)}); !errors.Is(err, layout.ErrDType) {
			t.Errorf("%s as uint32: %v", dtype, err)
		}
	}
	if _, err := layout.Values[uint32](layout.Tensor{DType: "float5"}); err == nil || errors.Is(err, layout.ErrDType) {
		t.Errorf("an unknown dtype: %v", err)
	}
}

// TestFloat32s: numbers of all widths, more than are read at once.
func TestFloat32s(t *testing.T) {
	for _, c := range []struct {
		dtype string
		data  []byte
		want  []float32
	}{
		{"bfloat16", []byte{0x80, 0x3f, 0, 0xc0}, []float32{1, -2}},
		{"float16", []byte{0, 0x3c, 0, 0xc0}, []float32{1, -2}},
		{">f4", []byte{0x3f, 0x80, 0, 0}, []float32{1}},
		{"int64", []byte{255, 255, 255, 255, 255, 255, 255, 255}, []float32{-1}},
		{"uint8", slices.Repeat([]byte{7}, 3000), slices.Repeat([]float32{7}, 3000)},
	} {
		got, err := layout.Float32s(layout.Tensor{DType: c.dtype, Data: c.data})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.dtype, got, err, c.want)
		}
	}
	for _, dtype := range []string{"complex64", "int4", "S4"} {
		if _, err := layout.Float32s(layout.Tensor{DType: dtype, Data: make([]byte, 16)}); !errors.Is(err, layout.ErrDType) {
			t.Errorf("%s: %v", dtype, err)
		}
	}
}

// TestTensorIn: elements of any size move as they are, and RowMajor copies only what is not so already.
func TestTensorIn(t *testing.T) {
	rows := layout.MustParse("c", 2, 2)
	for _, c := range []struct {
		dtype string
		size  int
	}{{"bfloat16", 2}, {"S3", 3}, {"complex128", 16}} {
		var data, want []byte
		for i := range 4 {
			data = append(data, slices.Repeat([]byte{byte(i)}, c.size)...)
		}
		for _, i := range []byte{0, 2, 1, 3} {
			want = append(want, slices.Repeat([]byte{i}, c.size)...)
		}
		x := layout.Tensor{DType: c.dtype, Layout: rows, Data: data}
		y, err := x.In(layout.MustParse("fortran", 2, 2))
		if err != nil || !slices.Equal(y.Data, want) || y.DType != c.dtype {
			t.Errorf("%s: %v, %v, want %v", c.dtype, y.Data, err, want)
		}
		back, err := y.RowMajor()
		if err != nil || !slices.Equal(back.Data, data) || !back.Layout.Equal(rows) {
			t.Errorf("%s: %v, %v, want %v", c.dtype, back.Data, err, data)
		}
		same, err := x.RowMajor()
		if err != nil || &same.Data[0] != &data[0] {
			t.Errorf("%s in row-major order is copied: %v", c.dtype, err)
		}
	}
	short := layout.Tensor{DType: "float32", Layout: rows, Data: make([]byte, 15)}
	if _, err := short.In(rows); !errors.Is(err, layout.ErrShort) {
		t.Errorf("15 bytes: %v", err)
	}
	without := layout.Tensor{DType: "S0", Layout: rows}
	if y, err := without.In(layout.MustParse("fortran", 2, 2)); err == nil {
		t.Errorf("elements of no bytes are moved: %v", y)
	}
	if y, err := without.RowMajor(); err != nil || !y.Layout.Equal(rows) {
		t.Errorf("elements of no bytes in row-major order: %v, %v", y, err)
	}
	if _, err := layout.TensorOf(make([]float32, 4), rows).In(layout.MustParse("c", 4)); !errors.Is(err, layout.ErrShape) {
		t.Errorf("another shape: %v", err)
	}
}

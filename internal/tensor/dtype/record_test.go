package dtype_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

func dtypeArray(t testing.TB, base string, shape ...int) dtype.Type {
	t.Helper()
	d, err := dtype.ArrayOf(dtypeMust(t, base), shape)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A structure with padding and a sub-array knows its parts, and cannot be changed through them.
func TestDTypeStruct(t *testing.T) {
	fields := []dtype.Field{
		{Name: "a", DType: dtypeMust(t, "i4")},
		{Name: "b\x1b", Title: "t", DType: dtypeArray(t, ">f8", 2, 2), Offset: 8},
	}
	d, err := dtype.StructOf(fields, 48)
	if err != nil {
		t.Fatal(err)
	}
	if want := `struct{a: int32, b\x1b: float64[2,2]}`; d.String() != want || d.Typestr() != "|V48" || d.Kind() != dtype.Void {
		t.Errorf("%s %s", d, d.Typestr())
	}
	if want := `struct{a: int32 @0, b\x1b: float64[2,2] @8; 48 bytes}`; d.Placed() != want {
		t.Errorf("%s, want %s", d.Placed(), want)
	}
	nested, err := dtype.StructOf([]dtype.Field{{Name: "n", DType: dtypeArray(t, "u1,u1", 3), Offset: 1}}, 7)
	if want := "struct{n: struct{f0: uint8 @0, f1: uint8 @1; 2 bytes}[3] @1; 7 bytes}"; err != nil || nested.Placed() != want {
		t.Errorf("%s, want %s, %v", nested.Placed(), want, err)
	}
	fields[0].Name = "changed"
	d.Fields()[1].Name = "changed"
	base, shape := d.Fields()[1].DType.Sub()
	shape[0] = 9
	if _, again := d.Fields()[1].DType.Sub(); base.Typestr() != ">f8" || again[0] != 2 {
		t.Errorf("sub-array of %s %v", base.Typestr(), again)
	}
	if names := d.Fields()[0].Name + d.Fields()[1].Name; names != "ab\x1b" {
		t.Errorf("fields were changed from outside: %q", names)
	}
}

// Fields is nil for all but structures, and not nil for one without fields.
func TestDTypeFieldsNil(t *testing.T) {
	empty, err := dtype.StructOf(nil, 8)
	if err != nil || empty.Fields() == nil || len(empty.Fields()) != 0 {
		t.Errorf("empty structure: %v, %v", empty.Fields(), err)
	}
	if dtypeMust(t, "V8").Fields() != nil || dtypeArray(t, "f4", 2).Fields() != nil {
		t.Errorf("raw bytes and sub-arrays have no fields")
	}
	if _, shape := empty.Sub(); shape != nil {
		t.Errorf("a structure is no sub-array")
	}
}

// Two dtypes are equal when all they consist of is.
func TestDTypeEqual(t *testing.T) {
	one := func(name, title, typestr string, offset int) dtype.Type {
		d, err := dtype.StructOf([]dtype.Field{{Name: name, Title: title, DType: dtypeMust(t, typestr), Offset: offset}}, 16)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	base := one("a", "", "f4", 0)
	if !base.Equal(one("a", "", "f4", 0)) {
		t.Errorf("a structure differs from its twin")
	}
	for name, other := range map[string]dtype.Type{
		"name": one("b", "", "f4", 0), "title": one("a", "t", "f4", 0), "order": one("a", "", ">f4", 0),
		"offset": one("a", "", "f4", 4), "bytes": dtypeMust(t, "V16"), "sub-array": dtypeArray(t, "f4", 4),
	} {
		if base.Equal(other) || other.Equal(base) {
			t.Errorf("%s makes no difference", name)
		}
	}
	if !dtypeArray(t, "f4", 2, 3).Equal(dtypeArray(t, "f4", 2, 3)) || dtypeArray(t, "f4", 2, 3).Equal(dtypeArray(t, "f4", 3, 2)) {
		t.Errorf("sub-arrays are compared wrongly")
	}
	if dtypeMust(t, "bfloat16").Equal(dtypeMust(t, "f2")) || dtypeMust(t, "M8[s]").Equal(dtypeMust(t, "M8[2s]")) {
		t.Errorf("type or unit makes no difference")
	}
}

// Each rule for structures and sub-arrays.
func TestDTypeStructRefused(t *testing.T) {
	f := func(name string, typestr string, offset int) dtype.Field {
		return dtype.Field{Name: name, DType: dtypeMust(t, typestr), Offset: offset}
	}
	titled := f("b", "f4", 4)
	titled.Title = "a"
	tests := []struct {
		name   string
		fields []dtype.Field
		size   int
		part   string
	}{
		{"overlap", []dtype.Field{f("a", "f4", 0), f("b", "f4", 2)}, 8, "overlaps the previous one"},
		{"order", []dtype.Field{f("a", "f4", 4), f("b", "f4", 0)}, 8, "overlaps the previous one"},
		{"negative offset", []dtype.Field{f("a", "f4", -1)}, 8, "overlaps the previous one"},
		{"beyond the item", []dtype.Field{f("a", "f4", 6)}, 8, "exceeds its element"},
		{"offset near overflow", []dtype.Field{f("a", "f4", 1<<31-1)}, 8, "exceeds its element"},
		{"name twice", []dtype.Field{f("a", "f4", 0), f("a", "f4", 4)}, 8, "duplicate field"},
		{"title is a name", []dtype.Field{f("a", "f4", 0), titled}, 8, "duplicate field"},
		{"bytes without a name", []dtype.Field{f("", "V4", 0)}, 8, "unnamed field"},
		{"negative size", nil, -1, "would exceed"},
	}
	for _, tt := range tests {
		_, err := dtype.StructOf(tt.fields, tt.size)
		var e *fault.Error
		if !errors.As(err, &e) || !strings.Contains(e.Text, tt.part) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	for _, shape := range [][]int{{-1}, {1 << 30, 2}, {0, 1<<31 - 1, -3}} {
		if d, err := dtype.ArrayOf(dtypeMust(t, "f4"), shape); err == nil {
			t.Errorf("sub-array %v accepted: %s", shape, d)
		}
	}
	if _, err := dtype.ArrayOf(dtypeMust(t, "V0"), []int{1 << 30}); err == nil {
		t.Errorf("a sub-array of items without bytes is accepted")
	}
	if d, err := dtype.ArrayOf(dtypeMust(t, "f4"), nil); err != nil || !d.Equal(dtypeMust(t, "f4")) {
		t.Errorf("a sub-array without dimensions: %v, %v", d, err)
	}
}

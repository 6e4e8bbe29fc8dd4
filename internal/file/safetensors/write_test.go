package safetensors

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

func typed(name string) dtype.Type {
	d, err := dtype.Parse(name)
	if err != nil {
		panic(err)
	}
	return d
}

// TestReferenceBytes: a header has the reference implementation's bytes: test_serialization, test_empty and
// test_serialization_forced_alignement of tensor.rs; and, as there, characters that mean something to HTML are not escaped.
func TestReferenceBytes(t *testing.T) {
	for _, c := range []struct {
		items    []Item
		metadata []checkpoint.Entry
		want     string
	}{
		{[]Item{{"attn.0", typed("float32"), []int{1, 2, 3}}}, nil,
			"\x40\x00\x00\x00\x00\x00\x00\x00" + `{"attn.0":{"dtype":"F32","shape":[1,2,3],"data_offsets":[0,24]}}`},
		{[]Item{{"</>&", typed("bool"), []int{1}}}, nil,
			"\x40\x00\x00\x00\x00\x00\x00\x00" + `{"</>&":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}}      `},
		{nil, nil, "\x08\x00\x00\x00\x00\x00\x00\x00{}      "},
		{nil, []checkpoint.Entry{{Key: "framework", Value: "pt"}},
			"\x28\x00\x00\x00\x00\x00\x00\x00" + `{"__metadata__":{"framework":"pt"}}     `},
		{[]Item{{"attn0", typed("float32"), []int{1, 1, 2, 3}}}, nil,
			"\x48\x00\x00\x00\x00\x00\x00\x00" + `{"attn0":{"dtype":"F32","shape":[1,1,2,3],"data_offsets":[0,24]}}       `},
	} {
		h, err := NewHeader(c.items, c.metadata, 0)
		if err != nil || string(h.Text) != c.want {
			t.Errorf("%q, expected %q: %v", h.Text, c.want, err)
		}
	}
}

// TestAlign: data begin at a multiple of the alignment, with fewer spaces than that; positions follow each other; and the
// header is read as what was to be written.
func TestAlign(t *testing.T) {
	items := []Item{{"a", typed("int8"), []int{3}}, {"b", typed("<f4"), nil}, {"c", typed("complex64"), []int{0, 7}}, {"d", typed("float8_e5m2"), []int{5}}}
	metadata := []checkpoint.Entry{{Key: "z", Value: "\x00é</>\u2028"}, {Key: "a"}}
	for align := 0; align <= 1<<26; align = max(1, 2*align) {
		h, err := NewHeader(items, metadata, align)
		if err != nil {
			t.Fatal(err)
		}
		begin := int64(len(h.Text))
		spaces := len(h.Text) - len(bytes.TrimRight(h.Text, " "))
		if begin%int64(max(align, 8)) != 0 || spaces >= max(align, 8) || !slices.Equal(h.At, []int64{begin, begin + 3, begin + 7, begin + 7}) || h.Size != begin+12 {
			t.Errorf("alignment %d: %d bytes, %d spaces, %v, %d", align, begin, spaces, h.At, h.Size)
		}
		if Alignment(h.At[0]) < int64(align) || Alignment(h.At[1]) != 1 {
			t.Errorf("alignments %d, %d", Alignment(h.At[0]), Alignment(h.At[1]))
		}
		c, err := open(append(slices.Clone(h.Text), make([]byte, 12)...))
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range c.Tensors {
			if x.Name != items[i].Name || x.Type.String() != items[i].Type.String() || !slices.Equal(x.View.Shape, items[i].Shape) || c.Storages[i].At != h.At[i] {
				t.Errorf("%+v, expected %+v", x, items[i])
			}
		}
		if !slices.Equal(c.Metadata, metadata) {
			t.Errorf("%q", c.Metadata)
		}
	}
}

// TestUnwritable: what the format cannot hold is refused.
func TestUnwritable(t *testing.T) {
	f4 := typed("float32")
	item := func(name string, d dtype.Type, shape ...int) []Item { return []Item{{name, d, shape}} }
	for _, c := range []struct {
		name     string
		items    []Item
		metadata []checkpoint.Entry
		align    int
		class    fault.Class
		text     string
	}{
		{"an alignment of 24", nil, nil, 24, fault.Usage, "24 bytes"},
		{"an alignment over the header's limit", nil, nil, 1 << 27, fault.Usage, "134217728 bytes"},
		{"a type", item("a", typed("float128")), nil, 0, fault.Unsupported, "float128"},
		{"opaque bytes", item("a", typed("V18")), nil, 0, fault.Unsupported, "V18"},
		{"IEEE's float8", item("a", typed("float8_e4m3")), nil, 0, fault.Unsupported, "float8_e4m3"},
		{"two of a name", append(item("a", f4), item("a", f4)...), nil, 0, fault.Unsupported, "two tensors"},
		{"a reserved name", item("__metadata__", f4), nil, 0, fault.Unsupported, "two tensors"},
		{"a name", item("a\xff", f4), nil, 0, fault.Unsupported, "not UTF-8"},
		{"a negative size", item("a", f4, -1), nil, 0, fault.Usage, "negative"},
		{"too many bytes", item("a", typed("float64"), math.MaxInt), nil, 0, fault.Unsupported, "2⁶³"},
		{"a text", nil, []checkpoint.Entry{{Key: "a", Value: "\xff"}}, 0, fault.Unsupported, "not UTF-8"},
		{"two texts", nil, []checkpoint.Entry{{Key: "a"}, {Key: "a"}}, 0, fault.Unsupported, "two texts"},
		{"test_invalid_header_size_serialization", nil, []checkpoint.Entry{{Key: "a", Value: strings.Repeat("a", maxHeader)}}, 0, fault.Unsupported, "100,000,000"},
	} {
		if c.name == "too many bytes" && math.MaxInt == math.MaxInt32 {
			continue // fewer than 2⁶³
		}
		_, err := NewHeader(c.items, c.metadata, c.align)
		wantFault(t, c.name, err, c.class, c.text)
	}
}

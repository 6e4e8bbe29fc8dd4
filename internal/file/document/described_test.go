package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
)

// TestDescribedRefused: documents that are not what they claim to be, each with its class.
func TestDescribedRefused(t *testing.T) {
	const good = describedHint
	k, _, err := ReadTensors("x", strings.NewReader(good), 1)
	if err != nil || len(k.Tensors) != 1 {
		t.Fatal(err)
	}
	for _, c := range []struct {
		class    fault.Class
		old, new string
		text     string
	}{
		{fault.Malformed, good, "", "no JSON document"},
		{fault.Malformed, good, "[1]", "array"},
		{fault.Malformed, good, good[:40], "unexpected end"},
		{fault.Malformed, "tensor/v1", "tensor/v2", "tensor/v2"},
		{fault.Malformed, `"name"`, `"nam"`, "nam"},
		{fault.Malformed, `"elements"`, `"bits"`, "unit"},
		{fault.Malformed, `"shape":[2,3],`, "", "shape or strides"},
		{fault.Malformed, `"id":"0"`, `"id":""`, "storage.id"},
		{fault.Malformed, `"bytes":24`, `"bytes":23`, "bytes 0 to 24 of a storage of 23"},
		{fault.Malformed, `"storage_offset":0`, `"storage_offset":1`, "bytes 4 to 28 of a storage of 24"},
		{fault.Malformed, `"storage_offset":0`, `"storage_offset":-1`, "invalid offset -1"},
		{fault.Malformed, `[3,1]`, `[-3,1]`, "bytes -12 to"},
		{fault.Malformed, good, good + good, "two tensors"},
		{fault.Malformed, good, good + strings.NewReplacer(`"w"`, `"v"`, `"bytes":24`, `"bytes":25`).Replace(good), "25 bytes here and 24 before"},
		{fault.Usage, `[3,1]`, `[1]`, "1 strides for 2 dims"},
		{fault.Unsupported, "float32", "float33", "float33"},
		{fault.Unsupported, `"elements"`, `"bytes"`, "not a multiple"},
		{fault.Unsupported, `[2,3]`, "[" + strings.Repeat("1,", 64) + "1]", "65 dims"},
		{fault.Resource, good, strings.Replace(good, `"w"`, `"v"`, 1) + good, "more than 1 tensors"},
		{fault.Resource, good, strings.Repeat(" ", maxDescribed) + good, "64 MiB"},
	} {
		limit := checkpoint.Limit(1)
		if c.class == fault.Malformed {
			limit = 2
		}
		_, _, err := ReadTensors("x", strings.NewReader(strings.Replace(good, c.old, c.new, 1)), limit)
		if err == nil || fault.ClassOf(err) != c.class || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%.40s → %.40s: class %d, %v", c.old, c.new, fault.ClassOf(err), err)
		}
	}
}

// TestDescribedNarrow: values below a byte share bytes if strides and offset count elements, and have a byte each if those count bytes.
func TestDescribedNarrow(t *testing.T) {
	for _, c := range []struct {
		dtype, unit    string
		offset, stored int // elements or bytes, and bytes
		from, to       int64
		text           string // of the error
	}{
		{"int4", "elements", 0, 12, 0, 12, ""}, {"int4", "elements", 0, 11, 0, 0, "bytes 0 to 12 of a storage of 11"},
		{"int4", "elements", 1, 13, 0, 13, ""}, {"int4", "elements", 2, 12, 0, 0, "bytes 1 to 13 of a storage of 12"},
		{"uint1", "elements", 9, 5, 1, 5, ""}, {"float4_e2m1fn", "elements", 3, 14, 1, 14, ""},
		{"int4", "bytes", 0, 24, 0, 24, ""}, {"int4", "bytes", 0, 23, 0, 0, "bytes 0 to 24 of a storage of 23"},
		{"torch.uint1", "bytes", 3, 27, 3, 27, ""}, {"float4_e2m1fn", "bytes", 0, 12, 0, 0, "bytes 0 to 24 of a storage of 12"},
	} {
		doc := fmt.Sprintf(`{"schema":"tlayout/tensor/v1","dtype":%q,"shape":[24],"strides":[1],"unit":%q,"storage_offset":%d,"storage":{"id":"0","bytes":%d}}`,
			c.dtype, c.unit, c.offset, c.stored)
		all, _, err := ReadTensors("x", strings.NewReader(doc), 1)
		if c.text != "" {
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s: %v, want %s", doc, err, c.text)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		x := all.Tensors[0]
		if from, to := x.Extent(); from != c.from || to != c.to || x.Type.Packed() == (c.unit == "bytes") {
			t.Errorf("%s: bytes %d to %d, packed %v", doc, from, to, x.Type.Packed())
		}
	}
}

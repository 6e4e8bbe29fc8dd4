package document

import (
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
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
		{fault.Resource, good, strings.Repeat(" ", maxDescribed) + good, "8 MiB"},
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

package source

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
)

// TestDescribed: a checkpoint of PyTorch and its description, in elements or in bytes, have the same tensors, and the same of them share a
// storage; so has each tensor that is opened.
func TestDescribed(t *testing.T) {
	for _, file := range []string{"model.pt", "checkpoints/plain.pt", "checkpoints/old.pth"} {
		want, _, err := Open("../../../testdata/"+file, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer want.Close()
		for _, unit := range []string{"elements", "bytes"} {
			got, err := ReadDescriptions("x.json", strings.NewReader(describeAll(t, want, unit)), checkpoint.DefaultLimit)
			if err != nil {
				t.Fatalf("%s in %s: %v", file, unit, err)
			}
			if len(got.Tensors) != len(want.Tensors) || len(want.Tensors) == 0 {
				t.Fatalf("%s: %d tensors, expected %d", file, len(got.Tensors), len(want.Tensors))
			}
			for i, x := range got.Tensors {
				y := want.Tensors[i]
				s, r := got.Storages[x.Storage], want.Storages[y.Storage]
				if x.Name != y.Name || !reflect.DeepEqual(x.Type, y.Type) || fmt.Sprint(x.View) != fmt.Sprint(y.View) || s.ID != fmt.Sprint(y.Storage) || s.Bytes != r.Bytes {
					t.Errorf("%s in %s: %+v in %+v, expected %+v in %+v", file, unit, x, s, y, r)
				}
				a, errA := got.Tensor(i, Options{})
				b, errB := want.Tensor(i, Options{})
				if errA != nil || errB != nil || a.Layout.String() != b.Layout.String() || a.Layout.Alloc() != b.Layout.Alloc() || a.HasData() {
					t.Errorf("%s:%s is opened as %v, %v, expected %v, %v", file, x.Name, a, errA, b, errB)
				}
				b.Close()
			}
		}
	}
}

// describeAll writes the documents of all tensors of a checkpoint.
func describeAll(t *testing.T, k *Set, unit string) string {
	t.Helper()
	var text strings.Builder
	for _, x := range k.Tensors {
		d := Description{Schema: DescribedSchema, Name: x.Name, DType: x.Type.String(), Shape: append([]int{}, x.View.Shape...), Strides: append([]int{}, x.View.Strides...), Unit: unit,
			Offset: x.View.Offset, Storage: DescriptionStorage{fmt.Sprint(x.Storage), k.Storages[x.Storage].Bytes}}
		if unit == "bytes" {
			d.Strides, d.Offset = tensor.InBytes(d.Strides, x.Type.ItemSize()), d.Offset*x.Type.ItemSize()
		}
		line, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s\n", line)
	}
	return text.String()
}

// TestDescribedRefused: documents that are not what they claim to be, each with its class.
func TestDescribedRefused(t *testing.T) {
	const good = describedHint
	k, err := ReadDescriptions("-", strings.NewReader(good), 1)
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
		{fault.Malformed, good, good[:40], "ends too early"},
		{fault.Malformed, "tensor/v1", "tensor/v2", "tensor/v2"},
		{fault.Malformed, `"name"`, `"nam"`, "nam"},
		{fault.Malformed, `"elements"`, `"bits"`, "unit"},
		{fault.Malformed, `"shape":[2,3],`, "", "shape or strides"},
		{fault.Malformed, `"id":"0"`, `"id":""`, "storage.id"},
		{fault.Malformed, `"bytes":24`, `"bytes":23`, "bytes 0 to 24 of a storage of 23"},
		{fault.Malformed, `"offset":0`, `"offset":1`, "bytes 4 to 28 of a storage of 24"},
		{fault.Malformed, `"offset":0`, `"offset":-1`, "offset is -1"},
		{fault.Malformed, `[3,1]`, `[-3,1]`, "bytes -12 to"},
		{fault.Malformed, good, good + good, "two tensors"},
		{fault.Malformed, good, good + strings.NewReplacer(`"w"`, `"v"`, `"bytes":24`, `"bytes":25`).Replace(good), "25 bytes here and 24 before"},
		{fault.Usage, `[3,1]`, `[1]`, "1 strides for 2 dims"},
		{fault.Unsupported, "float32", "float33", "float33"},
		{fault.Unsupported, `"elements"`, `"bytes"`, "no multiple"},
		{fault.Unsupported, `[2,3]`, "[" + strings.Repeat("1,", 64) + "1]", "65 dims"},
		{fault.Resource, good, strings.Replace(good, `"w"`, `"v"`, 1) + good, "more than 1 tensors"},
		{fault.Resource, good, strings.Repeat(" ", maxDescribed) + good, "8 MiB"},
	} {
		limit := checkpoint.Limit(1)
		if c.class == fault.Malformed {
			limit = 2
		}
		_, err := ReadDescriptions("-", strings.NewReader(strings.Replace(good, c.old, c.new, 1)), limit)
		if err == nil || fault.ClassOf(err) != c.class || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%.40s → %.40s: class %d, %v", c.old, c.new, fault.ClassOf(err), err)
		}
	}
}

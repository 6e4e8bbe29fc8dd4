package source

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/document"
	"github.com/tlayout/tlayout/internal/tensor"
)

// TestDescribed: a checkpoint of PyTorch and its description, in elements or in bytes, have the same tensors, and the same of them share a
// storage; so has each tensor that is opened.
func TestDescribed(t *testing.T) {
	for _, file := range []string{"model.pt", "checkpoints/plain.pt", "checkpoints/old.pth"} {
		want, _, err := Open(named("../../../testdata/"+file), Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer want.Close()
		for _, unit := range []string{"elements", "bytes"} {
			got, err := describedIn(describeAll(t, want, unit), 0)
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
		d := document.Description{Schema: document.DescribedSchema, Name: x.Name, DType: x.Type.String(), Shape: append([]int{}, x.View.Shape...), Strides: append([]int{}, x.View.Strides...), Unit: unit,
			Offset: x.View.Offset, Storage: document.DescriptionStorage{ID: fmt.Sprint(x.Storage), NBytes: k.Storages[x.Storage].Bytes}}
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

// describedIn is the set of documents.
func describedIn(text string, limit checkpoint.Limit) (*Set, error) {
	s, _, err := Open(named("-"), Options{FromJSON: true, Stdin: strings.NewReader(text), MaxTensors: limit})
	return s, err
}

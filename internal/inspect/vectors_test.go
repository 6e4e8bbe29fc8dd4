package inspect

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
	"github.com/tlayout/tlayout/internal/tensor/notation"
)

// reported maps the values that testdata/vectors.json expects of a strided tensor to the members of the report that must
// have them. They are the answers of PyTorch 1.13 and NumPy 1.24, or of the formulas that internal/tensor cites.
var reported = map[string]string{
	"numel": "numel", "itemsize": "itemsize", "strides_bytes": "strides_bytes",
	"c_contiguous": "contiguous.c numpy.c_contiguous", "f_contiguous": "contiguous.f numpy.f_contiguous", "c_contiguous_strict": "contiguous.c_strict",
	"channels_last_contiguous": "contiguous.channels_last", "channels_last_3d_contiguous": "contiguous.channels_last_3d",
	"suggested_memory_format": "suggested_memory_format", "non_overlapping_and_dense": "non_overlapping_and_dense",
	"broadcast_dims": "broadcast_dims", "span": "span", "extent_elems": "extent_elems", "unique_elems": "unique_elems",
	"gap_elems": "gap_elems", "packed": "packed", "padded": "padded", "dml_size_bytes": "directml_total_bytes",
	"torch_storage_elems": "pytorch.storage_elems", "torch2_dim_order": "pytorch.dim_order", "torch_clone_strides": "pytorch.clone_strides",
	"torch_contiguous_strides": "pytorch.make_contiguous.strides", "torch_contiguous_cl_strides": "pytorch.make_channels_last.strides",
	"torch_to_cl_strides": "pytorch.to_channels_last.strides", "torch_contiguous_cl3d_strides": "pytorch.make_channels_last_3d.strides",
	"torch_to_cl3d_strides": "pytorch.to_channels_last_3d.strides", "onednn_strides_ok": "onednn.strides_ok",
	"numpy_byte_bounds_rel": "numpy.byte_bounds", "npy_save.fortran_order": "numpy.saved_fortran_order",
	"megdnn.is_contiguous":                  "megengine.is_contiguous",
	"megdnn.is_contiguous_allow_brdcst":     "megengine.is_contiguous_allow_brdcst",
	"megdnn.is_abs_monotonous_allow_brdcst": "megengine.is_abs_monotonous_allow_brdcst",
	"megdnn.is_non_overlapping_strong":      "megengine.is_non_overlapping_strong",
}

func TestStridedVectors(t *testing.T) {
	var vectors struct {
		Strided []struct {
			ID             string
			Shape, Strides []int
			Offset         int
			DType          string
			Expected       map[string]any
		}
	}
	readVectors(t, &vectors)
	compared := 0
	for _, v := range vectors.Strided {
		document := decode(t, New(describe(t, source.Typed{Shape: v.Shape, Strides: v.Strides, Offset: v.Offset}, v.DType)))
		if span, spans := document["span"].([]any); spans { // the vectors count from the first element
			for i := range span {
				span[i] = span[i].(float64) - float64(v.Offset)
			}
		}
		for key, paths := range reported {
			want, expected := at(v.Expected, key)
			if !expected {
				continue
			}
			for path := range strings.FieldsSeq(paths) {
				compared++
				got, _ := at(document, path)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %s (-vector's %s +report):\n%s", v.ID, path, key, diff)
				}
			}
		}
	}
	if compared < 2000 {
		t.Errorf("only %d values were compared", compared)
	}
}

// TestBlockedVectors compares layouts in blocks with the derivations of testdata/vectors.json, among them MegEngine's
// figures of N = 2, C = 64, H = W = 3 (docs/sources.md, 5) and oneDNN's nChw8c of 17 channels.
func TestBlockedVectors(t *testing.T) {
	var vectors struct {
		Blocked []struct {
			ID, Canonical, Explicit string
			Sizes                   []int
			Digits                  map[string][]tensor.Digit
			Strides                 []int `json:"logical_strides"`
			Numel                   int   `json:"numel_logical"`
			Storage                 int   `json:"numel_physical"`
		}
	}
	readVectors(t, &vectors)
	for _, v := range vectors.Blocked {
		layout, err := notation.Parse(v.Explicit)
		if err != nil {
			t.Fatal(err)
		}
		r := New(describe(t, source.Typed{Shape: v.Sizes, Layout: &layout}, "float32"))
		want := Report{Layout: v.Canonical, Explicit: v.Explicit, Digits: v.Digits, Numel: v.Numel, Storage: v.Storage}
		got := Report{Layout: r.Layout, Explicit: r.Explicit, Digits: r.Digits, Numel: r.Numel, Storage: r.Storage}
		if v.Strides != nil { // a dim of one block has a stride too
			want.Strides, got.Strides = v.Strides, r.Strides
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Report{})); diff != "" {
			t.Errorf("%s (-vector +report):\n%s", v.ID, diff)
		}
	}
	if len(vectors.Blocked) < 20 {
		t.Errorf("only %d layouts were compared", len(vectors.Blocked))
	}
}

func readVectors(t *testing.T, vectors any) {
	t.Helper()
	text, err := os.ReadFile("../../testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, vectors); err != nil {
		t.Fatal(err)
	}
}

// describe makes a tensor without a file.
func describe(t *testing.T, y source.Typed, typ string) *source.Tensor {
	t.Helper()
	var err error
	if y.DType, err = dtype.Parse(typ); err != nil {
		t.Fatal(err)
	}
	described, err := source.Describe(y)
	if err != nil {
		t.Fatal(err)
	}
	return described
}

// decode returns what a JSON document holds.
func decode(t *testing.T, r *Report) map[string]any {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// at follows a path of member names; ok is false where a member is missing. Below a null there are nulls.
func at(document map[string]any, path string) (value any, ok bool) {
	value = document
	for name := range strings.SplitSeq(path, ".") {
		members, isObject := value.(map[string]any)
		if !isObject {
			return nil, value == nil
		}
		if value, ok = members[name]; !ok {
			return nil, false
		}
	}
	return value, true
}

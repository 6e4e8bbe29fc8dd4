package source

import (
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// original is a tensor as a library reads it: its elements are little-endian, in C order.
type original struct {
	Name   string `json:"name"`
	DType  string `json:"dtype"`
	Shape  []int  `json:"shape"`
	Bytes  string `json:"bytes"`
	Offset uint64 `json:"offset"` // of a buffer of TensorFlow Lite
}

// logical returns the elements of a tensor as original has them.
func logical(t *testing.T, x *Tensor) string {
	t.Helper()
	if _, err := x.Data(); err != nil {
		t.Fatalf("%s: %v", x.Source, err)
	}
	swap := dtype.LittleEndian(x.DType)
	var all []byte
	for _, offset := range x.Layout.Logical() {
		item, ok := x.Item(offset)
		if !ok {
			t.Fatalf("%s: no element at offset %d", x.Source, offset)
		}
		item = slices.Clone(item)
		if swap != nil {
			swap(item)
		}
		all = append(all, item...)
	}
	return hex.EncodeToString(all)
}

// sameAs checks that a source holds the tensors that a library wrote, and no others.
func sameAs(t *testing.T, path string, want []original) *Set {
	t.Helper()
	s, _, err := Open(named(path), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if len(s.Tensors) != len(want) || len(s.Refused) > 0 {
		t.Fatalf("%d tensors, expected %d; %+v", len(s.Tensors), len(want), s.Refused)
	}
	for i, w := range want {
		if w.Name != "" {
			i, _ = s.find(w.Name)
		}
		x, err := s.Tensor(i, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if x.DType.String() != w.DType || !slices.Equal(x.Layout.Shape(), w.Shape) {
			t.Fatalf("%s is %s %v, expected %s %v", w.Name, x.DType, x.Layout.Shape(), w.DType, w.Shape)
		}
		if got := logical(t, x); got != w.Bytes {
			t.Fatalf("%s of %s %v, %v: %s, expected %s", w.Name, w.DType, w.Shape, x.notes, got, w.Bytes)
		}
		x.Close()
	}
	return s
}

// written asks a server for a file of a seed, and returns what it holds.
func written(t *testing.T, python *oracle.Oracle, question map[string]any) (want []original) {
	t.Helper()
	if err := python.Ask(question); err != nil {
		t.Fatal(err)
	}
	if err := python.Read(&want); err != nil {
		t.Fatal(err)
	}
	return want
}

// TestZarrPython: arrays that zarr-python wrote, of random types, orders, chunks, shards, codecs and fill values, in versions 2 and 3, some of them
// without all chunks, have the elements that it reads.
func TestZarrPython(t *testing.T) {
	oracle.Each(t, "zarr", "zarr_server.py", func(t *testing.T, python *oracle.Oracle) {
		path := filepath.Join(t.TempDir(), "x.zarr")
		first := int(random.Seed(t))
		for seed := first; seed < first+oracle.Cases(t, 150); seed++ {
			want := written(t, python, map[string]any{"seed": seed, "path": path})
			t.Logf("seed %d", seed)
			sameAs(t, path, want)
		}
	})
}

// TestImagesPython: NIfTI files of both versions that nibabel wrote, NRRD files that pynrrd wrote, and IDX files, of random types, sizes and byte
// orders, compressed or not, with their data beside them or not, have the stored elements that these read.
func TestImagesPython(t *testing.T) {
	oracle.Each(t, "nibabel", "image_server.py", func(t *testing.T, python *oracle.Oracle) {
		folder := t.TempDir()
		kinds := map[string]bool{}
		first := int(random.Seed(t))
		for seed := first; seed < first+oracle.Cases(t, 300); seed++ {
			want := written(t, python, map[string]any{"seed": seed, "folder": folder})
			t.Logf("seed %d: %s", seed, want[0].Name)
			path := filepath.Join(folder, want[0].Name)
			kinds[filepath.Ext(path)] = true
			want[0].Name = ""
			sameAs(t, path, want)
		}
		if len(kinds) < 6 { // .nii, .gz, .hdr, .nrrd, .nhdr and none
			t.Errorf("%v", kinds)
		}
	})
}

// TestPTDPython: .ptd files that executorch wrote, of random types and orders of dims, have the tensors that PyTorch has.
func TestPTDPython(t *testing.T) {
	oracle.Each(t, "executorch", "ptd_server.py", func(t *testing.T, python *oracle.Oracle) {
		path := filepath.Join(t.TempDir(), "x.ptd")
		first := int(random.Seed(t))
		for seed := first; seed < first+oracle.Cases(t, 30); seed++ {
			t.Logf("seed %d", seed)
			sameAs(t, path, written(t, python, map[string]any{"seed": seed, "path": path}))
		}
	})
}

// TestTFLitePython: models that TensorFlow's converter wrote have the weights that its interpreter reads, plain, quantized, of float16 and with buffers
// behind the model; filters have the dims of their kernels.
func TestTFLitePython(t *testing.T) {
	oracle.Each(t, "tensorflow", "tflite_server.py", func(t *testing.T, python *oracle.Oracle) {
		path := filepath.Join(t.TempDir(), "x.tflite")
		for _, way := range []string{"plain", "int8", "float16", "offsets"} {
			want := written(t, python, map[string]any{"way": way, "path": path})
			s := sameAs(t, path, want)
			named := map[string]bool{}
			for _, x := range s.Stated {
				named[strings.Join(x.Dims, "")] = true
			}
			if way != "float16" && (!named["OHWI"] || !named["NHWO"] || !named["OI"]) { // float16 is widened by an operator first
				t.Errorf("%s: filters %v", way, named)
			}
			behind := slices.ContainsFunc(want, func(o original) bool { return o.Offset > 1 })
			if behind != (way == "offsets") {
				t.Errorf("%s: buffers behind the model: %v", way, behind)
			}
		}
	})
}

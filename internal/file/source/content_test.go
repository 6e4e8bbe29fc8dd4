package source

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/input"
)

// openSet opens a set, which the test closes.
func openSet(t *testing.T, name string) *Set {
	t.Helper()
	s, _, err := Open(named(name), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestContentDecides: what a file is, its bytes say, whatever its name: each kind is the container that it is under every ending, alone and
// before the name of a tensor, and a .npy file is none.
func TestContentDecides(t *testing.T) {
	dir := t.TempDir()
	for file, want := range map[string]checkpoint.Format{
		"../../../testdata/weights.npz": checkpoint.NPZ, checkpoints + "plain.pt": checkpoint.Torch, checkpoints + "old.pth": checkpoint.TorchLegacy,
		checkpoints + "plain.safetensors": checkpoint.Safetensors, checkpoints + "q4.gguf": checkpoint.GGUF, checkpoints + "model.onnx": checkpoint.ONNX,
		checkpoints + "program.pt2": checkpoint.PT2, "../../../testdata/x.npy": checkpoint.NPY, containers + "net.tflite": checkpoint.TFLite,
		containers + "weights.ptd": checkpoint.PTD, containers + "scan.nrrd": checkpoint.NRRD, containers + "digits-idx3-ubyte": checkpoint.IDX,
		containers + "volume.nii.gz": checkpoint.NIfTI,
	} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, ending := range []string{"", ".th", ".pth.tar", ".sft", ".pkl", ".zip", ".npz", ".pt", ".bin", ".safetensors", ".gguf", ".onnx", ".pt2", ".npy", ".tar"} {
			path := filepath.Join(dir, "x"+ending)
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
			s := openSet(t, path)
			if s.IsContainer() == want.IsArray() || s.Format != want || s.Path != named(path) {
				t.Errorf("%s as %q: %s", file, ending, s.Format)
			}
			s, pattern, err := Open(named(path+":w"), Options{})
			if !want.IsArray() && (err != nil || pattern != "w" || s.Path != named(path) || s.Format != want) {
				t.Errorf("%s as %q: a tensor of it is %q, %v", file, ending, pattern, err)
			}
			if err == nil {
				s.Close()
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestLongMember: the name of an archive's first member counts whole, not what of it is among the first bytes of the file.
func TestLongMember(t *testing.T) {
	for member, want := range map[string]checkpoint.Format{
		strings.Repeat("d", 40) + ".npy":                  checkpoint.NPZ,
		strings.Repeat("d", 30) + ".npy/data.pkl":         checkpoint.Torch, // byte 64 of the file ends .npy
		"a.npy" + strings.Repeat("d", 247) + "/data.pkl":  checkpoint.Torch, // 261 bytes, 256 more than a.npy
		strings.Repeat("d", 25) + "/data.pkl":             checkpoint.Torch, // ends at byte 64
		strings.Repeat("d", 25) + "/data.pkl.txt":         "",
		strings.Repeat("d", 300) + "/data.pkl/readme.txt": "",
	} {
		path := filepath.Join(t.TempDir(), "x")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := zip.NewWriter(file)
		if _, err := w.Create(member); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		b, err := input.Open(named(path), input.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if format, err := Recognize(b, named(path)); (err == nil) != (want != "") || format != want {
			t.Errorf("%q: %q, %v, expected %q", member, format, err, want)
		}
		b.Close()
	}
}

// TestCheckpointAssumes: the names of a checkpoint's dims are assumed, as those of a .npy file, where its strides say no more than C order;
// other orders are known.
func TestCheckpointAssumes(t *testing.T) {
	for name, want := range map[string]OrderSource{"views.pt:wte.weight": ByRank, "views.pt:conv1.weight": ByStrides, "views.pt:fc.weight": ByStrides,
		"views.pt:batch.row": ByStrides, "views.pt:half": ByRank} {
		x, err := OpenOnly(named(checkpoints+name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if x.OrderSource != want {
			t.Errorf("%s: %s, expected %s; shape %v", name, x.OrderSource, want, x.Shape())
		}
		x.Close()
	}
}

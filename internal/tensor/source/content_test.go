package source

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
)

// TestContentDecides: what a file is, its bytes say, whatever its name: each kind is the container that it is under every ending, alone and
// before the name of a tensor, and a .npy file is none.
func TestContentDecides(t *testing.T) {
	dir := t.TempDir()
	for file, want := range map[string]checkpoint.Format{
		"../../../testdata/weights.npz": checkpoint.NPZ, checkpoints + "plain.pt": checkpoint.Torch, checkpoints + "old.pth": checkpoint.TorchLegacy,
		checkpoints + "plain.safetensors": checkpoint.Safetensors, checkpoints + "q4.gguf": checkpoint.GGUF, "../../../testdata/x.npy": "",
	} {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, ending := range []string{"", ".th", ".pth.tar", ".sft", ".pkl", ".zip", ".npz", ".pt", ".bin", ".safetensors", ".gguf", ".npy", ".tar"} {
			path := filepath.Join(dir, "x"+ending)
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
			if p, ok := Locate(path); ok != (want != "") || p.Format != want && ok || p.Member != "" {
				t.Errorf("%s as %q: %+v, %v", file, ending, p, ok)
			}
			if p, ok := Locate(path + ":w"); want != "" && (!ok || p != Place{path, "w", want}) {
				t.Errorf("%s as %q: a tensor of it is %+v, %v", file, ending, p, ok)
			}
			_, listed, err := OpenOrList(path, Options{})
			if err != nil || (listed != nil) != (want != "") {
				t.Errorf("%s as %q: %v, %v", file, ending, listed, err)
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
		if p, ok := Locate(path); p.Format != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, expected %q", member, p.Format, ok, want)
		}
	}
}

// TestCheckpointAssumes: the names of a checkpoint's dims are assumed, as those of a .npy file, where its strides say no more than C order;
// other orders are known.
func TestCheckpointAssumes(t *testing.T) {
	for name, want := range map[string]Evidence{"views.pt:wte.weight": ByRank, "views.pt:conv1.weight": ByStrides, "views.pt:fc.weight": ByStrides,
		"views.pt:batch.row": ByStrides, "views.pt:half": ByRank} {
		x, err := Open(checkpoints+name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if x.Told != want {
			t.Errorf("%s: %s, expected %s; shape %v", name, x.Told, want, x.Shape())
		}
		x.Close()
	}
}

package onnx

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
)

// written is a tensor that onnx_server.py wrote.
type written struct {
	Name  string `json:"name"`
	Type  uint64 `json:"type"`
	Shape []int  `json:"shape"`
	Bytes string `json:"bytes"`
}

// TestPython: models that the package onnx wrote, of random tensors of every type as raw_data, in typed fields and as external data, are read as what
// its numpy_helper reads of them, byte for byte; typed fields and raw_data give the same bytes.
func TestPython(t *testing.T) {
	oracle.Each(t, "onnx", "onnx_server.py", func(t *testing.T, python *oracle.Oracle) {
		path := filepath.Join(t.TempDir(), "x.onnx")
		kinds := map[uint64]bool{}
		first := int(random.Seed(t))
		n := oracle.Cases(t, 300)
		beside := 0
		for seed := first; seed < first+n; seed++ {
			var want []written
			if err := python.Ask(map[string]any{"seed": seed, "path": path}); err != nil {
				t.Fatal(err)
			}
			if err := python.Read(&want); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c, err := open(raw)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if len(c.Tensors) != len(want) || len(c.Refused) > 0 {
				t.Fatalf("seed %d: %d tensors, expected %d; %+v", seed, len(c.Tensors), len(want), c.Refused)
			}
			for i, w := range want {
				kinds[w.Type] = true
				x := c.Tensors[i]
				d, _, err := typeOf(w.Type)
				if err != nil || x.Name != w.Name || x.Type != d || !slices.Equal(x.View.Shape, w.Shape) {
					t.Fatalf("seed %d: %+v, expected %+v, %v", seed, x, w, err)
				}
				s := c.Storages[x.Storage]
				if s.File != "" {
					beside++
				}
				if got := hex.EncodeToString(outside(t, c, i, raw, filepath.Dir(path))); got != w.Bytes {
					t.Fatalf("seed %d: tensor %s of type %d is %s, expected %s", seed, w.Name, w.Type, got, w.Bytes)
				}
			}
			if err := empty(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}
		if len(kinds) != len(types) || beside == 0 {
			t.Errorf("%d of %d types, %d tensors of external data", len(kinds), len(types), beside)
		}
	})
}

// outside returns the bytes of a tensor, which may be in a file of a folder.
func outside(t *testing.T, c *checkpoint.Container, i int, raw []byte, folder string) []byte {
	s := c.Storages[c.Tensors[i].Storage]
	if s.File == "" {
		return elements(c, i, raw)
	}
	data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(s.File)))
	if err != nil || s.At+s.Bytes > int64(len(data)) {
		t.Fatalf("%+v of %d bytes, %v", s, len(data), err)
	}
	return data[s.At : s.At+s.Bytes]
}

// empty removes the files of a folder.
func empty(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if err == nil {
			err = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
	return err
}

package pt2

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
)

// exported is a tensor as torch.export.load reads it.
type exported struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Strides []int  `json:"strides"`
	Offset  int    `json:"offset"`
	Bytes   string `json:"bytes"` // of its elements in logical order
}

// TestTorch: the tensors of random programs are those that torch.export.load reads: types, sizes, strides, offsets and elements.
func TestTorch(t *testing.T) {
	oracle.Each(t, "torch.export", "export_server.py", func(t *testing.T, python *oracle.Oracle) {
		path := filepath.Join(t.TempDir(), "x.pt2")
		first := int(random.Seed(t))
		n := min(oracle.Cases(t, 150), 1000) // each takes 50 ms
		tensors := 0
		views := 0
		for seed := first; seed < first+n; seed++ {
			if err := python.Ask(map[string]any{"seed": seed, "path": path}); err != nil {
				t.Fatal(err)
			}
			want := map[string]exported{}
			if err := python.Read(&want); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c, err := open(raw)
			if err != nil || len(c.Tensors) != len(want) || len(c.Refused) > 0 {
				t.Fatalf("seed %d: %+v, %v; expected %d tensors", seed, c, err, len(want))
			}
			for _, x := range c.Tensors {
				w, ok := want[x.Name]
				tensors++
				if !x.View.CContiguous().OK {
					views++
				}
				same := x.Type.String() == w.DType && slices.Equal(x.View.Shape, w.Shape) && slices.Equal(x.View.Strides, w.Strides)
				if !ok || !same || x.View.Offset != w.Offset && !x.View.Empty() {
					t.Fatalf("seed %d: %+v, expected %+v", seed, x, w)
				}
				if got := hex.EncodeToString(elements(t, c, x, raw)); got != w.Bytes {
					t.Fatalf("seed %d: %s is %s, expected %s", seed, x.Name, got, w.Bytes)
				}
			}
		}
		if views == 0 {
			t.Error("no views")
		}
		t.Logf("%d programs with %d tensors, %d of them not contiguous", n, tensors, views)
	})
}

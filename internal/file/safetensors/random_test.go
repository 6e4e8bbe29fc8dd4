package safetensors

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/tlayout/tlayout/internal/random"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/oracle"
)

type question struct {
	Op   string `json:"op"`
	Seed int    `json:"seed"`
	Path string `json:"path"`
}

// TestAgainstNumPy: files that Python writes of NumPy's arrays are read as those arrays, byte for byte, in the header's order;
// and written again with our header, in another alignment, Python reads the same of them.
func TestAgainstNumPy(t *testing.T) {
	python := oracle.NumPy(t, "safetensors_server.py")
	path := filepath.Join(t.TempDir(), "x.safetensors")
	ask := func(q question) contents {
		t.Helper()
		var answer contents
		if err := python.Ask(q); err != nil {
			t.Fatal(err)
		}
		if err := python.Read(&answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	n, first, tensors := oracle.Cases(t, 500), int(random.Seed(t)), 0
	for seed := first; seed < first+n; seed++ {
		want := ask(question{Op: "write", Seed: seed, Path: path})
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := open(raw)
		if err != nil {
			t.Fatalf("seed %d: %v\n%q", seed, err, raw)
		}
		same(t, describe(c, raw), want)
		tensors += len(c.Tensors)

		align := 1 << (3 + seed%10)
		if err := os.WriteFile(path, rewritten(t, c, want, align), 0o666); err != nil {
			t.Fatal(err)
		}
		again := ask(question{Op: "read", Path: path})
		if again.Begin%align != 0 {
			t.Fatalf("seed %d: data begin at %d, not a multiple of %d", seed, again.Begin, align)
		}
		again.Begin = 0
		same(t, again, want)
	}
	t.Logf("%d files, %d tensors, read and written", n, tensors)
}

// rewritten is a file of the same tensors with our header.
func rewritten(t *testing.T, c *checkpoint.Container, want contents, align int) []byte {
	t.Helper()
	var items []Item
	for _, x := range c.Tensors {
		items = append(items, Item{x.Name, x.Type, x.View.Shape})
	}
	h, err := NewHeader(items, c.Metadata, align)
	if err != nil {
		t.Fatal(err)
	}
	raw := h.Text
	for i, x := range want.Tensors {
		data, err := hex.DecodeString(x.Hex)
		if err != nil || int64(len(raw)) != h.At[i] {
			t.Fatalf("data %d begin at %d, %d expected: %v", i, len(raw), h.At[i], err)
		}
		raw = append(raw, data...)
	}
	if int64(len(raw)) != h.Size {
		t.Fatalf("%d bytes, %d expected", len(raw), h.Size)
	}
	return raw
}

func same(t *testing.T, got, want contents) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v\n%+v expected", got, want)
	}
}

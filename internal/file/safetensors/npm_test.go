package safetensors

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
)

// listed is what hub.mjs answers.
type listed struct {
	Error   string `json:"error"`
	Headers map[string][]struct {
		Name    string   `json:"name"`
		DType   string   `json:"dtype"`
		Shape   []int    `json:"shape"`
		Offsets [2]int64 `json:"data_offsets"`
		Format  string   `json:"format"` // of __metadata__
	} `json:"headers"`
	WeightMap map[string]string `json:"weight_map"`
}

// TestNpm: @huggingface/hub finds the same names, dtypes, shapes and bytes in files that Python wrote, and in those that we
// write of them; and it follows an index to the same shards.
func TestNpm(t *testing.T) {
	node, python := oracle.Npm(t, "hub.mjs", "@huggingface/hub"), oracle.NumPy(t, "safetensors_server.py")
	folder := t.TempDir()
	path := filepath.Join(folder, "model.safetensors")
	ask := func() (answer listed) {
		t.Helper()
		if _, err := node.Write([]byte(folder + "\n")); err != nil {
			t.Fatal(err)
		}
		if err := node.Read(&answer); err != nil || answer.Error != "" {
			t.Fatal(err, answer.Error)
		}
		return answer
	}
	n, tensors := oracle.Cases(t, 500), 0
	for seed := range n {
		if err := python.Ask(question{Op: "write", Seed: 1_000_000 + seed, Path: path}); err != nil {
			t.Fatal(err)
		}
		var want contents
		if err := python.Read(&want); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time, the file is ours
			compareNpm(t, ask(), "", raw)
			c, err := open(raw)
			if err != nil {
				t.Fatal(err)
			}
			tensors += len(c.Tensors)
			raw = rewritten(t, c, want, 256)
			if err := os.WriteFile(path, raw, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d files of Python and as many of ours, %d tensors", n, tensors)
	index := `{"metadata":{"total_size":16},"weight_map":{"test":"model-00001-of-00001.safetensors"}}`
	for name, text := range map[string]string{"model.safetensors.index.json": index, "model-00001-of-00001.safetensors": string(file(one, 16))} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	answer := ask()
	compareNpm(t, answer, "model-00001-of-00001.safetensors", file(one, 16))
	x, err := readIndex(index)
	if err != nil || !reflect.DeepEqual(answer.WeightMap, map[string]string{x.Tensors[0].Name: x.Tensors[0].File}) {
		t.Errorf("%+v, %v", answer.WeightMap, err)
	}
}

// compareNpm compares a file's header in an answer with ours. JSON.parse puts names that are numbers first, so the order is not
// compared.
func compareNpm(t *testing.T, answer listed, name string, raw []byte) {
	t.Helper()
	c, err := open(raw)
	if err != nil {
		t.Fatal(err)
	}
	begin := int64(8)
	for i, b := range raw[:8] {
		begin += int64(b) << (8 * i)
	}
	entries := answer.Headers[name]
	extra := 0
	for _, e := range entries {
		if e.Name == metadataKey {
			extra++
			for _, m := range c.Metadata {
				if m.Key == "format" && m.Value != e.Format {
					t.Errorf("format %q, %q expected", m.Value, e.Format)
				}
			}
			continue
		}
		found := false
		for i, x := range c.Tensors {
			if x.Name != e.Name {
				continue
			}
			word, err := Word(x.Type)
			s := c.Storages[i]
			if found = true; err != nil || word != e.DType || !reflect.DeepEqual(x.View.Shape, e.Shape) || s.At != begin+e.Offsets[0] || s.At+s.Bytes != begin+e.Offsets[1] {
				t.Errorf("%+v of %+v, %+v expected: %v", x, s, e, err)
			}
		}
		if !found {
			t.Errorf("%q is not found", e.Name)
		}
	}
	if len(entries)-extra != len(c.Tensors) {
		t.Errorf("%d tensors, %d expected", len(c.Tensors), len(entries)-extra)
	}
}

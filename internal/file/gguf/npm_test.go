package gguf

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
)

// listed is what gguf.mjs answers.
type listed struct {
	Error        string   `json:"error"`
	LittleEndian bool     `json:"littleEndian"`
	Begin        int64    `json:"begin"`
	Keys         []string `json:"keys"`
	Tensors      []struct {
		Name   string `json:"name"`
		NE     []int  `json:"ne"`
		Type   string `json:"type"`
		Offset int64  `json:"offset"`
	} `json:"tensors"`
}

// TestNpm: @huggingface/gguf finds the same keys, names, sizes, types and places in files that Python wrote; and files whose
// metadata it wrote anew are read by us as what Python wrote.
func TestNpm(t *testing.T) {
	node := oracle.Npm(t, "gguf.mjs", "@huggingface/gguf")
	python := oracle.NumPy(t, "gguf_server.py")
	path, again := filepath.Join(t.TempDir(), "x.gguf"), filepath.Join(t.TempDir(), "y.gguf")
	n, tensors := oracle.Cases(t, 500), 0
	for seed := range n {
		want := write(t, python, question{Seed: 1_000_000 + seed, Path: path, Simple: true})
		var answer listed
		if err := node.Ask(map[string]string{"path": path, "again": again}); err != nil {
			t.Fatal(err)
		}
		if err := node.Read(&answer); err != nil || answer.Error != "" {
			t.Fatalf("seed %d: %v %s", seed, err, answer.Error)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		compareNpm(t, answer, raw, want.Big)
		tensors += len(want.Tensors)
		if raw, err = os.ReadFile(again); err != nil {
			t.Fatal(err)
		}
		c, err := open(raw)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		compare(t, seed, c, raw, want)
	}
	t.Logf("%d files of Python, as many with metadata of npm, %d tensors each", n, tensors)
}

func compareNpm(t *testing.T, answer listed, raw []byte, big bool) {
	t.Helper()
	c, err := open(raw)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, e := range c.Metadata {
		keys = append(keys, e.Key)
	}
	if answer.LittleEndian == big || !slices.Equal(keys, answer.Keys) || len(answer.Tensors) != len(c.Tensors) {
		t.Fatalf("%q and %d tensors, expected %+v", keys, len(c.Tensors), answer)
	}
	names := map[string]string{}
	for word, name := range numbers {
		names[name] = word
	}
	for i, e := range answer.Tensors {
		x := c.Tensors[i]
		ne := slices.Clone(x.View.Shape)
		slices.Reverse(ne)
		name, values := names[x.Type.String()], 1
		if x.Encoding != "" {
			if _, err := fmt.Sscanf(strings.Replace(x.Encoding, ":", "", 1), "%s %d values", &name, &values); err != nil {
				t.Fatal(err)
			}
		}
		if len(ne) > 0 {
			ne[0] *= values
		}
		if x.Name != e.Name || !slices.Equal(ne, e.NE) || !strings.EqualFold(name, e.Type) || c.Storages[i].At != answer.Begin+e.Offset {
			t.Fatalf("%+v at %d, expected %+v", x, c.Storages[i].At, e)
		}
	}
}

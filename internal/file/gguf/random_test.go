package gguf

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/random"

	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/oracle"
)

type question struct {
	Seed   int    `json:"seed"`
	Path   string `json:"path"`
	Simple bool   `json:"simple"`
}

// written is what gguf_server.py wrote.
type written struct {
	Tensors []struct {
		Name     string `json:"name"`
		Type     string `json:"type"`
		Shape    []int  `json:"shape"`
		Hex      string `json:"hex"`
		Encoding string `json:"encoding"`
	} `json:"tensors"`
	Pairs []struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
		Bits  int    `json:"bits"` // of a float
	} `json:"pairs"`
	Big   bool  `json:"big"`
	Begin int64 `json:"begin"`
}

// numbers are dtypes of ggml's types that hold plain values.
var numbers = map[string]string{"f32": "float32", "f16": "float16", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "f64": "float64", "bf16": "bfloat16"}

func write(t *testing.T, python *oracle.Oracle, q question) (w written) {
	t.Helper()
	if err := python.Ask(q); err != nil {
		t.Fatal(err)
	}
	if err := python.Read(&w); err != nil {
		t.Fatal(err)
	}
	return w
}

// compare compares an opened file with what Python wrote.
func compare(t *testing.T, seed int, c *checkpoint.Container, raw []byte, want written) {
	t.Helper()
	if len(c.Tensors) != len(want.Tensors) || len(c.Metadata) != len(want.Pairs) || len(c.Refused) > 0 {
		t.Fatalf("seed %d: %+v", seed, c)
	}
	for i, w := range want.Tensors {
		x, s := c.Tensors[i], c.Storages[i]
		data, err := hex.DecodeString(w.Hex)
		if err != nil {
			t.Fatal(err)
		}
		name := numbers[w.Type]
		if name == "" {
			name = x.Type.String()
		}
		big := name == numbers[w.Type] && x.Type.ItemSize() > 1 && want.Big
		if x.Name != w.Name || x.Encoding != w.Encoding || !slices.Equal(x.View.Shape, w.Shape) || x.Type.String() != name ||
			(x.Type.Order() == '>') != big || (x.Quant != nil) != (w.Encoding != "" && !want.Big) || !bytes.Equal(raw[s.At:s.At+s.Bytes], data) {
			t.Fatalf("seed %d: %+v %v at %+v, expected %+v", seed, x, x.Type, s, w)
		}
	}
	for i, w := range want.Pairs {
		if got := c.Metadata[i]; got.Key != w.Key || !printed(got.Value, w.Value, w.Bits) {
			t.Fatalf("seed %d: %q, expected %+v", seed, got, w)
		}
	}
}

// printed reports whether a text is that of a value: a text, a float, or a list of them.
func printed(got string, want any, bits int) bool {
	switch want := want.(type) {
	case string:
		return got == want
	case float64:
		x, err := strconv.ParseFloat(got, bits)
		if bits == 64 && err == nil && x != want { // the item of a list may be a float32
			x, err = strconv.ParseFloat(got, 32)
		}
		return err == nil && x == want
	case []any:
		items := strings.Split(strings.Trim(got, "[]"), ", ")
		if len(want) == 0 {
			return got == "[]"
		}
		for i := range want {
			if len(items) != len(want) || !printed(items[i], want[i], bits) {
				return false
			}
		}
		return true
	}
	return false
}

// TestAgainstNumPy: files that Python writes of NumPy's arrays, and of random blocks, are read as those: names, shapes, types,
// bytes, and metadata.
func TestAgainstNumPy(t *testing.T) {
	python := oracle.NumPy(t, "gguf_server.py")
	path := filepath.Join(t.TempDir(), "x.gguf")
	n, first, tensors, big := oracle.Cases(t, 500), int(random.Seed(t)), 0, 0
	for seed := first; seed < first+n; seed++ {
		want := write(t, python, question{Seed: seed, Path: path})
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := open(raw)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		compare(t, seed, c, raw, want)
		tensors += len(c.Tensors)
		if want.Big {
			big++
		}
	}
	t.Logf("%d files, %d of them big-endian, %d tensors", n, big, tensors)
}

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/command/fixture"
)

// TestUnusualDocuments: the documents of unusual tensors and chains have their schema, which runIn checks, and none is empty.
func TestUnusualDocuments(t *testing.T) {
	described := fixture.NpyFile(t, "described.npy", "<f4", []int{1, 5, 2, 2}, false)
	tlayout(t, "convert", described, "--to", "nchw4")
	described = strings.TrimSuffix(described, ".npy") + ".nchw4c.npz"
	lines := [][]string{
		{"inspect", fixture.NpyFile(t, "fortran.npy", ">i2", []int{2, 3, 4}, true)},
		{"inspect", fixture.NpyFile(t, "empty.npy", "<c8", []int{2, 0, 4}, false)},
		{"inspect", fixture.NpyFile(t, "scalar.npy", "|b1", []int{}, false)},
		{"inspect", fixture.NpyFile(t, "struct.npy", "<i4,<f8", []int{3}, false)},
		{"inspect", described},
		{"inspect", described + ":arr_0"},
	}
	for _, line := range []string{
		"inspect --shape 3 --strides=-1", "inspect --shape 5000,5000 --strides 10007,10009", "inspect --shape 2,3,4,5,6,7,8,9,10", "inspect --shape ()",
		"trace --shape 3,4 T contiguous() contiguous()", "trace --shape 3,4 T view(12)", "trace --shape 3,4 view(5)", "trace --shape () reshape(1)",
		"trace --shape 4,3 --numpy [::-1] --values", "trace --shape 2,3,4,5 [0,...] [0,0,0] --values",
	} {
		lines = append(lines, strings.Fields(line))
	}
	for _, args := range lines {
		o := runIn(t, nil, append(args, "--json")...)
		if document, ok := decode(t, o.out).(map[string]any); !ok || len(document) < 5 || o.code > 1 {
			t.Errorf("%q: exit code %d, %s", args, o.code, o.out)
		}
	}
}

// TestInspectValues: values with a special meaning.
func TestInspectValues(t *testing.T) {
	for _, c := range []struct{ args, path, want string }{
		{"--shape 2,8,2,2 --from nchw4", "strides", "null"},
		{"--shape 2,8,2,2", "strides", "[32,4,2,1]"},
		{"--shape 2,2", "overlapping", `"no"`},
		{"--shape 2,2 --strides 0,1", "overlapping", `"yes"`},
		{"--shape 5000,5000 --strides 10007,10009", "overlapping", `"unknown"`},
		{"--shape 5000,5000 --strides 10007,10009", "overlapping_limit", "16777216"},
		{"--shape 2,2", "container", "null"},
		{"--shape 2,2", "file_shape", "null"},
		{"--shape 2,2 --strides 2,1", "layout_assumed", "false"},
		{"--shape 2,2", "layout_assumed", "true"},
	} {
		document := decode(t, tlayout(t, append([]string{"inspect", "--json"}, strings.Fields(c.args)...)...))
		got, ok := valueAt(document, c.path)
		if text := string(fixture.Must(json.Marshal(got))); !ok || text != c.want {
			t.Errorf("inspect --json %s: %s is %s, expected %s", c.args, c.path, text, c.want)
		}
	}
}

func decode(t *testing.T, text string) any {
	t.Helper()
	var document any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return document
}

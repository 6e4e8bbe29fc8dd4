package exported_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/graph"
	"github.com/tlayout/tlayout/internal/graph/exported"
	"github.com/tlayout/tlayout/internal/graph/profile"
	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/tensor"
)

// exporter returns a Python with a torch.export that writes what is read here, or skips the test.
func exporter(t *testing.T) string {
	t.Helper()
	python := cmp.Or(os.Getenv("TLAYOUT_TEST_PYTHON"), "python3")
	if err := exec.Command(python, "-c", "import torch.export.pt2_archive").Run(); err != nil {
		need.Missing(t, "EXPORT", errors.Join(errors.New(python+" has no torch.export of PyTorch 2.9 or newer: see TLAYOUT_TEST_PYTHON"), err))
	}
	return python
}

// The changes of each model of models.py that are copies are those that PyTorch's profiler has: in its .pt2, and in its profile.
func TestModels(t *testing.T) {
	folder := t.TempDir()
	if out, err := exec.Command(exporter(t), "testdata/models.py", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.changes.json"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d models: %v", len(files), err)
	}
	total := 0
	for _, file := range files {
		want := witnessed(t, file)
		total += len(want)
		base := strings.TrimSuffix(file, ".changes.json")
		pt2 := content(t, base+".pt2")
		program, err := exported.Read(bytes.NewReader(pt2), int64(len(pt2)))
		compare(t, filepath.Base(base)+".pt2", program, err, want)
		program, err = profile.Read(bytes.NewReader(content(t, base+".trace.json")))
		compare(t, filepath.Base(base)+".trace.json", program, err, want)
	}
	t.Logf("%d changes of %d models", total, len(files))
	if total < 30 {
		t.Errorf("the profiler has %d changes", total)
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// witnessed returns the changes that models.py has counted, sorted.
func witnessed(t *testing.T, path string) []string {
	t.Helper()
	var changes [][4]json.RawMessage
	if err := json.Unmarshal(content(t, path), &changes); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range changes {
		var operator string
		var lists [3][]int
		err := json.Unmarshal(c[0], &operator)
		for i := range lists {
			err = errors.Join(err, json.Unmarshal(c[i+1], &lists[i]))
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(operator, lists))
	}
	slices.Sort(all)
	return all
}

// compare compares the changes of a program that move elements: of an elementwise operator, and cat, the profiler has no copy.
func compare(t *testing.T, what string, p *graph.Program, err error, want []string) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	var got []string
	for _, c := range p.Changes() {
		op := p.Operators[c.Operator]
		if op.Kind == graph.Elementwise || op.Kind == graph.Joins {
			continue
		}
		from, to := moving(c.From, c.To), moving(c.To, c.From)
		got = append(got, fmt.Sprint(cmp.Or(op.Inside, op.Name), [3][]int{c.From.Shape(), from, to}))
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
	if unknown := p.UnknownOperators(); len(unknown) > 0 {
		t.Errorf("%s: unknown operators %v", what, unknown)
	}
}

// moving returns the dims of a layout, the outermost first, that have more than one index, and a stride in both layouts.
func moving(l, other tensor.Layout) []int {
	a, _ := l.Strided()
	b, _ := other.Strided()
	dims := []int{}
	for d, n := range a.Shape {
		if n > 1 && a.Strides[d] != 0 && b.Strides[d] != 0 {
			dims = append(dims, d)
		}
	}
	slices.SortStableFunc(dims, func(d, e int) int { return a.Strides[e] - a.Strides[d] })
	return dims
}

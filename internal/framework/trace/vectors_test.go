package trace

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// vectorResult is what torch 1.13 answered: strides, or an error.
type vectorResult struct {
	OK      bool
	Error   string
	Shape   []int
	Strides []int
}

// vectors are the parts of testdata/vectors.json that test single steps.
type vectors struct {
	View []struct {
		Shape, Strides []int
		NewShape       []int `json:"new_shape"`
		View           vectorResult
		ReshapeStrides []int `json:"reshape_strides"`
		ReshapeCopies  *bool `json:"reshape_copies"`
	}
	Expand []struct {
		Shape, Strides, Target []int
		Expand                 vectorResult
	}
	AsStrided []struct {
		StorageElems   int `json:"storage_elems"`
		ItemSize       int
		Shape, Strides []int
		Offset         int
		Result         vectorResult
	} `json:"as_strided_bounds"`
}

// TestVectors: view, reshape, expand and as_strided give what torch 1.13 gave.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.View) != 17 || len(v.Expand) != 9 || len(v.AsStrided) != 6 {
		t.Fatalf("%d, %d and %d vectors", len(v.View), len(v.Expand), len(v.AsStrided))
	}
	for i, x := range v.View {
		s := start(x.Shape, x.Strides, 1000)
		expectVector(t, "view "+strconv.Itoa(i), s, made(PyTorch, "view", x.NewShape), x.View)
		if x.ReshapeCopies == nil {
			continue
		}
		step, err := s.Apply(made(PyTorch, "reshape", x.NewShape).Call)
		if err != nil || !slices.Equal(step.State.Strides, x.ReshapeStrides) || (step.Kind == Copy) != *x.ReshapeCopies {
			t.Errorf("reshape %d: %+v, %v; want strides %v, a copy: %v", i, step, err, x.ReshapeStrides, *x.ReshapeCopies)
		}
	}
	for i, x := range v.Expand {
		expectVector(t, "expand "+strconv.Itoa(i), start(x.Shape, x.Strides, 1000), made(PyTorch, "expand", x.Target), x.Expand)
	}
	for i, x := range v.AsStrided {
		s := Start(tensor.Strided{}, nil, x.StorageElems, x.ItemSize, PyTorch)
		want := x.Result
		want.Shape, want.Strides = x.Shape, x.Strides
		expectVector(t, "as_strided "+strconv.Itoa(i), s, made(PyTorch, "as_strided", x.Shape, x.Strides, x.Offset), want)
	}
}

func expectVector(t *testing.T, name string, s State, call python, want vectorResult) {
	t.Helper()
	step, err := s.Apply(call.Call)
	var r *Refusal
	switch {
	case errors.As(err, &r):
		if r.Text != typeless(want.Error) {
			t.Errorf("%s: refused with %q, want %q", name, r.Text, want.Error)
		}
	case err != nil || want.Error != "":
		t.Errorf("%s: %v, want an error %q", name, err, want.Error)
	case !slices.Equal(step.State.Shape, want.Shape) || !slices.Equal(step.State.Strides, want.Strides) || step.Kind != View:
		t.Errorf("%s: %s %v, want %v %v", name, step.Kind, step.State.Strided, want.Shape, want.Strides)
	}
}

// start is a float32 tensor of PyTorch.
func start(shape, strides []int, elems int) State {
	s := tensor.Strided{Shape: shape, Strides: strides}
	if strides == nil {
		s, _ = tensor.Packed(shape)
	}
	return Start(s, nil, elems, 4, PyTorch)
}

package trace

import (
	"errors"
	"slices"
	"testing"
)

// TestSources runs the chains of docs/sources.md and compares the numbers in the sources.
func TestSources(t *testing.T) {
	nchw := []string{"N", "C", "H", "W"}
	for _, c := range []struct {
		name    string
		shape   []int
		names   []string
		chain   string
		want    []int // shape
		strides []int
		offset  int
		kind    Kind // of the last step
		copied  int  // by the last step
	}{
		{"source 1: transpose(0, 2) changes the description only", []int{1, 3, 2, 2}, nchw,
			"x.transpose(0, 2)", []int{2, 3, 1, 2}, []int{2, 4, 12, 1}, 0, View, 0},
		{"source 1: channels_last", []int{1, 64, 5, 4}, nchw,
			"x.contiguous(memory_format=torch.channels_last)", []int{1, 64, 5, 4}, []int{1280, 1, 256, 64}, 0, Copy, 5120},
		{"source 1: the smaller tensor", []int{1, 3, 2, 2}, nchw,
			"x.contiguous(memory_format=torch.channels_last)", []int{1, 3, 2, 2}, []int{12, 1, 6, 3}, 0, Copy, 48},
		{"source 4: x[3:8] begins at 3", []int{10}, nil, "x[3:8]", []int{5}, []int{1}, 3, View, 0},
		{"source 4: X.T", []int{2, 3}, nil, "x.T", []int{3, 2}, []int{1, 3}, 0, View, 0},
		{"source 4: X.T.contiguous()", []int{2, 3}, nil, "x.T.contiguous()", []int{3, 2}, []int{2, 1}, 0, Copy, 24},
		{"source 4: X.view(3, 4)", []int{12}, nil, "x.view(3, 4)", []int{3, 4}, []int{4, 1}, 0, View, 0},
		{"source 4: Y.reshape(12)", []int{12}, nil, "x.view(3, 4).T.reshape(12)", []int{12}, []int{1}, 0, Copy, 48},
		{"source 4: permute, contiguous, view", []int{2, 3, 4}, nil, "x.permute(0, 2, 1).contiguous().view(2, -1)",
			[]int{2, 12}, []int{12, 1}, 0, View, 0},
		{"source 4: NHWC as NCHW", []int{32, 224, 224, 3}, []string{"N", "H", "W", "C"}, "x.permute(0, 3, 1, 2)",
			[]int{32, 3, 224, 224}, []int{150528, 1, 672, 3}, 0, View, 0},
	} {
		step := follow(t, start(c.shape, nil, 1<<24), c.names, c.chain)
		s := step.State
		if !slices.Equal(s.Shape, c.want) || !slices.Equal(s.Strides, c.strides) || s.Offset != c.offset || step.Kind != c.kind ||
			step.Copied != c.copied {
			t.Errorf("%s: %s %+v, copies %d", c.name, step.Kind, s.Strided, step.Copied)
		}
	}
}

// TestSourceStorage: a copy to channels_last puts the values where source 1 prints them.
func TestSourceStorage(t *testing.T) {
	before := []int{14, 16, 20, 11, 8, 26, 15, 18, 29, 21, 10, 3}
	want := []int{14, 8, 29, 16, 26, 21, 20, 15, 10, 11, 18, 3}
	storage := follow(t, start([]int{1, 3, 2, 2}, nil, 12), nil, "x.contiguous(memory_format=torch.channels_last)").State.Storage
	for off, value := range want {
		if from, ok := storage.Origin(off); !ok || before[from] != value {
			t.Errorf("offset %d has the value of offset %d, want %d", off, from, value)
		}
	}
	if _, ok := storage.Origin(12); ok {
		t.Error("there is an element after the storage")
	}
}

// TestSourceRefusals: the view that source 4 says may fail is refused.
func TestSourceRefusals(t *testing.T) {
	r := refusal(t, follow(t, start([]int{12}, nil, 12), nil, "x.view(3, 4).T").State, "view(12)")
	if !slices.Equal(r.Dims, []int{0, 1}) || r.Expected != 12 || r.Found != 1 {
		t.Errorf("%+v", r)
	}
}

// follow applies a chain of steps and returns the last.
func follow(t *testing.T, s State, names []string, text string) Step {
	t.Helper()
	if names != nil {
		s.Names = names
	}
	calls, err := ParseChain(text)
	if err != nil {
		t.Fatal(err)
	}
	var step Step
	for _, c := range calls {
		if step, err = s.Apply(s.asX(c)); err != nil {
			t.Fatalf("%s of %v: %v", c.Text, s.Strided, err)
		}
		s = step.State
	}
	return step
}

// refusal applies a step that must be refused.
func refusal(t *testing.T, s State, text string) *Refusal {
	t.Helper()
	c, err := parseOne(text)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Apply(c)
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("%s of %v: %v, want a refusal", text, s.Strided, err)
	}
	return r
}

package tensor

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
)

// torchCase is a tensor and what is done with it. Names in JSON are those of testdata/torch_oracle.py.
type torchCase struct {
	Shape     []int      `json:"shape"`
	Strides   []int      `json:"strides"`
	Offset    int        `json:"offset"`
	ItemSize  int        `json:"item_size"`
	View      []int      `json:"view"`
	Expand    []int      `json:"expand"`
	AsStrided boundsCase `json:"as_strided"`
	Ask       []string   `json:"ask"`
}

type boundsCase struct {
	Storage int   `json:"storage"`
	Shape   []int `json:"shape"`
	Strides []int `json:"strides"`
	Offset  int   `json:"offset"`
}

// torchResult is a tensor that a call returns, or its error. Self says that the same tensor came back, Shared that it
// has the same storage; each is told by the calls that may copy.
type torchResult struct {
	Error   string
	Shape   []int
	Strides []int
	Offset  int
	Self    bool
	Shared  bool
}

type torchAnswer struct {
	IsContiguous map[MemoryFormat]bool `json:"is_contiguous"`
	Dense        bool
	Answers      map[string]torchResult
}

// TestAgainstTorch proves that the model answers as the installed PyTorch does, error texts included, on random
// tensors. TLAYOUT_TEST_TORCH_CASES sets their number; TLAYOUT_TEST_REQUIRE_TORCH=1 fails where there is no PyTorch.
func TestAgainstTorch(t *testing.T) {
	o := oracle.Torch(t, "torch_oracle.py")
	differential(t, o, cases(t, "TLAYOUT_TEST_TORCH_CASES", 2000), drawTorchCase,
		func(t reporter, c torchCase, a torchAnswer) { compareTorch(t, c, a, o.Before("2")) })
}

// torchQuestions is the model's answer to each question of the oracle.
var torchQuestions = map[string]func(torchCase) torchResult{
	"clone":                       func(c torchCase) torchResult { return fresh(c, c.tensor().CloneStrides()) },
	"empty_like":                  func(c torchCase) torchResult { return fresh(c, c.tensor().CloneStrides()) },
	"view":                        func(c torchCase) torchResult { return returned(c.tensor().View(c.View)) },
	"reshape":                     reshapeResult,
	"expand":                      func(c torchCase) torchResult { return returned(c.tensor().Expand(c.Expand)) },
	"as_strided":                  asStridedResult,
	"contiguous contiguous":       func(c torchCase) torchResult { return copyResult(c, Strided.Contiguous, ContiguousFormat) },
	"contiguous channels_last":    func(c torchCase) torchResult { return copyResult(c, Strided.Contiguous, ChannelsLastFormat) },
	"contiguous channels_last_3d": func(c torchCase) torchResult { return copyResult(c, Strided.Contiguous, ChannelsLast3D) },
	"to contiguous":               func(c torchCase) torchResult { return copyResult(c, Strided.To, ContiguousFormat) },
	"to channels_last":            func(c torchCase) torchResult { return copyResult(c, Strided.To, ChannelsLastFormat) },
	"to channels_last_3d":         func(c torchCase) torchResult { return copyResult(c, Strided.To, ChannelsLast3D) },
}

func (c torchCase) tensor() Strided { return Strided{c.Shape, c.Strides, c.Offset} }

// fresh is a copy, which begins at offset 0.
func fresh(c torchCase, strides []int) torchResult {
	return torchResult{Shape: c.Shape, Strides: strides}
}

func returned(s Strided, err error) torchResult {
	if err != nil {
		return torchResult{Error: err.Error()}
	}
	return torchResult{Shape: s.Shape, Strides: s.Strides, Offset: s.Offset}
}

func reshapeResult(c torchCase) torchResult {
	s, copied, err := c.tensor().Reshape(c.View)
	r := returned(s, err)
	r.Shared = err == nil && !copied
	return r
}

func asStridedResult(c torchCase) torchResult {
	b := c.AsStrided
	return returned(AsStrided(b.Storage, c.ItemSize, b.Shape, b.Strides, b.Offset))
}

func copyResult(c torchCase, call func(Strided, MemoryFormat) (Copy, bool), f MemoryFormat) torchResult {
	made, ok := call(c.tensor(), f)
	switch {
	case !ok:
		return torchResult{Error: fmt.Sprintf("required rank %d tensor to use %s format", f.Rank(), f)}
	case made.Self:
		return torchResult{Shape: c.Shape, Strides: made.Strides, Offset: c.Offset, Self: true}
	}
	return fresh(c, made.Strides)
}

// drawTorchCase asks all that the model says PyTorch answers, and one in fifty of what it says PyTorch refuses.
func drawTorchCase(d dice) torchCase {
	s := someStrided(d, 2000, 0)
	c := torchCase{s.Shape, s.Strides, s.Offset, pick(d, 1, 2, 4, 8, 16),
		someReshape(d, s.Numel()), someTarget(d, s), someBounds(d), nil}
	for _, question := range slices.Sorted(maps.Keys(torchQuestions)) {
		if torchQuestions[question](c).Error == "" || d.IntN(50) == 0 {
			c.Ask = append(c.Ask, question)
		}
	}
	return c
}

// newWords is what PyTorch 1.13 does not add to its message about a size.
var newWords = regexp.MustCompile(`^(invalid shape dimension -\d+) at index .*`)

func compareTorch(t reporter, c torchCase, a torchAnswer, old bool) {
	t.Helper()
	s := c.tensor()
	for f, want := range a.IsContiguous {
		same(t, "is_contiguous "+string(f), s, s.IsContiguous(f), want)
	}
	same(t, "is_non_overlapping_and_dense", s, s.NonOverlappingAndDense(), a.Dense)
	same(t, "number of answers", s, len(a.Answers), len(c.Ask))
	for question, want := range a.Answers {
		if strings.HasPrefix(want.Error, "expand(") { // the model leaves out the tensor's type: "expand: …"
			_, text, _ := strings.Cut(want.Error, "): ")
			want.Error = "expand: " + text
		}
		got := torchQuestions[question](c)
		if old {
			got.Error = newWords.ReplaceAllString(got.Error, "$1")
		}
		same(t, question, s, got, want)
	}
}

package trace

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
	"github.com/tlayout/tlayout/internal/tensor"
	"github.com/tlayout/tlayout/internal/tensor/dtype"
)

// line is a tensor and lines of Python that follow it, each with one operation more than the one before, as PyTorch runs them.
type line struct {
	result
	Texts []struct {
		Text   string
		Shared bool // whether the result is in the storage of the tensor
		result
	}
}

// result is a tensor in PyTorch.
type result struct {
	Shape   []int
	Strides []int
	Offset  int
	DType   string
}

func (r result) strided() tensor.Strided {
	return tensor.Strided{Shape: r.Shape, Strides: r.Strides, Offset: r.Offset}
}

// start returns the state before the first operation.
func (l line) start(t *testing.T) State {
	t.Helper()
	of, err := dtype.Parse(l.DType)
	if err != nil {
		t.Fatal(err)
	}
	s := Start(l.strided(), nil, l.strided().StorageElems(), of.Bits()/8, PyTorch)
	s.DType = of
	return s
}

// compareLine returns the first difference between PyTorch and the model, or the name of the call whose result the model does not know.
func compareLine(t *testing.T, l line) (trouble, unknown string) {
	t.Helper()
	for _, want := range l.Texts {
		start := l.start(t)
		statements, err := Parse(want.Text)
		if err != nil {
			return fmt.Sprintf("%s\n%v", want.Text, err), ""
		}
		f, err := start.FollowAll(statements)
		if err != nil || f.Refusal != nil {
			return fmt.Sprintf("%s\nPyTorch returns %+v\nthe model refuses: %v %v", want.Text, want.result, err, f.Refusal), ""
		}
		if f.Stop != nil {
			return "", f.Stop.Name
		}
		s := f.Steps[len(f.Steps)-1].State
		isShared := s.Storage == start.Storage && !s.Empty()
		got := result{s.Shape, s.Strides, s.Offset, s.DType.String()}
		if s.Empty() {
			got.Offset = want.Offset
		}
		if fmt.Sprint(got) != fmt.Sprint(want.result) || isShared != (want.Shared && !s.Empty()) {
			return fmt.Sprintf("%s\nPyTorch returns %+v, in the same storage %t\nthe model      %+v, in the same storage %t", want.Text, want.result,
				want.Shared, got, isShared), ""
		}
	}
	return "", ""
}

// known is the least share of lines, in percent, that the model follows to the end.
const known = 97

// TestLinesAgainstTorch compares lines of Python, of the operations that public code calls in their frequencies, with the installed PyTorch:
// shape, strides, offset and dtype, and whether the result is in the storage of the tensor. Lines that the model stops at are counted.
//
// TLAYOUT_TEST_TORCH_CASES sets how many, TLAYOUT_TEST_RANDOM_SEED which ones; TLAYOUT_TEST_REQUIRE_TORCH=1 fails without PyTorch.
func TestLinesAgainstTorch(t *testing.T) {
	n := random.Cases(t, "TLAYOUT_TEST_TORCH_CASES", 1000)
	o := oracle.Torch(t, "torch_lines.py")
	if o.Before("2") {
		t.Skip("other operations and messages")
	}
	r := random.New(t)
	var lines, mismatches, stopped int
	stops := map[string]int{}
	for lines < n && mismatches < mismatchLimit {
		question := struct {
			Seed  uint64 `json:"seed"`
			Count int    `json:"count"`
		}{r.Uint64() >> 11, min(n-lines, batch)}
		if err := o.Ask(question); err != nil {
			t.Fatal(err)
		}
		var answers []line
		if err := o.Read(&answers); err != nil || len(answers) != question.Count {
			t.Fatalf("%d answers to %d questions: %v", len(answers), question.Count, err)
		}
		for _, l := range answers {
			lines++
			trouble, unknown := compareLine(t, l)
			if trouble != "" {
				mismatches++
				t.Errorf("x is %+v\n%s", l.result, trouble)
			}
			if unknown != "" {
				stopped++
				stops[unknown]++
			}
		}
	}
	t.Logf("%s: %d lines: %d mismatches, %d stop at a call whose result is not known", o.Version, lines, mismatches, stopped)
	for _, name := range slices.Sorted(maps.Keys(stops)) {
		t.Logf("%s: %d", name, stops[name])
	}
	if 100*stopped > (100-known)*lines {
		t.Errorf("%d of %d lines are not followed to the end", stopped, lines)
	}
}

package trace

import (
	"errors"
	"testing"

	"github.com/tlayout/tlayout/internal/tensor"
)

// TestPythonFunctions: functions of Python follow Python and not the methods of their names. The results are those of PyTorch 2.15.
func TestPythonFunctions(t *testing.T) {
	for text, want := range map[string]string{
		"sum(x)":                              "(3, 4, 5):(20, 5, 1)",
		"sum(x.permute(1,0,3,2))":             "(2, 5, 4):(20, 1, 5)",
		"sum(x[:1].permute(3,2,1,0)[:, ::2])": "(2, 3, 1):(1, 2, 6)",
		"sum(x[0,0,0])":                       "():()",
		"sum(1)":                              "(2, 4, 5):(20, 5, 1)", // a step: of the tensor before
		"abs(x.mT)":                           "(2, 3, 5, 4):(60, 20, 1, 5)",
		"pow(x.mT, 2)":                        "(2, 3, 5, 4):(60, 20, 1, 5)",
		"y = x.T; sum(y)":                     "(4, 3, 2):(1, 4, 12)",
	} {
		f, err := fromPython(t, text)
		if err != nil || len(f.Steps) == 0 {
			t.Errorf("%s: %v %+v", text, err, f)
			continue
		}
		s := f.Steps[len(f.Steps)-1].State
		if got := tensor.Tuple(s.Shape) + ":" + tensor.Tuple(s.Strides); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"len(x)": "2", "len(x.mT[0])": "3", "len(x.shape)": "4", "sum(x.shape)": "14", "max(x.shape)": "5", "max(x.shape[0], 7)": "7",
		"list(x.shape)": "(2, 3, 4, 5)",
	} {
		f, err := fromPython(t, text)
		if err != nil || f.Value != want {
			t.Errorf("%s: %s %v, want %s", text, f.Value, err, want)
		}
	}
	for text, want := range map[string]string{
		"max(x)": "max: Python compares rows of the tensor, and the result depends on the data", "sorted(x.T)": "sorted: Python compares rows of the tensor, and the result depends on the data",
		"list(x)": "list: Python loops over the rows x[0], x[1], …", "zip(x.shape)": "zip: what it returns is not known",
		"sum(x.unbind())": "sum: what it returns is not known", "sum(x[:0])": "sum: Python adds the rows x[0], x[1], … to a number",
		"round(x)": "type Tensor doesn't define __round__ method", "len(x.sum())": "len() of a 0-d tensor",
	} {
		f, err := fromPython(t, text)
		if f.Refusal != nil {
			err = errors.Join(err, f.Refusal)
		}
		if f.Stop != nil {
			err = errors.Join(err, f.Stop)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// fromPython follows a text from a tensor of shape (2, 3, 4, 5).
func fromPython(t *testing.T, text string) (Followed, error) {
	t.Helper()
	statements, err := ParseAll([]string{text})
	if err != nil {
		return Followed{}, err
	}
	return start([]int{2, 3, 4, 5}, nil, 120).FollowAll(statements)
}

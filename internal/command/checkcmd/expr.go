package checkcmd

import (
	"cmp"

	"github.com/tlayout/tlayout/internal/file/source"
	"github.com/tlayout/tlayout/internal/framework/trace"
	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/text"
)

// exprFlag is a chain of steps, parsed as trace does.
type exprFlag struct {
	text  string
	steps []trace.Statement
}

func (f *exprFlag) String() string { return f.text }

func (f *exprFlag) Type() string { return "steps" }

func (f *exprFlag) Set(s string) (err error) {
	f.text = s
	f.steps, err = trace.ParseAll([]string{s})
	return err
}

// answer answers --expr with --view: every step returns a view or the tensor itself. The first one that does not is found.
func (f *exprFlag) answer(t *source.Tensor) (assertion, error) {
	a := assertion{Name: "expr", Expected: "a view at every step"}
	s, err := inspect.TraceStart(t, trace.PyTorch)
	if err != nil {
		return a, err
	}
	followed, err := s.FollowAll(f.steps)
	for _, step := range followed.Steps {
		switch step.Kind {
		case trace.Copy:
			return a.failed(step.Call.Text+" copies "+text.Bytes(int64(step.Copied)), step.Reason), err
		case trace.New:
			return a.failed(step.Call.Text+" computes new values", ""), err
		}
	}
	if why := followed.Refusal; why != nil {
		return a.failed(followed.Last.Text+" is refused", cmp.Or(why.Why, why.Text)).withHint(why.Hint), err
	}
	if why := followed.Stop; why != nil {
		return a.failed("the result of "+followed.Last.Text+" is not known", why.Error()), err
	}
	return a.passed("every step is a view"), err
}

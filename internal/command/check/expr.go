package check

import (
	"cmp"
	"errors"

	"github.com/tlayout/tlayout/internal/inspect"
	"github.com/tlayout/tlayout/internal/tensor/source"
	"github.com/tlayout/tlayout/internal/tensor/trace"
	"github.com/tlayout/tlayout/internal/text"
)

// exprFlag is a chain of steps, parsed as trace does.
type exprFlag struct {
	text  string
	calls []trace.Call
}

func (f *exprFlag) String() string { return f.text }

func (f *exprFlag) Type() string { return "steps" }

func (f *exprFlag) Set(s string) (err error) {
	f.text = s
	f.calls, err = trace.ParseChain(s)
	return err
}

// answer answers --expr with --view: every step returns a view or the tensor itself. The first one that does not is found.
func (f *exprFlag) answer(t *source.Tensor) (assertion, error) {
	a := assertion{Name: "expr", Expected: "a view at every step", Found: "every step is a view", OK: true}
	s, err := inspect.TraceStart(t, trace.PyTorch)
	if err != nil {
		return a, err
	}
	for _, call := range f.calls {
		steps, err := s.Follow(call)
		var r *trace.Refusal
		switch {
		case errors.As(err, &r):
			a.Found, a.Why, a.Hint, a.OK = call.Text+" is refused", cmp.Or(r.Why, r.Text), r.Hint, false
			return a, nil
		case err != nil:
			return a, err
		}
		for _, step := range steps {
			switch s = step.State; step.Kind {
			case trace.Copy:
				a.Found, a.Why, a.OK = step.Call.Text+" copies "+text.Bytes(int64(step.Copied)), step.Reason, false
				return a, nil
			case trace.New:
				a.Found, a.OK = step.Call.Text+" computes new values", false
				return a, nil
			}
		}
	}
	return a, nil
}

package trace

import (
	"errors"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
)

// FuzzApply proves that no text makes Apply panic, leave the storage, lose a name, or refuse without a word.
func FuzzApply(f *testing.F) {
	for _, rules := range []Rules{PyTorch, NumPy} {
		for _, u := range Steps(rules) {
			f.Add(u.Example, rules == NumPy)
		}
	}
	f.Add("x.diagonal(-9223372036854775808,0,1)[::9223372036854775807]", true)
	f.Add("x.unfold(0,1,9223372036854775807).narrow(0,-1,9223372036854775807)", false)
	f.Fuzz(func(t *testing.T, text string, numpy bool) {
		calls, err := ParseChain(text)
		if err != nil || len(calls) > 8 {
			return
		}
		s := start([]int{2, 4, 1, 6}, nil, 48)
		if numpy {
			s.Rules = NumPy
		}
		for _, c := range calls {
			step, err := s.Apply(c)
			var r *Refusal
			var e *fault.Error
			if errors.As(err, &r) && r.Text != "" || errors.As(err, &e) && e.Text != "" {
				return
			}
			if err != nil {
				t.Fatalf("%q: %#v", text, err)
			}
			s = step.State
			l, err := s.Layout(nil, s.Storage.Elems)
			if err != nil || !l.InBounds() || len(s.Names) != s.Rank() || len(step.Why) == 0 {
				t.Fatalf("%q: %s gives %+v in %d, why %q: %v", text, c.Text, s.Strided, s.Storage.Elems, step.Why, err)
			}
		}
	})
}

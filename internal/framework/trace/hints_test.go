package trace

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// hinted matches a complete step in a hint.
var hinted = regexp.MustCompile(`\b(flatten|flip|transpose|swapaxes|unsqueeze|clone|contiguous|reshape)\([-\d,]*\)|\[[:, \d]*0\]`)

// TestHintsWork: the first step that the hint of a refusal names is accepted on the tensor whose step was refused, over random tensors and
// steps of both frameworks.
func TestHintsWork(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	named := map[string]int{}
	for k := range 40000 {
		rules := []Rules{PyTorch, NumPy}[k%2]
		strided, elems := drawStart(r, rules)
		s := Start(strided, nil, elems, 4, rules)
		call := drawCall(r, s)
		_, err := s.Apply(call.Call)
		var refused *Refusal
		if !errors.As(err, &refused) {
			continue
		}
		step := hinted.FindString(refused.Hint)
		if step == "" {
			continue
		}
		named[strings.TrimRight(step, "(-0123456789,)")]++
		calls, err := ParseChain(step)
		if err == nil {
			_, err = s.Apply(calls[0])
		}
		if err != nil {
			t.Fatalf("%s of %v: %s\nhint: %s\n%s: %v", call.python, s.Strided, refused.Text, refused.Hint, step, err)
		}
	}
	if len(named) < 6 {
		t.Errorf("one-sided: %v", named)
	}
	t.Log(named)
}

// TestFormatHintsWork: the memory format that a hint names for a rank exists for it, after the step that the hint names.
func TestFormatHintsWork(t *testing.T) {
	for _, c := range []struct {
		shape []int
		step  string
		then  string
	}{
		{[]int{3, 4, 5}, "contiguous(channels_last)", "unsqueeze(0).contiguous(channels_last)"},
		{[]int{2, 3, 4, 5}, "to(channels_last_3d)", "to(channels_last)"},
		{[]int{2, 3, 4, 5, 6}, "clone(channels_last)", "clone(channels_last_3d)"},
		{[]int{3, 4}, "contiguous(channels_last)", "permute(1,0).contiguous()"},
	} {
		s := start(c.shape, nil, 1000)
		refused := refusal(t, s, c.step)
		format := regexp.MustCompile(`channels_last\w*|unsqueeze|permute`).FindString(refused.Hint)
		if format == "" || !strings.Contains(c.then, format) {
			t.Errorf("%s of %v: the hint is %q", c.step, c.shape, refused.Hint)
		}
		follow(t, s, nil, c.then)
	}
}

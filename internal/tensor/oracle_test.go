package tensor

import (
	"testing"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
)

// cases is the number of random cases: as the environment says, else normal, or a tenth of it under -short.
func cases(t *testing.T, variable string, normal int) int {
	t.Helper()
	if testing.Short() {
		normal /= 10
	}
	return random.Cases(t, variable, normal)
}

// mismatchLimit is the number of mismatches after which a differential test stops.
const mismatchLimit = 20

// differential asks the oracle about n random tensors and compares its answers. It stops after mismatchLimit
// mismatches, each of which shows its case.
func differential[Question, Answer any](t *testing.T, o *oracle.Oracle, n int, draw func(dice) Question,
	compare func(t reporter, q Question, a Answer)) {
	t.Helper()
	d := random.New(t)
	questions := make(chan Question, 64)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		defer close(questions)
		for range n {
			q := draw(d)
			if o.Ask(q) != nil {
				return
			}
			select {
			case questions <- q:
			case <-stop:
				return
			}
		}
	}()
	done, mismatches := 0, 0
	for q := range questions {
		var a Answer
		if err := o.Read(&a); err != nil {
			t.Fatalf("answer to %+v: %v", q, err)
		}
		c := &caseReporter{T: t, question: q}
		compare(c, q, a)
		if done++; c.failed {
			mismatches++
		}
		if mismatches == mismatchLimit {
			break
		}
	}
	if done < n && mismatches < mismatchLimit {
		t.Errorf("only %d of %d cases were asked", done, n)
	}
	t.Logf("%s: %d mismatches in %d cases", o.Version, mismatches, done)
}

// caseReporter shows the case with what went wrong.
type caseReporter struct {
	*testing.T
	question any
	failed   bool
}

func (c *caseReporter) Errorf(format string, args ...any) {
	c.T.Helper()
	if !c.failed {
		c.T.Logf("case %+v", c.question)
	}
	c.failed = true
	c.T.Errorf(format, args...)
}

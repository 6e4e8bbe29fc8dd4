package trace

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/oracle"
	"github.com/tlayout/tlayout/internal/random"
)

// answer is what the framework returned for a step, or its error.
type answer struct {
	Error   string
	Shape   []int
	Strides []int
	Offset  int
	Self    bool
	DType   string
	Shared  bool
	Values  []int64 // of elements, also on 32 bits
}

// batch is how many chains are sent over the pipe at once.
const batch = 50

// mismatchLimit is how many mismatches end a run.
const mismatchLimit = 10

// compareChains draws chains, as many as the environment variable says or 300, and compares every step.
func compareChains(t *testing.T, o *oracle.Oracle, variable string, rules Rules) {
	t.Helper()
	n := random.Cases(t, variable, 300)
	began := time.Now()
	asked := make(chan []chain, 4)
	stop := make(chan struct{})
	defer close(stop)
	go ask(t, o, random.New(t), n, rules, asked, stop)
	tally := tally{calls: map[string]int{}}
	for chains := range asked {
		var answers [][]answer
		if err := o.Read(&answers); err != nil || len(answers) != len(chains) {
			t.Fatalf("%d answers to %d chains: %v", len(answers), len(chains), err)
		}
		for i, c := range chains {
			tally.add(c)
			if trouble := c.compare(answers[i], o.Before("2")); trouble != "" {
				t.Errorf("%s\n%s", c, trouble)
				tally.mismatches++
			}
		}
		if tally.mismatches >= mismatchLimit {
			break
		}
	}
	if tally.chains < n && tally.mismatches < mismatchLimit {
		t.Errorf("only %d of %d chains were asked", tally.chains, n)
	}
	t.Logf("%s: %d chains of %d steps, %d refusals: %d mismatches, %v", o.Version, tally.chains, tally.steps,
		tally.refusals, tally.mismatches, time.Since(began).Round(time.Millisecond))
	tally.complete(t, rules)
}

// older are messages of PyTorch 1.13, empty where it accepts a step, by those of the model, which are PyTorch 2.15's.
var older = []struct{ model, theirs *regexp.Regexp }{
	{regexp.MustCompile(`^invalid shape dimension (-\d+) at index`), regexp.MustCompile(`^invalid shape dimension -\d+$`)},
	{regexp.MustCompile(`^unflatten got an unexpected error: invalid shape dimension`), regexp.MustCompile(`^invalid shape dimension -\d+$`)},
	{regexp.MustCompile(`^unflatten got an unexpected error: Dimension`), regexp.MustCompile(`^Dimension specified as \d+ but tensor has no dimensions$`)},
	{regexp.MustCompile(`^unflatten got an unexpected error: cannot reshape`), regexp.MustCompile(`^cannot reshape tensor of 0 elements into shape`)},
	{regexp.MustCompile(`^narrow\(\): length must be non-negative\.$`), regexp.MustCompile(`^Dimension out of range|exceeds dimension size`)},
	{regexp.MustCompile(`^mm: mat1 and mat2|^Expected size for first two dimensions`), regexp.MustCompile(`^mat1 and mat2 shapes cannot be multiplied`)},
	{regexp.MustCompile(`^size mismatch|^Expected size for first two dimensions`), regexp.MustCompile(`^size mismatch, got \d+, \d+x\d+,\d+$`)},
	{regexp.MustCompile(`^start out of range`), regexp.MustCompile(`^$|^Dimension out of range|exceeds dimension size`)},
}

// olderSays reports whether PyTorch 1.13 answers with that message where the model refuses.
func olderSays(text, model string) bool {
	return slices.ContainsFunc(older, func(m struct{ model, theirs *regexp.Regexp }) bool {
		return m.model.MatchString(model) && m.theirs.MatchString(text)
	})
}

func ask(t *testing.T, o *oracle.Oracle, d *rand.Rand, n int, rules Rules, asked chan<- []chain, stop <-chan struct{}) {
	defer close(asked)
	for left := n; left > 0; left -= batch {
		chains := make([]chain, min(left, batch))
		for i := range chains {
			chains[i] = drawChain(t, d, rules)
		}
		if o.Ask(chains) != nil {
			return
		}
		select {
		case asked <- chains:
		case <-stop:
			return
		}
	}
}

// tally counts what has been compared.
type tally struct {
	chains, steps, refusals, mismatches int
	calls                               map[string]int // by name, accepted and refused
}

func (c *tally) add(x chain) {
	c.chains++
	c.steps += len(x.Steps)
	for i, call := range x.calls {
		if i < len(x.states) {
			c.calls[call.Name]++
			continue
		}
		c.refusals++
		c.calls[call.Name+" refused"]++
	}
}

// refusing is the number of chains in which every step that can be refused has been.
const refusing = 20000

// complete fails if a long run never drew an operation, or never had one refused that can be.
func (c *tally) complete(t *testing.T, rules Rules) {
	t.Helper()
	if c.chains < refusing || t.Failed() {
		return
	}
	never := []string{"T", "ravel", "relu", "exp", "half", "gelu", "abs", "detach", "requires_grad_", "type"}
	if rules == NumPy {
		never = []string{"T", "ravel", "flatten", "view", "copy", "ascontiguousarray", "asfortranarray", "asarray"}
	}
	for _, op := range operations(rules) {
		if op.Name == "cuda" { // there is no device
			continue
		}
		if c.calls[op.Name] == 0 || c.calls[op.Name+" refused"] == 0 && !slices.Contains(never, op.Name) {
			t.Errorf("%s: %d times answered, %d times refused", op.Name, c.calls[op.Name], c.calls[op.Name+" refused"])
		}
	}
}

// TestAgainstNumPy compares chains of steps with the installed NumPy, as TestAgainstTorch does; for empty arrays shape and strides
// only, because NumPy does not give their address.
//
// TLAYOUT_TEST_NUMPY_CASES sets how many chains, TLAYOUT_TEST_RANDOM_SEED which ones; TLAYOUT_TEST_REQUIRE_NUMPY=1 fails without
// NumPy.
func TestAgainstNumPy(t *testing.T) {
	o := oracle.NumPy(t, "numpy_chains.py")
	compareChains(t, o, "TLAYOUT_TEST_NUMPY_CASES", NumPy)
}

// TestAgainstTorch compares chains of steps, views and operators, with the installed PyTorch: after every step shape, strides, offset,
// dtype, the values that are not computed, whether the result is the tensor itself, a view or a copy, and the message of a refusal.
// PyTorch 1.13 differs in messages (older), and in the strides of a matmul where they are not used (olderProduct).
//
// TLAYOUT_TEST_TORCH_CASES sets how many chains, TLAYOUT_TEST_RANDOM_SEED which ones; TLAYOUT_TEST_REQUIRE_TORCH=1 fails without
// PyTorch.
func TestAgainstTorch(t *testing.T) {
	o := oracle.Torch(t, "torch_chains.py")
	compareChains(t, o, "TLAYOUT_TEST_TORCH_CASES", PyTorch)
}

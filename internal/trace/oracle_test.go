package trace

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// oracle is a Python process that runs chains of steps: a line of answers for each line of chains.
type oracle struct {
	in      io.WriteCloser
	out     *bufio.Reader
	version string
}

// startOracle runs a script of testdata. Where its library is not there, the test is skipped; with the environment
// variable require set to 1 it fails.
func startOracle(t *testing.T, script, require string) *oracle {
	t.Helper()
	trouble := ""
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		o, end, err := launch(python, script)
		if err == nil {
			t.Cleanup(func() {
				if trouble := end(); trouble != "" {
					t.Errorf("%s: %s", script, trouble)
				}
			})
			return o
		}
		trouble = err.Error()
	}
	if os.Getenv(require) == "1" {
		t.Fatalf("%s=1, but %s does not run: %s", require, script, trouble)
	}
	t.Skipf("%s does not run (%s=1 makes this a failure): %s", script, require, trouble)
	return nil
}

func launch(python, script string) (o *oracle, end func() string, err error) {
	cmd := exec.Command(python, "testdata/"+script)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		return nil, nil, err
	}
	o = &oracle{in: in, out: bufio.NewReaderSize(out, 1<<20)}
	end = func() string {
		in.Close()
		io.Copy(io.Discard, o.out) // what nobody reads would keep it from ending
		if err := cmd.Wait(); err != nil {
			return err.Error() + "\n" + complaint.String()
		}
		return ""
	}
	if err := o.read(&o.version); err != nil {
		return nil, nil, errors.New(end())
	}
	return o, end, nil
}

func (o *oracle) read(answer any) error {
	line, err := o.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, answer)
}

// answer is what the framework returned for a step, or its error.
type answer struct {
	Error   string
	Shape   []int
	Strides []int
	Offset  int
	Self    bool
	Shared  bool
	Values  []int
}

// batch is how many chains go over the pipe together.
const batch = 50

// mismatchLimit is the number of chains that differ after which a run ends.
const mismatchLimit = 10

// compareChains draws as many chains as the environment says, else 300, and compares every step of each.
func compareChains(t *testing.T, o *oracle, variable string, rules Rules) {
	t.Helper()
	n, seed := fromEnv(t, variable, 300), fromEnv(t, "TLAYOUT_RANDOM_SEED", int(time.Now().UnixNano()&(1<<30-1)))
	began := time.Now()
	asked := make(chan []chain, 4)
	stop := make(chan struct{})
	defer close(stop)
	go ask(t, o, rand.New(rand.NewPCG(uint64(seed), 0)), n, rules, asked, stop)
	tally := tally{calls: map[string]int{}}
	for chains := range asked {
		var answers [][]answer
		if err := o.read(&answers); err != nil || len(answers) != len(chains) {
			t.Fatalf("%d answers to %d chains: %v", len(answers), len(chains), err)
		}
		for i, c := range chains {
			tally.add(c)
			if trouble := c.compare(answers[i]); trouble != "" {
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
	t.Logf("%s, seed %d: %d chains of %d steps, %d refusals: %d mismatches, %v", o.version, seed, tally.chains, tally.steps,
		tally.refusals, tally.mismatches, time.Since(began).Round(time.Millisecond))
	tally.complete(t, rules)
}

func ask(t *testing.T, o *oracle, d *rand.Rand, n int, rules Rules, asked chan<- []chain, stop <-chan struct{}) {
	defer close(asked)
	to := json.NewEncoder(o.in)
	for left := n; left > 0; left -= batch {
		chains := make([]chain, min(left, batch))
		for i := range chains {
			chains[i] = drawChain(t, d, rules)
		}
		if to.Encode(chains) != nil {
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

// complete fails where a long run has left a step out, or one that can be refused has never been.
func (c *tally) complete(t *testing.T, rules Rules) {
	t.Helper()
	if c.chains < refusing || t.Failed() {
		return
	}
	never := []string{"T", "ravel"}
	if rules == NumPy {
		never = []string{"T", "ravel", "flatten", "view", "copy", "ascontiguousarray", "asfortranarray"}
	}
	for _, op := range operations(rules) {
		if c.calls[op.Name] == 0 || c.calls[op.Name+" refused"] == 0 && !slices.Contains(never, op.Name) {
			t.Errorf("%s: %d times answered, %d times refused", op.Name, c.calls[op.Name], c.calls[op.Name+" refused"])
		}
	}
}

func fromEnv(t *testing.T, variable string, normal int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return normal
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

package tensor

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// oracle is a Python process that answers one line of JSON for each line of JSON.
type oracle struct {
	in      io.WriteCloser
	out     *bufio.Reader
	version string
}

// python is Debian's: the one that its numpy and torch packages belong to.
const python = "/usr/bin/python3"

// startOracle runs a script of testdata. Where it does not start, for want of the library, the test is skipped; with
// the environment variable require set to 1 it fails.
func startOracle(t *testing.T, script, require string) *oracle {
	t.Helper()
	cmd := exec.Command(python, "testdata/"+script)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		t.Fatal(err)
	}
	o := &oracle{in: in, out: bufio.NewReader(out)}
	if err := cmd.Start(); err != nil {
		missing(t, require, err.Error())
	}
	end := func() string {
		in.Close()
		io.Copy(io.Discard, o.out) //nolint:errcheck // what nobody reads would keep it from ending
		if err := cmd.Wait(); err != nil {
			return err.Error() + "\n" + complaint.String()
		}
		return ""
	}
	if err := o.read(&o.version); err != nil {
		missing(t, require, end())
	}
	t.Cleanup(func() {
		if trouble := end(); trouble != "" {
			t.Errorf("%s: %s", script, trouble)
		}
	})
	return o
}

// missing skips a test whose library is not there, or fails it where the environment requires the library.
func missing(t *testing.T, require, trouble string) {
	t.Helper()
	if os.Getenv(require) == "1" {
		t.Fatalf("%s=1, but the oracle does not run: %s", require, trouble)
	}
	t.Skipf("the oracle does not run (%s=1 makes this a failure): %s", require, trouble)
}

func (o *oracle) read(answer any) error {
	line, err := o.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, answer)
}

// cases is the number of random cases: as the environment says, else normal, or a tenth of it under -short.
func cases(t *testing.T, variable string, normal int) int {
	t.Helper()
	if text := os.Getenv(variable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
		return n
	}
	if testing.Short() {
		return normal / 10
	}
	return normal
}

// mismatchLimit is the number of mismatches after which a differential test stops.
const mismatchLimit = 20

// differential asks the oracle about n random tensors and compares its answers. It stops after mismatchLimit
// mismatches, each of which shows its case.
func differential[Question, Answer any](t *testing.T, o *oracle, n int, draw func(dice) Question,
	compare func(t reporter, q Question, a Answer)) {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	d := rand.New(rand.NewPCG(seed, 0))
	questions := make(chan Question, 64)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		defer close(questions)
		to := json.NewEncoder(o.in)
		for range n {
			q := draw(d)
			if to.Encode(q) != nil {
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
		if err := o.read(&a); err != nil {
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
	t.Logf("version %s, seed %d: %d mismatches in %d cases", o.version, seed, mismatches, done)
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

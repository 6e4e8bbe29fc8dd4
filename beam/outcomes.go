package beam

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/fault"
)

// Record counts the outcomes, passes each to the Listener of its process, and returns them as lines of JSON.
func Record(s beam.Scope, outcomes beam.PCollection) beam.PCollection {
	return beam.ParDo(s, record, outcomes)
}

// namespace is that of the pipeline's counters: one per result, and one per exit code of failed sources.
const namespace = "tlayout"

// exitCode names the counter of an exit code.
func exitCode(class int) string { return fmt.Sprint("exit_code_", class) }

func record(ctx context.Context, o Outcome) (string, error) {
	beam.NewCounter(namespace, o.Result).Inc(ctx, 1)
	if o.Result == string(batch.Failed) {
		beam.NewCounter(namespace, exitCode(o.ExitCode)).Inc(ctx, 1)
	}
	line, err := json.Marshal(o)
	if err == nil && !listener.receive(o, line) && o.ExitCode != 0 {
		log.Errorf(ctx, "%s: %s", o.Source, o.Message)
	}
	return string(line), err
}

// Listener receives the outcomes of sources converted in the process that starts the pipeline.
type Listener struct {
	Out    io.Writer     // gets lines of JSON
	Failed func(Outcome) // called for each failed source

	mutex    sync.Mutex
	received int
	err      error
}

// listener is nil in a remote worker.
var listener *Listener

// Listen sets the listener of this process.
func Listen(l *Listener) { listener = l }

// receive writes an outcome; it returns false without a listener.
func (l *Listener) receive(o Outcome, line []byte) bool {
	if l == nil {
		return false
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.received++
	if _, err := fmt.Fprintf(l.Out, "%s\n", line); err != nil && l.err == nil {
		l.err = fault.New(fault.Resource, "cannot write to standard output: %s", fault.Cause(err))
	}
	if o.Result == string(batch.Failed) {
		l.Failed(o)
	}
	return true
}

// Received returns the number of outcomes in this process, and the first error of writing them.
func (l *Listener) Received() (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.received, l.err
}

// Tally counts sources by result.
type Tally struct {
	Made, Skipped, Failed int64
	Worst                 fault.Class // of failed sources, decides the exit code; 0 for none
}

// Done returns the number of sources with an outcome.
func (t Tally) Done() int64 { return t.Made + t.Skipped + t.Failed }

// TallyOf returns the tally of a finished pipeline, from its counters. It is zero if the runner did not wait, or does not count.
func TallyOf(result beam.PipelineResult) (t Tally) {
	if result == nil {
		return t
	}
	ours := func(r metrics.SingleResult) bool { return r.Namespace() == namespace }
	for _, c := range result.Metrics().Query(ours).Counters() {
		t.add(c.Name(), c.Result())
	}
	return t
}

func (t *Tally) add(counter string, n int64) {
	switch counter {
	case string(batch.Made):
		t.Made += n
	case string(batch.Skipped):
		t.Skipped += n
	case string(batch.Failed):
		t.Failed += n
	}
	for class := fault.Negative; class <= fault.Resource; class++ {
		if counter == exitCode(int(class)) && n > 0 {
			t.Worst = batch.Worst(t.Worst, class)
		}
	}
}

// Err returns nil if all sources have a result. Its class decides the exit code.
func (t Tally) Err(sources int) error {
	if missing := int64(sources) - t.Done(); missing > 0 {
		class := batch.Worst(t.Worst, fault.Resource)
		return fault.New(class, "the runner reported no outcome of %d of %d sources", missing, sources)
	}
	if t.Failed > 0 {
		return fault.New(t.Worst, "%d of %d sources failed", t.Failed, sources)
	}
	return nil
}

// String returns the counts in a sentence.
func (t Tally) String() string {
	return strings.Join([]string{fmt.Sprint(t.Made, " made"), fmt.Sprint(t.Skipped, " skipped"), fmt.Sprint(t.Failed, " failed")}, ", ")
}

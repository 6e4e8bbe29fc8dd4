package beam

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/batch"
	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

// TestTally: a tally is an error unless every source has a result, and has the class of the worst outcome, for any order of counters.
func TestTally(t *testing.T) {
	type counters map[string]int64
	for _, c := range []struct {
		sources  int
		counters counters
		class    fault.Class
	}{
		{3, counters{"made": 2, "skipped": 1}, 0},
		{4, counters{"made": 4, "exit_code_3": 0}, 0},
		{3, counters{"made": 2, "failed": 1, "exit_code_5": 1}, fault.Resource},
		{3, counters{"made": 1, "failed": 2, "exit_code_5": 1, "exit_code_3": 1}, fault.Malformed},
		{3, counters{"failed": 3, "exit_code_4": 1, "exit_code_5": 1, "exit_code_1": 1}, fault.Unsupported},
		{2, counters{"failed": 2, "exit_code_1": 2}, fault.Negative},
		{3, counters{"made": 2}, fault.Resource},
		{3, counters{}, fault.Resource},
		{3, counters{"failed": 1, "exit_code_2": 1}, fault.Usage},
	} {
		var tally Tally
		for name, n := range c.counters {
			tally.add(name, n)
		}
		err := tally.Err(c.sources)
		if (err == nil) != (c.class == 0) || err != nil && fault.ClassOf(err) != c.class {
			t.Errorf("%v of %d sources: %v, want class %v", c.counters, c.sources, err, int(c.class))
		}
	}
	if got := TallyOf(nil); got != (Tally{}) {
		t.Errorf("a runner without a result: %+v", got)
	}
}

// TestOutcome: a line has source, destination and error, keeps names that are not UTF-8, and contains no signature of a URL.
func TestOutcome(t *testing.T) {
	failed := fault.New(fault.Unsupported, "no such dtype").WithHint("--dtype")
	for _, c := range []struct {
		name string
		done batch.Result
		want string
	}{
		{"a\xff.npy", batch.Result{Destination: name.Parse("o/a.npy"), State: batch.Made},
			`{"source":"a\ufffd.npy","source_base64":"Yf8ubnB5","destination":"o/a.npy","outcome":"made","exit_code":0}`},
		{"https://h/x.npy?sig=secret", batch.Result{Destination: name.Parse("s3://u:p@b/x\xff"), State: batch.Failed, Err: failed},
			`{"source":"https://h/x.npy?…","destination":"s3://…@b/x\ufffd","destination_base64":"czM6Ly/igKZAYi94/w==","outcome":"failed","class":"unsupported","exit_code":4,"message":"no such dtype","hint":"--dtype"}`},
		{"a", batch.Result{State: batch.Failed, Err: errors.New("lost\n")},
			`{"source":"a","destination":"","outcome":"failed","class":"resource","exit_code":5,"message":"lost\\x0a"}`},
	} {
		got, err := json.Marshal(outcomeOf(name.Parse(c.name), c.done))
		if err != nil || string(got) != c.want {
			t.Errorf("%v\n%s\nwant\n%s", err, got, c.want)
		}
	}
}

// TestListener: a listener writes each outcome, reports failures, and keeps the first error of writing.
func TestListener(t *testing.T) {
	var nobody *Listener
	if nobody.receive(Outcome{}, nil) {
		t.Error("received without a listener")
	}
	var out bytes.Buffer
	var failed []string
	l := &Listener{Out: &out, Failed: func(o Outcome) { failed = append(failed, o.Source) }}
	l.receive(Outcome{Source: "a", Result: "made"}, []byte("{1}"))
	l.receive(Outcome{Source: "b", Result: "failed"}, []byte("{2}"))
	if n, err := l.Received(); n != 2 || err != nil || out.String() != "{1}\n{2}\n" || !slices.Equal(failed, []string{"b"}) {
		t.Errorf("%d, %v, %q, %q", n, err, out.String(), failed)
	}
	l.Out = full{}
	l.receive(Outcome{Result: "made"}, nil)
	l.Out = &out
	l.receive(Outcome{Result: "made"}, nil)
	if n, err := l.Received(); n != 4 || fault.ClassOf(err) != fault.Resource {
		t.Errorf("%d, %v", n, err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space") }

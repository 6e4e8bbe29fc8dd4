package need

import (
	"errors"
	"runtime"
	"testing"
)

// ended is a test that records how it ends.
type ended struct {
	testing.TB
	how string
}

func (e *ended) Helper()               {}
func (e *ended) Skip(...any)           { e.end("skipped") }
func (e *ended) Skipf(string, ...any)  { e.end("skipped") }
func (e *ended) Fatal(...any)          { e.end("failed") }
func (e *ended) Fatalf(string, ...any) { e.end("failed") }
func (e *ended) end(how string)        { e.how = how; panic(e) }

// outcome returns how a test ends that calls f, or "" if it goes on.
func outcome(f func(testing.TB)) string {
	e := &ended{}
	func() {
		defer func() { recover() }() //nolint:errcheck // end
		f(e)
	}()
	return e.how
}

// TestMissing: what is missing skips a test, and fails it only if that is required.
func TestMissing(t *testing.T) {
	for _, c := range []struct{ faults, numpy, want string }{{"", "", "skipped"}, {"1", "", "failed"}, {"0", "", "skipped"}, {"", "1", "skipped"}} {
		t.Setenv("TLAYOUT_TEST_REQUIRE_FAULTS", c.faults)
		t.Setenv("TLAYOUT_TEST_REQUIRE_NUMPY", c.numpy)
		for _, f := range []func(testing.TB){
			func(t testing.TB) { Missing(t, "FAULTS", errors.New("no strace")) },
			func(t testing.TB) { Programs(t, "go", "no-such-program") },
			func(t testing.TB) { Disk(t, errors.New("in memory")) },
		} {
			if got := outcome(f); got != c.want {
				t.Errorf("%+v: %s", c, got)
			}
		}
		if got := outcome(func(t testing.TB) { Disk(t, nil) }); got != "" {
			t.Errorf("a need that is met: %s", got)
		}
	}
}

// TestMade: on Linux a file that cannot be made is a failure, required or not.
func TestMade(t *testing.T) {
	t.Setenv("TLAYOUT_TEST_REQUIRE_FAULTS", "")
	want := "failed"
	if runtime.GOOS != "linux" {
		want = "skipped"
	}
	if got := outcome(func(t testing.TB) { Made(t, errors.New("no room")) }); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := outcome(func(t testing.TB) { Made(t, nil) }); got != "" {
		t.Errorf("a file that is made: %s", got)
	}
}

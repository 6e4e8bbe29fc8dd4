package oracle

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// Questions come back in order, and the end of the answers is one.
func TestEcho(t *testing.T) {
	o := NumPy(t, "echo.py", "json")
	var got []int
	if err := o.Ask([]int{1, 2}); err != nil || o.Version != "json" {
		t.Fatal(o.Version, err)
	}
	if err := o.Read(&got); err != nil || len(got) != 2 || got[1] != 2 {
		t.Errorf("%v, %v", got, err)
	}
	fmt.Fprintln(o, "a line")
	o.Close()
	if line, err := o.Line(); line != "a line" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
	if line, err := o.Line(); line != "" || err != io.EOF {
		t.Errorf("behind the last line: %q, %v", line, err)
	}
}

// ended is a test that notes how it ends.
type ended struct {
	testing.TB
	how      string
	cleanups []func()
}

func (e *ended) Helper()               {}
func (e *ended) Logf(string, ...any)   {}
func (e *ended) Cleanup(f func())      { e.cleanups = append(e.cleanups, f) }
func (e *ended) Skipf(string, ...any)  { e.how = "skipped" }
func (e *ended) Fatalf(string, ...any) { e.how = "failed"; panic(e) }
func (e *ended) Errorf(format string, args ...any) {
	e.how = "complained: " + fmt.Sprintf(format, args...)
}

// Where the library is missing, a test is skipped, or fails if the environment requires that very library. A script that
// ends badly fails the test behind it.
func TestMissing(t *testing.T) {
	NumPy(t, "echo.py", "json") // skips this test where there is no Python
	outcome := func(ask func(testing.TB, string, ...string) *Oracle, args ...string) string {
		e := &ended{TB: t}
		func() {
			defer func() { recover() }()
			ask(e, "echo.py", args...)
		}()
		for _, f := range e.cleanups {
			f()
		}
		return e.how
	}
	for _, c := range []struct{ numpy, torch, want string }{{"", "", "skipped skipped"}, {"1", "", "failed skipped"}, {"", "1", "skipped failed"}} {
		t.Setenv("TLAYOUT_TEST_REQUIRE_NUMPY", c.numpy)
		t.Setenv("TLAYOUT_TEST_REQUIRE_TORCH", c.torch)
		if got := outcome(NumPy, "no_such_module") + " " + outcome(Torch, "no_such_module"); got != c.want {
			t.Errorf("required %q, %q: %s, want %s", c.numpy, c.torch, got, c.want)
		}
	}
	if got := outcome(NumPy, "json"); got != "" {
		t.Errorf("a script that ends well: %s", got)
	}
	if got := outcome(NumPy, "json", "out of words"); !strings.Contains(got, "exit status 1") || !strings.Contains(got, "out of words") {
		t.Errorf("a script that ends badly: %s", got)
	}
}

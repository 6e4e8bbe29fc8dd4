package oracle

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// TestEcho: questions come back in order, followed by the end.
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
		t.Errorf("after the last line: %q, %v", line, err)
	}
}

// ended is a test that records how it ends.
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

// outcome returns how a test ends that asks a script.
func outcome(t *testing.T, ask func(testing.TB, string, ...string) *Oracle, script string, args ...string) string {
	e := &ended{TB: t}
	func() {
		defer func() { recover() }()
		ask(e, script, args...)
	}()
	for _, f := range e.cleanups {
		f()
	}
	return e.how
}

// TestMissing: if the library is missing, a test is skipped, or fails if the environment requires that library.
func TestMissing(t *testing.T) {
	NumPy(t, "echo.py", "json") // skips this test without Python
	for _, c := range []struct{ numpy, torch, want string }{{"", "", "skipped skipped"}, {"1", "", "failed skipped"}, {"", "1", "skipped failed"}} {
		t.Setenv("TLAYOUT_TEST_REQUIRE_NUMPY", c.numpy)
		t.Setenv("TLAYOUT_TEST_REQUIRE_TORCH", c.torch)
		numpy := outcome(t, NumPy, "fails.py", "ModuleNotFoundError", "No module named 'numpy'")
		torch := outcome(t, Torch, "fails.py", "ModuleNotFoundError", "No module named 'torch'")
		if got := numpy + " " + torch; got != c.want {
			t.Errorf("required %q, %q: %s, want %s", c.numpy, c.torch, got, c.want)
		}
	}
}

// TestFailing: a script that fails for any other reason fails the test, before its first line, including an import of something else, or
// after it.
func TestFailing(t *testing.T) {
	NumPy(t, "echo.py", "json")
	for _, name := range []string{"NUMPY", "TORCH", "PILLOW"} {
		t.Setenv("TLAYOUT_TEST_REQUIRE_"+name, "")
	}
	for _, args := range [][]string{
		{"fails.py", "ModuleNotFoundError", "No module named 'nonsense'"}, {"fails.py", "ImportError", "cannot import name 'x' from 'numpy'"},
		{"fails.py", "ValueError", "No module named 'numpy'"}, {"echo.py", "no_such_module"}, {"no_such_script.py"},
	} {
		for _, ask := range []func(testing.TB, string, ...string) *Oracle{NumPy, Torch, Pillow} {
			if got := outcome(t, ask, args[0], args[1:]...); got != "failed" {
				t.Errorf("%q: %s", args, got)
			}
		}
	}
	if got := outcome(t, NumPy, "fails.py", "ModuleNotFoundError", "No module named 'torch'"); got != "failed" {
		t.Errorf("another library: %s", got)
	}
	if got := outcome(t, NumPy, "echo.py", "json"); got != "" {
		t.Errorf("a script that ends well: %s", got)
	}
	got := outcome(t, NumPy, "echo.py", "json", "out of words")
	if !strings.Contains(got, "exit status 1") || !strings.Contains(got, "out of words") {
		t.Errorf("a script that ends badly: %s", got)
	}
}

// TestLate: a program that does not answer, does not read a question, or does not end is killed, and the error has its name.
func TestLate(t *testing.T) {
	NumPy(t, "echo.py", "json")
	defer func(was time.Duration) { timeout = was }(timeout)
	huge := make([]byte, 1<<20) // more than a pipe buffers
	for _, c := range []struct {
		how, want string
		wait      func(*Oracle) error
	}{
		{"is silent", "no answer", func(o *Oracle) error { _, err := o.Line(); return err }},
		{"is silent", "no answer", func(o *Oracle) error { var x any; return o.Read(&x) }},
		{"is silent", "no answer", func(o *Oracle) error { _, err := o.Bytes(1); return err }},
		{"answers some bytes", "no answer", func(o *Oracle) error { _, err := o.Bytes(3); return err }},
		{"is silent", "has not read its input", func(o *Oracle) error { _, err := o.Write(huge); return err }},
		{"is silent", "has not read its input", func(o *Oracle) error { return o.Ask(huge) }},
		{"is silent", "no answer", (*Oracle).End},
		{"does not end", "has not exited", (*Oracle).End},
	} {
		timeout = time.Minute
		o := NumPy(&ended{TB: t}, "late.py", c.how)
		timeout = 30 * time.Millisecond
		err, want := c.wait(o), "late.py: "+c.want+" for 30ms"
		if end := o.End(); err == nil || err.Error() != want || end == nil || end.Error() != want {
			t.Errorf("%s: %v, then %v, want %s", c.how, err, end, want)
		}
	}
}

// TestNamed: the interpreter named by the environment is used, and must exist.
func TestNamed(t *testing.T) {
	NumPy(t, "echo.py", "json")
	t.Setenv("TLAYOUT_TEST_PYTHON", "no/such/python")
	t.Setenv("TLAYOUT_TEST_REQUIRE_NUMPY", "")
	if got := outcome(t, NumPy, "echo.py", "json"); got != "failed" {
		t.Errorf("a Python that does not exist: %s", got)
	}
}

// TestBefore: versions are compared by their first two numbers.
func TestBefore(t *testing.T) {
	for _, c := range []struct {
		is, than string
		want     bool
	}{{"torch 1.13.0a0", "2.3", true}, {"numpy 2.5.5", "2.5", false}, {"2.15.0+cu132", "2.7", false}, {"numpy 2.4.6", "2.5", true}, {"numpy 2.0.2", "2", false}} {
		if got := (&Oracle{Version: c.is}).Before(c.than); got != c.want {
			t.Errorf("%s before %s: %v", c.is, c.than, got)
		}
	}
}

// TestUnflushed: output that a script does not flush arrives.
func TestUnflushed(t *testing.T) {
	NumPy(t, "echo.py", "json")
	t.Setenv("PYTHONUNBUFFERED", "")
	o := NumPy(&ended{TB: t}, "late.py", "forgets to flush")
	fmt.Fprintln(o, "a line")
	if line, err := o.Line(); line != "a line" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
	o.kill("has answered") //nolint:errcheck // it sleeps
	o.End()                //nolint:errcheck // was killed
}

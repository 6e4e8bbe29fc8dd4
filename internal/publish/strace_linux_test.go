package publish

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// traced are the calls that the program may make for its output; "?" accepts one that a system lacks.
const traced = "?openat,?write,?fallocate,?fchmod,?fsync,?fcntl,?fcntl64,?close,?linkat,?renameat,?renameat2,?unlinkat,?flock," +
	"?access,?faccessat,?faccessat2,?newfstatat,?fstatat64,?fstat,?fstat64,?statx"

// point is one system call of the program: the nth of that name.
type point struct {
	call string
	n    int
	args string
}

// String omits the arguments, which differ from run to run.
func (p point) String() string { return fmt.Sprintf("%s-%d", p.call, p.n) }

// outcome is how a run of the program ended.
type outcome struct {
	code   int  // exit code; -1 if killed
	killed bool // by SIGKILL
	stderr string
	trace  string
}

// run executes the program under strace with the given injections.
func run(t *testing.T, orders string, inject ...string) outcome {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "trace")
	args := []string{"-f", "-q", "-e", "signal=none", "-e", "trace=" + traced, "-o", log}
	for _, s := range inject {
		args = append(args, "-e", "inject="+s)
	}
	cmd := exec.Command("strace", append(args, self)...)
	cmd.Env = append(os.Environ(), helperVar+"="+orders, "GORACE=atexit_sleep_ms=0", "GOCOVERDIR="+t.TempDir())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Run() //nolint:errcheck // the exit state is checked
	trace, err := os.ReadFile(log)
	if err != nil {
		t.Fatalf("strace: %v: %s", err, &stderr)
	}
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	killed := status.Signaled() && status.Signal() == syscall.SIGKILL
	return outcome{cmd.ProcessState.ExitCode(), killed, stderr.String(), string(trace)}
}

// points lists the calls that the program makes for its output, without the os package's queries about its descriptors, whose results it
// ignores.
func points(t *testing.T, trace string) (list []point) {
	t.Helper()
	thread, _, _ := strings.Cut(trace[strings.LastIndex(trace[:strings.Index(trace, markBegin)], "\n")+1:], " ")
	count, inside := map[string]int{}, false
	for line := range strings.Lines(trace) {
		pid, rest, _ := strings.Cut(line, " ")
		call, args, ok := strings.Cut(strings.TrimSpace(rest), "(")
		if pid != thread || !ok || strings.HasPrefix(call, "<") {
			continue
		}
		count[call]++
		switch {
		case strings.Contains(args, markBegin):
			inside = true
		case strings.Contains(args, markEnd):
			return list
		case inside && !strings.Contains(args, "F_GETFL") && !strings.Contains(args, "F_SETFL"):
			list = append(list, point{call, count[call], args})
		}
	}
	t.Fatalf("no end in trace:\n%s", trace)
	return nil
}

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tlayout/tlayout/internal/command/fixture"
)

// tally counts what was tried, over subtests that run side by side.
type tally struct {
	mu   sync.Mutex
	n    map[string]int
	what string
}

func newTally(t *testing.T, what string) *tally {
	c := &tally{n: map[string]int{}, what: what}
	t.Cleanup(func() { t.Logf("%s: %v", c.what, c.n) })
	return c
}

func (c *tally) add(how string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[how]++
}

// mutating are the calls that can leave something behind.
var mutating = strings.Fields("openat write pwrite64 fallocate fchmod fcntl fsync close linkat renameat renameat2 unlinkat flock")

var deadly = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// TestKilledAtEveryCall: killed at whatever mutating system call, a command leaves the result old, new or absent, and whole.
// Where a file without a name was possible, nothing is beside it, with one exception: a result that was to replace another
// one, complete, between its two last calls.
func TestKilledAtEveryCall(t *testing.T) {
	needFaults(t)
	c := newTally(t, "kill -9 at system calls")
	for _, r := range replacements {
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, r)
			s.atEveryCall(t, func(call string, n int) bool {
				cmd, _ := s.traced(t, call, n, syscall.SIGKILL)
				by, code := ending(cmd)
				if by == 0 && code == 0 {
					return false
				}
				c.add(s.checkKilled(t, fmt.Sprintf("%s %d", call, n), by, code))
				return true
			})
		})
	}
}

// TestKilledAnyTime: the same at random moments.
func TestKilledAnyTime(t *testing.T) {
	c := newTally(t, "kill -9 at random times")
	for _, r := range replacements {
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, r)
			s.atRandomTimes(t, rounds(24), syscall.SIGKILL, func(what string, by syscall.Signal, code int, _ string) {
				c.add(s.checkKilled(t, what, by, code))
			})
		})
	}
}

// TestSignalAtEveryCall: whatever system call a signal comes at, it ends the program, unless that was done; the result is
// old, new or absent, nothing is beside it, and nothing is reported as an error.
func TestSignalAtEveryCall(t *testing.T) {
	needFaults(t)
	c := newTally(t, "signals at system calls")
	for i, r := range replacements {
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, r)
			s.atEveryCall(t, func(call string, n int) bool {
				i++
				signal := deadly[i%len(deadly)]
				cmd, hit := s.traced(t, call, n, signal)
				if !hit {
					return false
				}
				by, code := ending(cmd)
				c.add(s.checkSignaled(t, fmt.Sprintf("%v at %s %d", signal, call, n), signal, by, code, fmt.Sprint(cmd.Stderr)))
				return true
			})
		})
	}
}

// TestSignalAnyTime: the same at random moments.
func TestSignalAnyTime(t *testing.T) {
	c := newTally(t, "signals at random times")
	for _, r := range replacements {
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, r)
			for _, signal := range deadly {
				s.atRandomTimes(t, rounds(16), signal, func(what string, by syscall.Signal, code int, stderr string) {
					c.add(s.checkSignaled(t, what, signal, by, code, stderr))
				})
			}
		})
	}
}

// TestSignalOfFirstProcess: the first process of a container, which a signal that it sends itself does not end, ends with
// the code that a shell would show, not with one that says that something failed.
func TestSignalOfFirstProcess(t *testing.T) {
	if err := exec.Command("unshare", "--pid", "--fork", "true").Run(); err != nil {
		t.Skipf("cannot make a process 1: %v", err)
	}
	data := fixture.Must(fixture.Npy("<f4", []int{2, 4, 320, 320}, false))
	for _, signal := range deadly {
		if ossignal.Ignored(signal) { // under nohup, and so in the program
			continue
		}
		cmd := exec.Command("unshare", "--pid", "--fork", "tlayout", "convert", "-", "--to", "nhwc", "-o", "y.npy")
		cmd.WaitDelay = time.Second // what unshare started may live on and hold standard error
		cmd.Dir = t.TempDir()
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		in := fixture.Must(cmd.StdinPipe())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// More than a pipe holds: when it is written, the program reads, and waits for the rest.
		if _, err := in.Write(data[:len(data)/2]); err != nil {
			t.Fatal(err)
		}
		children := fixture.Must(os.ReadFile(fmt.Sprintf("/proc/%[1]d/task/%[1]d/children", cmd.Process.Pid)))
		if err := syscall.Kill(fixture.Must(strconv.Atoi(strings.TrimSpace(string(children)))), signal); err != nil {
			t.Fatal(err)
		}
		late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() }) //nolint:errcheck // the state tells
		cmd.Wait()                                                            //nolint:errcheck // the state tells
		late.Stop()
		if by, code := ending(cmd); by != 0 || code != 128+int(signal) || stderr.Len() > 0 {
			t.Errorf("%v: ended by %v, code %d: %s", signal, by, code, &stderr)
		}
	}
}

// atEveryCall calls try for the first, second, … call of each name, until it is not hit any more.
func (s *stage) atEveryCall(t *testing.T, try func(call string, n int) bool) {
	for _, call := range mutating {
		for n := 1; try(call, n) && !t.Failed(); n++ {
			s.reset()
		}
		s.reset()
	}
}

// traced runs the program, which gets the signal at its nth call of that name. It reports whether it did.
func (s *stage) traced(t *testing.T, call string, n int, signal syscall.Signal) (cmd *exec.Cmd, hit bool) {
	log := filepath.Join(t.TempDir(), "log")
	wrap := []string{"strace", "-f", "-q", "-o", log, "-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:signal=%d:when=%d", call, signal, n)}
	cmd = s.command(wrap...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Run() //nolint:errcheck // the state tells
	text := fixture.Must(os.ReadFile(log))
	return cmd, bytes.Contains(text, []byte("--- "+unix.SignalName(signal)))
}

// atRandomTimes sends a signal to the program at random moments from its start to a little after its end.
func (s *stage) atRandomTimes(t *testing.T, n int, signal syscall.Signal, check func(what string, by syscall.Signal, code int, stderr string)) {
	longest := s.took
	for range n {
		cmd := s.command()
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		start := time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		delay := rand.N(longest)
		timer := time.AfterFunc(delay, func() { cmd.Process.Signal(signal) }) //nolint:errcheck // it may have ended
		cmd.Wait()                                                            //nolint:errcheck // the state tells
		timer.Stop()
		by, code := ending(cmd)
		if by == 0 {
			longest = time.Since(start) + time.Since(start)/8
		}
		check(fmt.Sprintf("%v after %v", signal, delay), by, code, stderr.String())
		s.reset()
	}
}

// checkKilled judges a program that was killed, and says what was found.
func (s *stage) checkKilled(t *testing.T, what string, by syscall.Signal, code int) string {
	t.Helper()
	state := s.state()
	switch {
	case by != syscall.SIGKILL && (by != 0 || code != 0 || state != "new"):
		t.Errorf("%s: ended by %v, code %d; the result is %s", what, by, code, state)
	case state != "before" && state != "new":
		t.Errorf("%s: the result is %s", what, state)
	}
	names := s.leftovers()
	switch {
	case len(names) == 0:
		return state
	case len(names) == 1 && s.named:
		return state + ", draft"
	case len(names) == 1 && s.present && state == "before":
		if text := fixture.Must(os.ReadFile(filepath.Join(s.dir, "out", names[0]))); bytes.Equal(text, s.new) {
			return state + ", and new under its passing name"
		}
	}
	t.Errorf("%s: beside the result: %v", what, names)
	return state
}

// checkSignaled judges a program that got a signal that it can handle.
func (s *stage) checkSignaled(t *testing.T, what string, signal, by syscall.Signal, code int, stderr string) string {
	t.Helper()
	state := s.state()
	if by != signal && (by != 0 || code != 0 || state != "new") {
		t.Errorf("%s: ended by %v, code %d; the result is %s; %s", what, by, code, state, stderr)
	}
	if state != "before" && state != "new" {
		t.Errorf("%s: the result is %s", what, state)
	}
	if strings.Contains(stderr, "tlayout:") {
		t.Errorf("%s: says %s", what, stderr)
	}
	if names := s.leftovers(); len(names) > 0 {
		t.Errorf("%s: beside the result: %v", what, names)
	}
	if by == 0 {
		return "done before"
	}
	return state
}

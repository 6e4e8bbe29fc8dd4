package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/random"
)

// mutating are the system calls that change files.
var mutating = strings.Fields("openat write pwrite64 fallocate fchmod fcntl fsync close linkat renameat renameat2 unlinkat flock")

var deadly = []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}

// TestKilledAtEveryCall: a command killed at any mutating system call leaves the result old, new or absent, and complete. If the file system
// has files without names, nothing else remains, except a complete result between the last two calls that replace the old one.
func TestKilledAtEveryCall(t *testing.T) {
	need.Strace(t)
	whole, alone := countTrials(t), countTrials(t)
	eachReplacement(t, func(t *testing.T, s *stage) {
		for _, p := range s.points(t, mutating, 5) {
			cmd, hit := s.traced(t, p, fmt.Sprintf("signal=%d", syscall.SIGKILL))
			if by, code := ending(cmd); hit || by != 0 {
				s.checkKilled(t, whole, alone, p.String(), by, code)
			}
			s.reset()
		}
	})
}

// TestKilledAnyTime: the same at random moments.
func TestKilledAnyTime(t *testing.T) {
	whole, alone := countTrials(t), countTrials(t)
	eachReplacement(t, func(t *testing.T, s *stage) {
		s.atRandomTimes(t, rounds(3), syscall.SIGKILL, func(what string, by syscall.Signal, code int, _ string) {
			s.checkKilled(t, whole, alone, what, by, code)
		})
	})
}

// TestSignalAtEveryCall: a signal at any system call ends the program, unless it has finished; the result is old, new or absent, no other file
// remains, and no error is reported.
func TestSignalAtEveryCall(t *testing.T) {
	need.Strace(t)
	c := countTrials(t)
	eachReplacement(t, func(t *testing.T, s *stage) {
		for i, p := range s.points(t, mutating, 4) {
			signal := deadly[i%len(deadly)]
			cmd, hit := s.traced(t, p, fmt.Sprintf("signal=%d", signal))
			if by, code := ending(cmd); hit {
				s.checkSignaled(t, c, fmt.Sprintf("%v at %v", signal, p), signal, by, code, fmt.Sprint(cmd.Stderr))
			}
			s.reset()
		}
	})
}

// TestSignalAnyTime: the same at random moments.
func TestSignalAnyTime(t *testing.T) {
	c := countTrials(t)
	eachReplacement(t, func(t *testing.T, s *stage) {
		for _, signal := range deadly {
			s.atRandomTimes(t, rounds(1), signal, func(what string, by syscall.Signal, code int, stderr string) {
				s.checkSignaled(t, c, what, signal, by, code, stderr)
			})
		}
	})
}

// TestSignalTwice: a program that gets a signal several times at once still removes its draft. timeout(1) signals the program and its group.
// Here each thread gets a signal at its first write.
func TestSignalTwice(t *testing.T) {
	need.Strace(t)
	c := countTrials(t)
	s := newStage(t, replacement{args: "convert b.npy --to nhwc -o OUT.npy --threads 8", named: true})
	for i := range rounds(8) {
		signal := deadly[i%len(deadly)]
		cmd, _ := s.traced(t, point{"pwrite64", 1}, fmt.Sprintf("signal=%d", signal))
		by, code := ending(cmd)
		s.checkSignaled(t, c, fmt.Sprintf("%v, trial %d", signal, i), signal, by, code, fmt.Sprint(cmd.Stderr))
		s.reset()
	}
}

// eachReplacement tries each replacement in a folder of its own, some in parallel. Of bench, which takes long, it tries two, unless the
// environment asks for more.
func eachReplacement(t *testing.T, try func(t *testing.T, s *stage)) {
	t.Helper()
	for _, r := range random.Sample(replacements, 5) {
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			try(t, newStage(t, r))
		})
	}
}

// TestSignalOfFirstProcess: process 1 of a container cannot end itself by a signal. It ends with the exit code that a shell would show, not
// with that of an error.
func TestSignalOfFirstProcess(t *testing.T) {
	need.Namespace(t)
	data := fixture.Must(fixture.Npy("<f4", []int{2, 4, 320, 320}, false))
	for _, signal := range deadly {
		if ossignal.Ignored(signal) { // under nohup; the program inherits it
			continue
		}
		cmd := exec.Command("unshare", "--pid", "--fork", "tlayout", "convert", "-", "--to", "nhwc", "-o", "y.npy")
		cmd.WaitDelay = time.Second // unshare's child may survive and hold standard error
		cmd.Dir = t.TempDir()
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		in := fixture.Must(cmd.StdinPipe())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// More than a pipe holds: once it is written, the program is reading and waits for the rest.
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

// point is the nth system call of this name in a thread of the program.
type point struct {
	call string
	n    int
}

func (p point) String() string { return fmt.Sprintf("%s %d", p.call, p.n) }

// points returns calls of these names that the program makes after its start: all if the environment asks for it, otherwise n, evenly
// spread, and those that name files.
func (s *stage) points(t *testing.T, calls []string, n int) []point {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	asked := []string{"?access", "?faccessat"}
	for _, call := range calls {
		asked = append(asked, "?"+call)
	}
	cmd := s.command("strace", "-f", "-q", "-o", log, "-e", "signal=none", "-e", "trace="+strings.Join(asked, ","))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.reset()
	thread, begun := "", map[string]int{} // the first thread, and its calls before the program began
	most, counts := map[string]int{}, map[string]map[string]int{}
	for line := range strings.Lines(string(fixture.Must(os.ReadFile(log)))) {
		id, rest, _ := strings.Cut(line, " ")
		call, args, ok := strings.Cut(strings.TrimSpace(rest), "(")
		if !ok || strings.HasPrefix(call, "<") {
			continue
		}
		if counts[id] == nil {
			counts[id] = map[string]int{}
		}
		counts[id][call]++
		if strings.Contains(args, markBegin) {
			thread, begun = id, maps.Clone(counts[id])
		}
		most[call] = max(most[call], counts[id][call])
	}
	if thread == "" {
		t.Fatal("the trace does not show the program's begin")
	}
	var all []point
	for _, call := range calls {
		for i := begun[call] + 1; i <= most[call]; i++ {
			all = append(all, point{call, i})
		}
	}
	if os.Getenv(faultsVariable) != "" || len(all) <= n {
		return all
	}
	start := s.draw.IntN(len(all))
	var some []point
	for i, p := range all {
		if (i+start)*n/len(all) != (i+start+1)*n/len(all) || p.call == "linkat" || strings.HasPrefix(p.call, "rename") {
			some = append(some, p)
		}
	}
	return some
}

// traced runs the program with a signal or an error at a system call. It reports whether that call happened.
func (s *stage) traced(t *testing.T, p point, inject string) (cmd *exec.Cmd, hit bool) {
	log := filepath.Join(s.dir, "log")
	cmd = s.command("strace", "-f", "-q", "-o", log, "-e", "trace="+p.call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", p.call, inject, p.n))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Run() //nolint:errcheck // the state tells
	text := fixture.Must(os.ReadFile(log))
	return cmd, bytes.Contains(text, []byte("--- SIG")) && strings.HasPrefix(inject, "signal") || bytes.Contains(text, []byte("(INJECTED)"))
}

// atRandomTimes sends a signal to the program at random moments from its start to shortly after its end.
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
		delay := time.Duration(s.draw.Int64N(int64(longest)))
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

// checkKilled checks that the result of a killed program is complete, and that no other files remain.
func (s *stage) checkKilled(t *testing.T, whole, alone *trials, what string, by syscall.Signal, code int) {
	t.Helper()
	state := s.state()
	var problems []string
	switch {
	case by != syscall.SIGKILL && (by != 0 || code != 0 || state != "new"):
		problems = append(problems, fmt.Sprintf("ended by %v, code %d; the result is %s", by, code, state))
	case !s.allowed(state):
		problems = append(problems, "the result is "+state)
	}
	whole.try(t, what, state, problems...)
	names := s.leftovers()
	switch {
	case len(names) == 0:
		if !s.named {
			alone.try(t, what, "alone")
		}
		return
	case s.named:
		return
	case len(names) == 1 && s.present && state != "new":
		text := fixture.Must(os.ReadFile(filepath.Join(s.dir, "out", names[0])))
		for name, want := range s.new {
			if same(name, text, want) {
				alone.try(t, what, "new under its passing name")
				return
			}
		}
	}
	alone.try(t, what, "left over", fmt.Sprintf("beside the result: %v", names))
}

// checkSignaled checks the result of a program that handled a signal.
func (s *stage) checkSignaled(t *testing.T, c *trials, what string, signal, by syscall.Signal, code int, stderr string) {
	t.Helper()
	state := s.state()
	var problems []string
	if by != signal && (by != 0 || code != 0 || state != "new") {
		problems = append(problems, fmt.Sprintf("ended by %v, code %d; the result is %s; %s", by, code, state, stderr))
	}
	if !s.allowed(state) {
		problems = append(problems, "the result is "+state)
	}
	if strings.Contains(stderr, "tlayout: error:") {
		problems = append(problems, "says "+stderr)
	}
	if names := s.leftovers(); len(names) > 0 {
		problems = append(problems, fmt.Sprintf("beside the result: %v", names))
	}
	if by == 0 {
		state = "done before"
	}
	c.try(t, what, state, problems...)
}

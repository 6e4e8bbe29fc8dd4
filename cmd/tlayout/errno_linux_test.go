package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tlayout/tlayout/internal/need"
)

// The failing system calls, and their errors.
var (
	failingCalls = strings.Fields("openat newfstatat fstat read pread64 write pwrite64 fallocate ftruncate fchmod fcntl fsync linkat renameat renameat2 unlinkat mkdirat flock close")
	errnos       = strings.Fields("EIO ENOSPC EACCES EMFILE EINTR ENOMEM EXDEV EPERM")
)

// TestFailingCalls: if any system call fails, the n-th of its name, a command that writes a file either succeeds with the right result, or
// reports one error and leaves the old result, or none.
func TestFailingCalls(t *testing.T) {
	t.Parallel()
	need.Strace(t)
	c := countTrials(t)
	tries := 1
	if os.Getenv(faultsVariable) != "" {
		tries = 2
	}
	eachReplacement(t, func(t *testing.T, s *stage) {
		for i, p := range s.points(t, failingCalls, 5) {
			for _, errno := range []string{errnos[i%len(errnos)], errnos[(i+3)%len(errnos)]}[:tries] {
				cmd, hit := s.traced(t, p, "error="+errno)
				if hit {
					s.checkFailed(t, c, fmt.Sprintf("%v: %s", p, errno), p.call == "fsync" && errno != "EINTR", cmd)
				}
				s.reset()
			}
		}
	})
}

// checkFailed checks a program with a failed call, which it must report if must is set.
func (s *stage) checkFailed(t *testing.T, c *trials, what string, must bool, cmd *exec.Cmd) {
	t.Helper()
	by, code := ending(cmd)
	stderr, state := fmt.Sprint(cmd.Stderr), s.state()
	var problems []string
	complain := func(format string, args ...any) {
		problems = append(problems, fmt.Sprintf(format, args...)+fmt.Sprintf("; ended by %v, code %d, the result is %s: %.400s", by, code, state, stderr))
	}
	switch {
	case endedByRuntime(stderr) && s.allowed(state):
		c.try(t, what, "Go's runtime ended it, "+state)
		return
	case by != 0 || code != 0 && code != 5:
		complain("neither done nor refused")
	case code == 0 && state != "new":
		complain("nothing was said")
	case code == 0 && must:
		complain("the failure was not told")
	case code == 5 && !s.isManySources() && strings.Count(stderr, "tlayout: error: ") != 1:
		complain("not one error")
	case code == 5 && !strings.Contains(stderr, "tlayout: error: "): // each failed source has an error
		complain("no error")
	case code == 5 && state == "new" && !saysWritten(stderr), !s.allowed(state):
		complain("a failure")
	}
	if names := s.leftovers(); len(names) > 0 {
		complain("left behind %v", names)
	}
	c.try(t, what, fmt.Sprintf("exit code %d, %s", code, state), problems...)
}

// endedByRuntime reports whether Go's runtime ended the program, because a call of its own failed or memory ran out, which a program cannot
// handle.
func endedByRuntime(stderr string) bool {
	for line := range strings.Lines(stderr) { // a warning may precede it
		if strings.HasPrefix(line, "runtime") || strings.HasPrefix(line, "fatal error: ") {
			return true
		}
	}
	return strings.Contains(stderr, "runtime: out of memory")
}

// saysWritten reports whether an error occurred after the result got its name.
func saysWritten(stderr string) bool {
	return strings.Contains(stderr, "may not survive a power cut") || strings.Contains(stderr, "standard output")
}

// TestFullDisk: on disks slightly smaller and larger than the result, a command that writes a file leaves the complete result or the old one.
func TestFullDisk(t *testing.T) {
	need.Root(t)
	c := countTrials(t)
	eachReplacement(t, func(t *testing.T, s *stage) {
		out, need := filepath.Join(s.dir, "out"), 4
		for _, text := range s.new {
			need += len(text)/4096 + 1
		}
		for _, text := range s.old {
			need += len(text)/4096 + 1
		}
		step := 1
		if os.Getenv(faultsVariable) == "" {
			step = max(1, need/3)
		}
		for pages := need; pages > 1; pages -= step {
			if err := syscall.Mount("tmpfs", out, "tmpfs", 0, fmt.Sprintf("size=%d", pages*4096)); err != nil {
				t.Fatalf("mount: %v", err)
			}
			if s.tryReset() {
				cmd := s.command()
				stderr := new(strings.Builder)
				cmd.Stderr = stderr
				cmd.Run() //nolint:errcheck // the state tells
				s.checkFailed(t, c, fmt.Sprintf("%d pages", pages), false, cmd)
				switch _, code := ending(cmd); {
				case code == 5 && !strings.Contains(stderr.String(), "no space left"):
					t.Errorf("%d pages: %s", pages, stderr)
				case code != 0 && pages == need:
					t.Errorf("%d pages are enough: %s", pages, stderr)
				}
			}
			unmount(t, out)
		}
	})
}

// unmount waits until no file there is open: a process that another test starts inherits open files until it execs.
func unmount(t *testing.T, dir string) {
	t.Helper()
	var err error
	for range 200 {
		if err = syscall.Unmount(dir, 0); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	syscall.Unmount(dir, syscall.MNT_DETACH) //nolint:errcheck // told in the next line
	t.Errorf("a file is still open in %s: %v", dir, err)
}

// tryReset writes the old result, and reports whether the disk has room for it.
func (s *stage) tryReset() bool {
	for name, text := range s.old {
		path := filepath.Join(s.dir, "out", name)
		if os.MkdirAll(filepath.Dir(path), 0o777) != nil || os.WriteFile(path, text, 0o666) != nil || os.Chtimes(path, time.Unix(1e9, 0), time.Unix(1e9, 0)) != nil {
			return false
		}
	}
	return true
}

// TestLimits: with a file size limit that the result exceeds, and with less memory than the program or Go's start needs, the result is
// complete or the old one, and no other file remains.
func TestLimits(t *testing.T) {
	c := countTrials(t)
	eachReplacement(t, func(t *testing.T, s *stage) {
		size := 0
		for _, text := range s.new {
			size = max(size, len(text))
		}
		certain := size // bytes; any smaller limit must fail
		if strings.HasPrefix(s.args, measure) {
			certain = size * 3 / 4 // the length of a measurement varies
		}
		for range rounds(1) {
			blocks := s.draw.IntN(size/512 + 1) // the unit of ulimit
			cmd := s.command("sh", "-c", fmt.Sprintf(`ulimit -f %d && exec "$@"`, blocks), "sh")
			stderr := new(strings.Builder)
			cmd.Stderr = stderr
			cmd.Run() //nolint:errcheck // the state tells
			s.checkFailed(t, c, fmt.Sprintf("files of %d blocks", blocks), blocks*512 < certain, cmd)
			s.reset()
		}
		for range rounds(1) {
			kib := 300_000 + s.draw.IntN(2_700_000)
			cmd := s.command("sh", "-c", fmt.Sprintf(`ulimit -v %d && exec "$@"`, kib), "sh")
			stderr := new(strings.Builder)
			cmd.Stderr = stderr
			cmd.Run() //nolint:errcheck // the state tells
			by, code := ending(cmd)
			state := s.state()
			var problems []string
			if code == 0 && by == 0 && state != "new" || !s.allowed(state) {
				problems = append(problems, fmt.Sprintf("ended by %v, code %d; the result is %s: %.300s", by, code, state, stderr))
			}
			if names := s.leftovers(); len(names) > 0 && !s.named {
				problems = append(problems, fmt.Sprintf("left behind %v", names))
			}
			ended := fmt.Sprintf("exit code %d, %s", code, state)
			if code != 0 && endedByRuntime(stderr.String()) {
				ended = "Go's runtime ended it, " + state
			} else if by != 0 || code != 0 && code != 5 {
				problems = append(problems, fmt.Sprintf("ended by %v, code %d: %.300s", by, code, stderr))
			}
			c.try(t, fmt.Sprintf("%d KiB of addresses", kib), ended, problems...)
			s.reset()
		}
	})
}

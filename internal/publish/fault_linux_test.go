package publish

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/need"
	"github.com/tlayout/tlayout/internal/random"
)

// scenario is a way to run the program; old is the output's content before, "" if it does not exist.
type scenario struct{ orders, old string }

var scenarios = []scenario{
	{"reserve", ""}, // makes no call that the next one does not make
	{"reserve durable", ""},
	{"reserve replace", "old"},
	{"reserve durable named", ""},
	{"reserve replace named", "old"},
}

// begin prepares a directory, and returns the output's path in it, and the program's calls there.
func (s scenario) begin(t *testing.T) (path string, list []point) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "y.npy")
	s.reset(t, path)
	out := run(t, s.orders+" "+path)
	if out.code != 0 {
		t.Fatalf("without faults: exit %d, %s", out.code, out.stderr)
	}
	wantFile(t, path, helperText)
	s.reset(t, path)
	return path, points(t, out.trace)
}

// reset brings the directory into the state before the program ran.
func (s scenario) reset(t *testing.T, path string) {
	t.Helper()
	for _, name := range list(t, filepath.Dir(path)) {
		os.Remove(filepath.Join(filepath.Dir(path), name))
	}
	if s.old != "" {
		writeFile(t, path, s.old)
	}
}

// state returns the output's state: "before", "new", or a description of a violation.
func (s scenario) state(path string) string {
	switch p, err := os.ReadFile(path); {
	case err != nil && s.old == "" && os.IsNotExist(err), err == nil && s.old != "" && string(p) == s.old:
		return "before"
	case err == nil && string(p) == helperText:
		return "new"
	default:
		return fmt.Sprintf("torn: %d bytes, %v", len(p), err)
	}
}

// leftovers returns the names beside the output.
func leftovers(t *testing.T, path string) (names []string) {
	t.Helper()
	for _, name := range list(t, filepath.Dir(path)) {
		if name != filepath.Base(path) {
			names = append(names, name)
		}
	}
	return names
}

// TestOrder: a durable file is synced in this order; one that is not durable never waits for the disk.
func TestOrder(t *testing.T) {
	need.Strace(t)
	for orders, want := range map[string]string{
		"reserve":               "file: fallocate write write write linkat",
		"reserve durable":       "file: fallocate write write write fsync linkat dir: fsync",
		"reserve replace":       "file: fallocate write write write fsync linkat linkat dir: renameat fsync",
		"reserve named":         "file: fallocate write write write dir: renameat2",
		"reserve durable named": "file: fallocate write write write fsync dir: renameat2 fsync",
		"reserve replace named": "file: fallocate write write write fsync dir: renameat fsync",
	} {
		s := scenario{orders: orders}
		if strings.Contains(orders, "replace") {
			s.old = "old"
		}
		_, list := s.begin(t)
		var got []string
		file, last := "", ""
		for _, p := range list {
			fd, _, _ := strings.Cut(strings.TrimSuffix(p.args, "\n"), ",")
			fd, _, _ = strings.Cut(fd, ")")
			switch p.call {
			case "write", "fallocate", "fsync", "linkat", "renameat", "renameat2":
			default:
				continue
			}
			if file == "" {
				file = fd
			}
			which := map[bool]string{true: "file:", false: "dir:"}[fd == file]
			if which != last {
				got = append(got, which)
			}
			last = which
			got = append(got, p.call)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", orders, got, want)
		}
	}
}

// TestKill: killed at any system call, the program leaves the output absent, old or new, and nothing beside it.
func TestKill(t *testing.T) {
	need.Strace(t)
	for _, s := range scenarios {
		t.Run(s.orders, func(t *testing.T) {
			t.Parallel()
			path, list := s.begin(t)
			for i, p := range list {
				if !random.Thorough() && i%3 != 0 && !strings.Contains(p.call, "at") {
					continue
				}
				out := run(t, s.orders+" "+path, fmt.Sprintf("%s:signal=SIGKILL:when=%d", p.call, p.n))
				if !out.killed {
					t.Errorf("%v: not killed, exit %d", p, out.code)
				}
				if state := s.state(path); state != "before" && state != "new" {
					t.Errorf("%v: output is %s", p, state)
				}
				s.checkLeftovers(t, p, path)
				s.reset(t, path)
			}
		})
	}
}

// checkLeftovers checks that a kill at p left nothing beside the output, except for named drafts and the passing name just before its
// renameat, which the next replacement removes.
func (s scenario) checkLeftovers(t *testing.T, p point, path string) {
	t.Helper()
	names := leftovers(t, path)
	switch {
	case len(names) == 0:
	case len(names) == 1 && strings.Contains(s.orders, "named"):
	case len(names) == 1 && strings.Contains(s.orders, "replace") && p.call == "renameat":
		wantFile(t, filepath.Join(filepath.Dir(path), names[0]), helperText)
		if err := helperPublish(path, Options{Replace: true}, (*target).draft); err != nil {
			t.Error(err)
		}
		wantFile(t, path, helperText)
		wantAlone(t, path)
	default:
		t.Errorf("%v: left behind %v", p, names)
	}
}

// TestErrno: whichever system call fails, the program succeeds or reports the error, and the output agrees with the report.
func TestErrno(t *testing.T) {
	need.Strace(t)
	errnos := []string{"EIO", "ENOSPC", "EACCES", "EMFILE", "EINTR"}
	if !random.Thorough() {
		errnos = errnos[:1]
	}
	for _, s := range scenarios[1:] {
		t.Run(s.orders, func(t *testing.T) {
			t.Parallel()
			path, list := s.begin(t)
			errnos := errnos
			if strings.Contains(s.orders, "named") {
				errnos = errnos[:min(2, len(errnos))] // the calls are the same
			}
			for _, errno := range errnos {
				for _, p := range list {
					fault := fmt.Sprintf("%s:error=%s:when=%d", p.call, errno, p.n)
					if p.call == "linkat" && errno != "EINTR" {
						fault += "+" // there are two ways to link; both must fail
					}
					out := run(t, s.orders+" "+path, fault)
					if strings.Count(out.trace, "(INJECTED)") == 0 {
						t.Errorf("%v: %s: not injected", p, errno)
					}
					if problem := s.judge(out, path); problem != "" {
						t.Errorf("%v: %s: exit %d, %s: %s", p, errno, out.code, problem, out.stderr)
					}
					if names := leftovers(t, path); len(names) > 0 {
						t.Errorf("%v: %s: left behind %v", p, errno, names)
					}
					if out.code == 0 && errno == "EIO" && matters(p, list) {
						t.Errorf("%v: %s: not reported", p, errno)
					}
					s.reset(t, path)
				}
			}
		})
	}
}

// matters reports whether a failure of p must be reported: all but closing what is on disk, checking for /proc, locking, and what
// os.OpenRoot asks for a better message.
func matters(p point, list []point) bool {
	switch p.call {
	case "close":
		return slices.Index(list, p) < slices.IndexFunc(list, point.givesName)
	case "faccessat", "access", "flock", "fstat", "fstat64", "statx":
		return false
	}
	return true
}

func (p point) givesName() bool {
	return strings.HasPrefix(p.call, "linkat") || strings.HasPrefix(p.call, "rename")
}

// judge returns the problems of the program's end; "" for none.
func (s scenario) judge(out outcome, path string) string {
	state := s.state(path)
	switch {
	case out.code == 0 && state != "new":
		return "output is " + state
	case out.code == 0:
		return ""
	case out.code != 5:
		return "wrong exit code"
	case strings.Count(out.stderr, "\n") != 1 || !strings.Contains(out.stderr, filepath.Dir(path)):
		return "unclear message"
	case strings.Contains(out.stderr, "may not survive a power cut") && state == "new":
		return ""
	case state != "before":
		return "output is " + state
	}
	return ""
}

// TestWaysAround: a missing system call has a fallback.
func TestWaysAround(t *testing.T) {
	need.Strace(t)
	for _, c := range []struct{ orders, call, args, errno string }{
		{"reserve", "openat", "O_TMPFILE", "EOPNOTSUPP"},
		{"reserve replace", "openat", "O_TMPFILE", "EISDIR"},
		{"reserve", "openat", "O_TMPFILE", "ENOENT"},
		{"reserve", "faccessat", "/proc/self/fd", "ENOENT"},
		{"reserve", "fallocate", "", "EOPNOTSUPP"},
		{"reserve", "fallocate", "", "ENOSYS"},
		{"reserve", "linkat", "", "ENOENT"},
		{"reserve replace", "linkat", "tlayout", "ENOENT"},
		{"reserve replace", "flock", "", "ENOSYS"},
		{"reserve durable named", "renameat2", "", "EINVAL"},
		{"reserve durable named", "renameat2", "", "ENOSYS"},
		{"reserve", "linkat", "", "EINTR"},
		{"reserve replace", "renameat", "", "EINTR"},
		{"reserve", "fallocate", "", "EINTR"},
		{"reserve", "write", "", "EINTR"},
	} {
		s := scenario{orders: c.orders}
		if strings.Contains(c.orders, "replace") {
			s.old = "old"
		}
		path, list := s.begin(t)
		hit := false
		for _, p := range list {
			if p.call != c.call || !strings.Contains(p.args, c.args) {
				continue
			}
			hit = true
			out := run(t, s.orders+" "+path, fmt.Sprintf("%s:error=%s:when=%d", p.call, c.errno, p.n))
			if out.code != 0 || !strings.Contains(out.trace, "(INJECTED)") {
				t.Errorf("%s %s: exit %d: %s", c.call, c.errno, out.code, out.stderr)
			}
			wantFile(t, path, helperText)
			wantAlone(t, path)
			break
		}
		if !hit {
			t.Errorf("%s: no %s", c.orders, c.call)
		}
	}
}

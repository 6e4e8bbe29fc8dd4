package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
)

// What the tests of interrupted and of concurrent replacements share: programs that write one file, and what may be under
// its name afterwards.

// What the program, which is this test binary, does before it begins: pinVar keeps its system calls on one thread, which is
// how strace counts them; namedVar denies it faccessat, so that it misses /proc and gives its drafts names.
const pinVar, namedVar = "TLAYOUT_TEST_PIN", "TLAYOUT_TEST_NAMED"

func init() {
	if os.Getenv(pinVar) != "" {
		runtime.LockOSThread()
	}
	if os.Getenv(namedVar) != "" {
		cli.Must(denyFaccessat())
	}
}

// denyFaccessat makes faccessat fail with ENOENT in this process, by a seccomp filter.
func denyFaccessat() error {
	const number = 0 // where a filter finds the system call's number
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_FACCESSAT, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOENT)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}

// replacement is a command that writes OUT.
type replacement struct {
	args    string
	present bool // OUT exists before
	named   bool // the draft has a name, as on file systems without O_TMPFILE
}

func (r replacement) String() string {
	return strings.ReplaceAll(r.args, " ", "_") + map[bool]string{true: "_named"}[r.named]
}

// replacements are the kinds: new and old results, drafts without and with a name, a converter and a drawing.
var replacements = []replacement{
	{args: "convert B --to nhwc -o OUT"},
	{args: "convert B --to nchw4 -o OUT --force", present: true},
	{args: "convert B --to nhwc -o OUT --durable", named: true},
	{args: "convert B --to nchw4 -o OUT --force --verify", present: true, named: true},
	{args: "draw SMALL -o OUT --force --format table", present: true},
}

// stage is a folder in which a replacement is tried.
type stage struct {
	replacement
	dir      string
	old, new []byte        // what OUT holds before and after
	took     time.Duration // from the program's start to its end
}

// outName is the name of OUT, which decides what is written.
func (r replacement) outName() string {
	if strings.HasPrefix(r.args, "draw") {
		return "y.svg"
	}
	return "y.npz"
}

// newStage writes the sources, and runs the program once to learn what it writes.
func newStage(t *testing.T, r replacement) *stage {
	t.Helper()
	s := &stage{replacement: r, dir: t.TempDir()}
	cli.Must(os.Mkdir(filepath.Join(s.dir, "out"), 0o777))
	shape := []int{2, 3, 160, 160} // 3 channels: their padding is recorded in layout.json
	b := fixture.Must(fixture.Npy("<f4", shape, false))
	cli.Must(os.WriteFile(filepath.Join(s.dir, "b.npy"), b, 0o666))
	cli.Must(os.WriteFile(filepath.Join(s.dir, "small.npy"), fixture.Must(fixture.Npy("<f4", []int{2, 4, 3, 3}, false)), 0o666))
	cmd, start := s.command(), time.Now()
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", cmd, err, text)
	}
	s.took = time.Since(start)
	s.new = fixture.Must(os.ReadFile(s.out()))
	if r.present {
		s.old = slices.Clone(b)
		slices.Reverse(s.old[len(b)/2:])
	}
	s.reset()
	return s
}

func (s *stage) out() string { return filepath.Join(s.dir, "out", s.outName()) }

// words are the arguments of tlayout.
func (s *stage) words() []string {
	return strings.Fields(strings.NewReplacer("OUT", "out/"+s.outName(), "B", "b.npy", "SMALL", "small.npy").Replace(s.args))
}

// command is the program, as it is or as the program that wrap traces.
func (s *stage) command(wrap ...string) *exec.Cmd {
	words := append(append(slices.Clone(wrap), "tlayout"), s.words()...)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "TMPDIR=" + s.dir, "GORACE=atexit_sleep_ms=0", "GOCOVERDIR=" + s.dir, pinVar + "=1"}
	if s.named {
		cmd.Env = append(cmd.Env, namedVar+"=1")
	}
	cmd.WaitDelay = 10 * time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // no signal comes back to the test
	return cmd
}

// reset brings the folder into the state before.
func (s *stage) reset() {
	for _, e := range fixture.Must(os.ReadDir(filepath.Join(s.dir, "out"))) {
		cli.Must(os.Remove(filepath.Join(s.dir, "out", e.Name())))
	}
	if s.old != nil {
		cli.Must(os.WriteFile(s.out(), s.old, 0o666))
	}
}

// state is what OUT is: "before", "new" or something that it must never be.
func (s *stage) state() string {
	text, err := os.ReadFile(s.out())
	switch {
	case s.old == nil && errors.Is(err, os.ErrNotExist), err == nil && s.old != nil && bytes.Equal(text, s.old):
		return "before"
	case err == nil && bytes.Equal(text, s.new):
		return "new"
	case err != nil:
		return err.Error()
	}
	return "torn: " + strconv.Itoa(len(text)) + " bytes"
}

// leftovers are the names beside OUT.
func (s *stage) leftovers() (names []string) {
	for _, e := range fixture.Must(os.ReadDir(filepath.Join(s.dir, "out"))) {
		if e.Name() != s.outName() {
			names = append(names, e.Name())
		}
	}
	return names
}

// ending is how a program ended: by a signal, or with an exit code.
func ending(cmd *exec.Cmd) (by syscall.Signal, code int) {
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return status.Signal(), 0
	}
	return 0, status.ExitStatus()
}

// needFaults skips the test where programs cannot be traced, or fails it where the environment says that faults must be
// tested.
func needFaults(t *testing.T) {
	t.Helper()
	out, err := exec.Command("strace", "-f", "-e", "inject=close:error=EIO:when=999", "-o", "/dev/null", "true").CombinedOutput()
	if err == nil {
		return
	}
	if must, _ := strconv.ParseBool(os.Getenv("TLAYOUT_TEST_REQUIRE_FAULTS")); must {
		t.Fatalf("cannot inject faults: %v: %s", err, out)
	}
	t.Skipf("cannot inject faults: %v: %s", err, out)
}

// rounds is how often something random is tried: n, or as often as the environment says.
func rounds(n int) int {
	if more, err := strconv.Atoi(os.Getenv("TLAYOUT_TEST_INTERRUPTIONS")); err == nil {
		return more
	}
	if testing.Short() {
		return max(1, n/4)
	}
	return n
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tlayout/tlayout/internal/command/cli"
	"github.com/tlayout/tlayout/internal/command/fixture"
	"github.com/tlayout/tlayout/internal/random"
)

// Shared by tests of faults: commands that write files, and the states of their outputs allowed afterwards.

// What the program, which is this test binary, does before it begins: pinVar keeps its system calls on one thread, because strace counts
// by thread; namedVar denies faccessat, so that the program does not find /proc and its drafts have names. markBegin is a file looked up to
// mark the begin in a trace.
const pinVar, namedVar, markBegin = "TLAYOUT_TEST_PIN", "TLAYOUT_TEST_NAMED", "/tlayout-test-begin"

func init() {
	if os.Getenv(namedVar) != "" {
		cli.Must(denyFaccessat())
	}
	if os.Getenv(pinVar) != "" {
		runtime.LockOSThread()
		unix.Access(markBegin, 0) //nolint:errcheck // there is none
	}
}

// denyFaccessat makes faccessat fail with ENOENT in this process, with a seccomp filter.
func denyFaccessat() error {
	const number = 0 // offset of the system call's number in a filter's data
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

// replacement is a command that writes OUT, a file of any type, or OUT/, a folder.
type replacement struct {
	args    string
	present bool   // OUT exists before
	named   bool   // the draft has a name, as on file systems without O_TMPFILE
	stdin   string // the file that is standard input
}

func (r replacement) String() string {
	return strings.ReplaceAll(r.args, " ", "_") + map[bool]string{true: "_named"}[r.named]
}

// measure is a bench that takes almost no time.
const measure = "bench --shape 1,3,4,4 " + quick

// replacements are commands that write files of all types: new and replaced results, drafts without and with a name.
var replacements = []replacement{
	{args: "convert b.npy --to nhwc -o OUT.npy"},
	{args: "convert b.npy --to nchw4 -o OUT.npz --force", present: true},
	{args: "convert b.npy --to nhwc -o OUT.npy --durable", named: true},
	{args: "convert b.npy --to nchw4 -o OUT.npz --force --verify", present: true, named: true},
	{args: "convert - --to nhwc -o OUT.npy", stdin: "b.npy"},
	{args: "convert weights.npz --to c -o OUT.npz --force --verify", present: true},
	{args: "convert model.pt -o OUT.npz --force", present: true, named: true},
	{args: "convert model.pt -o OUT.safetensors --durable"},
	{args: "convert m.safetensors -o OUT.pt --force", present: true},
	{args: "convert model.pt --to channels_last -o OUT.pt --verify"},
	{args: "convert model.pt -d OUT/"},
	{args: "convert model.pt -d OUT/ --force", present: true},
	{args: "convert b.npy small.npy model.pt --to c -d OUT/"},
	{args: "convert b.npy small.npy model.pt --to c -d OUT/ --force", present: true, named: true},
	{args: "convert b.npy small.npy model.pt --to c -d OUT/ --update", present: true},
	{args: "draw small.npy -o OUT.svg --force --format table", present: true},
	{args: "draw small.npy -o OUT.png"},
	{args: "draw small.npy -o OUT.html --force", present: true, named: true},
	{args: "draw small.npy -o OUT.txt"},
	{args: measure + " -o OUT.json --force", present: true},
	{args: measure + " -o OUT.svg --force", present: true, named: true},
	{args: measure + " -o OUT.md --force", present: true},
	{args: measure + " -o OUT.csv"},
	{args: measure + " -o OUT.txt"},
	{args: measure + " -o OUT.png"},
}

// stage is a folder in which a replacement is tried.
type stage struct {
	replacement
	dir      string
	old, new map[string][]byte // the files of OUT before and after, by their names in out
	took     time.Duration     // from the program's start to its end
	draw     *rand.Rand        // moments and limits
}

// learned maps replacements that this process has run to their stages, with files and times.
var learned sync.Map

// newStage writes the sources. The first stage of a replacement runs the program to learn what it writes.
func newStage(t *testing.T, r replacement) *stage {
	t.Helper()
	s := &stage{replacement: r, dir: t.TempDir(), draw: random.New(t)}
	cli.Must(os.Mkdir(filepath.Join(s.dir, "out"), 0o777))
	for _, name := range []string{"weights.npz", "model.pt", "m.safetensors"} {
		cli.Must(os.WriteFile(filepath.Join(s.dir, name), fixture.Must(os.ReadFile(filepath.Join(testdataDir, name))), 0o666))
	}
	b := fixture.Must(fixture.Npy("<f4", []int{2, 3, 160, 160}, false)) // layout.json records the padding of 3 channels
	cli.Must(os.WriteFile(filepath.Join(s.dir, "b.npy"), b, 0o666))
	cli.Must(os.WriteFile(filepath.Join(s.dir, "small.npy"), fixture.Must(fixture.Npy("<f4", []int{2, 4, 3, 3}, false)), 0o666))
	if known, ok := learned.Load(r); ok {
		s.old, s.new, s.took = known.(*stage).old, known.(*stage).new, known.(*stage).took
		s.reset()
		return s
	}
	old := slices.Clone(b)
	slices.Reverse(old[len(b)/2:])
	if r.present && !s.isFolder() {
		s.old = map[string][]byte{filepath.Base(s.out()): old}
	}
	s.reset()
	cmd, start := s.command(), time.Now()
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", cmd, err, text)
	}
	s.took = time.Since(start)
	s.new = s.files()
	if r.present && s.isFolder() {
		s.old = map[string][]byte{}
		for name := range s.new {
			s.old[name] = append([]byte(name), old[:5000]...)
		}
	}
	if state := s.state(); state != "new" {
		t.Fatalf("%v: the result is %s", r, state)
	}
	learned.Store(r, s)
	s.reset()
	return s
}

var outWord = regexp.MustCompile(`\bOUT(\.[a-z]+|/)`)

func (r replacement) outName() string {
	return "y" + strings.TrimSuffix(outWord.FindStringSubmatch(r.args)[1], "/")
}
func (s *stage) out() string         { return filepath.Join(s.dir, "out", s.outName()) }
func (r replacement) isFolder() bool { return strings.Contains(r.args, "OUT/") }

// isManySources reports whether the command converts several sources one by one.
func (r replacement) isManySources() bool {
	return strings.HasPrefix(r.args, "convert b.npy small.npy ")
}

// words returns the arguments of tlayout.
func (s *stage) words() []string {
	return strings.Fields(outWord.ReplaceAllString(s.args, "out/y$1"))
}

// command returns the program, run by wrap if given.
func (s *stage) command(wrap ...string) *exec.Cmd {
	words := append(append(slices.Clone(wrap), "tlayout"), s.words()...)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "TMPDIR=" + s.dir, "GORACE=atexit_sleep_ms=0", "GOCOVERDIR=" + s.dir, pinVar + "=1"}
	if s.named {
		cmd.Env = append(cmd.Env, namedVar+"=1")
	}
	if s.stdin != "" {
		cmd.Stdin = fixture.Must(os.Open(filepath.Join(s.dir, s.stdin))) // closed by the garbage collector
	}
	cmd.WaitDelay = 10 * time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // so that no signal reaches the test
	return cmd
}

// reset restores the folder's initial state.
func (s *stage) reset() {
	for _, e := range fixture.Must(os.ReadDir(filepath.Join(s.dir, "out"))) {
		cli.Must(os.RemoveAll(filepath.Join(s.dir, "out", e.Name())))
	}
	for name, text := range s.old {
		path := filepath.Join(s.dir, "out", name)
		cli.Must(os.MkdirAll(filepath.Dir(path), 0o777))
		cli.Must(os.WriteFile(path, text, 0o666))
		cli.Must(os.Chtimes(path, time.Unix(1e9, 0), time.Unix(1e9, 0))) // older than the source
	}
}

// files returns all files below out, by relative path.
func (s *stage) files() map[string][]byte {
	found := map[string][]byte{}
	root := fixture.Must(filepath.EvalSymlinks(filepath.Join(s.dir, "out")))
	cli.Must(filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			found[fixture.Must(filepath.Rel(root, path))], err = os.ReadFile(path)
		}
		return err
	}))
	return found
}

// state describes OUT: "before", "new", or for a folder "part", where each file is old or new; anything else is a fault.
func (s *stage) state() string {
	found := s.files()
	before, after := 0, 0
	for name, want := range s.new {
		text, exists := found[name]
		old, existed := s.old[name]
		switch {
		case exists == existed && bytes.Equal(text, old):
			before++
		case exists && same(name, text, want):
			after++
		default:
			return fmt.Sprintf("torn: %s has %d bytes", name, len(text))
		}
	}
	switch {
	case after == 0:
		return "before"
	case before == 0:
		return "new"
	}
	return "part"
}

// allowed are the states of OUT allowed unless the program reported success.
func (s *stage) allowed(state string) bool {
	return state == "before" || state == "new" || state == "part" && s.isFolder()
}

// same reports whether a file equals another, or is as complete a measurement's report.
func same(name string, text, other []byte) bool {
	if bytes.Equal(text, other) {
		return true
	}
	switch lines := bytes.Count(text, []byte("\n")); filepath.Ext(name) {
	case ".json":
		return json.Valid(text)
	case ".svg":
		return bytes.HasSuffix(text, []byte("</svg>\n"))
	case ".png":
		_, err := png.Decode(bytes.NewReader(text))
		return err == nil
	case ".csv", ".md", ".txt":
		return bytes.HasSuffix(text, []byte("\n")) && lines == bytes.Count(other, []byte("\n"))
	}
	return false
}

// leftovers returns the names of files other than OUT.
func (s *stage) leftovers() (names []string) {
	for name := range s.files() {
		if _, ok := s.new[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// ending returns how a program ended: its signal or exit code.
func ending(cmd *exec.Cmd) (by syscall.Signal, code int) {
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return status.Signal(), 0
	}
	return 0, status.ExitStatus()
}

// rounds returns the number of random trials: n, or the environment's number.
func rounds(n int) int {
	if more, err := strconv.Atoi(os.Getenv(faultsVariable)); err == nil {
		return more
	}
	if testing.Short() {
		return max(1, n/4)
	}
	return n
}

// faultsVariable sets the number of random moments tried for each command. With it, every system call is tried; without it, a few.
const faultsVariable = "TLAYOUT_TEST_FAULTS"

// Package need skips tests that need what a machine may lack. Only tests import it.
//
// Every such skip goes through Missing, which fails the test instead if the environment requires what is missing. .ci/run requires all that
// it installs, so that it skips no test silently.
package need

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Missing skips t because of err. If TLAYOUT_TEST_REQUIRE_<name>=1 it fails t.
func Missing(t testing.TB, name string, err error) {
	t.Helper()
	variable := "TLAYOUT_TEST_REQUIRE_" + name
	if required, _ := strconv.ParseBool(os.Getenv(variable)); required {
		t.Fatalf("%s=1, but %v", variable, err)
	}
	t.Skipf("%v (%s=1 makes this a failure)", err, variable)
}

// fault is Missing for a requirement of fault injection, unless err is nil.
func fault(t testing.TB, what string, err error) {
	t.Helper()
	if err != nil {
		Missing(t, "FAULTS", fmt.Errorf("%s: %w", what, err))
	}
}

// Root skips t for a user other than root.
func Root(t testing.TB) { t.Helper(); fault(t, "root", probeRoot()) }

// Strace skips t where strace cannot make system calls fail.
func Strace(t testing.TB) { t.Helper(); fault(t, "strace", probeStrace()) }

// Terminals skips t without pseudo-terminals.
func Terminals(t testing.TB) { t.Helper(); fault(t, "pseudo-terminals", probeTerminals()) }

// Programs skips t unless all programs are on PATH.
func Programs(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		_, err := exec.LookPath(name)
		fault(t, name, err)
	}
}

// Loop skips t where no loop device can be mounted. A container without loop devices cannot have them: t is skipped there in any case.
func Loop(t testing.TB) {
	t.Helper()
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		t.Skip(err)
	}
	fault(t, "loop devices", probeLoop())
}

// Namespace skips t without PID namespaces. A container whose kernel forbids them cannot have them: t is skipped there in any case.
func Namespace(t testing.TB) {
	t.Helper()
	err := probeNamespace()
	if err != nil && strings.Contains(err.Error(), "Operation not permitted") {
		t.Skip(err)
	}
	fault(t, "a PID namespace", err)
}

// Disk skips t if err reports that no file system here reads files from disk.
func Disk(t testing.TB, err error) {
	t.Helper()
	fault(t, "a file system that reads files from disk, TMPDIR or /var/tmp", err)
}

// Made fails a test whose files, links and folders cannot be made. On systems other than Linux it skips the test.
func Made(t testing.TB, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip(err)
	}
	t.Fatal(err)
}

// Probes that run programs run once.
var (
	probeStrace    = sync.OnceValue(injects)
	probeLoop      = sync.OnceValue(mounts)
	probeNamespace = sync.OnceValue(func() error { return command("unshare", "--pid", "--fork", "true") })
)

func probeRoot() error {
	if os.Getuid() != 0 {
		return errors.New("run as another user")
	}
	return nil
}

func injects() error {
	return command("strace", "-f", "-e", "inject=close:error=EIO:when=999", "-o", os.DevNull, "true")
}

func probeTerminals() error {
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// mounts mounts an empty ext4 file system from a file.
func mounts() error {
	dir, err := os.MkdirTemp("", "tlayout-loop")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	image := filepath.Join(dir, "image")
	mounted := filepath.Join(dir, "mounted")
	if err := errors.Join(probeRoot(), os.WriteFile(image, nil, 0o600), os.Truncate(image, 4<<20), os.Mkdir(mounted, 0o700)); err != nil {
		return err
	}
	if err := command("mkfs.ext4", "-q", "-F", image); err != nil {
		return err
	}
	if err := command("mount", "-o", "loop", image, mounted); err != nil {
		return err
	}
	return command("umount", mounted)
}

// command runs a program, and returns its output as an error if it fails.
func command(words ...string) error {
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", words[0], err, out)
	}
	return nil
}

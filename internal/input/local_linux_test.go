package input

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"

	"golang.org/x/sys/unix"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/need"
)

// TestBytesSpecialFiles: nothing here waits for a writer, which would block forever, and devices are not even opened.
func TestBytesSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	fifo, sock, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "sock"), filepath.Join(dir, "link")
	l, err := net.Listen("unix", sock)
	if err = errors.Join(err, syscall.Mkfifo(fifo, 0o666), os.Symlink("link", link)); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for path, want := range map[string]string{
		fifo: "it is a pipe", sock: "it is a socket", "/dev/zero": "it is a device", "/dev/tty": "it is a device",
		link: "too many levels of symbolic links", fifo + "/x": "not a directory",
	} {
		_, err := openLocal(named(path))
		hostile.WantFault(t, "", err, fault.Resource, path, want)
	}
	_, err = openLocal(named("/proc/cpuinfo"))
	hostile.WantFault(t, "", err, fault.Malformed, "file is empty")
}

// TestBytesChecksWhatIsOpen: a regular file may have become a pipe by the time it is opened. Waiting for its writer would block forever.
func TestBytesChecksWhatIsOpen(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := openWithoutWaiting(fifo)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, err = newLocal("fifo", file)
	hostile.WantFault(t, "", err, fault.Resource, "it is a pipe")
}

// sparse makes an empty file of this size.
func sparse(t *testing.T, size int64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sparse")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	need.Made(t, f.Truncate(size))
	return path
}

// status returns a number of kilobytes from /proc/self/status.
func status(t *testing.T, key string) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n"+key+":")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestBytesHuge(t *testing.T) {
	path, before := sparse(t, 1<<40), status(t, "RssAnon")
	b, err := openLocal(named(path))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p, err := b.Range(1<<40-4, 4)
	if err != nil || !bytes.Equal(p, make([]byte, 4)) {
		t.Errorf("last bytes: %v, %v", p, err)
	}
	p, err = b.Range(0, 1<<40)
	if strconv.IntSize == 32 {
		hostile.WantFault(t, "", err, fault.Resource, "not enough memory")
	} else if err != nil || int64(len(p)) != 1<<40 {
		t.Errorf("%d bytes, %v", len(p), err)
	}
	if kb := status(t, "RssAnon") - before; kb > 8<<10 {
		t.Errorf("took %d KiB of memory", kb)
	}
}

const noSpaceSize = 1<<31 - 4096 // bytes; a 32-bit program would try to map it

// TestBytesNoAddressSpace: with little address space the file is not mapped. Small ranges are read; a large one returns an error.
func TestBytesNoAddressSpace(t *testing.T) {
	const variable = "TLAYOUT_TEST_NO_ADDRESS_SPACE"
	if path := os.Getenv(variable); path != "" {
		testNoAddressSpace(t, path)
		return
	}
	path := sparse(t, noSpaceSize)
	if err := os.WriteFile(path+".few", []byte("few"), 0o666); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestBytesNoAddressSpace$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"="+path)
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("PASS")) {
		t.Errorf("%v\n%s", err, out)
	}
}

func testNoAddressSpace(t *testing.T, path string) {
	limit := uint64(status(t, "VmSize"))<<10 + 700<<20 // the race detector needs some
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Fatal(err)
	}
	b, err := openLocal(named(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{100, 64 << 20} {
		p, err := b.Range(1<<29, n)
		if err != nil || !bytes.Equal(p, make([]byte, n)) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if !b.tried || b.mapped != nil {
		t.Error("mapped in spite of the limit")
	}
	_, err = b.Range(0, noSpaceSize)
	hostile.WantFault(t, "", err, fault.Resource, "not enough memory", fmt.Sprint(noSpaceSize))
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if b, err = openLocal(named(path + ".few")); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Range(0, 3); err != nil || b.mapped == nil {
		t.Errorf("small file: mapped %v, %v", b.mapped != nil, err)
	}
}

// TestBytesGivesBack: Close frees memory and descriptors.
func TestBytesGivesBack(t *testing.T) {
	path := sparse(t, 64<<20)
	count := func() (maps, files int) {
		text, err := os.ReadFile("/proc/self/maps")
		fds, err2 := os.ReadDir("/proc/self/fd")
		if err = errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), path), len(fds)
	}
	_, files := count()
	for _, noMap := range []bool{false, true} {
		before := status(t, "RssAnon")
		b, err := openLocal(named(path))
		if err != nil {
			t.Fatal(err)
		}
		b.noMap = noMap
		if _, err := b.Range(0, b.Size()); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		openLocal(named("/dev/null")) //nolint:errcheck // refused
		runtime.GC()
		if maps, now := count(); maps != 0 || now != files {
			t.Errorf("%d maps, %d files more", maps, now-files)
		}
		if kb := status(t, "RssAnon") - before; kb > 16<<10 {
			t.Errorf("%d KiB kept", kb)
		}
	}
}

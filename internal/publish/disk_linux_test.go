package publish

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/need"
)

// program runs the helper program without strace, and returns its exit code and messages.
func program(t *testing.T, dir, orders string) (int, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), helperVar+"="+orders, "GORACE=atexit_sleep_ms=0", "GOCOVERDIR="+t.TempDir())
	out, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(out)
}

// TestFullDisk: on disks of all sizes around the output's, the output is whole or absent, and the old one survives.
func TestFullDisk(t *testing.T) {
	need.Root(t)
	step := 1
	if testing.Short() {
		step = 7
	}
	for pages := 2; pages <= helperSize/4096+4; pages += step {
		for _, o := range []Options{{Size: helperSize}, {}, {Size: helperSize, Replace: true}, {Replace: true}} {
			for name, begin := range drafts {
				t.Run(fmt.Sprintf("%d pages,%s,%+v", pages, name, o), func(t *testing.T) {
					testFullDisk(t, pages, o, begin)
				})
			}
		}
	}
}

// testFullDisk checks the output on a disk with this many pages.
func testFullDisk(t *testing.T, pages int, o Options, begin opener) {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", pages*4096)); err != nil {
		t.Fatalf("mount: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("a file is still open: %v", err)
			syscall.Unmount(dir, syscall.MNT_DETACH) //nolint:errcheck // reported above
		}
	}()
	s, path := scenario{}, filepath.Join(dir, "y.npy")
	need := (helperSize + 4095) / 4096
	if o.Replace {
		s.old = "old"
		need++
	}
	s.reset(t, path)
	err := helperPublish(path, o, begin)
	want := "new"
	if pages < need {
		want = "before"
		hostile.WantFault(t, "", err, fault.Resource, "no space left", path)
		var e *fault.Error
		if errors.As(err, &e); e.Hint == "" {
			t.Error("no hint")
		}
	}
	if got := s.state(path); got != want {
		t.Errorf("output is %s, want %s; %v", got, want, err)
	}
	if names := leftovers(t, path); len(names) > 0 {
		t.Errorf("left behind %v", names)
	}
}

// TestReserveFirst: a reservation fails before anything is written.
func TestReserveFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "y.npy")
	_, err := Create(named(path), Options{Size: 1 << 60})
	hostile.WantFault(t, "", err, fault.Resource, "cannot reserve space", path)
	wantEmpty(t, filepath.Dir(path))
}

// TestFileSizeLimit: a limit on file sizes is an error, not a signal.
func TestFileSizeLimit(t *testing.T) {
	for _, orders := range []string{"small", "small reserve", "small named", "small replace"} {
		path := filepath.Join(t.TempDir(), "y.npy")
		code, out := program(t, "", orders+" "+path)
		if code != 5 || !strings.Contains(out, "file too large") {
			t.Errorf("%s: exit %d: %s", orders, code, out)
		}
		wantEmpty(t, filepath.Dir(path))
	}
}

// TestNobody: without privileges, files are published the ordinary ways, and an error names the directory.
func TestNobody(t *testing.T) {
	need.Root(t)
	for _, c := range []struct {
		mode   os.FileMode
		orders string
		want   string
	}{
		{0o777, "nobody y", ""},
		{0o777, "nobody named y", ""},
		{0o777, "nobody replace old", ""},
		{0o777 | os.ModeSticky, "nobody replace old", "operation not permitted"},
		{0o777 | os.ModeSticky, "nobody replace named old", "operation not permitted"},
		{0o755, "nobody y", `directory ".": permission denied`},
		{0o755, "nobody named y", `directory ".": permission denied`},
		{0o711, "nobody y", `directory ".": permission denied`},
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "old"), "old")
		if err := errors.Join(os.Chmod(dir, c.mode), os.Chmod(filepath.Join(dir, "old"), 0o444)); err != nil {
			t.Fatal(err)
		}
		code, out := program(t, dir, c.orders)
		if (code == 0) != (c.want == "") || !strings.Contains(out, c.want) {
			t.Errorf("%v %s: exit %d: %s", c.mode, c.orders, code, out)
		}
		for _, name := range list(t, dir) {
			if name != "old" && name != "y" {
				t.Errorf("%v %s: left behind %s", c.mode, c.orders, name)
			}
		}
	}
}

// TestProgramsReplaceTogether: programs that replace one output at the same time conflict on the passing name, and all succeed.
func TestProgramsReplaceTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "y.npy")
	writeFile(t, path, "old")
	const programs = 6
	done := make(chan string, programs)
	for range programs {
		go func() {
			for range 5 {
				if code, out := program(t, "", "replace "+path); code != 0 {
					done <- fmt.Sprintf("exit %d: %s", code, out)
					return
				}
			}
			done <- ""
		}()
	}
	for range programs {
		if problem := <-done; problem != "" {
			t.Error(problem)
		}
	}
	wantFile(t, path, helperText)
	wantAlone(t, path)
}

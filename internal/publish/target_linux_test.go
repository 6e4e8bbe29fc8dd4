package publish

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/hostile"
)

func TestMode(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		defer syscall.Umask(syscall.Umask(0o027))
		dir := t.TempDir()
		path := filepath.Join(dir, "y.npy")
		commit := func(want os.FileMode) {
			t.Helper()
			f := mustCreate(t, path, Options{Replace: true}, begin)
			for _, name := range list(t, dir) { // the mode is never wider
				if info, err := os.Lstat(filepath.Join(dir, name)); err != nil || name != "y.npy" && info.Mode()&^want != 0 {
					t.Errorf("draft %s has mode %v; the final one is %v (%v)", name, info.Mode(), want, err)
				}
			}
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Lstat(path); err != nil || info.Mode() != want {
				t.Errorf("mode %v, %v; want %v", info.Mode(), err, want)
			}
		}
		commit(0o640)
		for _, c := range []struct{ old, want os.FileMode }{
			{0o604, 0o604}, {0o444, 0o444}, {0o777, 0o777}, {0o4755, 0o755}, {0o2755, 0o755}, {0o666, 0o666}, {0, 0},
		} {
			if err := syscall.Chmod(path, uint32(c.old)); err != nil {
				t.Fatal(err)
			}
			commit(c.want)
		}
	})
}

// TestSpecialFiles: opening any of these could do harm, or block forever.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	fifo, sock := filepath.Join(dir, "fifo"), filepath.Join(dir, "sock")
	l, err := net.Listen("unix", sock)
	if err = errors.Join(err, syscall.Mkfifo(fifo, 0o666)); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	pipe := filepath.Join("/proc/self/fd", strconv.Itoa(int(w.Fd())))
	for path, want := range map[string]string{
		fifo: "a pipe", sock: "a socket", "/dev/full": "a device", "/dev/zero": "a device", pipe: "a pipe",
	} {
		_, err := Create(named(path), Options{Replace: true})
		hostile.WantFault(t, "", err, fault.Resource, path, "it is "+want)
	}
	f := mustCreate(t, filepath.Join(dir, "y.npy"), Options{Replace: true}, (*target).draft)
	if err := os.Rename(fifo, filepath.Join(dir, "y.npy")); err != nil {
		t.Fatal(err)
	}
	hostile.WantFault(t, "", f.Commit(), fault.Resource, "it is a pipe")
}

// TestDirectoryRenamed: the output goes to the directory opened at the beginning, even if it is renamed meanwhile.
func TestDirectoryRenamed(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		for _, o := range []Options{{}, {Replace: true}} {
			top := t.TempDir()
			before, after := filepath.Join(top, "before"), filepath.Join(top, "after")
			if err := os.Mkdir(before, 0o777); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(top, "y.npy"), "unrelated")
			f := mustCreate(t, filepath.Join(before, "y.npy"), o, begin)
			mustWrite(t, f, "new")
			if err := errors.Join(os.Rename(before, after), os.Symlink(".", before)); err != nil {
				t.Fatal(err)
			}
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
			wantFile(t, filepath.Join(after, "y.npy"), "new")
			wantAlone(t, filepath.Join(after, "y.npy"))
			wantFile(t, filepath.Join(top, "y.npy"), "unrelated")
		}
	})
}

// TestDraftIsPrivate: a named draft that replaces a file is readable by this user alone while it is written, and has the file's bits afterwards.
func TestDraftIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "y.npy")
	writeFile(t, path, "old")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	f := mustCreate(t, path, Options{Replace: true}, (*target).named)
	mustWrite(t, f, "secret")
	info, err := f.file.Stat()
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the draft has mode %v, %v", info.Mode(), err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if info, err = os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("the output has mode %v, %v", info.Mode(), err)
	}
}

func TestDirectoryRemoved(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		dir := filepath.Join(t.TempDir(), "d")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		f := mustCreate(t, filepath.Join(dir, "y.npy"), Options{Replace: true}, begin)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		hostile.WantFault(t, "", f.Commit(), fault.Resource, "cannot publish", "no such file")
	})
}

// TestDescriptors: no descriptors leak, on success or error.
func TestDescriptors(t *testing.T) {
	before := len(list(t, "/proc/self/fd"))
	path := filepath.Join(t.TempDir(), "y.npy")
	eachDraft(t, func(t *testing.T, begin opener) {
		for range 3 {
			mustCreate(t, path, Options{Replace: true}, begin).Discard()
			if err := mustCreate(t, path, Options{Replace: true}, begin).Commit(); err != nil {
				t.Fatal(err)
			}
			Create(named(path), Options{})                             //nolint:errcheck // exists
			Create(named(path), Options{Replace: true, Size: 1 << 60}) //nolint:errcheck // no room
			Create(named(path+"/x"), Options{})                        //nolint:errcheck // not a directory
		}
	})
	if after := len(list(t, "/proc/self/fd")); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
	wantAlone(t, path)
}

// TestPassingNameTaken: a replacement removes a draft that a killed program left for the same output, but not that of a running program,
// nor any other file of that name.
func TestPassingNameTaken(t *testing.T) {
	for name, c := range map[string]struct {
		take  func(t *testing.T, other *File, passing string)
		stays bool
	}{
		"dead": {func(t *testing.T, other *File, passing string) {
			if err := errors.Join(other.linkAs(filepath.Base(passing)), other.file.Close()); err != nil {
				t.Fatal(err)
			}
		}, false},
		"living": {func(t *testing.T, other *File, passing string) {
			if err := errors.Join(tryLock(other.file), other.linkAs(filepath.Base(passing))); err != nil {
				t.Fatal(err)
			}
		}, true},
		"pipe": {func(t *testing.T, _ *File, passing string) {
			if err := syscall.Mkfifo(passing, 0o666); err != nil {
				t.Fatal(err)
			}
		}, true},
		"directory": {func(t *testing.T, _ *File, passing string) {
			if err := os.Mkdir(passing, 0o777); err != nil {
				t.Fatal(err)
			}
		}, true},
		"symlink": {func(t *testing.T, _ *File, passing string) {
			if err := os.Symlink("y.npy", passing); err != nil {
				t.Fatal(err)
			}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "y.npy")
			writeFile(t, path, "old")
			other := mustCreate(t, path, Options{Replace: true}, (*target).draft)
			if other.temp != "" {
				t.Skip("no nameless files in ", filepath.Dir(path))
			}
			passing := filepath.Join(filepath.Dir(path), passing("y.npy"))
			c.take(t, other, passing)
			descriptors := len(list(t, "/proc/self/fd"))
			f := mustCreate(t, path, Options{Replace: true}, (*target).draft)
			mustWrite(t, f, "new")
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
			if more := len(list(t, "/proc/self/fd")) - descriptors; more != 0 {
				t.Errorf("%d descriptors more", more)
			}
			wantFile(t, path, "new")
			if _, err := os.Lstat(passing); (err == nil) != c.stays {
				t.Errorf("%s: %v", passing, err)
			}
			os.Remove(passing)
			wantAlone(t, path)
		})
	}
}

// TestPassingNameGone: between opening a passing name and locking it, its file may have become the output, and the name may refer to
// another file.
func TestPassingNameGone(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "output"), "theirs")
	writeFile(t, filepath.Join(dir, "passing"), "another's")
	p := &target{dir: dir}
	if err := p.open(os.OpenRoot(dir)); err != nil {
		t.Fatal(err)
	}
	defer p.close()
	file, err := p.root.Open("output")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if p.removeSame("passing", file) || p.removeSame("none", file) {
		t.Error("removed something else")
	}
	wantFile(t, filepath.Join(dir, "passing"), "another's")
	if !p.removeSame("output", file) {
		t.Error("not removed")
	}
}

package publish

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tlayout/tlayout/internal/hostile"

	"github.com/tlayout/tlayout/internal/fault"
)

// drafts are the ways to keep a draft that this system has; every promise holds for each.
var drafts = map[string]opener{"preferred": (*target).draft, "named": (*target).named}

func eachDraft(t *testing.T, test func(t *testing.T, begin opener)) {
	for name, begin := range drafts {
		t.Run(name, func(t *testing.T) { test(t, begin) })
	}
}

func TestCommitNew(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		for _, o := range []Options{{}, {Durable: true}, {Replace: true}, {Size: 6}} {
			path := filepath.Join(t.TempDir(), "y.npy")
			f := mustCreate(t, path, o, begin)
			mustWrite(t, f, "abc")
			if _, err := os.Lstat(path); err == nil {
				t.Errorf("%+v: output exists before Commit", o)
			}
			mustWrite(t, f, "def")
			if err := f.Commit(); err != nil {
				t.Fatalf("%+v: %v", o, err)
			}
			f.Discard()
			wantFile(t, path, "abcdef")
			wantAlone(t, path)
		}
	})
}

// TestLongWrites: Write and WriteAt handle writes longer than longestWrite, and count their bytes.
func TestLongWrites(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789"), longestWrite/4)
	for _, n := range []int{0, 1, longestWrite - 1, longestWrite, longestWrite + 1, len(text)} {
		path := filepath.Join(t.TempDir(), "y.npy")
		f := mustCreate(t, path, Options{Size: int64(2 * n)}, (*target).draft)
		if wrote, err := f.WriteAt(text[:n], int64(n)); wrote != n || err != nil {
			t.Errorf("%d bytes: WriteAt wrote %d, %v", n, wrote, err)
		}
		if wrote, err := f.Write(text[:n]); wrote != n || err != nil {
			t.Errorf("%d bytes: Write wrote %d, %v", n, wrote, err)
		}
		if err := f.Commit(); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, slices.Concat(text[:n], text[:n])) {
			t.Errorf("%d bytes: wrong content, %v", n, err)
		}
	}
}

func TestDiscard(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		path := filepath.Join(t.TempDir(), "y.npy")
		f := mustCreate(t, path, Options{}, begin)
		mustWrite(t, f, "abc")
		f.Discard()
		f.Discard()
		wantEmpty(t, filepath.Dir(path))
		if _, err := f.Write([]byte("x")); err == nil {
			t.Error("Write after Discard: no error")
		}
		hostile.WantFault(t, "", f.Commit(), fault.Resource, "closed")
		wantEmpty(t, filepath.Dir(path))
	})
}

func TestCommitTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "y.npy")
	f := mustCreate(t, path, Options{}, (*target).draft)
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	hostile.WantFault(t, "", f.Commit(), fault.Resource, "closed")
	wantFile(t, path, "")
}

func TestExisting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "y.npy")
	writeFile(t, path, "old")
	_, err := Create(named(path), Options{})
	hostile.WantFault(t, "", err, fault.Resource, "output", "y.npy", "exists")
	var e *fault.Error
	if errors.As(err, &e); e.Hint != "--force replaces it" {
		t.Errorf("hint = %q", e.Hint)
	}
	wantFile(t, path, "old")
}

// TestExistingAtCommit: the output may appear after Create; the last system call detects it.
func TestExistingAtCommit(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		path := filepath.Join(t.TempDir(), "y.npy")
		f := mustCreate(t, path, Options{}, begin)
		mustWrite(t, f, "new")
		writeFile(t, path, "foreign")
		hostile.WantFault(t, "", f.Commit(), fault.Resource, "output", "exists")
		wantFile(t, path, "foreign")
		wantAlone(t, path)
	})
}

func TestReplace(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		path := filepath.Join(t.TempDir(), "y.npy")
		writeFile(t, path, "old and longer")
		f := mustCreate(t, path, Options{Replace: true}, begin)
		mustWrite(t, f, "new")
		wantFile(t, path, "old and longer")
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, "new")
		wantAlone(t, path)
	})
}

// TestReplaceOther: a file that exists at Create can be gone at Commit, and the other way round.
func TestReplaceOther(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		path := filepath.Join(t.TempDir(), "y.npy")
		f := mustCreate(t, path, Options{Replace: true}, begin)
		mustWrite(t, f, "1")
		writeFile(t, path, "appeared")
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		f = mustCreate(t, path, Options{Replace: true}, begin)
		mustWrite(t, f, "2")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, "2")
		f = mustCreate(t, path, Options{Replace: true}, begin)
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o777)); err != nil {
			t.Fatal(err)
		}
		hostile.WantFault(t, "", f.Commit(), fault.Resource, "directory")
		wantAlone(t, path)
	})
}

func TestSizeNotKept(t *testing.T) {
	for _, o := range []Options{{Size: 4}, {Size: 2}, {Size: 2, Replace: true}} {
		path := filepath.Join(t.TempDir(), "y.npy")
		f := mustCreate(t, path, o, (*target).draft)
		mustWrite(t, f, "abc")
		hostile.WantFault(t, "", f.Commit(), fault.Resource, "y.npy", "3 of")
		wantEmpty(t, filepath.Dir(path))
	}
}

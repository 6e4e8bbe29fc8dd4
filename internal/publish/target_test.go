package publish

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/hostile"

	"github.com/tlayout/tlayout/internal/need"
)

func TestLocateRefuses(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		"":                               "does not name a file",
		dir:                              "it is a directory",
		dir + "/":                        "it is a directory",
		filepath.Join(dir, "none") + "/": "does not name a file",
		dir + "/none/..":                 "",
		dir + "/none/y.npy":              `cannot open directory "` + dir + `/none/"`,
	} {
		if runtime.GOOS == "windows" && strings.Contains(path, "none/") {
			continue // other separators have other rules for ".."
		}
		f, err := Create(named(path), Options{Replace: true})
		if err == nil {
			f.Discard()
		}
		hostile.WantFault(t, "", err, fault.Resource, want)
	}
	wantEmpty(t, dir)
}

func TestSymlink(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		dir := t.TempDir()
		far := filepath.Join(dir, "far")
		link := filepath.Join(dir, "link")
		need.Made(t, errors.Join(os.Mkdir(far, 0o777), os.Symlink("far/real", link)))
		_, err := Create(named(link), Options{Replace: true})
		hostile.WantFault(t, "", err, fault.Resource, "link is broken")

		writeFile(t, filepath.Join(far, "real"), "old")
		_, err = Create(named(link), Options{})
		hostile.WantFault(t, "", err, fault.Resource, "exists")
		f := mustCreate(t, link, Options{Replace: true}, begin)
		if names := list(t, dir); len(names) != 2 {
			t.Errorf("draft beside the link: %v", names)
		}
		mustWrite(t, f, "new")
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(link); to != "far/real" {
			t.Errorf("link leads to %q, %v", to, err)
		}
		wantFile(t, filepath.Join(far, "real"), "new")
		wantAlone(t, filepath.Join(far, "real"))
	})
}

func TestSymlinkLoop(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	need.Made(t, os.Symlink("link", link))
	_, err := Create(named(link), Options{Replace: true})
	hostile.WantFault(t, "", err, fault.Resource, "cannot write", "link")
}

// TestDotsAfterSymlink: "link/.." is the directory above the link's target, not the one that contains the link.
func TestDotsAfterSymlink(t *testing.T) {
	dir := t.TempDir()
	need.Made(t, errors.Join(os.MkdirAll(filepath.Join(dir, "a/b"), 0o777), os.Symlink("a/b", filepath.Join(dir, "l"))))
	f := mustCreate(t, dir+"/l/../y.npy", Options{}, (*target).draft)
	mustWrite(t, f, "new")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		wantFile(t, filepath.Join(dir, "a/y.npy"), "new")
	}
}

func TestOtherLinkStays(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "y.npy"), filepath.Join(dir, "other")
	writeFile(t, path, "old")
	need.Made(t, os.Link(path, other))
	f := mustCreate(t, path, Options{Replace: true}, (*target).draft)
	mustWrite(t, f, "new")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	wantFile(t, other, "old")
}

func TestLongestName(t *testing.T) {
	eachDraft(t, func(t *testing.T, begin opener) {
		path := filepath.Join(t.TempDir(), strings.Repeat("n", 255))
		for _, o := range []Options{{}, {Replace: true}} {
			f := mustCreate(t, path, o, begin)
			mustWrite(t, f, "abc")
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
			wantFile(t, path, "abc")
		}
		wantAlone(t, path)
	})
}

func TestMessageIsPrintable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a\x1b[2J/y.npy")
	_, err := Create(named(path), Options{})
	hostile.WantFault(t, "", err, fault.Resource, `a\x1b[2J`)
	if strings.Contains(err.Error(), "\x1b") {
		t.Errorf("%q holds a control character", err)
	}
}

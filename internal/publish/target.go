package publish

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// target is where an output goes: a directory and a name in it, with all symbolic links resolved.
type target struct {
	shown string      // the path as given, quoted
	dir   string      // path of the directory
	base  string      // name in it
	found fs.FileInfo // the existing file of that name; nil if none
	null  bool        // path base is the null device

	root   *os.Root // the directory, even if renamed; nil for the null device and objects
	handle *os.File // the same directory, for calls that root lacks
}

// locate resolves symbolic links, or refuses one if the name is derived, and refuses targets that a file cannot replace.
func locate(n name.Name, derived bool) (*target, error) {
	t := &target{shown: n.String()}
	path := n.Raw()
	info, err := os.Lstat(path)
	isLink := err == nil && info.Mode()&fs.ModeSymlink != 0
	if isLink && derived {
		return nil, fault.New(fault.Resource, "cannot write %s: it is a symbolic link", t.shown).
			WithHint("remove the link, or pass --output, which follows links")
	}
	if isLink {
		info, err = os.Stat(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, failure("write", t.shown, err)
	}
	exists := err == nil
	if exists && !derived && isNull(info) {
		t.null = true
		t.base = path
		return t, nil
	}
	if exists {
		if err := t.refuseIrregular(info); err != nil {
			return nil, err
		}
		t.found = info
	}
	if isLink {
		path, err = filepath.EvalSymlinks(path)
		if err != nil {
			return nil, fault.New(fault.Resource, "cannot write %s: the symbolic link is broken", t.shown)
		}
	}
	t.dir, t.base = filepath.Split(path) // not filepath.Dir, which cleans "link/.." to "."
	if t.base == "" || t.base == "." || t.base == ".." {
		return nil, fault.New(fault.Resource, "cannot write %s: it does not name a file", t.shown)
	}
	t.dir = cmp.Or(t.dir, ".")
	return t, nil
}

// Replaceable returns the error that Create with Options.Derived and Replace returns for a name that exists and is not a regular file;
// otherwise nil.
func Replaceable(n name.Name) error {
	_, err := locate(n, true)
	return err
}

// open opens the directory; root and err are the results of os.OpenRoot.
func (t *target) open(root *os.Root, err error) error {
	t.root = root
	if err == nil {
		t.handle, err = root.Open(".")
	}
	if err != nil {
		t.close()
		return failure("open", t.shownDir(), err)
	}
	return nil
}

func (t *target) close() {
	if t.root != nil {
		t.root.Close() //nolint:errcheck // opened read-only
	}
	if t.handle != nil {
		t.handle.Close() //nolint:errcheck // opened read-only
	}
}

// sync syncs the directory, and with it the file's name.
func (t *target) sync() error {
	if err := syncDir(t.handle); err != nil {
		return fault.New(fault.Resource, "%s is written, but may not survive a power cut: cannot sync %s: %v",
			t.shown, t.shownDir(), fault.Cause(err))
	}
	return nil
}

// refuseIrregular returns an error unless info describes a regular file.
func (t *target) refuseIrregular(info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return fault.New(fault.Resource, "cannot write %s: it is %s", t.shown, fault.FileKind(info.Mode()))
}

// IsNull reports whether a name resolves to the null device, which is used to measure everything but the writing.
func IsNull(n name.Name) bool {
	info, err := n.Stat()
	return err == nil && isNull(info)
}

func isNull(info fs.FileInfo) bool {
	if info.Mode()&fs.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

func (t *target) shownDir() string { return "directory " + text.Quoted(t.dir) }

// failure returns the error of an operation on a file or directory, naming the file once.
func failure(verb, what string, err error) error {
	e := fault.New(fault.Resource, "cannot %s %s: %v", verb, what, fault.Cause(err))
	if errors.Is(err, syscall.ENOSPC) {
		return e.WithHint("free some disk space, or write to another disk")
	}
	return e
}

package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/words"
)

// target is where an output goes: a name in a directory, with all symbolic links followed.
type target struct {
	shown string      // the path as it was given, quoted
	dir   string      // path of the directory
	base  string      // name in it
	found fs.FileInfo // the file of that name at the beginning; nil for none

	root   *os.Root // the directory, even if it is renamed
	handle *os.File // the same, for calls that root does not have
}

// locate follows symbolic links, or refuses one if the name is derived, and refuses targets that a file cannot replace.
func locate(path string, derived bool) (*target, error) {
	p := &target{shown: words.Quoted(path)}
	target, err := p.look(path, derived)
	if err != nil {
		return nil, err
	}
	// Not filepath.Dir, which cleans "link/.." to ".".
	p.dir, p.base = filepath.Split(target)
	switch p.base {
	case "", ".", "..":
		return nil, fault.New(fault.Resource, "cannot write %s: it does not name a file", p.shown)
	}
	if p.dir == "" {
		p.dir = "."
	}
	return p, nil
}

// Replaceable returns the error of Create, with Options.Derived and Replace, for a name that has something else than a regular file; nil
// if nothing has it.
func Replaceable(path string) error {
	_, err := locate(path, true)
	return err
}

// look finds the file of that name, and returns its name with all symbolic links followed.
func (p *target) look(path string, derived bool) (target string, err error) {
	info, err := os.Lstat(path)
	isLink := err == nil && info.Mode()&fs.ModeSymlink != 0
	if isLink && derived {
		return "", fault.New(fault.Resource, "cannot write %s: it is a symbolic link", p.shown).
			WithHint("remove the link, or name the output yourself: --output follows links")
	}
	if isLink {
		info, err = os.Stat(path)
	}
	switch {
	case err == nil:
		if err := p.refuseIrregular(info); err != nil {
			return "", err
		}
		p.found = info
	case !errors.Is(err, fs.ErrNotExist):
		return "", failure("write", p.shown, err)
	}
	if !isLink {
		return path, nil
	}
	if target, err = filepath.EvalSymlinks(path); err != nil {
		return "", fault.New(fault.Resource, "cannot write %s: the symbolic link leads nowhere", p.shown)
	}
	return target, nil
}

// open opens the directory.
func (p *target) open() (err error) {
	if p.root, err = os.OpenRoot(p.dir); err == nil {
		p.handle, err = p.root.Open(".")
	}
	if err != nil {
		p.close()
		return failure("open", p.shownDir(), err)
	}
	return nil
}

func (p *target) close() {
	if p.root != nil {
		p.root.Close() //nolint:errcheck // only read
	}
	if p.handle != nil {
		p.handle.Close() //nolint:errcheck // only read
	}
}

// now returns the file that has the name at this moment; nil for none.
func (p *target) now() (fs.FileInfo, error) {
	info, err := p.root.Lstat(p.base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, failure("write", p.shown, err)
	}
	return info, p.refuseIrregular(info)
}

// sync syncs the directory, and with it the file's name.
func (p *target) sync() error {
	if err := syncDir(p.handle); err != nil {
		return fault.New(fault.Resource, "%s is written, but may not survive a power cut: cannot sync %s: %v",
			p.shown, p.shownDir(), fault.Cause(err))
	}
	return nil
}

// refuseIrregular returns an error unless info describes a regular file.
func (p *target) refuseIrregular(info fs.FileInfo) error {
	kind := "not a regular file"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeSymlink != 0:
		kind = "now a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return fault.New(fault.Resource, "cannot write %s: it is %s", p.shown, kind)
}

// exists is the error for an output that exists and must not be replaced.
func (p *target) exists() error {
	return store.Exists(p.shown)
}

func (p *target) shownDir() string { return "directory " + words.Quoted(p.dir) }

// failure is the error of an operation on a file or directory, which is named once.
func failure(verb, what string, err error) error {
	e := fault.New(fault.Resource, "cannot %s %s: %v", verb, what, fault.Cause(err))
	if errors.Is(err, syscall.ENOSPC) {
		return e.WithHint("free some disk space, or write to another disk")
	}
	return e
}

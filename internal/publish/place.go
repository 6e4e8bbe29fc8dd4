package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// place is where an output goes: a name in a directory, behind all symbolic links.
type place struct {
	shown string      // the path as it was given, quoted
	dir   string      // path of the directory
	base  string      // name in it
	found fs.FileInfo // the file that had the name at first; nil for none

	root   *os.Root // the directory; the rest does not depend on how it is called
	handle *os.File // the same, for the calls that root does not have
}

// locate follows symbolic links and refuses what a file cannot take the place of.
func locate(path string) (*place, error) {
	p := &place{shown: words.Quoted(path)}
	target, err := p.look(path)
	if err != nil {
		return nil, err
	}
	// Not filepath.Dir, which would take "link/.." for ".".
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

// look finds out what has the name, and returns the name behind all symbolic links.
func (p *place) look(path string) (target string, err error) {
	info, err := os.Lstat(path)
	isLink := err == nil && info.Mode()&fs.ModeSymlink != 0
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
func (p *place) open() (err error) {
	if p.root, err = os.OpenRoot(p.dir); err == nil {
		p.handle, err = p.root.Open(".")
	}
	if err != nil {
		p.close()
		return failure("open", p.shownDir(), err)
	}
	return nil
}

func (p *place) close() {
	if p.root != nil {
		p.root.Close() //nolint:errcheck // only read
	}
	if p.handle != nil {
		p.handle.Close() //nolint:errcheck // only read
	}
}

// now returns what has the name at this moment; nil for nothing.
func (p *place) now() (fs.FileInfo, error) {
	info, err := p.root.Lstat(p.base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, failure("write", p.shown, err)
	}
	return info, p.refuseIrregular(info)
}

// sync brings the directory to disk, and with it the name of the file.
func (p *place) sync() error {
	if err := syncDir(p.handle); err != nil {
		return fault.New(fault.Resource, "%s is written, but may not survive a power cut: cannot sync %s: %v",
			p.shown, p.shownDir(), fault.Cause(err))
	}
	return nil
}

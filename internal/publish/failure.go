package publish

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// refuseIrregular returns an error unless info describes a regular file.
func (p *place) refuseIrregular(info fs.FileInfo) error {
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

// exists is the error for an output that is there already and must stay.
func (p *place) exists() error {
	return fault.New(fault.Resource, "output %s exists", p.shown).WithHint("--force replaces it")
}

func (p *place) shownDir() string { return "directory " + quote(p.dir) }

func quote(path string) string { return `"` + words.Quote(path) + `"` }

// failure tells what could not be done with what, and names that once.
func failure(verb, what string, err error) error {
	e := fault.New(fault.Resource, "cannot %s %s: %v", verb, what, cause(err))
	if errors.Is(err, syscall.ENOSPC) {
		return e.WithHint("free some disk space, or write to another disk")
	}
	return e
}

// cause returns err without the operation and the path that the os package puts around it.
func cause(err error) error {
	var p *fs.PathError
	var l *os.LinkError
	var s *os.SyscallError
	switch {
	case errors.As(err, &p):
		return cause(p.Err)
	case errors.As(err, &l):
		return cause(l.Err)
	case errors.As(err, &s):
		return s.Err
	}
	return err
}

package publish

import (
	"errors"
	"io/fs"
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

func (p *place) shownDir() string { return "directory " + words.Quoted(p.dir) }

// failure is the error of an operation on a file or directory, which is named once.
func failure(verb, what string, err error) error {
	e := fault.New(fault.Resource, "cannot %s %s: %v", verb, what, fault.Cause(err))
	if errors.Is(err, syscall.ENOSPC) {
		return e.WithHint("free some disk space, or write to another disk")
	}
	return e
}

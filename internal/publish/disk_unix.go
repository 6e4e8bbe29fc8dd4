//go:build !windows

package publish

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// linkNew gives the draft the output's name, unless something has it, where no rename keeps existing files.
func linkNew(p *place, temp string) error {
	if err := p.root.Link(temp, p.base); err != nil {
		return err
	}
	p.root.Remove(temp) //nolint:errcheck // the output is complete, and this name was ours to the last
	return nil
}

// moveOver gives the draft the output's name. It is one system call, of which os.Root makes two.
func moveOver(p *place, temp string) error {
	dir := int(p.handle.Fd())
	return again(func() error { return unix.Renameat(dir, temp, dir, p.base) })
}

// syncDir brings a directory to disk. Where directories cannot be synced there is nothing to wait for.
func syncDir(dir *os.File) error {
	err := dir.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}

// again repeats a system call that a signal interrupted.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

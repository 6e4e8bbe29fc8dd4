//go:build !windows

package publish

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// linkNew gives the draft the output's name if it is free, where no rename keeps existing files.
func linkNew(p *target, temp string) error {
	if err := p.root.Link(temp, p.base); err != nil {
		return err
	}
	p.root.Remove(temp) //nolint:errcheck // the output is complete, and this name was ours alone
	return nil
}

// moveOver gives the draft the output's name, in one system call; os.Root makes two.
func moveOver(p *target, temp string) error {
	dir := int(p.handle.Fd())
	return again(func() error { return unix.Renameat(dir, temp, dir, p.base) })
}

// syncDir syncs a directory, on file systems that can.
func syncDir(dir *os.File) error {
	err := dir.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}

// again repeats a system call while signals interrupt it.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

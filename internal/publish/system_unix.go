//go:build unix

package publish

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// moveNew gives a named draft the output's name if it is free, by a link where the system has no exclusive rename.
func (t *target) moveNew(temp string) error {
	err := retry(func() error { return renameNew(int(t.handle.Fd()), temp, t.base) })
	if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	if err := t.root.Link(temp, t.base); err != nil {
		return err
	}
	t.root.Remove(temp) //nolint:errcheck // the output is complete; the temporary name is ours alone
	return nil
}

// moveOver gives a named draft the output's name in one system call; os.Root needs two.
func (t *target) moveOver(temp string) error {
	dir := int(t.handle.Fd())
	return retry(func() error { return unix.Renameat(dir, temp, dir, t.base) })
}

// syncDir syncs a directory where the file system can.
func syncDir(dir *os.File) error {
	err := dir.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil
	}
	return err
}

// retry repeats a system call while signals interrupt it.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// identity is equal for all names of a file.
type identity struct{ device, inode uint64 }

func identify(_ string, info os.FileInfo) identity {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{uint64(stat.Dev), uint64(stat.Ino)} //nolint:unconvert // their types differ between systems
}

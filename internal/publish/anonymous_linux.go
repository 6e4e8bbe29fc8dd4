package publish

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// newDraft prefers a file without a name, which vanishes with the program.
func newDraft(p *target) (draft, error) {
	d, err := newAnonymous(p)
	switch {
	case err == nil:
		return d, nil
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EISDIR), errors.Is(err, unix.ENOENT),
		errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		return newNamed(p)
	}
	return nil, err
}

// anonymous is a draft without any name.
type anonymous struct {
	target *target
	file   *os.File
}

func newAnonymous(p *target) (draft, error) {
	// Without /proc an unprivileged program cannot link the file.
	if err := unix.Access("/proc/self/fd", unix.X_OK); err != nil {
		return nil, unix.EOPNOTSUPP
	}
	var fd int
	err := again(func() (err error) {
		fd, err = unix.Openat(int(p.handle.Fd()), ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o666)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &anonymous{target: p, file: os.NewFile(uintptr(fd), p.base)}, nil
}

func (d *anonymous) handle() *os.File { return d.file }

func (d *anonymous) abandon() {}

func (d *anonymous) publish(replace bool) error {
	if err := d.flush(); err != nil {
		return err
	}
	err := d.link(d.target.base)
	if replace && errors.Is(err, unix.EEXIST) {
		return d.replace()
	}
	return err
}

// flush reports what close would report, and leaves the file open, because only an open file can be linked.
func (d *anonymous) flush() error {
	second, err := unix.FcntlInt(d.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return unix.Close(second)
}

// link gives the file a name that does not exist. The first call needs a recent kernel or a privilege, the second /proc.
func (d *anonymous) link(name string) error {
	fd, dir := int(d.file.Fd()), int(d.target.handle.Fd())
	err := again(func() error { return unix.Linkat(fd, "", dir, name, unix.AT_EMPTY_PATH) })
	if err == nil || errors.Is(err, unix.EEXIST) {
		return err
	}
	self := fmt.Sprintf("/proc/self/fd/%d", fd)
	return again(func() error { return unix.Linkat(unix.AT_FDCWD, self, dir, name, unix.AT_SYMLINK_FOLLOW) })
}

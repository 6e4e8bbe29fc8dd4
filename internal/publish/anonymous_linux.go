package publish

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// newDraft prefers a file without a name, which leaves nothing behind.
func newDraft(p *place) (draft, error) {
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
	place *place
	file  *os.File
}

func newAnonymous(p *place) (draft, error) {
	// Without /proc not everyone may give such a file a name.
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
	return &anonymous{place: p, file: os.NewFile(uintptr(fd), p.base)}, nil
}

func (d *anonymous) handle() *os.File { return d.file }

func (d *anonymous) abandon() {}

func (d *anonymous) publish(replace bool) error {
	if err := d.flush(); err != nil {
		return err
	}
	err := d.link(d.place.base)
	if replace && errors.Is(err, unix.EEXIST) {
		return d.replace()
	}
	return err
}

// flush reports what close would report, and leaves the file open, for only an open file can get a name.
func (d *anonymous) flush() error {
	second, err := unix.FcntlInt(d.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return err
	}
	return unix.Close(second)
}

// link gives the file a name that nothing has. The first way needs a recent system or a privilege, the second /proc.
func (d *anonymous) link(name string) error {
	fd, dir := int(d.file.Fd()), int(d.place.handle.Fd())
	err := again(func() error { return unix.Linkat(fd, "", dir, name, unix.AT_EMPTY_PATH) })
	if err == nil || errors.Is(err, unix.EEXIST) {
		return err
	}
	self := fmt.Sprintf("/proc/self/fd/%d", fd)
	return again(func() error { return unix.Linkat(unix.AT_FDCWD, self, dir, name, unix.AT_SYMLINK_FOLLOW) })
}

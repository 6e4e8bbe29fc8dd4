package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// openFolder is the open folder.
type openFolder struct {
	path    string
	handle  *os.File
	slow    bool // files without names cannot be made or linked here
	viaProc bool // linking by the descriptor needs a privilege or a newer kernel
}

func (d *openFolder) open(root *os.Root, path string) (err error) {
	d.path = path
	d.handle, err = root.Open(".")
	return err
}

func (d *openFolder) close() { d.handle.Close() } //nolint:errcheck // only read

func (d *openFolder) has(name string) bool {
	var st unix.Stat_t
	return again(func() error { return unix.Fstatat(int(d.handle.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW) }) == nil
}

// put writes a file without a name and links it. Where that does not work, it takes the longer way of Create, and does so from then on.
func (d *openFolder) put(name string, content []byte) error {
	if d.slow {
		return d.putSlowly(name, content)
	}
	fd, err := unix.Openat(int(d.handle.Fd()), ".", unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o666)
	switch {
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EISDIR), errors.Is(err, unix.ENOENT), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		d.slow = true
		return d.putSlowly(name, content)
	case err != nil:
		return err
	}
	n, err := unix.Write(fd, content)
	if err == nil && n < len(content) {
		err = unix.ENOSPC // what a next write would say; none but a full disk ends one early
	}
	if err == nil {
		err = d.link(fd, name)
	}
	closed := unix.Close(fd)
	if err == errNoLink {
		d.slow = true
		return d.putSlowly(name, content)
	}
	if err == nil && closed != nil && !errors.Is(closed, unix.EINTR) {
		err = closed
	}
	return err
}

var errNoLink = errors.New("files without names cannot be linked here")

// link gives the file its name, unless the program is about to end.
func (d *openFolder) link(fd int, name string) error {
	unpublished.lock()
	defer unpublished.mu.Unlock()
	if !d.viaProc {
		err := again(func() error { return unix.Linkat(fd, "", int(d.handle.Fd()), name, unix.AT_EMPTY_PATH) })
		if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EINVAL) {
			return err
		}
		d.viaProc = true
	}
	self := "/proc/self/fd/" + strconv.Itoa(fd)
	err := again(func() error {
		return unix.Linkat(unix.AT_FDCWD, self, int(d.handle.Fd()), name, unix.AT_SYMLINK_FOLLOW)
	})
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.ENAMETOOLONG) {
		return err
	}
	return errNoLink
}

func (d *openFolder) putSlowly(name string, content []byte) error {
	return createWhole(filepath.Join(d.path, name), content)
}

package publish

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// openFolder is the folder's descriptor.
type openFolder struct {
	path    string
	fd      int
	slow    bool // files without names cannot be made or linked here
	viaProc bool // linking by the descriptor needs a privilege or a newer kernel
}

func (d *openFolder) open(path string) (err error) {
	d.path = path
	return again(func() (err error) {
		d.fd, err = unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		return err
	})
}

func (d *openFolder) close() { unix.Close(d.fd) } //nolint:errcheck // only read

func (d *openFolder) stat(name string) (s Stat, ok bool) {
	var st unix.Stat_t
	err := again(func() error { return unix.Fstatat(d.fd, name, &st, 0) })
	return statOfUnix(&st), err == nil && st.Mode&unix.S_IFMT == unix.S_IFREG
}

func statOfUnix(st *unix.Stat_t) Stat { return Stat{st.Size, unix.TimespecToNsec(st.Mtim)} }

func (d *openFolder) holds(name string, content, buffer []byte) bool {
	fd, err := unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd) //nolint:errcheck // only read
	n, err := unix.Pread(fd, buffer[:len(content)+1], 0)
	return err == nil && bytes.Equal(buffer[:n], content)
}

// put writes a file without a name and links it. Where that does not work, it takes the longer way of Create, and does so from then on.
func (d *openFolder) put(name string, content []byte) (s Stat, err error) {
	if d.slow {
		return d.putSlowly(name, content)
	}
	fd, err := unix.Openat(d.fd, ".", unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, 0o666)
	switch {
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EISDIR), errors.Is(err, unix.ENOENT), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOSYS):
		d.slow = true
		return d.putSlowly(name, content)
	case err != nil:
		return s, err
	}
	n, err := unix.Write(fd, content)
	if err == nil && n < len(content) {
		err = unix.ENOSPC // what a next write would say; none but a full disk ends one early
	}
	var st unix.Stat_t
	if err == nil {
		err = unix.Fstat(fd, &st)
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
	return statOfUnix(&st), err
}

var errNoLink = errors.New("files without names cannot be linked here")

// link gives the file its name, unless the program is about to end.
func (d *openFolder) link(fd int, name string) error {
	unpublished.lock()
	defer unpublished.mu.Unlock()
	if !d.viaProc {
		err := again(func() error { return unix.Linkat(fd, "", d.fd, name, unix.AT_EMPTY_PATH) })
		if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EINVAL) {
			return err
		}
		d.viaProc = true
	}
	self := "/proc/self/fd/" + strconv.Itoa(fd)
	err := again(func() error { return unix.Linkat(unix.AT_FDCWD, self, d.fd, name, unix.AT_SYMLINK_FOLLOW) })
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.ENAMETOOLONG) {
		return err
	}
	return errNoLink
}

func (d *openFolder) putSlowly(name string, content []byte) (Stat, error) {
	return createWhole(filepath.Join(d.path, name), content)
}

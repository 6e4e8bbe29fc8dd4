package publish

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const largeFile = unix.O_LARGEFILE // os.Root omits it in 32-bit programs

// draft opens a nameless file, which vanishes with the program, or a named one where the file system requires a name.
func (t *target) draft() (*os.File, string, error) {
	if !canLink() {
		return t.named()
	}
	fd, err := nameless(t.handle)
	for _, lacking := range []error{unix.EOPNOTSUPP, unix.EISDIR, unix.ENOENT, unix.EINVAL, unix.ENOSYS} {
		if errors.Is(err, lacking) {
			return t.named()
		}
	}
	if err != nil {
		return nil, "", err
	}
	return os.NewFile(uintptr(fd), t.base), "", nil
}

// canLink reports whether an unprivileged program can link an open file to a name, which requires /proc.
func canLink() bool { return unix.Access("/proc/self/fd", unix.X_OK) == nil }

func nameless(dir *os.File) (fd int, err error) {
	err = retry(func() (err error) {
		fd, err = unix.Openat(int(dir.Fd()), ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o666)
		return err
	})
	return fd, err
}

// linkAt gives an open file a name that does not exist. The first call needs a recent kernel or a privilege, the second /proc.
func linkAt(fd int, dir *os.File, name string) error {
	to := int(dir.Fd())
	err := retry(func() error { return unix.Linkat(fd, "", to, name, unix.AT_EMPTY_PATH) })
	if err == nil || errors.Is(err, unix.EEXIST) {
		return err
	}
	self := "/proc/self/fd/" + strconv.Itoa(fd)
	return retry(func() error { return unix.Linkat(unix.AT_FDCWD, self, to, name, unix.AT_SYMLINK_FOLLOW) })
}

// Has reports whether the name exists.
func (d *Folder) Has(name string) bool {
	var st unix.Stat_t
	return retry(func() error { return unix.Fstatat(int(d.at.handle.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW) }) == nil
}

// put publishes a file that never had another name.
func (d *Folder) put(name string, content []byte) error {
	fd, err := nameless(d.at.handle)
	if err != nil {
		return err
	}
	n, err := unix.Write(fd, content)
	if err == nil && n < len(content) {
		err = io.ErrShortWrite // only a full disk causes a short write
	}
	if err == nil {
		err = unlessEnding(func() error { return linkAt(fd, d.at.handle, name) })
	}
	if closed := unix.Close(fd); err == nil && !errors.Is(closed, unix.EINTR) {
		err = closed
	}
	return err
}

// link gives a nameless draft its final name, or, to replace an existing file, a temporary one, which it returns. It reports what closing
// the file would report, and leaves the file open, because only an open file can be linked.
func (f *File) link() (temp string, err error) {
	second, err := unix.FcntlInt(f.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.Close(second)
	}
	if err == nil {
		err = f.linkAs(f.target.base)
	}
	if f.options.Replace && errors.Is(err, fs.ErrExist) {
		return f.pass()
	}
	return "", err
}

func (f *File) linkAs(name string) error { return linkAt(int(f.file.Fd()), f.target.handle, name) }

// pass gives a nameless draft a temporary name.
//
// All programs that replace this output use the same name, so that the next one finds and removes the file that a killed program left
// behind. A running program holds a lock on its file. If a running program has the name, pass picks another.
func (f *File) pass() (temp string, err error) {
	temp = passing(f.target.base)
	if tryLock(f.file) == nil {
		err = f.linkAs(temp)
		if errors.Is(err, fs.ErrExist) && f.target.removeDead(temp) {
			err = f.linkAs(temp)
		}
		if !errors.Is(err, fs.ErrExist) {
			return temp, err
		}
	}
	temp = temporary()
	return temp, f.linkAs(temp)
}

// passing is the temporary name of drafts that replace the file name.
func passing(name string) string {
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf(".tlayout-%x", sum[:16])
}

// removeDead removes the file if it is regular and no running program has locked it.
func (t *target) removeDead(name string) bool {
	file, err := t.root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	return tryLock(file) == nil && t.removeSame(name, file)
}

// removeSame removes the name if it still refers to the locked file, which only the lock's holder may remove. The file may have been
// renamed before it was locked.
func (t *target) removeSame(name string, file *os.File) bool {
	opened, err := file.Stat()
	if err != nil || !opened.Mode().IsRegular() {
		return false
	}
	found, err := t.root.Lstat(name)
	return err == nil && os.SameFile(opened, found) && t.root.Remove(name) == nil
}

func tryLock(file *os.File) error {
	return retry(func() error { return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
}

// reserve reserves size bytes of disk space where the file system can. In memory (tmpfs) that would clear every page before it is written:
// there it only checks the free space.
func reserve(file *os.File, size int64) error {
	if size <= 0 {
		return nil
	}
	var fs unix.Statfs_t
	if unix.Fstatfs(int(file.Fd()), &fs) == nil && fs.Type == unix.TMPFS_MAGIC {
		if fs.Blocks > 0 && uint64(size)/uint64(fs.Bsize) > fs.Bavail { // a file system without blocks has no limit
			return unix.ENOSPC
		}
		return nil
	}
	err := retry(func() error { return unix.Fallocate(int(file.Fd()), 0, 0, size) })
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}

// renameNew renames a file unless the new name exists.
func renameNew(dir int, from, to string) error {
	return unix.Renameat2(dir, from, dir, to, unix.RENAME_NOREPLACE)
}

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

const largeFile = unix.O_LARGEFILE // os.Root forgets it in 32-bit programs

// draft opens a file without a name, which vanishes with the program, or a named one where files need one.
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

// canLink reports whether an unprivileged program can give an open file a name, for which it needs /proc.
func canLink() bool { return unix.Access("/proc/self/fd", unix.X_OK) == nil }

func nameless(dir *os.File) (fd int, err error) {
	err = again(func() (err error) {
		fd, err = unix.Openat(int(dir.Fd()), ".", unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o666)
		return err
	})
	return fd, err
}

// linkAt gives an open file a name that does not exist. The first call needs a recent kernel or a privilege, the second /proc.
func linkAt(fd int, dir *os.File, name string) error {
	to := int(dir.Fd())
	err := again(func() error { return unix.Linkat(fd, "", to, name, unix.AT_EMPTY_PATH) })
	if err == nil || errors.Is(err, unix.EEXIST) {
		return err
	}
	self := "/proc/self/fd/" + strconv.Itoa(fd)
	return again(func() error { return unix.Linkat(unix.AT_FDCWD, self, to, name, unix.AT_SYMLINK_FOLLOW) })
}

// Has reports whether there is something of that name.
func (d *Folder) Has(name string) bool {
	var st unix.Stat_t
	return again(func() error { return unix.Fstatat(int(d.at.handle.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW) }) == nil
}

// put publishes a file that has no other name before.
func (d *Folder) put(name string, content []byte) error {
	fd, err := nameless(d.at.handle)
	if err != nil {
		return err
	}
	n, err := unix.Write(fd, content)
	if err == nil && n < len(content) {
		err = io.ErrShortWrite // none but a full disk ends a write early
	}
	if err == nil {
		err = unlessEnding(func() error { return linkAt(fd, d.at.handle, name) })
	}
	if closed := unix.Close(fd); err == nil && !errors.Is(closed, unix.EINTR) {
		err = closed
	}
	return err
}

// link gives a nameless draft its final name, or, if a file of that name is to be replaced, a temporary one, which it returns. It reports
// what closing the file would report, and leaves the file open, because only an open file can be linked.
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
// It is the same for all programs that replace this output, so that a program killed before it renames the file leaves one that the next
// finds and removes. A program locks its file to show that it is alive. If a living one has the name, this one takes another.
func (f *File) pass() (temp string, err error) {
	if temp = passing(f.target.base); tryLock(f.file) == nil {
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

// passing is the temporary name of drafts that replace a file of that name.
func passing(name string) string {
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf(".tlayout-%x", sum[:16])
}

// removeDead removes the file of that name if it is regular and no living program has locked it.
func (t *target) removeDead(name string) bool {
	file, err := t.root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	return tryLock(file) == nil && t.removeSame(name, file)
}

// removeSame removes that name if it still is the locked file's, which nobody else may remove. The file may have been
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
	return again(func() error { return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
}

// reserve reserves size bytes of disk space, on file systems that can. In memory (tmpfs) that would clear every page just to
// be written: there the free space is only compared.
func reserve(file *os.File, size int64) error {
	if size <= 0 {
		return nil
	}
	var fs unix.Statfs_t
	if unix.Fstatfs(int(file.Fd()), &fs) == nil && fs.Type == unix.TMPFS_MAGIC {
		if fs.Blocks > 0 && uint64(size)/uint64(fs.Bsize) > fs.Bavail { // without blocks it has no limit
			return unix.ENOSPC
		}
		return nil
	}
	err := again(func() error { return unix.Fallocate(int(file.Fd()), 0, 0, size) })
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return nil
	}
	return err
}

// renameNew renames a file unless there is one of the new name.
func renameNew(dir int, from, to string) error {
	return unix.Renameat2(dir, from, dir, to, unix.RENAME_NOREPLACE)
}

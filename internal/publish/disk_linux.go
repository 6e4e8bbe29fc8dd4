package publish

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

const largeFile = unix.O_LARGEFILE // os.Root forgets it in 32-bit programs

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

// moveNew gives the draft the output's name if it is free.
func moveNew(p *target, temp string) error {
	dir := int(p.handle.Fd())
	err := again(func() error { return unix.Renameat2(dir, temp, dir, p.base, unix.RENAME_NOREPLACE) })
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return linkNew(p, temp)
	}
	return err
}

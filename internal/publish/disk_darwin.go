package publish

import (
	"errors"

	"golang.org/x/sys/unix"
)

// moveNew gives the draft the output's name if it is free.
func moveNew(p *target, temp string) error {
	dir := int(p.handle.Fd())
	err := unix.RenameatxNp(dir, temp, dir, p.base, unix.RENAME_EXCL)
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL) {
		return linkNew(p, temp)
	}
	return err
}

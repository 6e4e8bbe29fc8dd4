package publish

import "golang.org/x/sys/unix"

// renameNew renames a file unless the new name exists.
func renameNew(dir int, from, to string) error {
	return unix.RenameatxNp(dir, from, dir, to, unix.RENAME_EXCL)
}

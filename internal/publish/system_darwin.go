package publish

import "golang.org/x/sys/unix"

// renameNew renames a file unless there is one of the new name.
func renameNew(dir int, from, to string) error {
	return unix.RenameatxNp(dir, from, dir, to, unix.RENAME_EXCL)
}

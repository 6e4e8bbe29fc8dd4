//go:build unix && !linux && !darwin

package publish

import "golang.org/x/sys/unix"

// renameNew is what these systems lack.
func renameNew(int, string, string) error { return unix.ENOSYS }

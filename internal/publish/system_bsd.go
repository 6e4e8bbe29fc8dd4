//go:build unix && !linux && !darwin

package publish

import "golang.org/x/sys/unix"

// renameNew is not available on these systems.
func renameNew(int, string, string) error { return unix.ENOSYS }

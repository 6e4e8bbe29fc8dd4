//go:build unix

package many

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock takes a file for this program, until it is closed; true if there are no locks.
func lock(file *os.File) bool {
	return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != unix.EWOULDBLOCK
}

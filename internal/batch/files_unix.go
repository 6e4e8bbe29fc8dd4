//go:build unix

package batch

import (
	"math"

	"golang.org/x/sys/unix"
)

// OpenFiles returns the maximum number of open files.
func OpenFiles() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}

//go:build unix

package many

import (
	"math"

	"golang.org/x/sys/unix"
)

// OpenFiles is how many files the program may have open.
func OpenFiles() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}

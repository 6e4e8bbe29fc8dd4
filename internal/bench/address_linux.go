package bench

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// addressSpace returns the remaining address space in bytes, false if unlimited. statm is the content of /proc/self/statm, which starts
// with the number of mapped pages.
func addressSpace(statm string) (int64, bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur > 1<<62 {
		return 0, false
	}
	first, _, _ := strings.Cut(statm, " ")
	pages, _ := strconv.ParseInt(first, 10, 64)
	return int64(limit.Cur) - pages*int64(os.Getpagesize()), true
}

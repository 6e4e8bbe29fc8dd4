package marks

import (
	"os"
	"syscall"
)

// maxResidentKiB is the most memory that a command had at once, or, where that is more, that this program had when it
// began it: so Linux counts.
func maxResidentKiB(state *os.ProcessState) int {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return int(usage.Maxrss)
	}
	return 0
}

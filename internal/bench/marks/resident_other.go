//go:build !linux

package marks

import (
	"os"
)

// maxResidentKiB is not known here.
func maxResidentKiB(*os.ProcessState) int { return 0 }

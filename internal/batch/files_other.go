//go:build !unix

package batch

import "math"

// OpenFiles returns the maximum number of open files.
func OpenFiles() int { return math.MaxInt32 }

//go:build !unix

package many

import "math"

// OpenFiles returns the maximum number of open files.
func OpenFiles() int { return math.MaxInt32 }

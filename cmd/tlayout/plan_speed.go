package main

import (
	"time"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// What a copy is measured with: more than a core's own cache holds, and little enough to be done in about 20 ms.
const (
	probeBytes = 8 << 20
	probeTurns = 3
)

// copySpeed is the speed, in bytes read and written per second, at which one thread copies here and now: the best of a
// few turns. Each goes into memory that was never touched, as a new file does: the system must find and clear it, which
// takes most of the time.
func copySpeed(k *kernel.Kernels) float64 {
	src, dst := make([]byte, probeBytes), make([]byte, probeTurns*probeBytes)
	for i := 0; i < len(src); i += 4096 {
		src[i] = 1 // pages that were never written are one page of zeros
	}
	best := time.Duration(0)
	for turn := range probeTurns {
		start := time.Now()
		k.Copy(dst[turn*probeBytes:][:probeBytes], src, kernel.Options{})
		if d := max(time.Since(start), time.Nanosecond); turn == 0 || d < best {
			best = d
		}
	}
	return 2 * probeBytes / best.Seconds()
}

package convert

import (
	"time"

	"github.com/edsrzf/mmap-go"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// What a copy is measured with: few enough bytes to take a few ms, page faults included.
const (
	copyBytes = 2 << 20
	copyTurns = 2
)

// CopySpeed is the speed, in bytes read and written per second, at which one thread copies here and now: the best of a
// few turns. Each turn copies into memory that was never touched, as a new file's pages are: the system must find and
// clear them, which takes most of the time. It is false if there is no memory to measure in.
func CopySpeed(k *kernel.Kernels) (float64, bool) {
	// Unlike make, it can fail without ending the program, as under a small ulimit -v.
	all, err := mmap.MapRegion(nil, (1+copyTurns)*copyBytes, mmap.RDWR, mmap.ANON, 0)
	if err != nil {
		return 0, false
	}
	defer all.Unmap() //nolint:errcheck // it was mapped
	src, dst := all[:copyBytes], all[copyBytes:]
	for i := 0; i < copyBytes; i += 4096 {
		src[i] = 1 // pages that were never written are one page of zeros
	}
	best := time.Hour
	for turn := range copyTurns {
		start := time.Now()
		k.Copy(dst[turn*copyBytes:][:copyBytes], src, kernel.Cached)
		best = min(best, max(time.Since(start), time.Nanosecond))
	}
	return 2 * copyBytes / best.Seconds(), true
}

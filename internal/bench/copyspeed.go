package bench

import (
	"time"

	"github.com/edsrzf/mmap-go"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Parameters of a measured copy: few enough bytes to take a few ms, page faults included.
const (
	copyBytes = 2 << 20
	copyTurns = 2
)

// CopySpeed returns the speed, in bytes read and written per second, of copying on one thread on this machine: the best of a few runs. Each
// run copies into untouched memory, like a new file's pages: the system must find and clear them, which takes most of the time. ok is false
// if there is no memory for measuring.
func CopySpeed(k *kernel.Kernels) (float64, bool) {
	// Unlike make, this can fail without ending the program, as under a small ulimit -v.
	all, err := mmap.MapRegion(nil, (1+copyTurns)*copyBytes, mmap.RDWR, mmap.ANON, 0)
	if err != nil {
		return 0, false
	}
	defer all.Unmap() //nolint:errcheck // it is mapped
	src, dst := all[:copyBytes], all[copyBytes:]
	for i := 0; i < copyBytes; i += 4096 {
		src[i] = 1 // unwritten pages share one page of zeros
	}
	best := time.Hour
	for turn := range copyTurns {
		start := time.Now()
		k.Copy(dst[turn*copyBytes:][:copyBytes], src, kernel.Cached)
		best = min(best, max(time.Since(start), time.Nanosecond))
	}
	return 2 * copyBytes / best.Seconds(), true
}

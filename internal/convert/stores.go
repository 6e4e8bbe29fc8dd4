package convert

import (
	"math/bits"
	"sync"
	"time"

	"github.com/klauspost/cpuid/v2"

	"github.com/tlayout/tlayout/internal/convert/kernel"
	"github.com/tlayout/tlayout/internal/ints"
)

// Stores are those of a run in memory, by the bytes of its destination, when its source has as many:
//
//	up to a core's own cache                        cached
//	over half of what the last-level cache has      streaming: every line of the destination would be fetched only to be evicted
//	between                                         what is faster here and now, measured once for each size
//
// How much of the last-level cache a program gets depends on its neighbors: the processor's own figure does not tell.
func (p *Plan) Stores(k *kernel.Kernels) kernel.Stores {
	bytes := p.Alloc * p.ItemSize
	switch {
	case bytes <= ownCache() || !k.Streams():
		return kernel.Cached
	case bytes > min(max(cpuid.CPU.Cache.L3, ownCache()), maxCache)/2:
		return kernel.Streaming
	}
	quarter := 1 << (bits.Len(uint(bytes)) - 3)
	kind := probe{k, ints.CeilDiv(bytes, quarter) * quarter, p.staged(k)}
	found, _ := measured.LoadOrStore(kind, sync.OnceValue(kind.faster))
	return found.(func() kernel.Stores)()
}

// staged reports whether streaming stores would go through memory that stays in the caches. They cost twice as much then.
func (p *Plan) staged(k *kernel.Kernels) bool {
	b := p.largest()
	if p.Gaps || elemsOf(b.Loops) == 0 {
		return false
	}
	m := p.matrixOf(b)
	return !m.copied && m.block(k, kernel.Streaming, len(m.rows.table), len(m.cols.table)).Staged()
}

// maxCache bounds the part of the last-level cache that a program gets, in bytes: processors that many programs share report
// hundreds of MiB. Measured: copies slow down beyond it.
const maxCache = 112 << 20

// ownCache is the size of a core's own cache in bytes, or what is usual where it is unknown.
func ownCache() int { return max(cpuid.CPU.Cache.L2, 512<<10) }

// tileBytes is the size of tiles: half of a core's own cache.
func tileBytes() int { return ownCache() / 2 }

// measured are the stores that were faster.
var measured sync.Map // probe: func() kernel.Stores

// probe is what is measured: a destination of about so many bytes.
type probe struct {
	kernels *kernel.Kernels
	bytes   int
	staged  bool
}

// Streaming stores must be faster by this factor: cached ones leave the destination where it is read next.
const streamingGain = 1.1

// box converts float32, as much as there is room for: 64 channels of 3136 pixels from NCHW to NHWC, whose destination rows are
// lines, or 256 of 196 from NHWC to NCHW, whose rows are not.
func (q probe) box() Box {
	channels, pixels := 64, 3136
	if q.staged {
		channels, pixels = 256, 196
	}
	images := Loop{max(1, q.bytes/(channels*pixels*probeItem)), channels * pixels, channels * pixels}
	if q.staged {
		return Box{Loops: []Loop{images, {channels, 1, pixels}, {pixels, channels, 1}}}
	}
	return Box{Loops: []Loop{images, {pixels, 1, channels}, {channels, pixels, 1}}}
}

// probeItem is the size of the elements of a probe, in bytes.
const probeItem = 4

// Each kind of stores finds the caches as it leaves them itself, after so long: that of a conversion that is repeated, as bench
// does. A last-level cache may take ten turns to hold a destination that streaming stores kept out of it.
const (
	settling   = 15 * time.Millisecond
	timedTurns = 5
)

// faster runs the box with both kinds of stores, and compares the fastest turns. Where there is no memory for that, stores are
// cached.
func (q probe) faster() kernel.Stores {
	box := q.box()
	p := &Plan{Boxes: []Box{box}, ItemSize: probeItem, Alloc: elemsOf(box.Loops), choices: &choices{}}
	half := p.Alloc * p.ItemSize
	all, free, err := scratch(2 * half)
	if err != nil {
		return kernel.Cached
	}
	defer free()
	fillNoise(all[half:])
	best := [2]time.Duration{}
	for _, s := range []kernel.Stores{kernel.Cached, kernel.Streaming} {
		m := newMover(p, q.kernels, all[:half], all[half:], make([]byte, probeItem), s)
		turn := func() time.Duration {
			start := time.Now()
			m.boxes(p.Boxes)
			q.kernels.Fence()
			return time.Since(start)
		}
		for settled := time.Duration(0); settled < settling; {
			settled += max(turn(), time.Microsecond)
		}
		best[s] = turn()
		for range timedTurns - 1 {
			best[s] = min(best[s], turn())
		}
	}
	if float64(best[kernel.Cached]) > streamingGain*float64(best[kernel.Streaming]) {
		return kernel.Streaming
	}
	return kernel.Cached
}

package convert

import (
	"runtime"

	"github.com/tlayout/tlayout/internal/convert/kernel"
)

// Options say with what a plan is run. The zero value takes all cores, the best kernels and no guard.
type Options struct {
	Kernels *kernel.Kernels
	Threads int
	// Guard runs what reads the source, in the goroutine that reads it.
	Guard func(func() error) error
	// Disk reads the source where it is not in memory; nil if it is. Run does not ask it.
	Disk Disk
	// tile is the size of tiles in bytes; tests make it small.
	tile int
	// near is nearBytes; tests make it small.
	near int
	// Done is told how many bytes of the destination are new, from any goroutine.
	Done func(bytes int)
}

func (o Options) withDefaults() Options {
	if o.Kernels == nil {
		o.Kernels = kernel.Best()
	}
	if o.Threads == 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Guard == nil {
		o.Guard = func(f func() error) error { return f() }
	}
	if o.tile == 0 {
		o.tile = tileBytes()
	}
	o.Threads = min(o.Threads, 16*runtime.GOMAXPROCS(0))
	if o.near == 0 {
		o.near = nearBytes
	}
	if o.Done == nil {
		o.Done = func(int) {}
	}
	return o
}

// Run writes the destination's whole storage, dst, from the source's. Places that no element is copied to get pad, one
// item.
func (p *Plan) Run(dst, src, pad []byte, o Options) error {
	o = o.withDefaults()
	o.Disk = nil
	if p.ItemSize == 0 || p.Alloc == 0 {
		return nil
	}
	pad = p.orZeros(pad)
	if p.Gaps {
		return p.runPadded(dst, src, pad, o)
	}
	if o.Threads == 1 {
		return o.Guard(func() error {
			newMover(p, o.Kernels, dst, src, pad, streams(len(dst))).boxes(p.Boxes)
			o.Kernels.Fence()
			o.Done(len(dst))
			return nil
		})
	}
	t := newTiling(p, min(max(p.Alloc/(8*o.Threads), o.tile/16/p.ItemSize), o.tile/p.ItemSize))
	return Parallel(o.Threads, t.count(), o.Guard, func(int) func(int) error {
		m := newMover(p, o.Kernels, dst, src, pad, streams(len(dst)))
		return func(k int) error {
			w := t.at(k)
			for _, b := range p.Boxes {
				m.boxes(t.cut(b, w, t.pitch, t.first(w)))
			}
			o.Kernels.Fence()
			o.Done(w.elems() * p.ItemSize)
			return nil
		}
	})
}

// orZeros is pad, or an item of zeros where there is none.
func (p *Plan) orZeros(pad []byte) []byte {
	if len(pad) == 0 {
		return make([]byte, p.ItemSize)
	}
	return pad
}

// runPadded puts each tile together in a buffer that holds the padding, and copies it to its place.
func (p *Plan) runPadded(dst, src, pad []byte, o Options) error {
	t := newTiling(p, o.tile/p.ItemSize)
	copies := kernel.Options{Stream: streams(len(dst))}
	return Parallel(o.Threads, t.count(), o.Guard, func(int) func(int) error {
		s := newStage(p, t, src, pad, o)
		return func(k int) error {
			w := t.at(k)
			tile, err := s.fill(w)
			if err != nil {
				return err
			}
			t.segments(w, func(storage, packed, n int) error {
				at, from := storage*p.ItemSize, packed*p.ItemSize
				o.Kernels.Copy(dst[at:at+n*p.ItemSize], tile[from:from+n*p.ItemSize], copies)
				return nil
			})
			o.Kernels.Fence()
			o.Done(len(tile))
			return nil
		}
	})
}

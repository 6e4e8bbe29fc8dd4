package input

import (
	"golang.org/x/sys/unix"

	"github.com/tlayout/tlayout/internal/ints"
)

// Resident reports whether the byte at off can be read without waiting for the disk; true if unknown. After the first one that cannot, it
// reports false for all, and turns read-ahead off: some disks read megabytes around every page, which evicts needed pages when memory is
// short.
func (b *local) Resident(off int64) bool {
	if b.cold.Load() {
		return false
	}
	var probe [1]byte
	if _, err := unix.Preadv2(int(b.file.Fd()), [][]byte{probe[:]}, off, unix.RWF_NOWAIT); err != unix.EAGAIN {
		return true
	}
	b.advise(0, 0, unix.FADV_RANDOM)
	b.cold.Store(true)
	return false
}

// Fetch starts reading n bytes at off, and returns immediately.
func (b *local) Fetch(off, n int64) { b.advise(off, n, unix.FADV_WILLNEED) }

// Forget drops the whole pages among n bytes at off.
func (b *local) Forget(off, n int64) { b.advise(off, n, unix.FADV_DONTNEED) }

func (b *local) advise(off, n int64, advice int) {
	unix.Fadvise(int(b.file.Fd()), off, n, advice) //nolint:errcheck // without it the system decides
}

const (
	releaseBytes = 1 << 20  // bytes unmapped at once, of small ranges near each other: a call costs as much as comparing a small tensor
	faultBytes   = 64 << 10 // bytes that Linux maps around a page that is read (fault_around_bytes of mm/memory.c)
)

// Release unmaps the pages of n mapped bytes at off, or does so later, together with those of other ranges near them. They stay in the page
// cache, and are mapped again when read.
func (b *local) Release(off, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	both := extent{min(b.released.from, off), max(b.released.to, off+n)}
	if b.released.bytes() == 0 {
		both = extent{off, off + n}
	}
	if both.bytes() < releaseBytes {
		b.released = both
		return
	}
	if both.bytes() > b.released.bytes()+n+releaseBytes {
		b.unmapPages(b.released)
		b.released = extent{off, off + n}
		return
	}
	b.unmapPages(both)
	b.released = extent{}
}

// unmapPages unmaps the pages of a part of the mapping, and those that were mapped around them. The caller holds b.mu.
func (b *local) unmapPages(x extent) {
	from := x.from / faultBytes * faultBytes
	to := min(ints.CeilDiv(x.to, faultBytes)*faultBytes, int64(len(b.mapped)))
	if from < to {
		unix.Madvise(b.mapped[from:to], unix.MADV_DONTNEED) //nolint:errcheck // then they stay
	}
}

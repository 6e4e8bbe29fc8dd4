package input

import (
	"os"

	"golang.org/x/sys/unix"
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

// Release unmaps the pages of n mapped bytes at off. They stay in the page cache, and are mapped again when read.
func (b *local) Release(off, n int64) {
	page := int64(os.Getpagesize())
	b.mu.Lock()
	defer b.mu.Unlock()
	if from, to := off/page*page, min(off+n, int64(len(b.mapped))); from < to {
		unix.Madvise(b.mapped[from:to], unix.MADV_DONTNEED) //nolint:errcheck // then they stay
	}
}

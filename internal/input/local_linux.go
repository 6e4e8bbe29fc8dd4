package input

import (
	"os"

	"golang.org/x/sys/unix"
)

// Resident reports whether the byte at off can be read without waiting for the disk; true if unknown. After the first
// that cannot, it reports false for all, and turns read-ahead off: a disk may be set to read megabytes around every page,
// which displaces what is needed next when memory is short.
func (b *local) Resident(off int64) bool {
	if b.cold.Load() {
		return false
	}
	var one [1]byte
	if _, err := unix.Preadv2(int(b.file.Fd()), [][]byte{one[:]}, off, unix.RWF_NOWAIT); err != unix.EAGAIN {
		return true
	}
	b.advise(0, 0, unix.FADV_RANDOM)
	b.cold.Store(true)
	return false
}

// Fetch starts to read n bytes at off, and does not wait for them.
func (b *local) Fetch(off, n int64) { b.advise(off, n, unix.FADV_WILLNEED) }

// Forget drops the whole pages among n bytes at off.
func (b *local) Forget(off, n int64) { b.advise(off, n, unix.FADV_DONTNEED) }

func (b *local) advise(off, n int64, advice int) {
	unix.Fadvise(int(b.file.Fd()), off, n, advice) //nolint:errcheck // without it pages come and go as they are touched
}

// Release gives back the memory of all pages of n mapped bytes at off. They stay in the system's cache, from which they are mapped again
// where they are read.
func (b *local) Release(off, n int64) {
	page := int64(os.Getpagesize())
	b.mu.Lock()
	defer b.mu.Unlock()
	if from, to := off/page*page, min(off+n, int64(len(b.mapped))); from < to {
		unix.Madvise(b.mapped[from:to], unix.MADV_DONTNEED) //nolint:errcheck // then they stay
	}
}

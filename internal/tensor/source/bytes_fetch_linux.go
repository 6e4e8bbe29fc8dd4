package source

import "golang.org/x/sys/unix"

// resident reports whether the byte at off can be had without waiting for the disk; true where that is not known. Once
// it is not, none is: from then on the file is read by what is asked for alone. A disk may be set to read megabytes
// around every page that is touched, which in memory that is short displaces what is needed next.
func (b *Bytes) resident(off int64) bool {
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

// fetch begins to read n bytes from off on, and does not wait for them.
func (b *Bytes) fetch(off, n int64) { b.advise(off, n, unix.FADV_WILLNEED) }

// forget drops the whole pages among n bytes from off on.
func (b *Bytes) forget(off, n int64) { b.advise(off, n, unix.FADV_DONTNEED) }

func (b *Bytes) advise(off, n int64, advice int) {
	unix.Fadvise(int(b.file.Fd()), off, n, advice) //nolint:errcheck // without it pages come and go as they are touched
}

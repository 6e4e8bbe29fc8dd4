//go:build !linux

package input

// These systems manage pages without hints.

func (b *local) Resident(off int64) bool { return true }
func (b *local) Fetch(off, n int64)      {}
func (b *local) Forget(off, n int64)     {}
func (b *local) Release(off, n int64)    {}

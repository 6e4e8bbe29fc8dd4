//go:build !linux

package source

// Elsewhere pages come and go as they are touched.

func (b *Bytes) resident(off int64) bool { return true }
func (b *Bytes) fetch(off, n int64)      {}
func (b *Bytes) forget(off, n int64)     {}

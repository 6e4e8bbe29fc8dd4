package source

import (
	"math"

	"github.com/edsrzf/mmap-go"

	"github.com/tlayout/tlayout/internal/fault"
)

const (
	smallCopy = 1 << 20 // bytes; shorter copies are left to the garbage collector
	readChunk = 8 << 20 // bytes; a copy is filled in steps of this, so that a file cut short is noticed early
)

// copied is a part of the file in memory that does not belong to the garbage collector.
type copied struct {
	off  int64 // byte of the file at which it begins
	data mmap.MMap
}

// Range returns the n bytes from the byte off on. They must not be written to.
//
// It is a part of the mapped file. Where the file cannot be mapped (address space limits, some file systems, files
// over 2 GiB in a 32-bit program) the range is read into memory; that memory is asked for in a way that can be
// refused, and then the error is fault.Resource. A range that leaves the file is fault.Malformed.
func (b *Bytes) Range(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > b.Size()-n {
		return nil, fault.New(fault.Malformed, "%s: file too short: it has %d bytes, %d are needed from byte %d on",
			b.name, b.Size(), n, off)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if n == 0 {
		return []byte{}, nil
	}
	if m := b.mapping(); m != nil {
		return m[off : off+n : off+n], nil
	}
	return b.copyOf(off, n)
}

// mapping returns the mapped file, and nil where it cannot be mapped. The caller holds b.mu.
func (b *Bytes) mapping() mmap.MMap {
	if b.tried || b.noMap || b.Size() > math.MaxInt {
		return b.mapped
	}
	b.tried = true
	if m, err := mmap.MapRegion(b.file, int(b.Size()), mmap.RDONLY, 0, 0); err == nil {
		b.mapped = m
	}
	return b.mapped
}

// copyOf returns n bytes from off on, read into memory unless an earlier copy has them. The caller holds b.mu.
func (b *Bytes) copyOf(off, n int64) ([]byte, error) {
	for _, c := range b.copies {
		if lo := off - c.off; lo >= 0 && lo <= int64(len(c.data))-n {
			return c.data[lo : lo+n : lo+n], nil
		}
	}
	if n <= smallCopy {
		p := make([]byte, n)
		return p, b.fill(p, off)
	}
	m, err := b.allocate(n)
	if err != nil {
		return nil, err
	}
	if err := b.fill(m, off); err != nil {
		m.Unmap() //nolint:errcheck // the read error is the one to tell
		return nil, err
	}
	b.copies = append(b.copies, copied{off, m})
	return m, nil
}

// allocate returns n zero bytes from the system. Unlike make, it can fail without ending the program.
func (b *Bytes) allocate(n int64) (mmap.MMap, error) {
	if n <= math.MaxInt {
		if m, err := mmap.MapRegion(nil, int(n), mmap.RDWR, mmap.ANON, 0); err == nil {
			return m, nil
		}
	}
	return nil, fault.New(fault.Resource, "cannot read %s: not enough memory to map or hold %d bytes", b.name, n).
		WithHint("raise the address space limit (ulimit -v), or use a 64-bit tlayout")
}

// fill reads len(p) bytes from off on.
func (b *Bytes) fill(p []byte, off int64) error {
	for len(p) > 0 {
		n, err := b.ReadAt(p[:min(len(p), readChunk)], off)
		if err != nil {
			return err
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

// unmap gives all memory back. The caller holds b.mu.
func (b *Bytes) unmap() {
	if b.mapped != nil {
		b.mapped.Unmap() //nolint:errcheck // nothing was written through it
	}
	for _, c := range b.copies {
		c.data.Unmap() //nolint:errcheck // nothing was written through it
	}
	b.mapped, b.copies = nil, nil
}

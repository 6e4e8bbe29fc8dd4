package input

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
	"sync/atomic"

	"github.com/edsrzf/mmap-go"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

// local is an open regular file, possibly with a spooled stream in it.
type local struct {
	name     string      // for messages: a quoted path or the name of a stream
	file     *os.File    // open for reading until Close
	size     int64       // bytes
	opened   fs.FileInfo // for Guard to compare with
	cleanup  string      // path to remove at Close; may be empty
	borrowed bool        // Close keeps the file open
	noMap    bool        // set by tests: act as if mapping failed
	cold     atomic.Bool // a part is not in memory

	mu     sync.Mutex // guards everything below
	tried  bool       // mapping was attempted
	mapped mmap.MMap  // the whole file; nil where it cannot be mapped
	copies []copied   // ranges read instead of mapped
	closed bool

	released extent // mapped bytes that Release has not unmapped yet
}

// extent is the bytes of a file from one to another, which is not in it.
type extent struct{ from, to int64 }

func (x extent) bytes() int64 { return x.to - x.from }

// openLocal is Open of a file.
func openLocal(n name.Name) (*local, error) {
	shown := n.String()
	if info, err := n.Stat(); err == nil {
		// Opening some devices has side effects, so they are refused first.
		if err := refuseIrregular(shown, info); err != nil {
			return nil, err
		}
	}
	file, err := openWithoutWaiting(n.Raw())
	if err != nil {
		return nil, failure("open", shown, err)
	}
	b, err := newLocal(shown, file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return b, nil
}

// OpenFolder opens a folder, whose files are below it: no link leads out of it.
func OpenFolder(n name.Name) (*os.Root, error) {
	root, err := os.OpenRoot(n.Raw())
	if err != nil {
		return nil, failure("open", n.String(), err)
	}
	return root, nil
}

// openWithoutWaiting does not block even if the path has become a pipe or a terminal.
func openWithoutWaiting(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|withoutWaiting, 0)
}

// newLocal checks an open file, and owns it unless it returns an error.
func newLocal(name string, file *os.File) (*local, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, failure("read", name, err)
	}
	if err := refuseIrregular(name, info); err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return nil, fault.New(fault.Malformed, "%s: file is empty", name)
	}
	return &local{name: name, file: file, size: info.Size(), opened: info}, nil
}

// Borrow returns an open file as a File, whose Close keeps it open. name is for messages.
func Borrow(name string, file *os.File) (File, error) {
	b, err := newLocal(name, file)
	if err != nil {
		return nil, err
	}
	b.borrowed = true
	return b, nil
}

func (b *local) Size() int64 { return b.size }

func (b *local) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fault.New(fault.Resource, "cannot read %s at byte %d", b.name, off)
	}
	left := max(0, b.Size()-off)
	whole := int64(len(p)) <= left
	if !whole {
		p = p[:left]
	}
	n, err := b.file.ReadAt(p, off)
	if errors.Is(err, io.EOF) && n < len(p) {
		return n, b.changed()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return n, failure("read", b.name, err)
	}
	if !whole {
		return n, io.EOF
	}
	return n, nil
}

// Close closes the file and frees its memory. Slices returned by Range must not be used any more.
func (b *local) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	b.closed = true
	b.unmap()
	if b.borrowed {
		return nil
	}
	err := b.file.Close()
	if b.cleanup != "" {
		err = errors.Join(err, os.Remove(b.cleanup))
	}
	if err != nil {
		return failure("close", b.name, err)
	}
	return nil
}

const (
	smallCopy = 1 << 20 // bytes; the garbage collector frees copies up to this
	readChunk = 8 << 20 // bytes per read, so that a truncated file is detected early
)

// copied is a part of the file in memory outside the garbage collector's heap.
type copied struct {
	off  int64 // its first byte in the file
	data mmap.MMap
}

// Range returns a part of the mapped file. If the file cannot be mapped (address space limits, some file systems, files over 2 GiB in a
// 32-bit program), it reads the range into memory.
func (b *local) Range(off, n int64) ([]byte, error) {
	if err := within(b.name, b.size, off, n); err != nil {
		return nil, err
	}
	if n == 0 {
		return []byte{}, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if m := b.mapping(); m != nil {
		return m[off : off+n : off+n], nil
	}
	return b.copyOf(off, n)
}

// mapping returns the mapped file, or nil if it cannot be mapped. The caller holds b.mu.
func (b *local) mapping() mmap.MMap {
	if b.tried || b.noMap || b.Size() > math.MaxInt {
		return b.mapped
	}
	b.tried = true
	if m, err := mmap.MapRegion(b.file, int(b.Size()), mmap.RDONLY, 0, 0); err == nil {
		b.mapped = m
	}
	return b.mapped
}

// copyOf returns n bytes at off, from an earlier copy or read into memory. The caller holds b.mu.
func (b *local) copyOf(off, n int64) ([]byte, error) {
	for _, c := range b.copies {
		if lo := off - c.off; lo >= 0 && lo <= int64(len(c.data))-n {
			return c.data[lo : lo+n : lo+n], nil
		}
	}
	if n <= smallCopy {
		p := make([]byte, n)
		return p, ReadFull(b, p, off)
	}
	m, err := b.allocate(n)
	if err != nil {
		return nil, err
	}
	if err := ReadFull(b, m, off); err != nil {
		m.Unmap() //nolint:errcheck // the read error is reported
		return nil, err
	}
	b.copies = append(b.copies, copied{off, m})
	return m, nil
}

// allocate returns n zero bytes. Unlike make, it returns an error when memory is short.
func (b *local) allocate(n int64) (mmap.MMap, error) {
	if n <= math.MaxInt {
		if m, err := mmap.MapRegion(nil, int(n), mmap.RDWR, mmap.ANON, 0); err == nil {
			return m, nil
		}
	}
	return nil, fault.New(fault.Resource, "cannot read %s: not enough memory to map or hold %d bytes", b.name, n).
		WithHint("raise the address space limit (ulimit -v), or use a 64-bit tlayout")
}

// unmap frees all memory. The caller holds b.mu.
func (b *local) unmap() {
	if b.mapped != nil {
		b.mapped.Unmap() //nolint:errcheck // nothing was written through it
	}
	for _, c := range b.copies {
		c.data.Unmap() //nolint:errcheck // nothing was written through it
	}
	b.mapped = nil
	b.copies = nil
}

// Guard returns a memory fault in f as an error: reading a mapped page of a file that was truncated faults. It compares the file's size and
// modification time, and so misses a change that keeps the size and happens within the same file system clock tick (some milliseconds) as
// the opening.
func (b *local) Guard(f func() error) error {
	err := catchFaults(b.name, f, b.offsetOf)
	if changed := b.Unchanged(); changed != nil {
		return changed
	}
	return err
}

// offsetOf returns the byte of the file that is mapped at addr.
func (b *local) offsetOf(addr uintptr) (off uintptr, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return offsetIn(b.mapped, addr)
}

// Unchanged returns an error if the file has changed since it was opened, or cannot be examined.
func (b *local) Unchanged() error {
	now, err := b.file.Stat()
	if err != nil || now.Size() != b.opened.Size() || !now.ModTime().Equal(b.opened.ModTime()) {
		return b.changed()
	}
	return nil
}

// Ensure does nothing: the file is local.
func (b *local) Ensure(off, n int64) error { return nil }

// changed returns the error for a file that changed while it was read.
func (b *local) changed() error {
	return fault.New(fault.Resource, "input changed while reading: %s", b.name).
		WithHint("run it again when nothing else writes to that file")
}

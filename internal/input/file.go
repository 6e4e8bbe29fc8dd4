// Package input gives access to the bytes of a source: a mapped file, ranges of a remote object in a bounded cache, a spooled stream, or a
// text. File says what happens when a file changes or cannot be read meanwhile.
package input

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"reflect"
	"runtime/debug"

	"github.com/edsrzf/mmap-go"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
)

// File gives random access to the bytes of a source: a local file, mapped; a remote object, whose ranges are read into a bounded cache; a
// stream, spooled into a nameless file; or a text in memory.
//
// Its size is fixed when it is opened. It may be used from many goroutines at once.
type File interface {
	// ReadAt reads len(p) bytes at byte off, never through a map. Following io.ReaderAt, a short read returns an error: io.EOF at the end of
	// the file, fault.Resource for everything else, including a file that has become shorter than Size.
	io.ReaderAt
	// Size returns the number of bytes the file had when it was opened.
	Size() int64
	// Range returns the n bytes at byte off, read-only and valid until Close. A range outside the file is fault.Malformed; one that can be
	// neither mapped nor read is fault.Resource.
	Range(off, n int64) ([]byte, error)
	// Guard runs f, which may use slices returned by Range, and returns its error. If the file could not be read or has changed, it returns
	// fault.Resource instead. It protects the calling goroutine only: each worker needs its own.
	Guard(f func() error) error
	// Unchanged returns fault.Resource if the file has changed since it was opened.
	Unchanged() error
	// Ensure caches n bytes at byte off on this machine, so that piecewise reads do not wait for each piece.
	Ensure(off, n int64) error
	Close() error
	paged
}

// paged has the paging hints for files larger than memory: random access to a map reads page by page, and evicts needed pages for unneeded
// neighbors.
type paged interface {
	// Resident reports whether the byte at off can be read without waiting for the disk; true if unknown.
	Resident(off int64) bool
	// Fetch starts reading n bytes at off, and returns immediately.
	Fetch(off, n int64)
	// Forget lets the system free the memory of n bytes at off.
	Forget(off, n int64)
	// Release frees the memory of n bytes at off that Range returned. They can be read again.
	Release(off, n int64)
}

// Options apply to remote objects.
type Options struct {
	MaxDownload int64    // bytes cached in a temporary file; 0 for 8 GiB
	Progress    Progress // may be nil
}

// Open opens the regular file of that name, following symbolic links, or the object that a URL names.
//
// A missing file and anything that is not a regular file (directory, pipe, socket, device) are fault.Resource, an empty
// file is fault.Malformed. It does not wait for the writer of a pipe.
func Open(n name.Name, o Options) (File, error) {
	if n.IsRemote() {
		return openRemote(n, o)
	}
	return notNil(openLocal(n))
}

// notNil returns a nil File, instead of a nil pointer in a File, after an error.
func notNil(b *local, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return b, nil
}

// within returns fault.Malformed if a range is outside a file of size bytes.
func within(name string, size, off, n int64) error {
	if off < 0 || n < 0 || off > size-n {
		return fault.New(fault.Malformed, "%s: file too short: has %d bytes, needs %d at byte %d", name, size, n, off)
	}
	return nil
}

// ReadFull reads len(p) bytes of a file at off, in parts, so that it detects a truncated file early.
func ReadFull(b File, p []byte, off int64) error {
	for len(p) > 0 {
		n, err := b.ReadAt(p[:min(len(p), readChunk)], off)
		if err != nil {
			return err
		}
		p = p[n:]
		off = off + int64(n)
	}
	return nil
}

// catchFaults runs f and returns a memory fault inside the map as an error. offsetOf returns the byte of the file that is mapped at an
// address.
func catchFaults(name string, f func() error, offsetOf func(addr uintptr) (off uintptr, ok bool)) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case addressed:
			off, ok := offsetOf(p.Addr())
			if !ok {
				panic(p)
			}
			err = fault.New(fault.Resource, "read error in %s at byte %d (page fault)", name, off)
		default:
			panic(p)
		}
	}()
	return f()
}

// addressed is implemented by the runtime's panic after a memory fault, under debug.SetPanicOnFault.
type addressed interface {
	error
	Addr() uintptr
}

// offsetIn returns the byte of a map at addr.
func offsetIn(mapped mmap.MMap, addr uintptr) (off uintptr, ok bool) {
	if len(mapped) == 0 {
		return 0, false
	}
	off = addr - reflect.ValueOf(mapped).Pointer() // wraps around below the map
	return off, off < uintptr(len(mapped))
}

// memory is a file whose content is in memory.
type memory struct {
	resident
	*bytes.Reader
	name string
	data []byte
}

// Memory returns the file with this content.
func Memory(name string, data []byte) File {
	return &memory{Reader: bytes.NewReader(data), name: name, data: data}
}

func (m *memory) Range(off, n int64) ([]byte, error) {
	if err := within(m.name, m.Size(), off, n); err != nil {
		return nil, err
	}
	return m.data[off : off+n : off+n], nil
}

func (m *memory) Guard(f func() error) error { return f() }
func (m *memory) Unchanged() error           { return nil }
func (m *memory) Close() error               { return nil }

// resident reports all bytes as in memory.
type resident struct{}

func (resident) Ensure(off, n int64) error { return nil }
func (resident) Resident(off int64) bool   { return true }
func (resident) Fetch(off, n int64)        {}
func (resident) Forget(off, n int64)       {}
func (resident) Release(off, n int64)      {}

// refuseIrregular returns fault.Resource unless info describes a regular file.
func refuseIrregular(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	err := fault.New(fault.Resource, "cannot read %s: it is %s", name, fault.FileKind(info.Mode()))
	if info.Mode()&fs.ModeNamedPipe != 0 {
		return err.WithHint("use - to read standard input")
	}
	return err
}

// failure returns the error of an operation on an input, naming the input once. A *fault.Error stays as it is.
func failure(verb, name string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return err
	}
	return fault.New(fault.Resource, "cannot %s %s: %v", verb, name, fault.Cause(err))
}

// Package input is the bytes of what a program reads: of a file, which is mapped, of an object elsewhere, of which ranges are read into a
// bounded cache, of a stream, and of a text. What it does about files that change or cannot be read meanwhile is in File.
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
	"github.com/tlayout/tlayout/internal/words"
)

// File is the bytes of a source: those of a local file, which are mapped; of a remote object, of which ranges are read and kept in a
// bounded cache; of a stream, which is spooled into a nameless file; or of a text in memory.
//
// Its size is fixed at opening. It may be used from many goroutines at once.
type File interface {
	// ReadAt reads len(p) bytes at byte off, never through a map. As io.ReaderAt demands, fewer bytes come with an error: io.EOF at the
	// end of the file, fault.Resource for everything else, including a file that has become shorter than Size.
	io.ReaderAt
	// Size returns the number of bytes the file had when it was opened.
	Size() int64
	// Range returns the n bytes at byte off, which must not be written to, and are valid until Close. A range outside of the file is
	// fault.Malformed; one that can be neither mapped nor read is fault.Resource.
	Range(off, n int64) ([]byte, error)
	// Guard runs f, which may use slices returned by Range, and returns its error, unless the file could not be read or has changed:
	// fault.Resource, which takes precedence. It protects the calling goroutine only: each worker needs its own.
	Guard(f func() error) error
	// Unchanged returns fault.Resource if the file has changed since it was opened.
	Unchanged() error
	// Ensure makes n bytes at byte off be on this machine, so that what reads them piece by piece does not wait for each.
	Ensure(off, n int64) error
	Close() error
	paged
}

// paged is what a file larger than memory needs: random access to a map reads pages one by one, and evicts others for their unneeded
// neighbors.
type paged interface {
	// Resident reports whether the byte at off can be read without waiting for the disk; true if unknown.
	Resident(off int64) bool
	// Fetch starts to read n bytes at off, and does not wait for them.
	Fetch(off, n int64)
	// Forget lets the system free the memory of n bytes at off.
	Forget(off, n int64)
	// Release gives back the memory of n bytes at off that Range returned. They can be read again.
	Release(off, n int64)
}

// Options are those of Open, for objects elsewhere.
type Options struct {
	MaxDownload int64    // bytes that are kept in a temporary file; 0 for 8 GiB
	Progress    Progress // may be nil
}

// Open opens the regular file at path, following symbolic links, or the object that a URL names.
//
// A missing file and anything that is not a regular file (directory, pipe, socket, device) are fault.Resource, an empty
// file is fault.Malformed. It does not wait for the writer of a pipe.
func Open(path string, o Options) (File, error) {
	if words.Scheme(path) != "" {
		return openRemote(path, o)
	}
	return notNil(openLocal(path))
}

// notNil is a file without a pointer to nothing in it.
func notNil(b *local, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return b, nil
}

// within refuses a range that is not in a file of size bytes: fault.Malformed.
func within(name string, size, off, n int64) error {
	if off < 0 || n < 0 || off > size-n {
		return fault.New(fault.Malformed, "%s: file too short: it has %d bytes, %d are needed at byte %d", name, size, n, off)
	}
	return nil
}

// ReadFull reads len(p) bytes of a file from off on, in parts, so that a truncated file is noticed early.
func ReadFull(b File, p []byte, off int64) error {
	for len(p) > 0 {
		n, err := b.ReadAt(p[:min(len(p), readChunk)], off)
		if err != nil {
			return err
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

// catchFaults runs f and turns a memory fault inside the map into an error. offsetOf is the byte of the file that is mapped at an address.
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
			err = fault.New(fault.Resource, "cannot read %s at byte %d: the system could not fetch it", name, off)
		default:
			panic(p)
		}
	}()
	return f()
}

// addressed is what the runtime panics with after a memory fault, under debug.SetPanicOnFault.
type addressed interface {
	error
	Addr() uintptr
}

// offsetIn is the byte of a map that is at addr.
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

// Memory is the file of some bytes.
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

// resident is what need not be read from a disk.
type resident struct{}

func (resident) Ensure(off, n int64) error { return nil }
func (resident) Resident(off int64) bool   { return true }
func (resident) Fetch(off, n int64)        {}
func (resident) Forget(off, n int64)       {}
func (resident) Release(off, n int64)      {}

// kinds names files that are not regular, the more specific kinds first.
var kinds = []struct {
	mode fs.FileMode
	name string
}{
	{fs.ModeDir, "a directory"},
	{fs.ModeNamedPipe, "a pipe"},
	{fs.ModeSocket, "a socket"},
	{fs.ModeDevice, "a device"},
	{fs.ModeIrregular, "not a regular file"},
}

// refuseIrregular returns fault.Resource unless info describes a regular file.
func refuseIrregular(name string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	kind := "not a regular file"
	for _, k := range kinds {
		if info.Mode()&k.mode != 0 {
			kind = k.name
			break
		}
	}
	err := fault.New(fault.Resource, "cannot read %s: it is %s", name, kind)
	if info.Mode()&fs.ModeNamedPipe != 0 {
		return err.WithHint("use - to read standard input")
	}
	return err
}

// failure is the error of an operation on the named input, which is named once. A *fault.Error stays as it is.
func failure(verb, name string, err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return err
	}
	return fault.New(fault.Resource, "cannot %s %s: %v", verb, name, fault.Cause(err))
}

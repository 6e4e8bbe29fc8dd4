package source

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"reflect"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/edsrzf/mmap-go"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/tensor/checkpoint"
	"github.com/tlayout/tlayout/internal/words"
)

// input is the content of an opened regular file, of a spooled stream, or of an object that is elsewhere.
//
// Its size is fixed at opening. It may be used from many goroutines at once; slices returned by Range stay valid
// until Close.
type input struct {
	name      string           // for messages: a quoted path or the name of a stream
	file      *os.File         // open for reading until Close; of an object elsewhere, what was read of it, or nil
	size      int64            // bytes
	opened    fs.FileInfo      // what Guard compares with; nil of an object elsewhere
	held      []byte           // the content, if it is in memory and no file; nil otherwise
	elsewhere                  // nothing, unless it is such an object
	cleanup   string           // path to remove at Close; may be empty
	borrowed  bool             // Close leaves the file open
	tensors   checkpoint.Limit // of a container
	shared    int              // how often Close is called before the last time; guarded by mu
	noMap     bool             // set by tests: act as if the file could not be mapped
	cold      atomic.Bool      // some of it is not in memory

	mu     sync.Mutex // guards all below
	tried  bool       // mapping was attempted
	mapped mmap.MMap  // the whole file; nil where it cannot be mapped
	copies []copied   // ranges read instead of mapped
	closed bool
}

// openInput opens the regular file at path, following symbolic links.
//
// A missing file and anything that is not a regular file (directory, pipe, socket, device) are fault.Resource, an empty
// file is fault.Malformed. It does not wait for the writer of a pipe.
func openInput(path string) (*input, error) {
	if IsRemote(path) {
		return openElsewhere(path)
	}
	name := words.Quoted(path)
	if info, err := os.Stat(path); err == nil {
		// Opening has side effects on some devices, so they are refused before.
		if err := refuseIrregular(name, info); err != nil {
			return nil, err
		}
	}
	file, err := openWithoutWaiting(path)
	if err != nil {
		return nil, failure("open", name, err)
	}
	b, err := newInput(name, file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return b, nil
}

// openWithoutWaiting does not block even if the path has become a pipe or a terminal.
func openWithoutWaiting(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

// newInput checks the opened file, and takes it over if there is no error.
func newInput(name string, file *os.File) (*input, error) {
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
	return &input{name: name, file: file, size: info.Size(), opened: info}, nil
}

// borrow is newInput for a file that Close leaves open.
func borrow(name string, file *os.File) (*input, error) {
	b, err := newInput(name, file)
	if err == nil {
		b.borrowed, b.tensors = true, checkpoint.MaxLimit // it was written here
	}
	return b, err
}

// Size returns the number of bytes the file had when it was opened.
func (b *input) Size() int64 { return b.size }

// ReadAt reads len(p) bytes at byte off, never through the map. As io.ReaderAt demands, fewer bytes come with an error:
// io.EOF at the end of the file, fault.Resource for everything else, including a file that has become shorter than Size.
func (b *input) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fault.New(fault.Resource, "cannot read %s at byte %d", b.name, off)
	}
	left := max(0, b.Size()-off)
	whole := int64(len(p)) <= left
	if !whole {
		p = p[:left]
	}
	if b.held != nil {
		n := copy(p, b.held[len(b.held)-int(left):])
		if !whole {
			return n, io.EOF
		}
		return n, nil
	}
	if b.reader != nil && !b.has(off, int64(len(p))) {
		n, err := b.reader.ReadAt(p, off)
		if err == nil && !whole {
			err = io.EOF
		}
		return n, err
	}
	n, err := b.file.ReadAt(p, off)
	switch {
	case errors.Is(err, io.EOF) && n < len(p):
		return n, b.changed()
	case err != nil && !errors.Is(err, io.EOF):
		return n, failure("read", b.name, err)
	case !whole:
		return n, io.EOF
	}
	return n, nil
}

// share makes one more Close necessary.
func (b *input) share() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shared++
}

// Close closes the file and frees its memory. Slices returned by Range must not be used any more.
func (b *input) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shared > 0 {
		b.shared--
		return nil
	}
	if b.closed {
		return nil
	}
	b.closed = true
	b.unmap()
	if b.borrowed || b.file == nil {
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
	smallCopy = 1 << 20 // bytes; copies up to this are left to the garbage collector
	readChunk = 8 << 20 // bytes per read, so that a truncated file is noticed early
)

// copied is a part of the file in memory that is not garbage-collected.
type copied struct {
	off  int64 // byte of the file at which it begins
	data mmap.MMap
}

// Range returns the n bytes at byte off. They must not be written to.
//
// It is a part of the mapped file. If the file cannot be mapped (address space limits, some file systems, files over 2 GiB
// in a 32-bit program) the range is read into memory; if that cannot be allocated, the error is fault.Resource. A range
// outside of the file is fault.Malformed.
func (b *input) Range(off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > b.Size()-n {
		return nil, fault.New(fault.Malformed, "%s: file too short: it has %d bytes, %d are needed at byte %d",
			b.name, b.Size(), n, off)
	}
	if n == 0 {
		return []byte{}, nil
	}
	if b.held != nil {
		return b.held[off : off+n : off+n], nil
	}
	if err := b.bring(off, n); err != nil {
		return nil, err
	}
	return b.here(off, n)
}

// here is Range of what is in the file.
func (b *input) here(off, n int64) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if m := b.mapping(); m != nil {
		return m[off : off+n : off+n], nil
	}
	return b.copyOf(off, n)
}

// mapping returns the mapped file; nil if it cannot be mapped. The caller holds b.mu.
func (b *input) mapping() mmap.MMap {
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
func (b *input) copyOf(off, n int64) ([]byte, error) {
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
		m.Unmap() //nolint:errcheck // the read error is reported
		return nil, err
	}
	b.copies = append(b.copies, copied{off, m})
	return m, nil
}

// allocate returns n zero bytes. Unlike make, it can fail without ending the program.
func (b *input) allocate(n int64) (mmap.MMap, error) {
	if n <= math.MaxInt {
		if m, err := mmap.MapRegion(nil, int(n), mmap.RDWR, mmap.ANON, 0); err == nil {
			return m, nil
		}
	}
	return nil, fault.New(fault.Resource, "cannot read %s: not enough memory to map or hold %d bytes", b.name, n).
		WithHint("raise the address space limit (ulimit -v), or use a 64-bit tlayout")
}

// fill reads len(p) bytes from off on.
func (b *input) fill(p []byte, off int64) error {
	for len(p) > 0 {
		n, err := b.ReadAt(p[:min(len(p), readChunk)], off)
		if err != nil {
			return err
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

// unmap frees all memory. The caller holds b.mu.
func (b *input) unmap() {
	if b.mapped != nil {
		b.mapped.Unmap() //nolint:errcheck // nothing was written through it
	}
	for _, c := range b.copies {
		c.data.Unmap() //nolint:errcheck // nothing was written through it
	}
	b.mapped, b.copies = nil, nil
}

// addressed is what the runtime panics with after a memory fault, under debug.SetPanicOnFault.
type addressed interface {
	error
	Addr() uintptr
}

// Guard runs f, which may use slices returned by Range, and returns its error.
//
// A file can become shorter while it is mapped; reading the missing part is a memory fault. Guard turns a fault inside the
// map into fault.Resource, and returns the same if the size or the modification time of the file has changed since it was
// opened; both take precedence over the error of f. Any other panic continues. Guard protects the calling goroutine only:
// each worker needs its own. It misses a change that keeps the size and happens within the same tick of the file system's
// clock (some milliseconds) as the opening.
func (b *input) Guard(f func() error) error {
	err := b.catch(f)
	if b.isChanged() {
		return b.changed()
	}
	return err
}

// catch runs f and turns a fault inside the map into an error.
func (b *input) catch(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch p := recover().(type) {
		case nil:
		case addressed:
			off, ok := b.offsetOf(p.Addr())
			if !ok {
				panic(p)
			}
			err = fault.New(fault.Resource, "cannot read %s at byte %d: the system could not fetch it", b.name, off)
		default:
			panic(p)
		}
	}()
	return f()
}

// offsetOf returns the byte of the file that is mapped at addr.
func (b *input) offsetOf(addr uintptr) (off uintptr, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.mapped) == 0 {
		return 0, false
	}
	off = addr - reflect.ValueOf(b.mapped).Pointer() // wraps around below the map
	return off, off < uintptr(len(b.mapped))
}

// isChanged reports whether the file has changed since it was opened, or cannot be examined.
func (b *input) isChanged() bool {
	if b.reader != nil || b.held != nil {
		return false // all that is read of it is of one version
	}
	now, err := b.file.Stat()
	return err != nil || now.Size() != b.opened.Size() || !now.ModTime().Equal(b.opened.ModTime())
}

// changed is the error for a file that changed while it was read.
func (b *input) changed() error {
	return fault.New(fault.Resource, "input changed while reading: %s", b.name).
		WithHint("run it again when nothing else writes to that file")
}

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

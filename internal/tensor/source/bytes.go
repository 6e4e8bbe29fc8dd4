package source

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/edsrzf/mmap-go"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// Bytes is the content of an opened regular file, or of a spooled stream.
//
// Its size is fixed at opening. Bytes may be used from many goroutines at once; slices returned by Range stay valid
// until Close.
type Bytes struct {
	name    string      // for messages: a quoted path or the name of a stream
	file    *os.File    // open for reading until Close
	opened  fs.FileInfo // what Guard and SameFile compare with
	cleanup string      // path to remove at Close; empty where nothing is left in a directory
	noMap   bool        // set by tests: behave as if the file could not be mapped
	cold    atomic.Bool // some of it is not in memory

	mu     sync.Mutex // guards all below
	tried  bool       // mapping was attempted
	mapped mmap.MMap  // the whole file; nil where it cannot be mapped
	copies []copied   // ranges read instead of mapped
	closed bool
}

// OpenBytes opens the regular file at path, following symbolic links.
//
// A missing file and anything that is not a regular file (directory, pipe, socket, device) give fault.Resource, an
// empty file fault.Malformed. A pipe without a writer does not make it wait.
func OpenBytes(path string) (*Bytes, error) {
	name := words.Quoted(path)
	if info, err := os.Stat(path); err == nil {
		// Some devices act on being opened, so they are refused before that.
		if err := refuseIrregular(name, info); err != nil {
			return nil, err
		}
	}
	file, err := openWithoutWaiting(path)
	if err != nil {
		return nil, failure("open", name, err)
	}
	b, err := newBytes(name, file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return b, nil
}

// openWithoutWaiting opens what may have become a pipe, or a terminal.
func openWithoutWaiting(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

// newBytes checks what was opened, and takes the file over if there is no error.
func newBytes(name string, file *os.File) (*Bytes, error) {
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
	return &Bytes{name: name, file: file, opened: info}, nil
}

// Size returns the number of bytes the file had when it was opened.
func (b *Bytes) Size() int64 { return b.opened.Size() }

// SameFile tells whether path leads to this very file: by the same name, a link, or another spelling.
func (b *Bytes) SameFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && os.SameFile(b.opened, info)
}

// ReadAt reads len(p) bytes from the byte off on, never through the map. As io.ReaderAt demands, fewer bytes come
// with an error: io.EOF at the end of the file, fault.Resource for everything else, and so for a file that has
// become shorter than Size.
func (b *Bytes) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fault.New(fault.Resource, "cannot read %s at byte %d", b.name, off)
	}
	left := max(0, b.Size()-off)
	whole := int64(len(p)) <= left
	if !whole {
		p = p[:left]
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

// Close gives the file and its memory back. Slices returned by Range must not be used any more.
func (b *Bytes) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil
	}
	b.closed = true
	b.unmap()
	err := b.file.Close()
	if b.cleanup != "" {
		err = errors.Join(err, os.Remove(b.cleanup))
	}
	if err != nil {
		return failure("close", b.name, err)
	}
	return nil
}

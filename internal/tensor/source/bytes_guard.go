package source

import (
	"reflect"
	"runtime/debug"

	"github.com/tlayout/tlayout/internal/fault"
)

// addressed is what the runtime panics with after a memory fault, under debug.SetPanicOnFault.
type addressed interface {
	error
	Addr() uintptr
}

// Guard runs f, which may touch slices returned by Range, and returns its error.
//
// A file can become shorter while it is mapped; touching what is gone is a memory fault. Guard turns a fault inside
// the map into fault.Resource, and so it does when the size or the modification time of the file is not what it was
// at opening; both outweigh the error of f. Any other panic goes on. The protection is for the calling goroutine
// alone: each worker needs a Guard of its own. A change that keeps the size and falls into the same tick of the file
// system's clock (some milliseconds) as the opening goes unseen.
func (b *Bytes) Guard(f func() error) error {
	err := b.catch(f)
	if b.isChanged() {
		return b.changed()
	}
	return err
}

// catch runs f and turns a fault inside the map into an error.
func (b *Bytes) catch(f func() error) (err error) {
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
func (b *Bytes) offsetOf(addr uintptr) (off uintptr, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.mapped) == 0 {
		return 0, false
	}
	off = addr - reflect.ValueOf(b.mapped).Pointer() // wraps around below the map
	return off, off < uintptr(len(b.mapped))
}

// isChanged tells whether the file is not as it was when it was opened. One that cannot be asked counts as changed.
func (b *Bytes) isChanged() bool {
	now, err := b.file.Stat()
	return err != nil || now.Size() != b.opened.Size() || !now.ModTime().Equal(b.opened.ModTime())
}

// changed is the error for a file that changed under our hands.
func (b *Bytes) changed() error {
	return fault.New(fault.Resource, "input changed while reading: %s", b.name).
		WithHint("run it again when nothing else writes to that file")
}

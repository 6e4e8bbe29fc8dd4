package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"sync"

	"github.com/tlayout/tlayout/internal/store"
)

// A draft is an open file without its final name. It has no name at all, or a temporary one in the folder of the output, which does not
// contain the output's: that may have the maximal length.

// named creates a draft with a temporary name and the permission bits of a new file. If it replaces a file, nobody else may read it until it
// has that file's bits.
func (t *target) named() (file *os.File, temp string, err error) {
	perm := fs.FileMode(0o666)
	if t.found != nil {
		perm = t.found.Mode().Perm() & 0o600
	}
	temp = temporary()
	file, err = t.root.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL|largeFile, perm)
	return file, temp, err
}

// temporary returns a name that no other file has.
func temporary() string { return fmt.Sprintf(".tlayout-%016x", rand.Uint64()) }

// rename gives the draft its final name in one step, and reports what closing the file would report. An existing file of that name is
// replaced, or, without Options.Replace, kept, and the error is fs.ErrExist. After an error nothing has changed under that name.
func (f *File) rename() error {
	switch {
	case f.target.root == nil: // the null device
		return nil
	case f.temp == "":
		temp, err := f.link()
		if err != nil || temp == "" {
			return err
		}
		f.temp = temp
	default:
		if err := f.file.Close(); err != nil {
			return err
		}
	}
	if f.options.Replace {
		return f.target.moveOver(f.temp)
	}
	return f.target.moveNew(f.temp)
}

// abandon removes the draft. It may run while another goroutine uses the file.
func (f *File) abandon() {
	if f.temp == "" {
		return
	}
	f.file.Close() //nolint:errcheck // the content does not matter any more
	remove := os.Remove
	if f.target.root != nil {
		remove = f.target.root.Remove
	}
	remove(f.temp) //nolint:errcheck // there is no other way left
}

// registry holds the drafts. Its lock makes Cleanup exclude what begins, publishes and discards files: whichever comes first decides.
type registry struct {
	mu    sync.Mutex
	files map[*File]struct{}
	first func() // what begins before the first file; nil afterwards
	ended bool   // by Cleanup
	wait  func() // what callers do after the end: they do not return
}

var unpublished = registry{files: map[*File]struct{}{}, wait: func() { select {} }}

// Cleanup removes the drafts of all unpublished files. It is for the signal handler of a program that is about to end: from
// then on Create, Commit and Discard do not return, so that no draft is begun, and the program does not report as its own
// failure what the signal caused.
func Cleanup() {
	unpublished.mu.Lock()
	defer unpublished.mu.Unlock()
	for f := range unpublished.files {
		f.abandon()
	}
	clear(unpublished.files)
	unpublished.ended = true
}

// BeforeFirst has f called before the first file is begun: what handles signals is not needed earlier, and takes time to start.
func BeforeFirst(f func()) { unpublished.first = f }

// unlessEnding makes a change to files, or waits for the end of the program.
func unlessEnding(change func() error) error {
	r := &unpublished
	r.mu.Lock()
	if r.ended {
		r.mu.Unlock()
		r.wait()
	}
	defer r.mu.Unlock()
	return change()
}

// opener opens a draft, and returns its temporary name, "" for none.
type opener = func(*target) (file *os.File, temp string, err error)

// begin opens the draft. No signal comes between its creation and its registration.
func (f *File) begin(open opener) error {
	return unlessEnding(func() (err error) {
		if unpublished.first != nil {
			unpublished.first()
			unpublished.first = nil
		}
		if f.file, f.temp, err = open(f.target); err == nil {
			unpublished.files[f] = struct{}{}
		}
		return err
	})
}

// name gives the draft its final name.
func (f *File) name() error {
	err := unlessEnding(func() error {
		err := f.rename()
		if err == nil {
			delete(unpublished.files, f)
		}
		return err
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist) && !f.options.Replace:
		return store.Exists(f.target.shown)
	}
	return failure("publish", f.target.shown, err)
}

// drop abandons the draft, unless it was published.
func (f *File) drop() {
	unlessEnding(func() error { //nolint:errcheck // there is none
		if _, ok := unpublished.files[f]; ok {
			f.abandon()
			delete(unpublished.files, f)
		}
		return nil
	})
}

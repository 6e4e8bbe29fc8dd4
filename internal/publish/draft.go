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

// draft is an open file without its final name: nameless, or with a temporary name in the output's folder. The temporary name does not
// contain the output's, which may already be as long as the system allows.

// named creates a draft with a temporary name and the permission bits of a new file. A draft that replaces a file is private to this user
// until it gets that file's bits.
func (t *target) named() (file *os.File, temp string, err error) {
	perm := fs.FileMode(0o666)
	if t.found != nil {
		perm = t.found.Mode().Perm() & 0o600
	}
	temp = temporary()
	file, err = t.root.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL|largeFile, perm)
	return file, temp, err
}

// temporary returns a unique file name.
func temporary() string { return fmt.Sprintf(".tlayout-%016x", rand.Uint64()) }

// rename gives the draft its final name in one step, and reports what closing the file would report. It replaces an existing file of that
// name or, without Options.Replace, keeps it and returns fs.ErrExist. After an error, nothing has changed under that name.
func (f *File) rename() error {
	if f.target.root == nil { // the null device
		return nil
	}
	if f.temp != "" {
		if err := f.file.Close(); err != nil {
			return err
		}
	} else {
		temp, err := f.link()
		if err != nil || temp == "" {
			return err
		}
		f.temp = temp
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
	f.file.Close() //nolint:errcheck // the content is discarded
	remove := os.Remove
	if f.target.root != nil {
		remove = f.target.root.Remove
	}
	remove(f.temp) //nolint:errcheck // no other way to remove it
}

// registry lists the open drafts. Its lock makes Cleanup exclusive with creating, publishing and discarding files: the first one wins.
type registry struct {
	mu    sync.Mutex
	files map[*File]struct{}
	first func() // called before the first file is created; nil afterwards
	ended bool   // by Cleanup
	wait  func() // blocks callers after the end: they do not return
}

var unpublished = registry{files: map[*File]struct{}{}, wait: func() { select {} }}

// Cleanup removes the drafts of all unpublished files. A signal handler calls it before the program ends: from then on Create, Commit and
// Discard do not return, so that no new draft appears, and the program does not report an error that the signal caused.
func Cleanup() {
	unpublished.mu.Lock()
	defer unpublished.mu.Unlock()
	for f := range unpublished.files {
		f.abandon()
	}
	clear(unpublished.files)
	unpublished.ended = true
}

// BeforeFirst calls f before the first file is created: installing signal handlers takes time, and nothing needs them earlier.
func BeforeFirst(f func()) { unpublished.first = f }

// unlessEnding runs change, or blocks if Cleanup ended the program.
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

// opener opens a draft, and returns its temporary name, or "" if it is nameless.
type opener = func(*target) (file *os.File, temp string, err error)

// begin opens the draft. No signal is handled between its creation and its registration.
func (f *File) begin(open opener) error {
	return unlessEnding(func() (err error) {
		if unpublished.first != nil {
			unpublished.first()
			unpublished.first = nil
		}
		f.file, f.temp, err = open(f.target)
		if err == nil {
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
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) && !f.options.Replace {
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

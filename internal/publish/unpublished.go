package publish

import (
	"errors"
	"io/fs"
	"sync"
)

// registry holds the files without their final names. Its lock makes Cleanup exclude what begins, publishes and discards
// files: whichever comes first decides.
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
	r := &unpublished
	r.mu.Lock()
	defer r.mu.Unlock()
	for f := range r.files {
		f.draft.abandon()
	}
	clear(r.files)
	r.ended = true
}

// BeforeFirst has f called before the first file is begun: what handles signals is not needed earlier, and takes time to start.
func BeforeFirst(f func()) { unpublished.first = f }

// lock waits for the lock, or for the end of the program.
func (r *registry) lock() {
	r.mu.Lock()
	if r.ended {
		r.mu.Unlock()
		r.wait()
	}
}

// begin opens the draft of f. No signal comes between its creation and its registration.
func (r *registry) begin(f *File, open func(*target) (draft, error)) (err error) {
	r.lock()
	defer r.mu.Unlock()
	if r.first != nil {
		r.first()
		r.first = nil
	}
	if f.draft, err = open(f.target); err == nil {
		r.files[f] = struct{}{}
	}
	return err
}

// drop abandons f, unless it was published.
func (r *registry) drop(f *File) {
	r.lock()
	defer r.mu.Unlock()
	if _, ok := r.files[f]; ok {
		f.draft.abandon()
		delete(r.files, f)
	}
}

// name gives f its name.
func (r *registry) name(f *File) error {
	r.lock()
	defer r.mu.Unlock()
	err := f.draft.publish(f.options.Replace)
	switch {
	case err == nil:
		delete(r.files, f)
		return nil
	case errors.Is(err, fs.ErrExist) && !f.options.Replace:
		return f.target.exists()
	}
	return failure("publish", f.target.shown, err)
}

package publish

import (
	"errors"
	"io/fs"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
)

// registry holds the files without their final names. Its lock makes Cleanup and Commit exclude each other: whichever
// comes first decides.
type registry struct {
	mu    sync.Mutex
	files map[*File]struct{}
}

var unpublished = registry{files: map[*File]struct{}{}}

// Cleanup discards every unpublished file. It is for the signal handler of a program that is about to end: the owners'
// next Commit fails.
func Cleanup() {
	unpublished.mu.Lock()
	defer unpublished.mu.Unlock()
	for f := range unpublished.files {
		f.draft.abandon()
	}
	clear(unpublished.files)
}

func (r *registry) add(f *File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.files[f] = struct{}{}
}

// drop abandons f, unless it was published or abandoned before.
func (r *registry) drop(f *File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.files[f]; ok {
		f.draft.abandon()
		delete(r.files, f)
	}
}

// name gives f its name, unless it was abandoned.
func (r *registry) name(f *File) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.files[f]; !ok {
		return fault.New(fault.Resource, "cannot publish %s: interrupted", f.target.shown)
	}
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

package publish

import (
	"context"
	"crypto/rand"
	"errors"
	"os"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/scratch"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/words"
)

// createObject begins an object of a store. It is complete in a nameless temporary file before its upload begins.
func createObject(url string, o Options) (*File, error) {
	to, err := store.Locate(url)
	if err != nil {
		return nil, err
	}
	f := &File{target: &target{shown: words.Quoted(url)}, options: o, object: to}
	switch {
	case to.Exists() && o.Update:
		f = Nowhere(url)
		f.kept = true
		return f, nil
	case to.Exists() && !o.Replace:
		return nil, f.target.exists()
	}
	err = unpublished.begin(f, func(*target) (draft, error) {
		file, cleanup, err := scratch.File()
		return &temporary{file, cleanup}, err
	})
	if err == nil {
		if err = reserve(f.draft.handle(), o.Size); err != nil {
			f.Discard()
		}
	}
	if err != nil {
		return nil, fault.New(fault.Resource, "cannot make a temporary file in %s: %v", words.Quoted(os.TempDir()), fault.Cause(err)).
			WithHint("the environment variable TMPDIR names the folder of temporary files")
	}
	return f, nil
}

// temporary is a draft that gets no name here.
type temporary struct {
	file    *os.File
	cleanup string // a name that could not be removed
}

func (d *temporary) handle() *os.File { return d.file }

func (d *temporary) publish(bool) error { return nil }

func (d *temporary) abandon() {
	d.file.Close() //nolint:errcheck // the content does not matter any more
	if d.cleanup != "" {
		os.Remove(d.cleanup) //nolint:errcheck // there is no other way left
	}
}

// upload writes the object from the complete draft. A signal during it ends the program as at any other time: the object is there whole,
// or not at all.
func (f *File) upload() error {
	info, err := f.draft.handle().Stat()
	if err != nil {
		return failure("write", f.target.shown, err)
	}
	switch err := f.object.Put(context.Background(), f.draft.handle(), info.Size(), rand.Text(), f.options.Replace); {
	case errors.Is(err, store.ErrExists) && f.options.Update: // made by another program meanwhile
		f.kept = true
		return nil
	case errors.Is(err, store.ErrExists):
		return f.target.exists()
	case err != nil:
		return err
	}
	f.named = true
	return nil
}

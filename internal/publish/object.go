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
		return kept(url), nil
	case to.Exists() && !o.Replace:
		return nil, store.Exists(f.target.shown)
	}
	err = f.begin(func(*target) (*os.File, string, error) { return scratch.File() })
	if err == nil {
		if err = reserve(f.file, o.Size); err == nil {
			return f, nil
		}
		f.Discard()
	}
	return nil, fault.New(fault.Resource, "cannot make a temporary file in %s: %v", words.Quoted(os.TempDir()), fault.Cause(err)).
		WithHint("the environment variable TMPDIR names the folder of temporary files")
}

// upload writes the object from the complete draft. A signal during it ends the program as at any other time: the object is there whole,
// or not at all.
func (f *File) upload() error {
	info, err := f.file.Stat()
	if err != nil {
		return failure("write", f.target.shown, err)
	}
	err = f.object.Put(context.Background(), f.file, info.Size(), rand.Text(), f.options.Replace)
	switch {
	case errors.Is(err, store.ErrExists) && f.options.Update: // made by another program meanwhile
		f.kept = true
		return nil
	case errors.Is(err, store.ErrExists):
		return store.Exists(f.target.shown)
	}
	return err
}

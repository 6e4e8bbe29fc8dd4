package publish

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
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
	if f.there = !o.Replace && to.Has(o.Token); to.Exists() && !o.Replace && !f.there {
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
	if f.options.Token == "" {
		if f.options.Token, err = contentToken(f.draft.handle(), info.Size()); err != nil {
			return failure("write", f.target.shown, err)
		}
	}
	if err := f.object.Put(context.Background(), f.draft.handle(), info.Size(), f.options.Token, f.options.Replace); err != nil {
		return err
	}
	f.named = true
	return nil
}

// contentToken is the token of bytes of which nothing else is known.
func contentToken(r io.ReaderAt, size int64) (string, error) {
	sum := sha256.New()
	if _, err := io.CopyBuffer(struct{ io.Writer }{sum}, io.NewSectionReader(r, 0, size), make([]byte, 1<<20)); err != nil {
		return "", err
	}
	return fmt.Sprintf("sha256-%x", sum.Sum(nil)), nil
}

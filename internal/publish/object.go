package publish

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/scratch"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/text"
)

// createObject opens the draft of an object: a nameless temporary file, uploaded when complete.
func createObject(n name.Name, o Options) (*File, error) {
	to, err := store.Locate(n)
	if err != nil {
		return nil, err
	}
	f := &File{target: &target{shown: n.String()}, options: o, object: to}
	if to.Exists() && o.Update {
		return kept(n), nil
	}
	if to.Exists() && !o.Replace {
		return nil, store.Exists(f.target.shown)
	}
	err = f.begin(func(*target) (*os.File, string, error) { return scratch.File() })
	if err == nil {
		err = reserve(f.file, o.Size)
		if err == nil {
			return f, nil
		}
		f.Discard()
	}
	return nil, fault.New(fault.Resource, "cannot make a temporary file in %s: %v", text.Quoted(os.TempDir()), fault.Cause(err)).
		WithHint("set TMPDIR to a writable folder with free space")
}

// upload writes the object from the complete draft. A signal may end the program meanwhile: the object appears whole or not at all.
func (f *File) upload() error {
	info, err := f.file.Stat()
	if err != nil {
		return failure("write", f.target.shown, err)
	}
	err = f.object.Put(context.Background(), f.file, info.Size(), token(), f.options.Replace)
	if errors.Is(err, store.ErrExists) && f.options.Update { // made by another program meanwhile
		f.kept = true
		return nil
	}
	if errors.Is(err, store.ErrExists) {
		return store.Exists(f.target.shown)
	}
	return err
}

// token identifies one attempt to write an object: 128 random bits.
func token() string { return fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()) }

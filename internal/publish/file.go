package publish

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/store"
	"github.com/tlayout/tlayout/internal/words"
)

// Options are how a file is published.
type Options struct {
	Replace bool    // an existing file is replaced, durably; without it an existing file is an error
	Update  bool    // an existing file that is newer than all Inputs is kept, an older one is replaced; see File.UpToDate
	Inputs  *Inputs // that the file must not replace; may be nil
	Derived bool    // nobody typed the name: a symbolic link of that name is refused, not followed
	Durable bool    // file and directory are on disk before Commit returns
	Size    int64   // bytes that will be written, reserved at once and checked at Commit; 0 = unknown
}

// File is an output under construction. WriteAt and ReadAt are for many goroutines at once, everything else is for
// one; only Cleanup may run concurrently.
type File struct {
	target  *target
	file    *os.File // the draft
	temp    string   // its name in the target's folder, "" for none; the path of an object's
	options Options
	object  *store.Target // nil of a file
	kept    bool          // see UpToDate
	ended   bool

	mu      sync.Mutex // guards what follows
	written int64      // bytes
	err     error      // the first failure, or os.ErrClosed after the end; nothing is published after it
}

// Create begins a file, or an object of a store, that will be at path after Commit. Symbolic links are followed. The null device takes what is written
// at once.
//
// An output that is one of Options.Inputs is fault.Usage. All other errors are fault.Resource: the output exists and Replace is not
// set, it is not a regular file, its directory cannot be written to, or the disk has no room for Options.Size.
func Create(path string, o Options) (*File, error) { return create(path, o, (*target).draft) }

// create is Create with a choice of drafts of files.
func create(path string, o Options, draft opener) (*File, error) {
	if err := o.Inputs.Refuse(path); err != nil {
		return nil, err
	}
	if words.Scheme(path) != "" {
		return createObject(path, o)
	}
	t, err := locate(path, o.Derived)
	switch {
	case err != nil:
		return nil, err
	case t.null:
		return openNull(t, o)
	case t.found != nil && o.keeps(t.found):
		return kept(path), nil
	}
	if o.Replace = o.Replace || o.Update && t.found != nil; t.found != nil && !o.Replace {
		return nil, store.Exists(t.shown)
	}
	if err := t.open(os.OpenRoot(t.dir)); err != nil {
		return nil, err
	}
	f := &File{target: t, options: o}
	if err := f.begin(draft); err != nil {
		t.close()
		return nil, failure("create a file in", t.shownDir(), err)
	}
	if err := reserve(f.file, o.Size); err != nil {
		f.Discard()
		return nil, failure("reserve space for", t.shown, err)
	}
	return f, nil
}

// openNull opens the null device: what is written to it is published already.
func openNull(t *target, o Options) (*File, error) {
	f := &File{target: t, options: Options{Size: o.Size}}
	err := f.begin(func(*target) (*os.File, string, error) {
		device, err := os.OpenFile(t.base, os.O_WRONLY, 0)
		return device, "", err
	})
	if err != nil {
		return nil, failure("open", t.shown, err)
	}
	return f, nil
}

// Nowhere is a file that is not going to be written.
func Nowhere(path string) *File {
	t := &target{shown: words.Quoted(path)}
	return &File{target: t, ended: true, err: failure("write", t.shown, os.ErrClosed)}
}

// kept is the file that Update keeps.
func kept(path string) *File {
	f := Nowhere(path)
	f.kept = true
	return f
}

// keeps reports whether Update keeps an existing file: it is newer than all inputs, or that cannot be told, as of objects.
func (o *Options) keeps(found os.FileInfo) bool {
	if !o.Update {
		return false
	}
	newest, known := o.Inputs.Newest()
	return !known || found.ModTime().After(newest)
}

// Write appends p to what Write has written. After an error the file cannot be published any more.
func (f *File) Write(p []byte) (int, error) {
	return f.put(p, func(p []byte, _ int) (int, error) { return f.file.Write(p) })
}

// WriteAt writes p at byte off. Write and WriteAt must write each byte of the file exactly once: Commit counts them.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	return f.put(p, func(p []byte, from int) (int, error) { return f.file.WriteAt(p, off+int64(from)) })
}

// ReadAt reads what was written, until Commit or Discard. At the end of the file the error is io.EOF.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.file.ReadAt(p, off)
	if err != nil && err != io.EOF {
		err = failure("read", f.target.shown, err)
	}
	return n, err
}

// Size is Options.Size: the bytes that the file has once it is complete.
func (f *File) Size() int64 { return f.options.Size }

// Draft is the open file, to be read and compared before Commit.
func (f *File) Draft() *os.File { return f.file }

// longestWrite is how many bytes are written at once. The longer writes are, the larger the pages that ext4 may keep them in, and the longer
// they waited for memory that a virtual machine's host had taken back: see docs/performance.md.
const longestWrite = 512 << 10

// put writes p in pieces, each so many bytes from its beginning, counts what was written, and keeps the first failure.
func (f *File) put(p []byte, write func(p []byte, from int) (int, error)) (n int, err error) {
	f.mu.Lock()
	err = f.err
	f.mu.Unlock()
	if err != nil {
		return 0, err
	}
	for n < len(p) && err == nil {
		var some int
		some, err = write(p[n:min(len(p), n+longestWrite)], n)
		n += some
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.written += int64(n)
	if err != nil && f.err == nil {
		f.err = failure("write", f.target.shown, err)
	}
	return n, f.err
}

// Commit publishes the file. After an error everything is as before Create, with one exception, which the error's text
// names: the file is in place, but its directory could not be synced.
func (f *File) Commit() error {
	if f.err == nil {
		f.err = f.publish()
	}
	err := f.err
	f.Discard()
	return err
}

// UpToDate reports whether the output is one that was there before, or that another program made meanwhile, and that Options.Update
// keeps. If so after Create, nothing needs to be written.
func (f *File) UpToDate() bool { return f.kept }

// Discard removes the draft. After Commit it does nothing.
func (f *File) Discard() {
	if f.ended {
		return
	}
	f.ended = true
	f.err = failure("write", f.target.shown, os.ErrClosed)
	f.drop()
	f.file.Close() //nolint:errcheck // published drafts were flushed before
	f.target.close()
}

// publish syncs the complete draft if asked to, and gives it its name.
func (f *File) publish() error {
	t, o := f.target, f.options
	if o.Size > 0 && f.written != o.Size {
		return fault.New(fault.Resource, "cannot publish %s: %d of %d bytes were written", t.shown, f.written, o.Size)
	}
	if f.object != nil {
		return f.upload()
	}
	if err := f.adoptMode(); err != nil {
		return err
	}
	durable := o.Durable || o.Replace
	if durable {
		if err := f.file.Sync(); err != nil {
			return failure("write", t.shown, err)
		}
	}
	if err := f.name(); err != nil {
		if f.kept = f.madeMeanwhile(); f.kept {
			return nil
		}
		return err
	}
	if durable {
		return t.sync()
	}
	return nil
}

// madeMeanwhile reports whether another program made the output after Create, so that Update keeps it.
func (f *File) madeMeanwhile() bool {
	if f.options.Replace || f.target.root == nil {
		return false
	}
	info, err := f.target.root.Lstat(f.target.base)
	return err == nil && info.Mode().IsRegular() && f.options.keeps(info)
}

// adoptMode gives the draft the permission bits of the file that it replaces.
func (f *File) adoptMode() error {
	t := f.target
	if !f.options.Replace {
		return nil
	}
	old, err := t.root.Lstat(t.base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return failure("write", t.shown, err)
	}
	if err := t.refuseIrregular(old); err != nil {
		return err
	}
	if err := f.file.Chmod(old.Mode().Perm()); err != nil {
		return failure("set the permissions of", t.shown, err)
	}
	return nil
}

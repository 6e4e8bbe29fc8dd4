package publish

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/store"
)

// Options say how a file is published.
type Options struct {
	Replace bool    // replace an existing file, durably; false: an existing file is an error
	Update  bool    // keep an existing file that is newer than all Inputs, replace an older one; see File.UpToDate
	Inputs  *Inputs // files that the output must not replace; may be nil
	Derived bool    // the name was not typed by the user: refuse a symbolic link instead of following it
	Durable bool    // sync file and directory to disk before Commit returns
	Size    int64   // bytes that will be written, reserved at once and checked at Commit; 0 = unknown
}

// File is an output under construction. WriteAt and ReadAt may be called from many goroutines at once, everything else from one; only
// Cleanup may run concurrently.
type File struct {
	target  *target
	file    *os.File // the draft
	temp    string   // its name in the target's folder, or an object's path; "" if nameless
	options Options
	object  *store.Target // nil for a file
	kept    bool          // see UpToDate
	ended   bool

	mu      sync.Mutex // guards what follows
	written int64      // bytes
	err     error      // the first failure, or os.ErrClosed after the end; blocks publishing
}

// Create opens a draft of the file, or of the object in a store, that Commit publishes under this name. Symbolic links are followed. The null
// device receives writes immediately.
//
// An output that is one of Options.Inputs is fault.Usage. All other errors are fault.Resource: the output exists and Replace is not set, it
// is not a regular file, its directory cannot be written to, or the disk has no room for Options.Size.
func Create(n name.Name, o Options) (*File, error) { return create(n, o, (*target).draft) }

// create is Create with a choice of draft.
func create(n name.Name, o Options, draft opener) (*File, error) {
	if err := o.Inputs.Refuse(n); err != nil {
		return nil, err
	}
	if n.IsRemote() {
		return createObject(n, o)
	}
	t, err := locate(n, o.Derived)
	if err != nil {
		return nil, err
	}
	if t.null {
		return openNull(t, o)
	}
	if t.found != nil && o.keeps(t.found) {
		return kept(n), nil
	}
	o.Replace = o.Replace || o.Update && t.found != nil
	if t.found != nil && !o.Replace {
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

// openNull opens the null device, which needs no publishing.
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

// Unwritten returns a file that is never written.
func Unwritten(n name.Name) *File {
	t := &target{shown: n.String()}
	return &File{target: t, ended: true, err: failure("write", t.shown, os.ErrClosed)}
}

// kept returns the existing file that Update keeps.
func kept(n name.Name) *File {
	f := Unwritten(n)
	f.kept = true
	return f
}

// keeps reports whether Update keeps an existing file: it is newer than all inputs, or the times are unknown, as those of objects.
func (o *Options) keeps(found os.FileInfo) bool {
	if !o.Update {
		return false
	}
	newest, known := o.Inputs.Newest()
	return !known || found.ModTime().After(newest)
}

// Write appends p. After an error the file cannot be published.
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

// Size returns Options.Size, the bytes of the complete file.
func (f *File) Size() int64 { return f.options.Size }

// Draft returns the open file, for reading back before Commit.
func (f *File) Draft() *os.File { return f.file }

// longestWrite is the most bytes per write call. Longer writes let ext4 use larger pages, but had to wait longer for memory that a virtual
// machine's host had reclaimed: see docs/performance.md.
const longestWrite = 512 << 10

// put writes p in pieces, counts the bytes written, and keeps the first error. write writes a piece, from bytes into p.
func (f *File) put(p []byte, write func(p []byte, from int) (int, error)) (n int, err error) {
	f.mu.Lock()
	err = f.err
	f.mu.Unlock()
	if err != nil {
		return 0, err
	}
	for n < len(p) && err == nil {
		var written int
		written, err = write(p[n:min(len(p), n+longestWrite)], n)
		n += written
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.written += int64(n)
	if err != nil && f.err == nil {
		f.err = failure("write", f.target.shown, err)
	}
	return n, f.err
}

// Commit publishes the file. After an error everything is as before Create, with one exception, which the error names: the file is in
// place, but syncing its directory failed.
func (f *File) Commit() error {
	if f.err == nil {
		f.err = f.publish()
	}
	err := f.err
	f.Discard()
	return err
}

// UpToDate reports whether Options.Update keeps the output that existed before or that another program made meanwhile. If so after Create,
// skip writing.
func (f *File) UpToDate() bool { return f.kept }

// Discard removes the draft. After Commit it does nothing.
func (f *File) Discard() {
	if f.ended {
		return
	}
	f.ended = true
	f.err = failure("write", f.target.shown, os.ErrClosed)
	f.drop()
	f.file.Close() //nolint:errcheck // published drafts were already flushed
	f.target.close()
}

// publish syncs the complete draft if Durable, and gives it its name.
func (f *File) publish() error {
	t := f.target
	o := f.options
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
		f.kept = f.madeMeanwhile()
		if f.kept {
			return nil
		}
		return err
	}
	if durable {
		return t.sync()
	}
	return nil
}

// madeMeanwhile reports whether another program made the output after Create, and Update keeps it.
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
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
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

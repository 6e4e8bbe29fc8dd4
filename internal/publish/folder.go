package publish

import (
	"errors"
	"io/fs"
	"os"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// Folder is a folder in which many small files are published, each whole or not at all, as Create and Commit publish one: with fewer system
// calls, because the folder is opened once, and a file's bytes are written at once. Files are neither durable nor do they replace others.
// A Folder is for one goroutine.
type Folder struct {
	Made bool // it was not there before it was opened
	path string
	here openFolder
}

// Stat is a file's size and the time of its modification.
type Stat struct {
	Size    int64
	ModTime int64 // nanoseconds since 1970
}

// OpenFolder opens a folder, and makes it and its parents if they are not there. Close it.
func OpenFolder(path string) (*Folder, error) {
	d := &Folder{path: path}
	err := d.here.open(path)
	if errors.Is(err, fs.ErrNotExist) {
		d.Made = true
		if err = os.MkdirAll(path, 0o777); err == nil {
			err = d.here.open(path)
		}
	}
	if err != nil {
		return nil, failure("open", "directory "+words.Quoted(path), err)
	}
	return d, nil
}

// Close closes the folder.
func (d *Folder) Close() { d.here.close() }

// Stat describes the file of that name, a link followed; ok is false if there is none, or no regular one.
func (d *Folder) Stat(name string) (s Stat, ok bool) { return d.here.stat(name) }

// Holds reports whether the file of that name has exactly these bytes. buffer is scratch memory, of at least one byte more than them.
func (d *Folder) Holds(name string, content, buffer []byte) bool {
	return d.here.holds(name, content, buffer)
}

// Put publishes a file of these bytes. If there is something of that name, it stays, and existed is true.
func (d *Folder) Put(name string, content []byte) (s Stat, existed bool, err error) {
	s, err = d.here.put(name, content)
	switch {
	case err == nil:
		return s, false, nil
	case errors.Is(err, fs.ErrExist):
		return s, true, nil
	}
	var f *fault.Error
	if errors.As(err, &f) {
		return s, false, err
	}
	return s, false, failure("write", words.Quoted(d.path+string(os.PathSeparator)+name), err)
}

func statOf(info fs.FileInfo) Stat { return Stat{info.Size(), info.ModTime().UnixNano()} }

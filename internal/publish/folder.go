package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/words"
)

// MakeFolder makes the folder rel below top, and top, where they are missing. A symbolic link below top, or what is not a directory, is
// fault.Resource: whoever prepared the folder would choose where files are written.
func MakeFolder(top, rel string) error {
	root, err := makeBelow(top, rel)
	if err != nil {
		return err
	}
	return root.Close()
}

// makeBelow is MakeFolder, and opens the folder.
func makeBelow(top, rel string) (*os.Root, error) {
	shown := "the folder " + words.Quoted(filepath.Join(top, rel))
	if err := os.MkdirAll(top, 0o777); err != nil {
		return nil, failure("make", shown, err)
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, failure("open", shown, err)
	}
	rel = filepath.Clean(rel)
	if rel == "." {
		return root, nil
	}
	defer root.Close()
	for at := range rel + "/" {
		if at == len(rel) || os.IsPathSeparator(rel[at]) {
			if err := makeOne(root, rel[:at]); err != nil {
				return nil, failure("make", shown, err)
			}
		}
	}
	below, err := root.OpenRoot(rel)
	if err != nil {
		return nil, failure("open", shown, err)
	}
	return below, nil
}

// makeOne makes a folder whose parent is there, unless it is there itself.
func makeOne(root *os.Root, name string) error {
	if err := root.Mkdir(name, 0o777); err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return errors.New(words.Quote(filepath.Base(name)) + " is a symbolic link")
	case !info.IsDir():
		return errors.New(words.Quote(filepath.Base(name)) + " is not a directory")
	}
	return nil
}

// Folder is a folder in which many small files are published, each whole or not at all, as Create and Commit publish one: with fewer system
// calls, because the folder is opened once, and a file's bytes are written at once. Files are neither durable nor do they replace others.
// A Folder is for one goroutine.
type Folder struct {
	path string
	here openFolder
}

// OpenFolder opens the folder rel below top, and makes it as MakeFolder does. Close it.
func OpenFolder(top, rel string) (*Folder, error) {
	root, err := makeBelow(top, rel)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	d := &Folder{path: filepath.Join(top, rel)}
	if err := d.here.open(root, d.path); err != nil {
		return nil, failure("open", "directory "+words.Quoted(d.path), err)
	}
	return d, nil
}

// Close closes the folder.
func (d *Folder) Close() { d.here.close() }

// Has reports whether there is something of that name.
func (d *Folder) Has(name string) bool { return d.here.has(name) }

// Put publishes a file of these bytes. If there is something of that name, it stays, and existed is true.
func (d *Folder) Put(name string, content []byte) (existed bool, err error) {
	err = d.here.put(name, content)
	switch {
	case err == nil:
		return false, nil
	case errors.Is(err, fs.ErrExist):
		return true, nil
	}
	var f *fault.Error
	if errors.As(err, &f) {
		return false, err
	}
	return false, failure("write", words.Quoted(filepath.Join(d.path, name)), err)
}

// createWhole publishes a file of these bytes by Create. The error is fs.ErrExist if there is something of that name.
func createWhole(path string, content []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	f, err := Create(path, Options{Size: int64(len(content))})
	if err != nil {
		return orExists(path, err)
	}
	defer f.Discard()
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Commit(); err != nil {
		return orExists(path, err)
	}
	return nil
}

// orExists is fs.ErrExist if that is why err happened.
func orExists(path string, err error) error {
	if _, there := os.Lstat(path); there == nil || errors.Is(err, fs.ErrExist) {
		return fs.ErrExist
	}
	return err
}

package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tlayout/tlayout/internal/name"
	"github.com/tlayout/tlayout/internal/text"
)

// MakeFolder makes the folder rel below top, and top, where missing. A symbolic link or a non-directory below top is fault.Resource:
// otherwise whoever prepared the folder could redirect the output.
func MakeFolder(top name.Name, rel string) error {
	root, err := makeBelow(top, rel)
	if err != nil {
		return err
	}
	return root.Close()
}

// makeBelow is MakeFolder, and opens the folder.
func makeBelow(top name.Name, rel string) (*os.Root, error) {
	shown := "the folder " + top.Join(rel).String()
	if err := os.MkdirAll(top.Raw(), 0o777); err != nil {
		return nil, failure("make", shown, err)
	}
	root, err := os.OpenRoot(top.Raw())
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

// makeOne makes a folder in an existing parent, unless it exists.
func makeOne(root *os.Root, name string) error {
	if err := root.Mkdir(name, 0o777); err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return errors.New(text.Quote(filepath.Base(name)) + " is a symbolic link")
	}
	if !info.IsDir() {
		return errors.New(text.Quote(filepath.Base(name)) + " is not a directory")
	}
	return nil
}

// Folder publishes many small files in one folder, each whole or not at all as with Create and Commit, but with fewer system calls: the
// folder is opened once, and each file is written at once. Files are not durable, and never replace others. A Folder is for one goroutine.
type Folder struct {
	at   target // without a name
	slow bool   // nameless files are not supported here
}

// OpenFolder opens the folder rel below top, and makes it as MakeFolder does. The caller closes it.
func OpenFolder(top name.Name, rel string) (*Folder, error) {
	root, err := makeBelow(top, rel)
	if err != nil {
		return nil, err
	}
	d := &Folder{at: target{dir: top.Join(rel).Raw()}}
	return d, d.at.open(root, nil)
}

// Close closes the folder.
func (d *Folder) Close() { d.at.close() }

// Put publishes a file with this content. If the name exists, Put keeps it and returns existed.
func (d *Folder) Put(file string, content []byte) (existed bool, err error) {
	if !d.slow {
		err = d.put(file, content)
		if err == nil || errors.Is(err, fs.ErrExist) {
			return err != nil, nil
		}
		d.slow = true
	}
	err = createWhole(name.Parse(filepath.Join(d.at.dir, file)), content)
	if err != nil && d.Has(file) {
		return true, nil
	}
	return false, err
}

// createWhole publishes a file with this content by Create.
func createWhole(n name.Name, content []byte) error {
	f, err := Create(n, Options{Derived: true, Size: int64(len(content))})
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Commit()
}

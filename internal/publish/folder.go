package publish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

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
	at   target // without a name
	slow bool   // files without names cannot be made or linked here
}

// OpenFolder opens the folder rel below top, and makes it as MakeFolder does. Close it.
func OpenFolder(top, rel string) (*Folder, error) {
	root, err := makeBelow(top, rel)
	if err != nil {
		return nil, err
	}
	d := &Folder{at: target{dir: filepath.Join(top, rel)}}
	return d, d.at.open(root, nil)
}

// Close closes the folder.
func (d *Folder) Close() { d.at.close() }

// Put publishes a file of these bytes. If there is something of that name, it stays, and existed is true.
func (d *Folder) Put(name string, content []byte) (existed bool, err error) {
	if !d.slow {
		err = d.put(name, content)
		if err == nil || errors.Is(err, fs.ErrExist) {
			return err != nil, nil
		}
		d.slow = true
	}
	if err = createWhole(filepath.Join(d.at.dir, name), content); err != nil && d.Has(name) {
		return true, nil
	}
	return false, err
}

// createWhole publishes a file of these bytes by Create.
func createWhole(path string, content []byte) error {
	f, err := Create(path, Options{Derived: true, Size: int64(len(content))})
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Commit()
}

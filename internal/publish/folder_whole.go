package publish

import (
	"errors"
	"io/fs"
	"os"
)

// createWhole publishes a file of these bytes by Create. The error is fs.ErrExist if there is something of that name.
func createWhole(path string, content []byte) (s Stat, err error) {
	if _, err := os.Lstat(path); err == nil {
		return s, fs.ErrExist
	}
	f, err := Create(path, Options{Size: int64(len(content))})
	if err != nil {
		return s, orExists(path, err)
	}
	defer f.Discard()
	if _, err := f.Write(content); err != nil {
		return s, err
	}
	if err := f.Commit(); err != nil {
		return s, orExists(path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return s, err
	}
	return statOf(info), nil
}

// orExists is fs.ErrExist if that is why err happened.
func orExists(path string, err error) error {
	if _, there := os.Lstat(path); there == nil || errors.Is(err, fs.ErrExist) {
		return fs.ErrExist
	}
	return err
}

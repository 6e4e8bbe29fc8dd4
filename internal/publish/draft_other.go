//go:build !linux

package publish

import (
	"errors"
	"os"
)

const largeFile = 0

func (t *target) draft() (*os.File, string, error) { return t.named() }

// link is never called: these systems have no nameless files.
func (f *File) link() (temp string, err error) { return "", errors.ErrUnsupported }

// reserve does nothing: a full disk is noticed when writing.
func reserve(*os.File, int64) error { return nil }

// Has reports whether the name exists.
func (d *Folder) Has(name string) bool {
	_, err := d.at.root.Lstat(name)
	return err == nil
}

// put fails, so that callers use Create.
func (d *Folder) put(string, []byte) error { return errors.ErrUnsupported }

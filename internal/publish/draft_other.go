//go:build !linux

package publish

import (
	"errors"
	"os"
)

const largeFile = 0

func (t *target) draft() (*os.File, string, error) { return t.named() }

// link is for files without names, which there are none of.
func (f *File) link() (temp string, err error) { return "", errors.ErrUnsupported }

// reserve does nothing: a full disk is noticed when writing.
func reserve(*os.File, int64) error { return nil }

// Has reports whether there is something of that name.
func (d *Folder) Has(name string) bool {
	_, err := d.at.root.Lstat(name)
	return err == nil
}

// put leaves every file to Create.
func (d *Folder) put(string, []byte) error { return errors.ErrUnsupported }

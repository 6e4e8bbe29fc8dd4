//go:build !linux

package publish

import (
	"os"
	"path/filepath"
)

// openFolder is the folder's path.
type openFolder struct{ path string }

func (d *openFolder) open(_ *os.Root, path string) error {
	d.path = path
	return nil
}

func (d *openFolder) close() {}

func (d *openFolder) has(name string) bool {
	_, err := os.Lstat(filepath.Join(d.path, name))
	return err == nil
}

func (d *openFolder) put(name string, content []byte) error {
	return createWhole(filepath.Join(d.path, name), content)
}

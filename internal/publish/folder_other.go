//go:build !linux

package publish

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
)

// openFolder is the folder's path.
type openFolder struct{ path string }

func (d *openFolder) open(path string) error {
	d.path = path
	_, err := os.Stat(path)
	return err
}

func (d *openFolder) close() {}

func (d *openFolder) stat(name string) (s Stat, ok bool) {
	info, err := os.Stat(filepath.Join(d.path, name))
	if err != nil || !info.Mode().IsRegular() {
		return s, false
	}
	return statOf(info), true
}

func (d *openFolder) holds(name string, content, buffer []byte) bool {
	file, err := os.Open(filepath.Join(d.path, name))
	if err != nil {
		return false
	}
	defer file.Close()
	n, err := io.ReadFull(file, buffer[:len(content)+1])
	return (err == io.ErrUnexpectedEOF || err == io.EOF) && bytes.Equal(buffer[:n], content)
}

func (d *openFolder) put(name string, content []byte) (Stat, error) {
	return createWhole(filepath.Join(d.path, name), content)
}

//go:build !js

package source

import (
	"errors"
	"io"
	"slices"

	"github.com/tlayout/tlayout/internal/fault"
	"github.com/tlayout/tlayout/internal/file/checkpoint"
	"github.com/tlayout/tlayout/internal/file/foreign"
	"github.com/tlayout/tlayout/internal/file/zarr"
	"github.com/tlayout/tlayout/internal/input"
	"github.com/tlayout/tlayout/internal/name"
)

// zarrFolder returns the folder of a Zarr array or group that a name stands for, and the metadata there: the folder, or the metadata.
func zarrFolder(n name.Name) (folder, metadata name.Name, ok bool) {
	if n.IsRemote() {
		return n, n, false
	}
	if slices.Contains(zarr.Markers, n.Base()) && n.IsFile() {
		return n.Parent(), n, true
	}
	for _, marker := range zarr.Markers {
		if metadata := n.Join(marker); metadata.IsFile() && n.IsFolder() {
			return n, metadata, true
		}
	}
	return n, n, false
}

// openZarr opens the folder of a Zarr array or group.
func openZarr(n name.Name, o Options) (s *Set, err error) {
	folder, metadata, _ := zarrFolder(n)
	b, err := input.Open(metadata, o.files())
	if err != nil {
		return nil, err
	}
	s = newSet(n, checkpoint.Zarr, b, o)
	root, err := input.OpenFolder(folder)
	if err == nil {
		s.folder = root
		s.Container, err = zarr.Open(root.FS(), s.limit)
	}
	if err != nil {
		s.Close()
		return nil, fault.In(n.String(), err)
	}
	for i, x := range s.Refused {
		if x.Name == "" { // the folder itself is the array
			s.Refused[i].Name = folder.Clean().Base()
		}
	}
	s.index()
	s.open = s.openView
	return s, nil
}

// content returns what reads a storage of a Zarr array. To the error for a codec that is not read, it adds how Python reads it.
func (s *Set) content(storage int) func() (io.Reader, error) {
	return func() (io.Reader, error) {
		r, err := s.Content(storage)
		var e *fault.Error
		if errors.As(err, &e) && e.Class == fault.Unsupported {
			folder, _, _ := zarrFolder(s.Path)
			return nil, e.WithHint("%s", foreign.FromZarr(folder.Clean()))
		}
		return r, err
	}
}

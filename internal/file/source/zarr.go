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

// isZarrFile reports whether a file is the metadata of a Zarr array or group, and so stands for its folder.
func isZarrFile(n name.Name) bool { return slices.Contains(zarr.Markers, n.Base()) && n.IsFile() }

// zarrMetadata returns the metadata of a Zarr array or group in a folder; ok is false if there are none.
func zarrMetadata(folder name.Name) (metadata name.Name, ok bool) {
	for _, marker := range zarr.Markers {
		if metadata = folder.Join(marker); metadata.IsFile() {
			return metadata, true
		}
	}
	return metadata, false
}

// zarrParts returns the folder of a Zarr array or group that a name stands for, and the metadata there: the folder, or the metadata.
func zarrParts(n name.Name) (folder, metadata name.Name) {
	if isZarrFile(n) {
		return n.Parent(), n
	}
	metadata, _ = zarrMetadata(n)
	return n, metadata
}

// openZarr opens the folder of a Zarr array or group.
func openZarr(n name.Name, o Options) (*Set, error) {
	folder, metadata := zarrParts(n)
	b, err := input.Open(metadata, o.files())
	if err != nil {
		return nil, err
	}
	s := newSet(n, checkpoint.Zarr, b, o)
	root, err := input.OpenFolder(folder)
	if err == nil {
		s.folder = root
		s.Container, err = zarr.Open(root.FS(), s.limit)
	}
	if err != nil {
		return s.completed(fault.In(n.String(), err))
	}
	for i, x := range s.Refused {
		if x.Name == "" { // the folder itself is the array
			s.Refused[i].Name = folder.Clean().Base()
		}
	}
	return s.completed(nil)
}

// content returns what reads a storage of a Zarr array. To the error for a codec that is not read, it adds how Python reads it.
func (s *Set) content(storage int) func() (io.Reader, error) {
	return func() (io.Reader, error) {
		r, err := s.Content(storage)
		var e *fault.Error
		if errors.As(err, &e) && e.Class == fault.Unsupported {
			folder, _ := zarrParts(s.Path)
			return nil, e.WithHint("%s", foreign.FromZarr(folder.Clean()))
		}
		return r, err
	}
}

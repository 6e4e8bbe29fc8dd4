package source

import (
	"io"

	"github.com/tlayout/tlayout/internal/name"
)

// A page has no folders.

func openFolder(name.Name, Options) (*Set, error) { return nil, nil }

// IsFolder reports whether a name is a folder that is read as one container.
func IsFolder(name.Name) bool { return false }

func (s *Set) content(storage int) func() (io.Reader, error) {
	return func() (io.Reader, error) { return s.Content(storage) }
}

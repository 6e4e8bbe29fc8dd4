//go:build !unix

package publish

import (
	"os"
	"path/filepath"
	"strings"
)

// identity is the same for all spellings of a file's path. Two hard links differ: replacing one keeps the other.
type identity string

func identify(name string, _ os.FileInfo) identity {
	if path, err := filepath.EvalSymlinks(name); err == nil {
		name = path
	}
	if path, err := filepath.Abs(name); err == nil {
		name = path
	}
	return identity(strings.ToLower(name))
}
